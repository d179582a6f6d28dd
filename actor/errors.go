package actor

import (
	"context"
	"errors"

	"github.com/gallop-go/gallop/internal/guard"
)

var (
	// ErrStopped says that the receiver has ended. It is returned by TrySend, SendWait and
	// asks, and is the reason of dead letters. The error also wraps the reason for which
	// the receiver ended, if that is known by then and not normal: so check for ErrStopped
	// before you check for anything else.
	ErrStopped = errors.New("gallop: actor stopped")
	// ErrShutdown is the reason of an actor that was told to end.
	ErrShutdown = errors.New("gallop: shut down")
	// ErrKilled is the reason of an actor that was killed.
	ErrKilled = errors.New("gallop: killed")
	// ErrOverloaded says that the receiver does not keep up. It is returned by TrySend and,
	// for actors with a bound and behaviours that are [DropOnOverload], by asks; it is the
	// reason of dead letters of these.
	ErrOverloaded = errors.New("gallop: actor overloaded")
	// ErrDropped says that a message had to make room for a newer one. It is the reason of
	// dead letters of actors with OverflowDropOldest, and is returned by asks of these
	// actors.
	ErrDropped = errors.New("gallop: dropped for a newer message")
	// ErrPanicked says that the receiver panicked while it handled the request. It is
	// returned by asks. The error also wraps a *PanicError with the value.
	ErrPanicked = errors.New("gallop: actor panicked")
	// ErrDeadlock says that a behaviour asked its own actor, one with the same thread, or
	// one that waits for it in an Ask of its own, so that the behaviour would wait for
	// itself. It is returned by Ask, AskAll and Replies.
	ErrDeadlock = errors.New("gallop: ask would wait for itself")
	// ErrTooManyBlocked says that as many behaviours block as may ([WithMaxBlocked]),
	// so that one that waited too would keep its worker from others. It is returned by Ask,
	// AskAll and Replies in a behaviour, and is the reason of the dead letter that the
	// request of such an Ask becomes.
	ErrTooManyBlocked = errors.New("gallop: too many behaviours block")
	// ErrNoReply says that no reply came in time. It is the outcome of an ask with a time-out
	// ([Within]), and the reason of dead letters that are late replies. It is
	// context.DeadlineExceeded too.
	ErrNoReply error = noReply{}
	// ErrSuspended says that the receiver is down and will be restarted later: see package supervise.
	// It is returned by asks and TrySend, and is the reason of dead letters. The error also
	// wraps the reason for which the receiver fell, if that is not nil: so check for ErrSuspended
	// before you check for anything but ErrStopped.
	ErrSuspended = errors.New("gallop: actor suspended")
	// ErrRestarted says that the receiver has been restarted, and that the message does not
	// run in its next life. It is returned by asks, and is the reason of dead letters, also of
	// those that are outcomes for an earlier life of their actor. The error may also wrap the
	// reason for which the receiver fell.
	ErrRestarted = errors.New("gallop: actor restarted")
	// ErrSystemStopped says that the system has stopped or is about to. It is returned by
	// everything that needs the system to run, and is the reason of dead letters.
	ErrSystemStopped = errors.New("gallop: system stopped")
)

// noReply is ErrNoReply.
type noReply struct{}

// Error implements error.
func (noReply) Error() string { return "gallop: no reply in time: context deadline exceeded" }

// Unwrap returns what Ask returns for a time-out.
func (noReply) Unwrap() error { return context.DeadlineExceeded }

// panicMisuse panics with what is wrong. A call, so that the checks before it are inlined.
//
//go:noinline
func panicMisuse(who, wrong string) { panic("gallop: " + who + wrong) }

// NormalError is a reason for which an actor ends normally and which carries
// information: see [Normal].
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
// info, as {shutdown, Info} does in Erlang. [Down], [Exit], [ChildDown] and [Join] deliver the
// reason, a *[NormalError], and ErrStopped wraps it. Nothing else happens: links do not end other
// actors for it, Decide is not asked about it, and supervisors take it for a normal end.
// Normal(nil) is nil.
//
// Only the error that Normal returns is such a reason, not one that wraps it.
func Normal(info error) error {
	if info == nil {
		return nil
	}
	return &NormalError{info}
}

// IsNormal reports whether an actor that ends for reason ends normally: reason is nil,
// ErrShutdown, or what [Normal] has returned. It does not look at what a reason wraps:
// a panic, or an error about the end of another actor, may wrap each of these.
func IsNormal(reason error) bool { return reason == ErrShutdown || hasNoEffect(reason) }

// hasNoEffect reports whether the end of a linked actor for reason leaves the other side alone.
func hasNoEffect(reason error) bool {
	if reason == nil {
		return true
	}
	_, is := reason.(*NormalError)
	return is
}
