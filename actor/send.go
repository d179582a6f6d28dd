package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// The generic functions here are made once for each type of message, and not for each state as
// well. What does not depend on the message is made once (decision 38).

// send is [Behaviour.Send].
func send[M any](d *declaration, from Sender, to *body, m M) {
	if _, inside := from.(*Context); inside && d != nil && to != nil { // c, inside := makes it a jump more
		c, k := from.(*Context), to.kind()
		if c != nil && c.sys == k.sys && d.typ == k.typ && int(d.poolID) < len(c.stock) {
			if s := &c.stock[d.poolID]; s.top != nil {
				n := s.pop()
				*payloadOf[M](n) = m
				c.send(to, n, d)
				return
			}
		}
	}
	sendSlowly(d, from, to, m)
}

// sendSlowly is send outside of the common case, which is a behaviour of the same system with a
// node in stock. It stands apart so that send keeps everything in registers.
//
//go:noinline
func sendSlowly[M any](d *declaration, from Sender, to *body, m M) {
	c, n := d.begin(from, to)
	*payloadOf[M](n) = m
	d.deliver(from, c, to, n)
}

// trySend is [Behaviour.TrySend].
func trySend[M any](d *declaration, from Sender, to *body, m M) error {
	c, n, err := d.beginTry(from, to)
	if err != nil {
		return err
	}
	*payloadOf[M](n) = m
	return d.tryDeliver(from, c, to, n)
}

// sendWait is [Behaviour.SendWait].
func sendWait[M any](ctx context.Context, sys *System, d *declaration, to *body, m M) error {
	n, err := d.beginWait(ctx, sys, to)
	if err != nil {
		return err
	}
	*payloadOf[M](n) = m
	return d.tryDeliver(sys, nil, to, n)
}

// begin returns a node for a message to b, and the sender's context or nil: see insider.
func (d *declaration) begin(from Sender, b *body) (*Context, *message) {
	d.made().mustSuit(b)
	c := insider(from, b)
	return c, newMessage(c, d.pool)
}

// deliver sends m, whose node begin has returned.
func (d *declaration) deliver(from Sender, c *Context, b *body, m *message) {
	if invariant.On {
		verifyBegun(c, b, d, m)
	}
	urgent := d.urgent != nil
	if ctx := carriedBy(from); ctx != nil {
		m, d = carry(c, ctx, m, d), rowOf(d)
	}
	switch {
	case urgent: // its pool is in no stock
		b.sendUrgent(c, m, d)
	case c == nil && d.drops:
		d.sendOrDropFromOutside(b, m)
	case c == nil:
		_ = sendFromOutside(sent, b, m, d)
	default:
		c.send(b, m, d)
	}
}

// beginTry is begin for TrySend, or says why TrySend refuses.
func (d *declaration) beginTry(from Sender, b *body) (*Context, *message, error) {
	d.made().mustSuit(b)
	c := insider(from, b)
	if d.urgent == nil {
		if err := d.mayTry(c, b); err != nil {
			return nil, nil, err
		}
	}
	return c, newMessage(c, d.pool), nil
}

// mayTry says why TrySend refuses, if it does. For a send from outside it takes a place.
func (d *declaration) mayTry(c *Context, b *body) error {
	switch bounded := b.kind().typ.bound.limit != 0; {
	case c == nil && b.kind().sys.refusing.Load():
		return ErrSystemStopped // whatever else there is to say
	case b.kind().sys.sim.refuses(b, d):
		return ErrOverloaded
	case !bounded && !b.gate.IsOpen() && !b.tryPass(c) || bounded && b.keepsNothing():
		return b.tooMuch()
	case c == nil && !b.flowOf().lobby.tryEnter(b):
		return b.tooMuch()
	}
	return nil
}

// tooMuch is the error for a message to an actor that takes no more. Any goroutine.
func (b *body) tooMuch() error {
	if s := b.suspension(); s != nil {
		return s.why
	}
	return ErrOverloaded
}

// keepsNothing reports whether b is in a back-off and keeps no mail meanwhile. Any goroutine.
func (b *body) keepsNothing() bool {
	s := b.suspension()
	return s != nil && s.refuses
}

