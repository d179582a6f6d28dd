package supervise

import (
	"context"
	"errors"

	"github.com/gallop-go/gallop/actor"
)

// StartWait is [Start] that returns when all children are up, those below supervisors too.
//
// If a child does not come up, because init or OnStart fails or panics, it is not tried again:
// the tree is stopped, and when it has ended StartWait returns the zero Supervisor and a
// *[StartError] with the child's path, which wraps the error of OnStart. Only the first start
// of each child is special: once it has been up, its falls are what they always are, also while
// others are still starting; if a supervisor gives up over them, the error is its
// [EscalationError].
//
// If ctx ends first, the tree is told to stop, and StartWait does not wait for its end. The error
// names the child that was starting and wraps ctx's error. If the
// system stops, it is [actor.ErrSystemStopped]. StartWait panics if the declaration is wrong.
//
// It is for use from outside, before a service takes requests. A behaviour that calls it keeps
// its worker waiting, as by [actor.AskBehaviour.Ask].
func StartWait(ctx context.Context, from actor.Sender, spec Spec) (Supervisor, error) {
	sp := mustCheck("StartWait", spec)
	if ctx == nil {
		panic("gallop: supervise: StartWait with a nil context: use context.Background")
	}
	if ctx.Err() != nil {
		return Supervisor{}, &StartError{sp.name, ctx.Err()}
	}
	root := newRoot(sp)
	root.failFast = true
	s := Supervisor{supervisorType.Spawn(from, root)}
	err := s.Ready(ctx)
	if err == nil {
		return s, nil
	}
	if ctxErr := ctx.Err(); ctxErr == nil || !errors.Is(err, ctxErr) {
		var d actor.Down
		if d, err = actor.Join(ctx, actor.SystemOf(s), s); err == nil {
			err = d.Reason
		}
		if ctxErr = ctx.Err(); ctxErr == nil || !errors.Is(err, ctxErr) {
			return Supervisor{}, notStarted(sp.name, err)
		}
	}
	at := root.names.startingPath(sp.name)
	actor.Stop(actor.SystemOf(s), s)
	return Supervisor{}, &StartError{at, ctx.Err()}
}

// notStarted is the error of a tree that ended for that reason before it was up.
func notStarted(name string, reason error) error {
	if reason == nil || actor.IsNormal(reason) { // somebody has stopped it
		return &StartError{name, actor.ErrStopped}
	}
	return reason
}

// Ready blocks, from outside, until all children of the supervisor are up, those below
// supervisors too. Children that have ended, and are not restarted, count as up. If one backs
// off, Ready waits until it is up again. The errors are those of [actor.AskBehaviour.Ask]:
// [actor.ErrStopped], which wraps the reason, if the supervisor ends first.
func (s Supervisor) Ready(ctx context.Context) error {
	r := s.asked("Ready")
	_, err := awaitUp.Ask(ctx, actor.SystemOf(r), r, actor.None{})
	return err
}

func (s *supervisor) awaitUp(c *actor.Context, none actor.None) (actor.None, error) {
	if !s.isUp() {
		s.upWaiters = append(s.upWaiters, actor.Defer(c, awaitUp))
	}
	return none, nil
}
