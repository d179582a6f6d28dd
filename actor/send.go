package actor

import (
	"context"

	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/internal/invariant"
)

// The generic functions here are made once for each type of message, whatever the state. What does
// not depend on the message is made once (decision 38).

// send is [Behaviour.Send].
func send[M any](d *descriptor, from Sender, to *cell, m M) {
	if _, inside := from.(*Context); inside && d != nil && to != nil { // c, inside := makes it a jump more
		c, k := from.(*Context), to.shared()
		if c != nil && c.sys == k.sys && d.typ == k.typ {
			if n := c.cache.Take(d.sizeID); n != nil {
				*payloadOf[M](n) = m
				c.send(to, n, d)
				return
			}
		}
	}
	sendSlowly(d, from, to, m)
}

// sendSlowly is send outside of the common case, which is a behaviour of the same system with a
// node in the cache. It stands apart so that send keeps everything in registers.
//
//go:noinline
func sendSlowly[M any](d *descriptor, from Sender, to *cell, m M) {
	c, n := d.begin(from, to)
	*payloadOf[M](n) = m
	d.deliver(from, c, to, n)
}

// trySend is [Behaviour.TrySend].
func trySend[M any](d *descriptor, from Sender, to *cell, m M) error {
	c, n, err := d.beginTry(from, to)
	if err != nil {
		return err
	}
	*payloadOf[M](n) = m
	return d.tryDeliver(from, c, to, n)
}

// sendWait is [Behaviour.SendWait].
func sendWait[M any](ctx context.Context, d *descriptor, to *cell, m M) error {
	n, err := d.beginWait(ctx, to)
	if err != nil {
		return err
	}
	*payloadOf[M](n) = m
	return d.tryDeliver(to.shared().sys, nil, to, n)
}

// begin returns a node for a message to b, and the sender's context or nil: see insider.
func (d *descriptor) begin(from Sender, a *cell) (*Context, *message) {
	d.made().mustSuit(a)
	c := insider(from, a)
	return c, newMessage(c, d.size)
}

// deliver sends m, whose node begin has returned.
func (d *descriptor) deliver(from Sender, c *Context, a *cell, m *message) {
	if invariant.On {
		verifyBegun(c, a, d, m)
	}
	urgent := d.urgent
	if ctx := carriedBy(from); ctx != nil {
		m, d = carry(c, ctx, m, d), rowOf(d)
	}
	switch {
	case urgent: // its pool is in no cache
		a.sendUrgent(c, m, d)
	case c == nil && d.drops:
		d.sendOrDropFromOutside(a, m)
	case c == nil:
		_ = sendFromOutside(sent, a, m, d)
	default:
		c.send(a, m, d)
	}
}

// beginTry is begin for TrySend, or says why TrySend refuses.
func (d *descriptor) beginTry(from Sender, a *cell) (*Context, *message, error) {
	d.made().mustSuit(a)
	c := insider(from, a)
	if !d.urgent {
		if err := d.mayTry(c, a); err != nil {
			return nil, nil, err
		}
	}
	return c, newMessage(c, d.size), nil
}

// mayTry says why TrySend refuses, if it does. For a send from outside it takes a place.
func (d *descriptor) mayTry(c *Context, a *cell) error {
	switch bounded := a.shared().typ.bound.limit != 0; {
	case c == nil && a.shared().sys.refusing.Load():
		return ErrSystemStopped // whatever else there is to say
	case !bounded && !a.gate.IsOpen() && !a.tryPass(c) || bounded && a.keepsNothing():
		return a.tooMuch()
	case c == nil && !a.flowOf().permits.TryAcquire(a):
		return a.tooMuch()
	case a.shared().sys.sim.refuses(a, d): // last, or it would count what is refused anyhow
		if c == nil {
			a.flow.Load().permits.Release(1, a)
		}
		return ErrOverloaded
	}
	return nil
}

// tooMuch is the error for a message to an actor that takes no more. Any goroutine.
func (a *cell) tooMuch() error {
	switch s := a.suspension(); {
	case s != nil:
		return s.why
	case a.box.Closed(): // it drains, and is muted
		return a.whyEnded()
	}
	return ErrOverloaded
}

// keepsNothing reports whether b is in a back-off and keeps no mail meanwhile. Any goroutine.
func (a *cell) keepsNothing() bool {
	s := a.suspension()
	return s != nil && s.refuses
}

