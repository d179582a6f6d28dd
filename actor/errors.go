package actor

import (
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
)

var (
	// ErrStopped says that the receiver has ended. TrySend, SendWait and asks return it, and it is
	// the reason of dead letters. The error also wraps the reason for which the receiver ended, if
	// that is not nil and is known when the message is refused. So check for ErrStopped before you
	// check for any other error.
	ErrStopped = kernel.ErrStopped
	// ErrShutdown is the reason of an actor that ended because it was told to stop.
	ErrShutdown = kernel.ErrShutdown
	// ErrKilled is the reason of an actor that was killed.
	ErrKilled = kernel.ErrKilled
	// ErrOverloaded says that the receiver does not keep up. TrySend returns it. Asks return it if
	// the receiver has a bound or the behaviour is [DropOnOverload]. It is the reason of dead
	// letters of such receivers and behaviours, and of messages that did not fit into a full stash.
	ErrOverloaded = kernel.ErrOverloaded
	// ErrDropped says that a message was dropped to make room for a newer one. It is the reason of
	// dead letters of actors with OverflowDropOldest. Asks of these actors return it.
	ErrDropped = kernel.ErrDropped
	// ErrPanicked says that the receiver panicked while it handled the request. Asks return it. The
	// error also wraps a *PanicError with the value of the panic.
	ErrPanicked = kernel.ErrPanicked
	// ErrDeadlock says that an ask would wait for itself: a behaviour has asked its own actor, an
	// actor that runs on the same thread, or an actor that waits for it in an Ask. Ask,
	// bridge.AskAll and bridge.Replies return it.
	ErrDeadlock = kernel.ErrDeadlock
	// ErrTooManyBlocked says that an ask in a behaviour or a process would have to wait while as
	// many behaviours block as [WithMaxBlocked] allows. One more would keep its worker from other
	// actors. Ask, bridge.AskAll and bridge.Replies return it. A request of Ask becomes a dead letter
	// with it.
	ErrTooManyBlocked = kernel.ErrTooManyBlocked
	// ErrNoReply says that no reply came in time. It is the outcome of an ask with a time-out
	// ([Within]), and the reason of dead letters of late replies. It wraps
	// context.DeadlineExceeded.
	ErrNoReply = kernel.ErrNoReply
	// ErrSuspended says that the receiver is down and will be restarted later: see package
	// supervise. Asks and TrySend return it, and it is the reason of dead letters. The error also
	// wraps the reason for which the receiver fell, if that is not nil. So check for ErrSuspended
	// after ErrStopped and before any other error.
	ErrSuspended = kernel.ErrSuspended
	// ErrRestarted says that the receiver has been restarted, and that the message does not run in
	// its next life. Asks return it. It is the reason of dead letters, including outcomes that were
	// meant for an earlier life of the actor. The error may also wrap the reason for which the
	// receiver fell.
	ErrRestarted = kernel.ErrRestarted
	// ErrSystemStopped says that the system has stopped or is about to stop. Each call that needs a
	// running system returns it, and it is the reason of dead letters.
	ErrSystemStopped = kernel.ErrSystemStopped
)

// NormalError is a reason for which an actor ends normally and which carries information: see
// [Normal].
type NormalError struct {
	// Info is the information.
	Info error
}

// Error implements error.
func (e *NormalError) Error() string {
	if e == nil {
		return "<nil>"
	}
	return "gallop: normal end: " + guard.Text(e.Info)
}

// Unwrap returns Info.
func (e *NormalError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Info
}

// Normal returns a reason for [Context.Exit] and [StopWith] that means a normal end and carries
// info, as {shutdown, Info} does in Erlang. [Down], [Exit] and [Join] deliver the reason, which is a
// *[NormalError], and ErrStopped wraps it. It has no other effect: links do not end other actors for
// it, Decide is not asked about it, and supervisors treat it as a normal end.
// Normal(nil) is nil.
//
// An error that wraps the result of Normal is not such a reason.
func Normal(info error) error {
	if info == nil {
		return nil
	}
	return &NormalError{info}
}

// IsNormal reports whether an actor that ends for reason ends normally: reason is nil, ErrShutdown,
// or a result of [Normal]. It does not look at wrapped errors, because a panic, or an error about
// the end of another actor, may wrap each of these.
func IsNormal(reason error) bool { return kernel.IsNormal(reason) }

func init() {
	kernel.Face.PanicError = func(value any, goexit bool, stack []byte) error {
		return &PanicError{Value: value, Goexit: goexit, Stack: stack}
	}
	kernel.Face.IsPanicError = func(err error) bool { _, is := err.(*PanicError); return is }
	kernel.Face.IsNormalError = func(err error) bool { _, is := err.(*NormalError); return is }
}
