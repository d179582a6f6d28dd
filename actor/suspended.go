package actor

import "context"

// waitKey is the key of the mark that WaitForRestart leaves in a context.
type waitKey struct{}

// WaitForRestart returns a context with which an ask waits for an actor that is in a
// back-off, instead of failing with [ErrSuspended]: the request is kept and runs after the
// restart. It is kept whatever Care.Backlog says, so give the context a deadline. The
// mark is inherited by contexts that are made from ctx.
func WaitForRestart(ctx context.Context) context.Context {
	if ctx == nil {
		panic("gallop: WaitForRestart: a nil context")
	}
	return context.WithValue(ctx, waitKey{}, true)
}

// waitsForRestart reports whether ctx carries the mark of WaitForRestart.
func waitsForRestart(ctx context.Context) bool { return ctx.Value(waitKey{}) != nil }
