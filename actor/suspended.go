package actor

import (
	"context"
	"strings"
)

// What senders and callers learn of an actor that is down, and what they may say about it.

// waitKey is the key of the mark that WaitForRestart leaves in a context.
type waitKey struct{}

// WaitForRestart returns a context with which an ask waits for an actor that is in a
// back-off, instead of failing with [ErrSuspended]: the request is kept and runs after the
// restart. It is kept whatever Care.Backlog says, so give the context a deadline. The
// mark is inherited by contexts that are made from the one returned.
func WaitForRestart(ctx context.Context) context.Context {
	mustHave(ctx, "WaitForRestart")
	return context.WithValue(ctx, waitKey{}, true)
}

// waitsForRestart reports whether ctx has the mark of WaitForRestart. ctx may be nil.
func waitsForRestart(ctx context.Context) bool { return ctx != nil && ctx.Value(waitKey{}) != nil }

// callerState is what the receiver may know of the caller of a request.
type callerState uint8

const (
	callerThere callerState = iota
	callerWaits             // it waits for a restart as well
	callerGone              // it has given up
)

// noCall stands for the caller of a request that is no goroutine.
var noCall callState

// callerOf says how the caller of a request stands. Whoever owns the request. A function, as
// settleIn is.
func callerOf(k *callState) callerState {
	switch {
	case k.state.Load() == callAbandoned || k.left != nil && k.left.Load():
		return callerGone
	case waitsForRestart(k.ctx):
		return callerWaits
	}
	return callerThere
}

// downError is ErrSuspended or ErrRestarted with the reason for which the receiver fell.
type downError struct{ is, why error }

// because returns is with a reason, if there is one.
func because(is, why error) error {
	if why == nil {
		return is
	}
	return &downError{is, why}
}

// Error implements error.
func (e *downError) Error() string {
	return e.is.Error() + ": " + strings.TrimPrefix(e.why.Error(), "gallop: ")
}

// Unwrap returns both.
func (e *downError) Unwrap() []error { return []error{e.is, e.why} }
