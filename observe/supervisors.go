package observe

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/supervise"
)

// supervisors returns the trees of the running supervisors that were started in the system by
// [supervise.Start] or [supervise.StartWait], sorted by number. It asks each supervisor, as
// [supervise.Tree] does. If ctx ends, supervisors returns the trees known so far with ctx's error. A
// tree without references may have been collected: see [supervise.Start].
func supervisors(ctx context.Context, sys *actor.System) ([]supervise.Node, error) {
	var all []supervise.Node
	for _, ref := range inspect.Supervisors(sys) {
		var s supervise.Supervisor
		s.Ref = refLike(s.Ref, ref)
		n, err := supervise.Tree(ctx, s)
		switch {
		case errors.Is(err, actor.ErrStopped), errors.Is(err, actor.ErrSuspended):
		case err != nil:
			return all, err
		default:
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b supervise.Node) int { return cmp.Compare(a.Ref.ID(), b.Ref.ID()) })
	return all, nil
}

// refLike returns ref with the type of another one, which need not be exported.
func refLike[S any](_ actor.Ref[S], ref actor.AnyRef) actor.Ref[S] { return actor.Ref[S](ref) }

// refsIn appends the actors of trees to a list.
func refsIn(trees []supervise.Node, list []actor.AnyRef) []actor.AnyRef {
	for _, n := range trees {
		if !n.Ref.IsZero() {
			list = append(list, n.Ref)
		}
		list = refsIn(n.Children, list)
	}
	return list
}
