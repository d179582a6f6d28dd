package kernel

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
)

// contextState holds the contexts of the running behaviour. It is empty unless c.Then has
// usesContext. No field outlives the behaviour.
type contextState struct {
	came    context.Context // the context that the message carries
	set     context.Context // the argument of SetContext
	Travels context.Context // the context that sent messages carry; nil: none
	Waits   bool            // Travels has the mark of WaitForRestart
	// The contexts that Context has returned and that end with the behaviour.
	bounds *Bounds
}

// Context implements actor.Context.Context.
func (c *Turn) Context() context.Context {
	MustRun(c, "Context")
	outer := c.set
	if outer == nil {
		outer = c.cameWith()
	}
	life := lifeContextOf(c.Self)
	if outer == nil {
		return life
	}
	if in, ok := outer.Value(lifeKey{}).(lifeBound); ok && in.within() == life {
		return guard.Bare(outer)
	}
	return c.bind(outer, life)
}

// cameWith returns the context of the message that runs; nil: it has none.
func (c *Turn) cameWith() context.Context {
	if c.came != nil {
		return c.came
	}
	if d := c.Self.Typ().Decls[c.Msg.ID]; d.Caller != nil {
		return d.Caller(c.Msg).Context()
	}
	return nil
}

// SetContext implements actor.Context.SetContext.
func (c *Turn) SetContext(ctx context.Context) {
	MustRun(c, "SetContext")
	ctx = MustHave(ctx, "SetContext")
	c.Then |= usesContext
	c.set = ctx
	travels := travelling(ctx)
	waits := WaitsForRestart(travels)
	c.travel(travels)
	c.Waits = waits
}

// PassOn is SetContext of the context that the message came with, or that an interceptor has put in
// its place. It does nothing if there is none. Owner only, in a turn.
func (c *Turn) PassOn() {
	if c.Then&usesContext == 0 {
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

// travel makes messages that are sent carry ctx, or no context if ctx is nil.
func (c *Turn) travel(ctx context.Context) {
	c.travelAlone()
	if c.Travels = ctx; ctx != nil {
		c.Cache.Hide()
	}
}

// travelAlone makes messages that are sent carry no context.
func (c *Turn) travelAlone() {
	if c.Travels != nil {
		c.Cache.Show()
		c.Travels = nil
	}
}

// leaveContext empties the contextState after a behaviour, and ends its contexts, unless they end
// with a reply that was put off.
func (c *Turn) leaveContext() {
	c.travelAlone()
	b := c.bounds
	c.contextState = contextState{}
	c.Then &^= usesContext
	if b != nil && !b.late {
		b.Release()
	}
}

// withCache calls f with the cache shown. It is for behaviours that have hidden the cache.
func (c *Turn) withCache(f func()) {
	ctx := c.Travels
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

func (b *boundContext) within() *lifeContext { return b.life }

// String implements fmt.Stringer: the text of a derived context has the text of its parent.
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

// errReturned is the cause of a behaviour's context that ends with the behaviour or its reply.
var errReturned = errors.New("gallop: the behaviour has returned, or its request is answered")

// Release ends the context, and removes it from the life. Any goroutine.
func (b *boundContext) Release() {
	b.life.remove(b)
	b.cancel(errReturned)
}

// Bounds are the contexts that end with a behaviour or, if its reply is put off, with the reply.
type Bounds struct {
	late bool // they end with a reply that was put off

	mu   sync.Mutex
	all  []*boundContext // guarded by mu
	done bool            // guarded by mu
}

// bind returns a context for the rest of the behaviour.
func (c *Turn) bind(outer context.Context, life *lifeContext) context.Context {
	c.Then |= usesContext
	if c.bounds == nil {
		c.bounds = new(Bounds)
	}
	return c.bounds.get(outer, life)
}

// get returns the context derived from outer. It makes a new one unless the last was derived from
// outer. It does not hold the lock meanwhile, since it calls methods of a user's context.
func (s *Bounds) get(outer context.Context, life *lifeContext) context.Context {
	if b := s.last(outer); b != nil {
		return b
	}
	b := bindTo(outer, life)
	s.mu.Lock()
	s.all = append(s.all, b)
	done := s.done
	s.mu.Unlock()
	if done {
		b.Release()
	}
	return b
}

// last returns the context that was derived last, if it was derived from outer; otherwise nil.
func (s *Bounds) last(outer context.Context) *boundContext {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.all); n > 0 && guard.Same(s.all[n-1].outer, outer) {
		return s.all[n-1]
	}
	return nil
}

// Release ends all contexts in s. Any goroutine.
func (s *Bounds) Release() {
	s.mu.Lock()
	left := s.all
	s.all, s.done = nil, true
	s.mu.Unlock()
	for _, b := range left {
		b.Release()
	}
}

// travelling returns the context that travels in messages if a behaviour has set ctx; nil: none
// does.
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
		if !ends || limited && !at.After(most) { // else ctx cannot end with of: its deadline is later
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
// It travels in messages, and no code knows when the last of these has run. So it has no timer:
// that would keep it in memory until the deadline. Its Done channel is not closed at the deadline.
// Behaviours and interceptors get a context that is bound to it, with a timer until the behaviour
// returns: see bindTo.
type detached struct {
	context.Context // ends the detached; never a detached itself
	values          context.Context
	at              time.Time // the deadline, if Context has none or a later one; otherwise zero
}

// Own implements guard.Own.
func (*detached) Own(guard.Mark) {}

// String implements fmt.Stringer: see boundContext.
func (*detached) String() string { return contextName }

// isLimited reports whether its deadline is earlier than that of the context with which it ends.
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
