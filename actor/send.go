package actor

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

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
	if c.lease.granted(c) && to.kind().leased {
		woken = &c.lease.mark
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
		replier{c: c, sys: c.sys}.deadLetter(to, m, to.whyEnded())
	}
}

// sendFromOutside delivers a message from anywhere else, or makes a dead letter of
// it and says why.
func (s *System) sendFromOutside(to *body, m *message, d *declaration) error {
	err := tryPush(nil, to, m, d, false)
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

// tryPush delivers a message from the behaviour that runs, or from outside if c is
// nil: an answer as long as the system has not stopped, even if it refuses all else. If
// it returns an error the message is still the caller's.
func tryPush(c *Context, to *body, m *message, d *declaration, answer bool) error {
	m.id, m.from = d.id, 0
	if c == nil && !answer && to.kind().sys.refusing.Load() {
		return ErrSystemStopped
	}
	if to.kind().typ.bound.limit != 0 {
		return to.kind().typ.bound.keeper.try(to, c, m)
	}
	if c == nil {
		to.kind().sys.sched.Point()
		return to.deliver(m)
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

// answer delivers what answers a request, as a message of d, or makes a dead letter of
// it. r acts in b's system.
func (r replier) answer(b *body, m *message, d *declaration, urgent bool) {
	var err error
	if urgent {
		if m.id, m.from = d.id, 0; r.c != nil {
			m.from = r.c.self.id
		}
		err = b.pushLane(r, m)
	} else {
		err = tryPush(r.c, b, m, d, true)
	}
	if err != nil {
		if r.c == nil && !isOwn(m.id) {
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
	return tryPush(c, b, m, d, false)
}

// pushFromOutside delivers a message from where no worker keeps the system from
// being quiescent: whoever makes the actor runnable needs an admission first.
func (b *body) pushFromOutside(m *message) error {
	if b.kind().sys.refusing.Load() {
		return ErrSystemStopped
	}
	b.kind().sys.sched.Point()
	return b.deliver(m)
}

// deliver is pushFromOutside for the runtime's own messages, which a system that
// refuses work from outside still needs to come to its end.
func (b *body) deliver(m *message) error {
	r := b.box.pushBusy(m)
	if r == pushIdle {
		a, ok := b.kind().sys.sched.Admit()
		if !ok {
			return ErrSystemStopped
		}
		if r = b.box.push(m); r == pushWoke {
			b.kind().sys.sim.bookUser(m)
			a.Inject(&b.task)
			return nil
		}
		a.Leave()
	}
	if r == pushClosed {
		return b.endedBecause()
	}
	b.kind().sys.sim.bookUser(m)
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

// replier is whoever acts for an actor or a system: a worker with its context, or
// somebody outside, with none.
type replier struct {
	c   *Context
	sys *System
}

// schedule makes an actor runnable that the caller owns.
func (r replier) schedule(b *body) {
	if r.c != nil && r.c.sys == b.kind().sys {
		r.c.w.Schedule(&b.task)
		return
	}
	b.kind().sys.sched.Inject(&b.task)
}
