package kernel

import (
	"context"
	"errors"
)

// The errors of package actor, which documents them.
var (
	ErrStopped              = errors.New("gallop: actor stopped")
	ErrShutdown             = errors.New("gallop: shut down")
	ErrKilled               = errors.New("gallop: killed")
	ErrOverloaded           = errors.New("gallop: actor overloaded")
	ErrDropped              = errors.New("gallop: dropped for a newer message")
	ErrPanicked             = errors.New("gallop: actor panicked")
	ErrDeadlock             = errors.New("gallop: ask would wait for itself")
	ErrTooManyBlocked       = errors.New("gallop: too many behaviours block")
	ErrNoReply        error = noReply{}
	ErrSuspended            = errors.New("gallop: actor suspended")
	ErrRestarted            = errors.New("gallop: actor restarted")
	ErrSystemStopped        = errors.New("gallop: system stopped")
)

// KindOf returns the first error that err wraps, for example ErrStopped, if err has a type of this
// package that adds a reason to it. It returns nil for other errors, and calls no method of theirs.
func KindOf(err error) error {
	switch e := err.(type) {
	case *stoppedError:
		return ErrStopped
	case *downError:
		return e.is
	}
	return nil
}

// noReply is the type of ErrNoReply.
type noReply struct{}

// Error implements error.
func (noReply) Error() string { return "gallop: no reply in time: context deadline exceeded" }

// Unwrap returns the error that Ask returns after a time-out.
func (noReply) Unwrap() error { return context.DeadlineExceeded }

// PanicMisuse panics with the text "gallop: " + who + wrong. It is a function of its own, so that
// the checks before its calls can be inlined.
//
//go:noinline
func PanicMisuse(who, wrong string) { panic("gallop: " + who + wrong) }

// Face has functions about types of package actor that users find by errors.As. Package actor sets
// it.
var Face struct {
	// PanicError returns a *PanicError.
	PanicError func(value any, goexit bool, stack []byte) error
	// IsPanicError and IsNormalError report whether err is a *PanicError, or a *NormalError. They do
	// not look at wrapped errors.
	IsPanicError, IsNormalError func(err error) bool
}

// IsNormal reports whether an actor that ends for reason ends normally: reason is nil, ErrShutdown,
// or a result of actor.Normal. It does not look at wrapped errors, because a panic, or an error
// about the end of another actor, may wrap each of these. Any goroutine.
func IsNormal(reason error) bool { return reason == ErrShutdown || hasNoEffect(reason) }

// hasNoEffect reports whether the end of a linked actor for reason leaves the other side alone.
func hasNoEffect(reason error) bool {
	return reason == nil || Face.IsNormalError(reason)
}
