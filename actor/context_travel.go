package actor

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
)

// contextState is what the behaviour that runs has to do with contexts. All of it is empty unless
// c.then has usesContext, and nothing of it outlives the behaviour.
type contextState struct {
	came    context.Context // what the message carries
	set     context.Context // what SetContext was given
	travels context.Context // what is sent carries this; nil: nothing
	waits   bool            // travels has the mark of WaitForRestart
	// What Context has returned, if that ends behind the behaviour.
	bounds *bounds
}

// Context returns a context for what the behaviour calls: libraries, and above all what
// blocks in [Context.Blocking]. It is made at the first call, and costs nothing before.
// It ends, and context.Cause says why, with
//
//   - ErrStopped and the reason, as soon as the actor is told to [Stop], is killed, has
//     drained or ends by itself, and when it is suspended or restarted: each life has a
//     context of its own;
//   - ErrSystemStopped, when the system stops.
//
// If the message that runs carries a context ([System.With], [Context.SetContext]) or
// is a request whose caller gave one ([AskBehaviour.Ask], or an [AskTo] under
// SetContext), what Context returns also has the values and the deadline of that one,
// and ends when that one ends. Such a context ends at the latest when the behaviour
// returns or, if the behaviour has put its reply off, when the reply is given. Any other
// is that of the life: the actor's next behaviours get the same.
//
// In OnStop the context has ended; use context.WithoutCancel there. The context may be used
// in any goroutine, unlike c.
func (c *Context) Context() context.Context {
	mustRun(c, "Context")
	outer := c.set
	if outer == nil {
		outer = c.cameWith()
	}
	life := lifeContextOf(c.self)
	if outer == nil {
		return life
	}
	if in, ok := outer.Value(lifeKey{}).(lifeBound); ok && in.within() == life {
		return guard.Bare(outer)
	}
	return c.bind(outer, life)
}

// cameWith returns the context of the message that runs; nil: it has none.
func (c *Context) cameWith() context.Context {
	if c.came != nil {
		return c.came
	}
	if d := c.self.typ().decls[c.msg.ID]; d.caller != nil {
		return d.caller(c.msg).context()
	}
	return nil
}

// SetContext makes ctx the context of the rest of the behaviour: [Context.Context]
// derives from it, and so travel its values, its deadline and its end with what the
// behaviour
//
//   - sends by Send, TrySend or [Yield], to whatever actor;
//   - asks by [AskTo]: the actor that is asked has them in its Context, and the outcome
//     brings them back;
//   - arms by [After] or [Every];
//   - runs by [Pipe]: the function's context has them, and the outcome brings them back.
//
// The usual call passes on what the message came with: c.SetContext(c.Context()). Of a context that
// is derived from what Context has returned, the values and the deadline travel. Of its ends only
// that of the context that the message came with does: what an actor has sent outlives its life, and
// a cancel function is often deferred. A context that never ends travels without an end, as
// context.WithoutCancel(c.Context()) for a compensation that has to happen although the caller has
// gone. Limit such a request by [Within]: around WithoutCancel, context.WithTimeout brings the end of
// the message's context back, unless it is over later than that.
//
// A message whose context has ended before its turn comes becomes a dead letter. The
// reason is the context's error. Requests run all the same, as those of [AskBehaviour.Ask]
// do, and outcomes are always heard.
//
// A message with a context costs a second node of the same free lists, and the sends of
// this behaviour some more instructions; other behaviours pay nothing. An empty context of
// package context carries nothing. SetContext panics if ctx is nil.
func (c *Context) SetContext(ctx context.Context) {
	mustRun(c, "SetContext")
	ctx = mustHave(ctx, "SetContext")
	c.then |= usesContext
	c.set = ctx
	travels := travelling(ctx)
	waits := waitsForRestart(travels)
	c.travel(travels)
	c.waits = waits
}

// passOn is SetContext of the context that the message came with, or that an interceptor has put in
// its place. It does nothing if there is none.
func (c *Context) passOn() {
	if c.then&usesContext == 0 {
		return
	}
	ctx := c.set
	if ctx == nil {
		ctx = c.cameWith()
	}
	if ctx != nil {
		c.SetContext(ctx)
	}
}

// travel makes what is sent carry ctx, or nothing if it is nil.
func (c *Context) travel(ctx context.Context) {
	c.travelAlone()
	if c.travels = ctx; ctx != nil {
		c.cache.Hide()
	}
}

// travelAlone makes what is sent carry nothing.
func (c *Context) travelAlone() {
	if c.travels != nil {
		c.cache.Show()
		c.travels = nil
	}
}

// leaveContext ends what the behaviour had to do with contexts.
func (c *Context) leaveContext() {
	c.travelAlone()
	b := c.bounds
	c.contextState = contextState{}
	c.then &^= usesContext
	if b != nil && !b.late {
		b.release()
	}
}

// withCache shows the cache to f, which runs in a behaviour that has hidden it.
func (c *Context) withCache(f func()) {
	ctx := c.travels
	c.travelAlone()
	f()
	c.travel(ctx)
}

// boundContext is the context of a message or a request in the life of the actor that runs it.
type boundContext struct {
	context.Context // derived from outer
	cancel          context.CancelCauseFunc
	outer           context.Context
	life            *lifeContext
	index           int // among the children of life
}

