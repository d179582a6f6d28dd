package actor

import (
	"context"
	"sync"
)

// doneSignal is the end of a system: a channel for the runtime, and a context for users' functions.
type doneSignal struct {
	ctx    context.Context // ends with the system
	done   <-chan struct{} // that of ctx
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	ended bool                    // guarded by mu
	lives indexedSet[lifeContext] // guarded by mu: those that end with the system
}

func (o *doneSignal) init() {
	o.ctx, o.cancel = context.WithCancelCause(context.Background())
	o.done = o.ctx.Done()
}

// context returns a context that ends with the system.
func (o *doneSignal) context() context.Context { return o.ctx }

// isDone reports whether the end has come.
func (o *doneSignal) isDone() bool { return isClosed(o.done) }

// finish brings the end. It may be called more than once.
func (o *doneSignal) finish() {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.cancel(ErrSystemStopped)
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