// tryPass reports whether TrySend passes a gate that is not open. What comes from outside is bounded
// by its places, and not counted.
func (b *body) tryPass(c *Context) bool {
	if c != nil {
		return b.letsPass()
	}
	return b.wouldLetPass()
}

// beginWait is begin for SendWait, once there is a place.
func (d *declaration) beginWait(ctx context.Context, sys *System, b *body) (*message, error) {
	d.made().mustSuit(b)
	split(sys)
	mustHave(ctx, "SendWait")
	var err error
	if d.urgent != nil {
		err = ctx.Err()
	} else {
		err = b.awaitPlace(ctx, sys)
	}
	if err != nil {
		return nil, err
	}
	return d.pool.takeOne(), nil
}

// tryDeliver sends a message that has a place, and says why if it will not run.
func (d *declaration) tryDeliver(from Sender, c *Context, b *body, m *message) (err error) {
	if invariant.On {
		verifyBegun(c, b, d, m)
	}
	urgent := d.urgent != nil
	if ctx := carriedBy(from); ctx != nil {
		m, d = carry(c, ctx, m, d), rowOf(d)
	}
	switch {
	case urgent:
		err = b.pushUrgent(c, m, d)
	case c == nil:
		m.id = d.id
		return b.pushPlaced(m)
	default:
		err = b.tryFromInside(c, m, d)
	}
	if err != nil && c != nil {
		c.sys.sim.book(-1)
	}
	return err
}

// insider returns the sender's context if the sender is a behaviour of b's system, or else nil.
func insider(from Sender, b *body) *Context {
	if c, sys := split(from); sys == b.kind().sys {
		return c
	}
	return nil
}

// mustSuit panics unless to is an actor of d's type. The types of Behaviour and Ref say only that
// both have the same state. Several actor types may have it, and each would misread a message for
// another.
func (d *declaration) mustSuit(to *body) {
	switch {
	case to == nil:
		panicMisuse(d.fullName(), " sent to a zero Ref")
	case to.kind().typ != d.typ:
		panicMisuse(d.fullName(), " sent to "+to.String()+", which is of another type with the same state")
	}
}

// send delivers a message from the behaviour that runs. The caller has filled the
// payload. The first try to push is written out: it nearly always succeeds.
func (c *Context) send(to *body, m *message, d *declaration) {
	if !to.gate.IsOpen() && c.waiters.latest != to && c.meetGate(to, m, d) {
		return
	}
	if invariant.On {
		verifySend(c, to, m, d)
	}
	h := to.box.head.Load()
	m.id, m.from = d.id, c.self.id
	if h == &c.lease.mark {
		if !c.lease.append(to, m) {
			c.sendAgain(to, m)
		}
		return
	}
	woken := m
	// The woken actor is leased, except from the first theft, or the first task that had no room in
	// the worker's queue, until the next review: so others may have to take over a queue of actors
	// at most. In a function of its own the compiler would make a value of each answer.
	l, taken, spills := &c.lease, c.lease.taken.Load(), c.w.Spills()
	if l.may && taken == l.seen && spills == l.spills && to.kind().leased {
		woken = &l.mark
	}
	m.next, c.sent = h, m
	n := m
	if h == nil { // a conditional move: a branch that is guessed wrong would delay the swap
		n = woken
	}
	if h == &closedMark || !seam.SwapHeld(&to.box.head, h, n) { // as in push
		c.sendAgain(to, m)
	} else if h == nil {
		if n != m {
			to.in.fifo, to.in.last = m, n // it was nobody's, and is ours until Schedule
		}
		c.w.Schedule(&to.task)
	}
}

// sendAgain delivers a message whose first push did not succeed.
func (c *Context) sendAgain(to *body, m *message) {
	switch to.box.push(m) {
	case pushWoke:
		c.w.Schedule(&to.task)
	case pushClosed:
		if r := (replier{c: c, sys: c.sys}); !to.takeLate(r, m) {
			r.deadLetter(to, m, to.whyEnded())
		}
	}
}

// sendFromOutside delivers a message that is not from a behaviour of the receiver's system, or
// makes it a dead letter and says why.
func sendFromOutside(how manner, to *body, m *message, d *declaration) error {
	var err error
	if d.drops && !to.takes() {
		m.id, m.from, err = d.id, 0, ErrOverloaded
	} else {
		err = tryPush(nil, to, m, d, how)
	}
	if err != nil {
		to.kind().sys.sim.book(1)
		replier{sys: to.kind().sys}.deadLetter(to, m, err)
	}
	return err
}

