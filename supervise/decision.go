package supervise

import "github.com/gallop-go/gallop/internal/access"

// Decision is what becomes of a child that is about to fail: see [Worker].Decide.
type Decision uint8

const (
	// DecideRestart suspends the child. Its supervisor restarts it, as far as its Restart and the
	// [Intensity] say so.
	DecideRestart = Decision(access.Restart)
	// DecideResume lets the child go on with its state as it is, and its mail, timers, children,
	// stash, and replies that were put off before. The message over which it panicked is gone. The
	// caller of a request hears [actor.ErrPanicked], even if the behaviour had put the reply off. If it
	// had stashed the request, that stays in the stash, and the caller waits for it; and a reply that
	// it had handed over is the other actor's. The panic is reported as usual. The supervisor does not
	// count it. A
	// child that was not up, that has lost its arena to the panic of a collection, or that leaves
	// already has no state to go on with: for it this is DecideRestart.
	DecideResume = Decision(access.Resume)
	// DecideStop ends the child for good, with the reason of the failure, as [actor.StopWith] would.
	DecideStop = Decision(access.Stop)
	// DecideEscalate makes its supervisor fail for the same reason.
	DecideEscalate = Decision(access.Escalate)
)

// decisions returns decide for the runtime.
func decisions(decide func(reason error) Decision) func(error) access.Decision {
	if decide == nil {
		return nil
	}
	return func(reason error) access.Decision { return access.Decision(decide(reason)) }
}
