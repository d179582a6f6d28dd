package supervise

import "github.com/gallop-go/gallop/internal/kernel"

// Decision is the fate of a child that is about to fail: see [Worker].Decide.
type Decision uint8

const (
	// DecideRestart suspends the child. Its supervisor restarts it, as far as its Restart and the
	// [Intensity] say so.
	DecideRestart = Decision(kernel.Restart)
	// DecideResume lets the child go on with its state, mail, timers, children, stash, and the replies
	// that it had deferred before. The message over which it panicked is gone. The panic is reported
	// as usual, and the supervisor does not count it.
	//
	// The caller of a request gets [actor.ErrPanicked], also if the behaviour had deferred the reply.
	// There are two exceptions: a request that was stashed stays in the stash, and its caller waits;
	// a reply that was handed over belongs to the other actor.
	//
	// A child has no state to go on with if it was not up, if it is ending, or if a collection of its
	// arena panicked. For such a child DecideResume is DecideRestart.
	DecideResume = Decision(kernel.Resume)
	// DecideStop ends the child for good, with the reason of the failure, as [actor.StopWith] would.
	DecideStop = Decision(kernel.Stop)
	// DecideEscalate makes its supervisor fail for the same reason.
	DecideEscalate = Decision(kernel.Escalate)
)

// decisions returns decide for the runtime.
func decisions(decide func(reason error) Decision) func(error) kernel.Decision {
	if decide == nil {
		return nil
	}
	return func(reason error) kernel.Decision { return kernel.Decision(decide(reason)) }
}
