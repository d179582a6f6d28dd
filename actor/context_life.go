package actor

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/actor/internal/indexset"
	"github.com/gallop-go/gallop/internal/guard"
)

// lifeContext is the context of one life of an actor. It is made when the actor asks for it. It
// ends
//
//   - when the life ends, in the actor's own turn: see leave;
//   - before that, when other code orders the end, in the turn or goroutine of that code. The actor
//     may be in the middle of a call that waits for this context, and serves no order before the
//     call returns;
//   - with the system.
//
// Code that orders the end pushes the order to the system queue and then loads the context. The
// actor stores the context and then looks whether an order is in the system queue. So at least one
// of the two sees the other, and ends the context. Suspend and Restart end only the context that
// was there before their push, since a suspended actor may begin its next life at once. If the
// actor makes its context in between, a call that waits for it is not interrupted.
//
// The system keeps a list of the contexts for which a goroutine may wait: Done was called, or a
// context was derived for a message. An actor without a ref to it is collected by the GC together
// with its context, unless the context is in the list.
type lifeContext struct {
	context.Context // the standard context that cancel ends
	cancel          context.CancelCauseFunc
	sysDone         *doneSignal
	who             ActorName // as of the making; a reference to the cell would keep it in memory
	watch           sync.Once // by the first Done

	// Guarded by the mu of sysDone.
	watched  bool // Done was called
	ended    bool
	why      error                      // after ended
	children indexset.Set[boundContext] // the contexts that end with it
	index    int                        // in the lives of sysDone
}

// lifeKey is the key of a lifeBound. A context has such a value if it is derived from the context
// of a behaviour.
type lifeKey struct{}

// lifeBound is a context of this package that ends with a life.
type lifeBound interface {
	context.Context
	beyond() context.Context // the other context with which it ends; nil: there is none
	within() *lifeContext    // the context of the life
}

// Own implements guard.Own.
func (*lifeContext) Own(guard.Mark) {}

func (l *lifeContext) beyond() context.Context { return nil }
func (l *lifeContext) within() *lifeContext    { return l }

// String implements fmt.Stringer: see boundContext.
func (*lifeContext) String() string { return contextName }