// newMessage returns a node from the worker's stock, or from the common one if c is
// nil.
func newMessage(c *Context, p *pool) *message {
	if c != nil {
		return c.alloc(p.id)
	}
	return p.takeOne()
}

// manner is how a message comes to its actor.
type manner uint8

const (
	sent     manner = iota
	answered        // as long as the system has not stopped, even if it refuses all else
	asked           // by a goroutine that calls sched.Scheduler.Watch while it waits for the reply
)

// tryPush delivers a message from the behaviour that runs, or from outside if c is nil. If
// it returns an error the message is still the caller's.
func tryPush(c *Context, to *body, m *message, d *declaration, how manner) error {
	m.id, m.from = d.id, 0
	if c == nil && how != answered && to.kind().sys.refusing.Load() {
		return ErrSystemStopped
	}
	if to.kind().typ.bound.limit != 0 {
		return to.kind().typ.bound.keeper.deliver(to, c, m)
	}
	if c == nil {
		to.kind().sys.sched.Point()
		return to.deliver(how, m)
	}
	m.from = c.self.id
	if to.box.head.Load() == &c.lease.mark && c.lease.append(to, m) {
		return nil
	}
	switch to.box.push(m) {
	case pushWoke:
		c.w.Schedule(&to.task)
	case pushClosed:
		return to.endedBecause()
	}
	return nil
}

// answer delivers the answer to a request, as a message of d, or makes it a dead letter. r acts in
// b's system.
func (r replier) answer(b *body, m *message, d *declaration, urgent bool) {
	var err error
	r.marksReply(m, b)
	if urgent {
		if m.id, m.from = d.id, 0; r.c != nil {
			m.from = r.c.self.id
		}
		err = b.pushLane(r, m)
	} else if err = tryPush(r.c, b, m, d, answered); err != nil && b.box.closed() && b.takeLate(r, m) {
		return
	}
	if err != nil {
		if r.c == nil && isMail(m.id) {
			b.sys().sim.book(1)
		}
		r.deadLetter(b, m, err)
	}
}

// tryFromInside is TrySend from the behaviour that runs.
func (b *body) tryFromInside(c *Context, m *message, d *declaration) error {
	if b.kind().typ.bound.limit != 0 {
		m.id = d.id
		return b.trySendBounded(c, m)
	}
	return tryPush(c, b, m, d, sent)
}

// pushFromOutside delivers a message from where no worker keeps the system from being quiescent. If
// it makes the actor runnable, it needs an admission first.
func (b *body) pushFromOutside(m *message) error {
	if b.kind().sys.refusing.Load() {
		return ErrSystemStopped
	}
	b.kind().sys.sched.Point()
	return b.deliver(sent, m)
}

// deliver is pushFromOutside for tryPush and for the runtime's own messages. A system that refuses
// work from outside still needs these to come to its end.
func (b *body) deliver(how manner, m *message) error {
	sys, id := b.kind().sys, m.id // a message that is pushed is the receiver's
	r := b.box.pushBusy(m)
	if r == pushIdle {
		a, ok := sys.sched.Admit()
		if !ok {
			return ErrSystemStopped
		}
		if r = b.box.push(m); r == pushWoke {
			sys.sim.bookUser(id)
			a.InjectWatched(&b.task, how != asked)
			return nil
		}
		a.Leave()
	}
	if r == pushClosed {
		return b.endedBecause()
	}
	sys.sim.bookUser(id)
	return nil
}

// endedBecause tells why a closed mailbox is closed. A call, for the sake of small programs.
//
//go:noinline
func (b *body) endedBecause() error {
	if b.kind().sys.sched.Stopping() {
		return ErrSystemStopped
	}
	return b.whyEnded()
}

// replier acts for an actor or a system: it is a worker with its context, or a goroutine outside,
// without one.
type replier struct {
	c   *Context
	sys *System
}

// schedule makes runnable an actor that the caller owns.
func (r replier) schedule(b *body) {
	if r.c != nil && r.c.sys == b.kind().sys {
		r.c.w.Schedule(&b.task)
		return
	}
	b.kind().sys.sched.Inject(&b.task)
}
