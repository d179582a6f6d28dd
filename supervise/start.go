package supervise

import (
	"context"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
)

// StartWait is [Start], but returns when the whole tree is up.
//
// If a child does not come up, because Init or OnStart fails or panics, the start is not retried:
// the tree is stopped, and when it has ended StartWait returns the zero Supervisor and a
// *[StartError] with the child's path, which wraps the error of OnStart. This holds only for the
// first start of each child: once a child has been up, it is restarted after a failure as usual,
// even while others are still starting; if a supervisor gives up, the error is its
// [EscalationError].
//
// If ctx ends first, the tree is told to stop, and StartWait does not wait for its end. The error
// names the child that was starting and wraps ctx's error. If the
// system stops, it is [actor.ErrSystemStopped]. StartWait panics if the declaration is wrong.
//
// Call it from outside, before a service takes requests. A behaviour that calls it blocks its
// worker, as with [actor.AskBehaviour.Ask].
func StartWait(ctx context.Context, from actor.Sender, spec Spec) (Supervisor, error) {
	sp := mustCheck("StartWait", spec)
	ctx = mustHave(ctx, "StartWait")
	if err := ctx.Err(); err != nil {
		return Supervisor{}, &StartError{sp.name, err}
	}
	root := newRoot(sp)
	root.failFast = true
	s := listed(Supervisor{supervisorType.Spawn(from, root)})
	err := s.Ready(ctx)
	if err == nil {
		return s, nil
	}
	if ctxErr := ctx.Err(); ctxErr == nil || !guard.Is(err, ctxErr) {
		var d actor.Down
		if d, err = actor.Join(ctx, s); err == nil {
			err = d.Reason
		}
		if ctxErr = ctx.Err(); ctxErr == nil || !guard.Is(err, ctxErr) {
			return Supervisor{}, notStarted(sp.name, err)
		}
	}
	at := root.names.startingPath(sp.name)
	actor.Stop(actor.SystemOf(s), s)
	return Supervisor{}, &StartError{at, ctx.Err()}
}

// mustHave panics without a context, and returns it as the runtime may ask it.
func mustHave(ctx context.Context, call string) context.Context {
	if !guard.IsContext(ctx) {
		panic("gallop: supervise: " + call + " with a nil context: use context.Background")
	}
	return guard.Guarded(ctx)
}

// notStarted returns the error of a tree that ended for this reason before it was up.
func notStarted(name string, reason error) error {
	if reason == nil || actor.IsNormal(reason) { // it was stopped by order
		return &StartError{name, actor.ErrStopped}
	}
	return reason
}

// Ready blocks, from outside, until the whole tree of the supervisor is up. Children that have
// ended and are not restarted count as up. If a child waits for its back-off, Ready waits until it
// is up again. The errors are the errors of [actor.AskBehaviour.Ask]: [actor.ErrStopped], which
// wraps the reason, if the supervisor ends first.
func (s Supervisor) Ready(ctx context.Context) error {
	r := s.asked("Ready")
	_, err := awaitUp.Ask(ctx, r, struct{}{})
	return err
}

func (s *supervisor) awaitUp(c *actor.Context, none struct{}) (struct{}, error) {
	if !s.isUp() {
		s.upWaiters = append(s.upWaiters, actor.Defer(c, awaitUp))
	}
	return none, nil
}