func newLifeContext(o *doneSignal, who ActorName) *lifeContext {
	l := &lifeContext{sysDone: o, who: who}
	l.Context, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// Done implements context.Context.
func (l *lifeContext) Done() <-chan struct{} {
	l.watch.Do(func() {
		l.sysDone.mu.Lock()
		l.watched = true
		over := l.list()
		l.sysDone.mu.Unlock()
		if over {
			l.end(ErrSystemStopped)
		}
	})
	return l.Context.Done()
}

// Err implements context.Context. A context that is not in the list is not told of the end of the
// system, so Err checks for it.
func (l *lifeContext) Err() error {
	l.look()
	return l.Context.Err()
}

// Value implements context.Context. Package context calls Value to find the cause, so Value checks
// for the end of the system too.
func (l *lifeContext) Value(key any) any {
	if key == (lifeKey{}) {
		return l
	}
	l.look()
	return l.Context.Value(key)
}

// look ends the context if its system has ended.
func (l *lifeContext) look() {
	if l.sysDone.isDone() {
		l.end(ErrSystemStopped)
	}
}

// end ends the context. Any goroutine; only the first call counts.
func (l *lifeContext) end(cause error) {
	l.sysDone.mu.Lock()
	if l.ended {
		l.sysDone.mu.Unlock()
		return
	}
	l.ended, l.why = true, cause
	left := l.children.TakeAll()
	l.list()
	l.sysDone.mu.Unlock()
	l.cancel(cause)
	for _, b := range left {
		b.cancel(cause)
	}
}

// add makes b end with the life.
func (l *lifeContext) add(b *boundContext) {
	l.sysDone.mu.Lock()
	ended, why, over := l.ended, l.why, false
	if !ended {
		l.children.Add(b, &b.index)
		over = l.list()
	}
	l.sysDone.mu.Unlock()
	switch {
	case ended:
		b.cancel(why)
	case over:
		l.end(ErrSystemStopped)
	}
}

// remove removes b from the contexts that end with the life.
func (l *lifeContext) remove(b *boundContext) {
	l.sysDone.mu.Lock()
	l.children.Remove(&b.index)
	l.list()
	l.sysDone.mu.Unlock()
}

// list adds l to the list of the system if a goroutine may wait for l, and removes it otherwise. If
// it reports true, the system has ended, and the caller must end l. Caller holds the mu of sysDone.
func (l *lifeContext) list() (over bool) {
	lives, listed := &l.sysDone.lives, l.index != 0
	switch waits := !l.ended && (l.watched || l.children.Len() > 0); {
	case waits && l.sysDone.ended:
		return true
	case waits && !listed:
		lives.Add(l, &l.index)
	case !waits && listed:
		lives.Remove(&l.index)
	}
	return false
}

// lifeContextOf returns the context of an actor's life. The first call makes it. The context is a
// part, and is in the flow as well, for code that orders the end. Owner only.
func lifeContextOf(a *cell) *lifeContext {
	f := a.flowOf()
	if l := f.life.Load(); l != nil {
		return l
	}
	x := a.makeCold()
	l := newLifeContext(&a.sys().done, a.ownName())
	x.parts[contextPart] = l
	f.life.Store(l)
	switch {
	case x.state != alive:
		l.end(x.tooLate())
	case pendingStop(a, modeStop): // after the store
		l.end(stoppedBecause(ErrShutdown))
	}
	return l
}

// actorOf is access.ActorOf.
func actorOf(ctx context.Context) (who any, ok bool) {
	if in, ok := ctx.Value(lifeKey{}).(lifeBound); ok {
		return in.within().who, true
	}
	return nil, false
}

// ends implements part. The next life has a context of its own.
func (l *lifeContext) ends(a *cell, _ env, at ending, why error) {
	switch at {
	case atLeave, atEnd: // an actor that its system takes along does not leave
		l.end(why)
	case atLifeEnd:
		a.flow.Load().life.Store(nil)
		a.cold.parts[contextPart] = nil
	}
}

// contextOfLife returns the context of the actor's present life; nil: none was made. f may be nil.
// Any goroutine.
func (f *flow) contextOfLife() *lifeContext {
	if f == nil {
		return nil
	}
	return f.life.Load()
}

// cutContext ends the context of a life whose end s orders. It is called after the push of s to the
// system queue. before is the context as of before the push. Any goroutine.
func cutContext(a *cell, s signal, before *lifeContext) {
	why := ErrShutdown
	if o, ok := s.(stopRequest); ok {
		why, before = o.why, a.flow.Load().contextOfLife()
	}
	if before != nil {
		before.end(stoppedBecause(why))
	}
}

// ordersEnd reports whether a signal ends the life of an actor that is up.
func ordersEnd(s signal) bool { return rankOf(s) > uint8(modeDrain)+1 }

// doneSignal tells the end of a system: a channel tells the runtime, and a context tells users'
// functions.
type doneSignal struct {
	ctx    context.Context // ends with the system
	done   <-chan struct{} // ctx.Done()
	cancel context.CancelCauseFunc

	mu    sync.Mutex                // also guards fields of each lifeContext
	ended bool                      // guarded by mu
	lives indexset.Set[lifeContext] // guarded by mu: the contexts for which a goroutine may wait
}

func (o *doneSignal) init() {
	o.ctx, o.cancel = context.WithCancelCause(context.Background())
	o.done = o.ctx.Done()
}

// context returns a context that ends with the system.
func (o *doneSignal) context() context.Context { return o.ctx }

// isDone reports whether the end has come.
func (o *doneSignal) isDone() bool { return isClosed(o.done) }

// finish ends the signal and the contexts of lives in its list. It may be called more than once.
func (o *doneSignal) finish() {
	o.mu.Lock()
	o.ended = true
	left := o.lives.TakeAll()
	o.mu.Unlock()
	o.cancel(ErrSystemStopped)
	for _, l := range left {
		l.end(ErrSystemStopped)
	}
}

// isClosed reports whether a channel without senders is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