// Value implements context.Context.
func (b *boundContext) Value(key any) any {
	if key == (lifeKey{}) {
		return b
	}
	return b.Context.Value(key)
}

// Own implements guard.Own.
func (*boundContext) Own(guard.Mark) {}

func (b *boundContext) beyond() context.Context { return b.outer }
func (b *boundContext) within() *lifeContext    { return b.life }

// String implements fmt.Stringer: a context is printed in those that are derived from it.
func (*boundContext) String() string { return contextName }

// contextName is the name of the contexts of behaviours.
const contextName = "gallop.Context"

// bindTo derives a context that ends with outer or with life. It must be released.
func bindTo(outer context.Context, life *lifeContext) *boundContext {
	b := &boundContext{outer: outer, life: life}
	b.Context, b.cancel = context.WithCancelCause(outer)
	if d, ok := outer.(*detached); ok && d.isLimited() {
		cancel, stop := b.cancel, context.CancelFunc(nil)
		b.Context, stop = context.WithDeadline(b.Context, d.at)
		b.cancel = func(cause error) { cancel(cause); stop() }
	}
	life.add(b)
	return b
}

// errReturned is why the context of a behaviour has ended if nothing else has ended it.
var errReturned = errors.New("gallop: the behaviour has returned, or its request is answered")

func (b *boundContext) release() {
	b.life.remove(b)
	b.cancel(errReturned)
}

// bounds are the contexts that end with a behaviour or, if its reply is put off, with the reply.
type bounds struct {
	late bool // of a reply that was put off

	mu   sync.Mutex
	all  []*boundContext // guarded by mu
	done bool            // guarded by mu
}

// bind returns a context for the rest of the behaviour.
func (c *Context) bind(outer context.Context, life *lifeContext) context.Context {
	c.then |= usesContext
	if c.bounds == nil {
		c.bounds = new(bounds)
	}
	return c.bounds.get(outer, life)
}

// get returns the context derived from outer, which is made once. It is made without the lock, since
// that asks a context of the user's.
func (s *bounds) get(outer context.Context, life *lifeContext) context.Context {
	if b := s.last(outer); b != nil {
		return b
	}
	b := bindTo(outer, life)
	s.mu.Lock()
	s.all = append(s.all, b)
	done := s.done
	s.mu.Unlock()
	if done {
		b.release()
	}
	return b
}

// last returns the context that was derived last, if that was from outer; else nil.
func (s *bounds) last(outer context.Context) *boundContext {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.all); n > 0 && guard.Same(s.all[n-1].outer, outer) {
		return s.all[n-1]
	}
	return nil
}

// release ends all of them. Any goroutine.
func (s *bounds) release() {
	s.mu.Lock()
	left := s.all
	s.all, s.done = nil, true
	s.mu.Unlock()
	for _, b := range left {
		b.release()
	}
}

// travelling returns what travels of ctx; nil: nothing.
func travelling(ctx context.Context) context.Context {
	if isEmpty(ctx) {
		return nil
	}
	in, ok := ctx.Value(lifeKey{}).(lifeBound)
	switch {
	case !ok:
		return ctx
	case ctx == context.Context(in):
		return in.beyond()
	}
	t := &detached{Context: context.Background(), values: context.WithoutCancel(ctx)}
	at, limited := ctx.Deadline()
	if of := in.beyond(); of != nil && ctx.Done() != nil {
		most, ends := of.Deadline()
		if !ends || limited && !at.After(most) { // else the end of of is cut off
			if d, ok := of.(*detached); ok {
				of = d.Context // the deadline of d is in that of ctx
			}
			t.Context = of
		}
	}
	if own, ends := t.Context.Deadline(); limited && (!ends || at.Before(own)) {
		t.at = at
	}
	return t
}

// detached has the values and the deadline of a context. It ends with the context of the message,
// and not with the life of the actor in which the context was derived.
//
// It travels in messages, and is not told when the last of these has run. So it has no timer, which
// would keep it in memory until the deadline, and its Done does not tell of the deadline. Behaviours
// and interceptors get a context that is bound to it, with a timer until the behaviour returns: see
// bindTo.
type detached struct {
	context.Context // what it ends with; never a detached
	values          context.Context
	at              time.Time // the deadline, if that of Context is later; zero: it is not
}

// Own implements guard.Own.
func (*detached) Own(guard.Mark) {}

// String is as that of boundContext.
func (*detached) String() string { return contextName }

// isLimited reports whether its deadline is earlier than that of what it ends with.
func (d *detached) isLimited() bool { return !d.at.IsZero() }

// Deadline implements context.Context.
func (d *detached) Deadline() (time.Time, bool) {
	if d.isLimited() {
		return d.at, true
	}
	return d.Context.Deadline()
}

// Err implements context.Context.
func (d *detached) Err() error {
	err := d.Context.Err()
	if err == nil && d.isLimited() && !time.Now().Before(d.at) {
		return context.DeadlineExceeded
	}
	return err
}

// Value implements context.Context.
func (d *detached) Value(key any) any {
	if key == (lifeKey{}) {
		return nil
	}
	if v := d.values.Value(key); v != nil {
		return v
	}
	return d.Context.Value(key)
}

// isEmpty reports whether a context has nothing to carry.
func isEmpty(ctx context.Context) bool {
	return ctx == nil || ctx == context.Background() || ctx == context.TODO()
}
