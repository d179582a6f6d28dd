package kernel

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel/indexset"
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
	SysDone         *doneSignal
	who             ActorName // as of the making; a reference to the cell would keep it in memory
	watch           sync.Once // by the first Done

	// Guarded by the Mu of SysDone.
	watched  bool // Done was called
	ended    bool
	why      error                      // after ended
	Children indexset.Set[boundContext] // the contexts that end with it
	index    int                        // in the Lives of SysDone
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

func (l *lifeContext) within() *lifeContext { return l }

// String implements fmt.Stringer: see boundContext.
func (*lifeContext) String() string { return contextName }

func newLifeContext(o *doneSignal, who ActorName) *lifeContext {
	l := &lifeContext{SysDone: o, who: who}
	l.Context, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// Done implements context.Context.
func (l *lifeContext) Done() <-chan struct{} {
	l.watch.Do(func() {
		l.SysDone.Mu.Lock()
		l.watched = true
		over := l.list()
		l.SysDone.Mu.Unlock()
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
	if l.SysDone.isDone() {
		l.end(ErrSystemStopped)
	}
}

// end ends the context. Any goroutine; only the first call counts.
func (l *lifeContext) end(cause error) {
	l.SysDone.Mu.Lock()
	if l.ended {
		l.SysDone.Mu.Unlock()
		return
	}
	l.ended, l.why = true, cause
	left := l.Children.TakeAll()
	l.list()
	l.SysDone.Mu.Unlock()
	l.cancel(cause)
	for _, b := range left {
		b.cancel(cause)
	}
}

// add makes b end with the life.
func (l *lifeContext) add(b *boundContext) {
	l.SysDone.Mu.Lock()
	ended, why, over := l.ended, l.why, false
	if !ended {
		l.Children.Add(b, &b.index)
		over = l.list()
	}
	l.SysDone.Mu.Unlock()
	switch {
	case ended:
		b.cancel(why)
	case over:
		l.end(ErrSystemStopped)
	}
}

// remove removes b from the contexts that end with the life.
func (l *lifeContext) remove(b *boundContext) {
	l.SysDone.Mu.Lock()
	l.Children.Remove(&b.index)
	l.list()
	l.SysDone.Mu.Unlock()
}

// list adds l to the list of the system if a goroutine may wait for l, and removes it otherwise. If
// it reports true, the system has ended, and the caller must end l. Caller holds the Mu of SysDone.
func (l *lifeContext) list() (over bool) {
	lives, listed := &l.SysDone.Lives, l.index != 0
	switch waits := !l.ended && (l.watched || l.Children.Len() > 0); {
	case waits && l.SysDone.ended:
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
func lifeContextOf(a *Cell) *lifeContext {
	f := a.FlowOf()
	if l := f.life.Load(); l != nil {
		return l
	}
	x := a.MakeCold()
	l := newLifeContext(&a.Sys().Done, a.ownName())
	x.Parts[ContextPart] = l
	f.life.Store(l)
	switch {
	case x.State != alive:
		l.end(x.tooLate())
	case PendingStop(a, ModeStop): // after the store
		l.end(stoppedBecause(ErrShutdown))
	}
	return l
}

// ActorOf returns the name of the actor whose behaviour, or whose Pipe, was given ctx or a parent of
// ctx. It reports false if there is none. Any goroutine.
func ActorOf(ctx context.Context) (who ActorName, ok bool) {
	if in, ok := ctx.Value(lifeKey{}).(lifeBound); ok {
		return in.within().who, true
	}
	return ActorName{}, false
}

// Ends implements Part. The next life has a context of its own.
func (l *lifeContext) Ends(a *Cell, _ Env, at Ending, why error) {
	switch at {
	case atLeave, atEnd: // an actor that its system takes along does not leave
		l.end(why)
	case atLifeEnd:
		a.Flow.Load().life.Store(nil)
		a.Cold.Parts[ContextPart] = nil
	}
}

// ContextOfLife returns the context of the actor's present life; nil: none was made. f may be nil.
// Any goroutine.
func (f *flow) ContextOfLife() *lifeContext {
	if f == nil {
		return nil
	}
	return f.life.Load()
}

// cutContext ends the context of a life whose end s orders. It is called after the push of s to the
// system queue. before is the context as of before the push. Any goroutine.
func cutContext(a *Cell, s Signal, before *lifeContext) {
	why := ErrShutdown
	if o, ok := s.(StopRequest); ok {
		why, before = o.Why, a.Flow.Load().ContextOfLife()
	}
	if before != nil {
		before.end(stoppedBecause(why))
	}
}

// ordersEnd reports whether a signal ends the life of an actor that is up.
func ordersEnd(s Signal) bool { return RankOf(s) > uint8(ModeDrain)+1 }

// doneSignal tells the end of a system: a channel tells the runtime, and a context tells users'
// functions.
type doneSignal struct {
	ctx    context.Context // ends with the system
	Done   <-chan struct{} // ctx.Done()
	cancel context.CancelCauseFunc

	Mu    sync.Mutex                // also guards fields of each lifeContext
	ended bool                      // guarded by Mu
	Lives indexset.Set[lifeContext] // guarded by Mu: the contexts for which a goroutine may wait
}

// init makes the signal. The caller owns it.
func (o *doneSignal) init() {
	o.ctx, o.cancel = context.WithCancelCause(context.Background())
	o.Done = o.ctx.Done()
}

// Context returns a context that ends with the system.
func (o *doneSignal) Context() context.Context { return o.ctx }

// isDone reports whether the end has come.
func (o *doneSignal) isDone() bool { return IsClosed(o.Done) }

// finish ends the signal and the contexts of lives in its list. It may be called more than once.
func (o *doneSignal) finish() {
	o.Mu.Lock()
	o.ended = true
	left := o.Lives.TakeAll()
	o.Mu.Unlock()
	o.cancel(ErrSystemStopped)
	for _, l := range left {
		l.end(ErrSystemStopped)
	}
}

// IsClosed reports whether a channel without senders is closed. Any goroutine.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
