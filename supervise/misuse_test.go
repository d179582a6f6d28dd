package supervise_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/misuse"
	"github.com/gallop-go/gallop/supervise"
)

// misused is an actor for any call.
type misused struct{}

func ignore[M any](*misused, *actor.Context, M) {}

var (
	misusedType = actor.NewType[misused]("misused")
	misusedDo   = actor.Declare[func(*actor.Context)](misusedType, "do")
	misusedRef  = actor.Declare[actor.Result[actor.AnyRef]](misusedType, "ref")
	misusedNone = actor.Declare[actor.Result[struct{}]](misusedType, "none")
	_           = misusedType.Table(misusedRef.Handle(ignore[actor.Result[actor.AnyRef]]),
		misusedNone.Handle(ignore[actor.Result[struct{}]]),
		misusedDo.Handle(func(_ *misused, c *actor.Context, f func(*actor.Context)) { f(c) }))
)

// TestMisuse_Everything: each exported function and method, with each zero or nil argument,
// panics and names the fault, or takes the argument as documented. Nothing fails later.
func TestMisuse_Everything(t *testing.T) {
	table := misuse.Table{
		Dir: ".",
		Funcs: map[string]any{
			"Find": supervise.Find[misused], "FindSupervisor": supervise.FindSupervisor,
			"WaitForRestart": supervise.WaitForRestart,
			"StopWithin":     supervise.StopWithin, "DrainWithin": supervise.DrainWithin,
			"KillAtOnce": supervise.KillAtOnce, "Sibling": supervise.Sibling[misused],
			"SiblingSupervisor": supervise.SiblingSupervisor,
			"FromTemplate":      supervise.FromTemplate[misused], "StartWait": supervise.StartWait,
			"Start": supervise.Start, "StartUnder": supervise.StartUnder, "Tree": supervise.Tree,
			"Serve": supervise.Serve, "WhenUp": supervise.WhenUp,
		},
		Types: []any{supervise.Backoff{}, supervise.State(0), supervise.EscalationError{},
			supervise.StartError{}, supervise.EventKind(0), supervise.Event{}, supervise.Strategy(0),
			supervise.Restart(0), supervise.Spec{}, supervise.Supervisor{}, supervise.Node{}},
		Inside: []any{(*actor.Context)(nil)},
		Odd: []any{(*actor.System)(nil), new(actor.System), (*actor.Context)(nil), new(actor.Context),
			(*endless)(nil), (*nilError)(nil), []int{}, supervise.Worker[misused]{}, supervise.Spec{},
			(*supervise.Spec)(nil), (*supervise.Worker[misused])(nil), supervise.Worker[misused]{Name: "b"}},
		Over: []string{"Serve", "Supervisor.Wait"},
		New: func() *misuse.World {
			var late error
			sys := actor.Start(actor.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))),
				actor.WithHooks(actor.Hooks{Panic: func(r actor.PanicReport) {
					if _, is := r.Value.(error); is {
						late = fmt.Errorf("%v in %s.%s\n%s", r.Value, r.Type, r.Behaviour, r.Stack)
					}
				}}))
			spec := supervise.Spec{Name: "tree", Children: []supervise.Child{
				supervise.Worker[misused]{Name: "name", Type: misusedType}}}
			me := misusedType.Spawn(sys, misused{})
			w := &misuse.World{Args: []any{context.Background(), spec,
				supervise.Worker[misused]{Name: "other", Type: misusedType}, misusedRef, misusedNone,
				time.Second}}
			root, err := supervise.StartWait(context.Background(), sys, spec)
			if err != nil {
				late = err
			}
			w.Close = func() error {
				_, _ = supervise.Tree(context.Background(), root)
				sys.Stop()
				return late
			}
			w.Inside = func(f func()) {
				done := make(chan struct{})
				misusedDo.Send(sys, me, func(c *actor.Context) {
					defer close(done)
					w.Args = append(w.Args, c)
					f()
				})
				<-done
			}
			w.Args = append(w.Args, root, sys) // behind the Context
			return w
		},
	}
	t.Logf("%d calls", table.Run(t))
}

// endless is a context that has none.
type endless struct{ context.Context }

// nilError is an error whose text cannot be had of a nil pointer.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }
