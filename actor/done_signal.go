package actor

import (
	"context"
	"sync"
)

// doneSignal is the end of a system: a channel for the runtime, and a context for users'
// functions. The context is made when the first of them needs it, so that a program
// without any does not link what contexts need to be canceled.
type doneSignal struct {
	done chan struct{} // closed at the end

	mu     sync.Mutex
	ended  bool                    // guarded by mu
	ctx    context.Context         // guarded by mu; nil: nobody has asked
	cancel context.CancelCauseFunc // guarded by mu
	lives  indexedSet[lifeContext] // guarded by mu: those that end with the system
}

// context returns a context that ends with the system.
func (o *doneSignal) context() context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ctx == nil {
		o.ctx, o.cancel = context.WithCancelCause(context.Background())
		if o.ended {
			o.cancel(ErrSystemStopped)
		}
	}
	return o.ctx
}

// isDone reports whether the end has come.
func (o *doneSignal) isDone() bool {
	return isClosed(o.done)
}

// finish brings the end. It may be called more than once.
func (o *doneSignal) finish() {
	o.mu.Lock()
	if !o.ended {
		o.ended = true
		close(o.done)
		if o.cancel != nil {
			o.cancel(ErrSystemStopped)
		}
	}
	o.mu.Unlock()
	o.endLives()
}

// isClosed reports whether a channel that nobody sends to is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