// tryPass reports whether TrySend passes a gate that is not open. What comes from outside is
// bounded by its places, and not counted.
func (a *cell) tryPass(c *Context) bool {
	if c != nil {
		return a.passesAjar()
	}
	return a.wouldPassAjar()
}

// beginWait is begin for SendWait, once there is a place.
func (d *descriptor) beginWait(ctx context.Context, a *cell) (*message, error) {
	d.made().mustSuit(a)
	mustHave(ctx, "SendWait")
	var err error
	if d.urgent {
		err = ctx.Err()
	} else {
		err = a.acquirePermit(ctx)
	}
	if err != nil {
		return nil, err
	}
	return d.size.TakeOne(), nil
}

// tryDeliver sends a message that has a place, and says why if it will not run.
func (d *descriptor) tryDeliver(from Sender, c *Context, a *cell, m *message) (err error) {
	if invariant.On {
		verifyBegun(c, a, d, m)
	}
	urgent := d.urgent
	if ctx := carriedBy(from); ctx != nil {
		m, d = carry(c, ctx, m, d), rowOf(d)
	}
	switch {
	case urgent:
		err = a.pushUrgent(c, m, d)
	case c == nil:
		m.ID = d.id
		return a.pushPermitted(m)
	default:
		err = a.tryFromInside(c, m, d)
	}
	if err != nil && c != nil {
		c.sys.sim.count(-1)
	}
	return err
}

// insider returns the sender's context if the sender is a behaviour of b's system, or else nil.
func insider(from Sender, a *cell) *Context {
	if c, sys := split(from); sys == a.shared().sys {
		return c
	}
	return nil
}

// mustSuit panics unless to is an actor of d's type. The types of Behaviour and Ref say only that
// both have the same state. Several actor types may have it, and each would misread a message for
// another.
func (d *descriptor) mustSuit(to *cell) {
	switch {
	case to == nil:
		panicMisuse(d.fullName(), " sent to a zero Ref")
	case to.shared().typ != d.typ:
		panicMisuse(d.fullName(), " sent to "+to.String()+", which is of another type with the same state")
	}
}

// send delivers a message from the behaviour that runs. The caller has filled the payload. The first
// push is inlined by hand: it nearly always succeeds. Its parts are package mpsc's.
func (c *Context) send(to *cell, m *message, d *descriptor) {
	if !to.gate.IsOpen() && c.waiters.latest != to && c.meetGate(to, m, d) {
		return
	}
	if invariant.On {
		verifySend(c, to, m, d)
	}
	h := to.box.Head()
	m.ID, m.From = d.id, c.self.id
	if h == c.bias.Mark() {
		if !c.bias.Append(&to.box, &to.in, m) {
			c.sendAgain(to, m)
		}
		return
	}
	woken := m
	if l := &c.bias; l.Allowed() && l.Kept() && l.Fits(c.w.Overflows()) && to.shared().biased {
		woken = c.bias.Mark()
	}
	m.Next, c.sent = h, m
	n := m
	// A conditional move: a branch that is guessed wrong would delay the swap.
	if h == nil {
		n = woken
	}
	if mpsc.IsClosed(h) || !to.box.Swing(h, n) {
		c.sendAgain(to, m)
	} else if h == nil {
		if n != m {
			to.in.Wake(m, n)
		}
		c.w.Schedule(&to.task)
	}
}

// sendAgain delivers a message whose first push did not succeed.
func (c *Context) sendAgain(to *cell, m *message) {
	switch to.box.Push(m) {
	case mpsc.PushWoke:
		c.w.Schedule(&to.task)
	case mpsc.PushClosed:
		if e := (env{c: c, sys: c.sys}); !to.takeLate(e, m) {
			e.deadLetter(to, m, to.whyEnded())
		}
	}
}

// sendFromOutside delivers a message that is not from a behaviour of the receiver's system, or
// makes it a dead letter and says why.
func sendFromOutside(how delivery, to *cell, m *message, d *descriptor) error {
	var err error
	if d.drops && !to.takes() {
		m.ID, m.From, err = d.id, 0, ErrOverloaded
	} else {
		err = tryPush(nil, to, m, d, how)
	}
	if err != nil {
		to.shared().sys.sim.count(1)
		env{sys: to.shared().sys}.deadLetter(to, m, err)
	}
	return err
}

