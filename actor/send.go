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
	// An assertion that also assigns c takes a jump more.
	if _, inside := from.(*Context); inside && d != nil && to != nil {
		c, k := from.(*Context), to.shared()
		if c != nil && c.sys == k.sys && d.typ == k.typ {
			if n := c.cache.Take(d.sizeID); n != nil {
				*payloadOf[M](n) = m
				c.send(to, n, d)
				return
			}
		}
	}
	sendSlow(d, from, to, m)
}

// sendSlow is send outside of the common case, which is a behaviour of the same system with a node
// in the cache. It stands apart so that send keeps everything in registers.
//
//go:noinline
func sendSlow[M any](d *descriptor, from Sender, to *cell, m M) {
	e, n := d.begin(from, to)
	*payloadOf[M](n) = m
	d.deliver(from, e, to, n)
}

// trySend is [Behaviour.TrySend].
func trySend[M any](d *descriptor, from Sender, to *cell, m M) error {
	e, n, err := d.beginTry(from, to)
	if err != nil {
		return err
	}
	*payloadOf[M](n) = m
	return d.tryDeliver(from, e, to, n)
}

// sendWait is [Behaviour.SendWait].
func sendWait[M any](ctx context.Context, d *descriptor, to *cell, m M) error {
	n, err := d.beginWait(ctx, to)
	if err != nil {
		return err
	}
	*payloadOf[M](n) = m
	return d.tryDeliver(to.shared().sys, to.shared().sys, to, n)
}

// begin returns a node for a message to a, and where the sender is.
func (d *descriptor) begin(from Sender, a *cell) (env, *message) {
	d.made().mustSuit(a)
	e := envFor(from, a)
	return e, e.node(d.size)
}

// deliver sends m, whose node begin has returned.
func (d *descriptor) deliver(from Sender, e env, a *cell, m *message) {
	if invariant.On {
		verifyBegun(e, a, d, m)
	}
	urgent := d.urgent
	if ctx := carriedBy(from); ctx != nil {
		m, d = carry(e, ctx, m, d), rowOf(d)
	}
	if urgent { // its size class is in no cache
		sendUrgent(e, a, m, d)
		return
	}
	e.send(a, m, d)
}

// beginTry is begin for TrySend, or says why TrySend refuses.
func (d *descriptor) beginTry(from Sender, a *cell) (env, *message, error) {
	d.made().mustSuit(a)
	e := envFor(from, a)
	if !d.urgent {
		if err := e.mayTry(a, d); err != nil {
			return nil, nil, err
		}
	}
	return e, e.node(d.size), nil
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

// keepsNothing reports whether the actor is in a back-off and keeps no mail meanwhile. Any
// goroutine.
func (a *cell) keepsNothing() bool {
	s := a.suspension()
	return s != nil && s.refuses
}

// beginWait is begin for SendWait, once there is a permit.
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

// tryDeliver sends a message that has a permit, and says why if it will not run.
func (d *descriptor) tryDeliver(from Sender, e env, a *cell, m *message) (err error) {
	if invariant.On {
		verifyBegun(e, a, d, m)
	}
	urgent := d.urgent
	if ctx := carriedBy(from); ctx != nil {
		m, d = carry(e, ctx, m, d), rowOf(d)
	}
	if urgent {
		err = pushUrgent(e, a, m, d)
	} else {
		err = e.trySend(a, m, d)
	}
	if err != nil {
		e.countMade(-1)
	}
	return err
}

// mustSuit panics unless to is an actor of d's type. The types of Behaviour and Ref say only that
// both have the same state. Several actor types may have it, and each would misread a message for
// another.
func (d *descriptor) mustSuit(to *cell) {
	switch {
	case to == nil:
		panicMisuse(d.fullName(), " sent to a zero Ref")
	case to.shared().typ != d.typ:
		panicMisuse(d.fullName(),
			" sent to "+to.String()+", which is of another type with the same state")
	}
}

// send delivers a message from the behaviour that runs. The caller has filled the payload. The
// first push is inlined by hand: it nearly always succeeds. Its parts are package mpsc's.
// sendPushSlow is its cold twin.
func (c *Context) send(to *cell, m *message, d *descriptor) {
	if !to.gate.IsOpen() && c.waiters.latest != to && to.policy().meet(c, to, m, d) {
		return
	}
	if invariant.On {
		verifySend(c, to, m, d)
	}
	h := to.box.Head()
	m.ID, m.From = d.id, c.self.id
	if h == c.bias.Mark() {
		if !c.bias.Append(&to.box, &to.in, m) {
			c.sendPushSlow(to, m)
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
		c.sendPushSlow(to, m)
	} else if h == nil {
		if n != m {
			to.in.Wake(m, n)
		}
		c.w.Schedule(&to.task)
	}
}

// sendPushSlow delivers a message whose first push did not succeed.
func (c *Context) sendPushSlow(to *cell, m *message) {
	if !c.pushMail(to, m) && !takeLate(c, to, m) {
		deadLetter(c, to, m, to.whyEnded())
	}
}

// sendUrgent is Send for urgent behaviours.
func sendUrgent(e env, to *cell, m *message, d *descriptor) {
	if err := pushUrgent(e, to, m, d); err != nil {
		e.countLost()
		deadLetter(e, to, m, err)
	}
}

// pushUrgent is sendUrgent, but returns the error. If there is one, m is still the caller's.
func pushUrgent(e env, to *cell, m *message, d *descriptor) error {
	m.ID, m.From = d.id, e.senderID()
	if err := e.mayAct(); err != nil {
		return err
	}
	return e.pushSystem(to, m)
}

// answer delivers the answer to a request, as a message of d, or makes it a dead letter. e acts in
// the system of to.
func answer(e env, to *cell, m *message, d *descriptor, urgent bool) {
	e.marksReply(m, to)
	var err error
	m.ID = d.id
	if urgent {
		m.From = e.senderID()
		err = e.pushSystem(to, m)
	} else if err = e.push(to, m, asReply); err != nil && to.box.Closed() && takeLate(e, to, m) {
		return
	}
	if err != nil {
		if isMail(m.ID) {
			e.countLost()
		}
		deadLetter(e, to, m, err)
	}
}

// endedBecause returns why a closed mailbox is closed. A call, for the sake of small programs.
//
//go:noinline
func (a *cell) endedBecause() error {
	if a.shared().sys.sched.Stopping() {
		return ErrSystemStopped
	}
	return a.whyEnded()
}