// newMessage returns a node from the worker's cache, or from the common one if c is nil.
func newMessage(c *Context, p *sizeClass) *message {
	if c != nil {
		return c.alloc(p.ID)
	}
	return p.TakeOne()
}

// delivery is how a message comes to its actor.
type delivery uint8

const (
	sent delivery = iota
	// As long as the system has not stopped, even if it refuses all else.
	answered
	// By a goroutine that calls sched.Scheduler.Watch while it waits for the reply.
	asked
)

// tryPush delivers a message from the behaviour that runs, or from outside if c is nil. If
// it returns an error the message is still the caller's.
func tryPush(c *Context, to *cell, m *message, d *descriptor, how delivery) error {
	m.ID, m.From = d.id, 0
	if c == nil && how != answered && to.shared().sys.refusing.Load() {
		return ErrSystemStopped
	}
	if to.shared().typ.bound.limit != 0 {
		return to.deliverBounded(c, m)
	}
	if c == nil {
		to.shared().sys.sched.Point()
		return to.deliver(how, m)
	}
	m.From = c.self.id
	if to.box.Head() == c.bias.Mark() && c.bias.Append(&to.box, &to.in, m) {
		return nil
	}
	switch to.box.Push(m) {
	case mpsc.PushWoke:
		c.w.Schedule(&to.task)
	case mpsc.PushClosed:
		return to.endedBecause()
	}
	return nil
}

// answer delivers the answer to a request, as a message of d, or makes it a dead letter. r acts in
// b's system.
func (e env) answer(a *cell, m *message, d *descriptor, urgent bool) {
	var err error
	e.marksReply(m, a)
	if urgent {
		if m.ID, m.From = d.id, 0; e.c != nil {
			m.From = e.c.self.id
		}
		err = a.pushSystem(e, m)
	} else if err = tryPush(e.c, a, m, d, answered); err != nil && a.box.Closed() && a.takeLate(e, m) {
		return
	}
	if err != nil {
		if e.c == nil && isMail(m.ID) {
			a.sys().sim.count(1)
		}
		e.deadLetter(a, m, err)
	}
}

// tryFromInside is TrySend from the behaviour that runs.
func (a *cell) tryFromInside(c *Context, m *message, d *descriptor) error {
	if a.shared().typ.bound.limit != 0 {
		m.ID = d.id
		return a.trySendBounded(c, m)
	}
	return tryPush(c, a, m, d, sent)
}

// pushFromOutside delivers a message from where no worker keeps the system from being quiescent. If
// it makes the actor runnable, it needs an admission first.
func (a *cell) pushFromOutside(m *message) error {
	if a.shared().sys.refusing.Load() {
		return ErrSystemStopped
	}
	a.shared().sys.sched.Point()
	return a.deliver(sent, m)
}

// deliver is pushFromOutside for tryPush and for the runtime's own messages. A system that refuses
// work from outside still needs these to come to its end.
func (a *cell) deliver(how delivery, m *message) error {
	sys, id := a.shared().sys, m.ID // adm message that is pushed is the receiver's
	r := a.box.PushBusy(m)
	if r == mpsc.PushIdle {
		adm, ok := sys.sched.Admit()
		if !ok {
			return ErrSystemStopped
		}
		if r = a.box.Push(m); r == mpsc.PushWoke {
			sys.sim.countUser(id)
			adm.InjectWatched(&a.task, how != asked)
			return nil
		}
		adm.Leave()
	}
	if r == mpsc.PushClosed {
		return a.endedBecause()
	}
	sys.sim.countUser(id)
	return nil
}

// endedBecause tells why a closed mailbox is closed. A call, for the sake of small programs.
//
//go:noinline
func (a *cell) endedBecause() error {
	if a.shared().sys.sched.Stopping() {
		return ErrSystemStopped
	}
	return a.whyEnded()
}

// env acts for an actor or a system: it is a worker with its context, or a goroutine outside,
// without one.
type env struct {
	c   *Context
	sys *System
}

// schedule makes runnable an actor that the caller owns.
func (e env) schedule(a *cell) {
	if e.c != nil && e.c.sys == a.shared().sys {
		e.c.w.Schedule(&a.task)
		return
	}
	a.shared().sys.sched.Inject(&a.task)
}
