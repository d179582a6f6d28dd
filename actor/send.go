package actor

import (
	"context"

	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/internal/invariant"
)

// The generic functions here are compiled once for each type of message, for all types of state.
// Code that does not depend on the type of message is compiled once (decision 1).

// There are two ways through this file. The hot way is send[M] and Context.send. It is inlined by
// hand, and its only call is the swap of the mailbox's head. It needs all of these:
//
//   - a behaviour sends to an actor of its own system;
//   - the node is in the worker's cache;
//   - the gate is open;
//   - the mailbox is idle, busy or biased.
//
// The cold way is everything else: sendSlow and trySend find out where the sender is (env), and
// leave the rest to send_inside.go or send_outside.go.
//
// The fate of a message depends on the state of its receiver:
//
//	gate open, busy      it is pushed; no more
//	gate open, idle      it is pushed, and its sender makes the receiver runnable
//	gate not open        the mail policy decides: the sender is muted as its behaviour returns, or
//	                     the message is queued, dropped, refused or postponed
//	ended                a dead letter; a request is answered with the reason
//
// A goroutine outside cannot be muted. In its place it waits in SendWait, or is refused in TrySend;
// its plain Send is not held back.

// send is [Behaviour.Send].
//
// Each check is one compare of words that are needed anyway. Behaviour and receiver must be of one
// type and one system. A misuse goes to the cold way, which panics with an explanation.
func send[M any](d *descriptor, from Sender, to *cell, m M) {
	// An assertion that also assigns c takes a jump more.
	if _, inside := from.(*Context); inside && d != nil && to != nil {
		c, k := from.(*Context).kernel(), to.shared()
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

// trySend is [Behaviour.TrySend]. It decides before it makes the message, so that a refusal costs
// no node, and the caller keeps the parcels and regions that the message would own.
func trySend[M any](d *descriptor, from Sender, to *cell, m M) error {
	e, n, err := d.beginTry(from, to)
	if err != nil {
		return err
	}
	*payloadOf[M](n) = m
	return d.tryDeliver(from, e, to, n)
}

// sendWait is [Behaviour.SendWait]. It is for goroutines outside: a behaviour that waited would
// block its worker. It waits for a permit to send the message: see package permits. A message with
// a permit is always accepted, unless the actor has ended.
func sendWait[M any](ctx context.Context, d *descriptor, to *cell, m M) error {
	n, err := d.beginWait(ctx, to)
	if err != nil {
		return err
	}
	*payloadOf[M](n) = m
	return d.tryDeliver(to.shared().sys.face(), to.shared().sys, to, n)
}

// begin returns a node for a message to a, and where the sender is. The caller fills the node and
// hands it to deliver. The payload is written between the two because only that depends on the
// type of the message: begin and deliver are made once (decision 1).
func (d *descriptor) begin(from Sender, a *cell) (env, *message) {
	d.made().mustSuit(a)
	e := envFor(from, a)
	return e, e.node(d.size)
}

// deliver sends m, whose node begin has returned. A sender that carries a context wraps the message
// in a second one, which travels in its place; the descriptor is then that of the wrapper.
func (d *descriptor) deliver(from Sender, e env, a *cell, m *message) {
	if invariant.On {
		verifyBegun(e, a, d, m)
	}
	urgent := d.urgent // as declared: the row of a carried message is another
	if ctx := carriedBy(from); ctx != nil {
		m, d = carry(e, ctx, m, d), rowOf(d)
	}
	// Urgent mail passes every gate and goes by the system queue. Its size class is in no cache, so
	// the hot way never sees it.
	if urgent {
		sendUrgent(e, a, m, d)
		return
	}
	e.send(a, m, d)
}

// beginTry is begin for TrySend. Its error is the reason of a refusal. The load of the receiver is
// never a reason to refuse an urgent message.
func (d *descriptor) beginTry(from Sender, a *cell) (env, *message, error) {
	d.made().mustSuit(a)
	e := envFor(from, a)
	if !d.urgent {
		was := a.flow.Load().downtime()
		err := e.mayTry(a, d)
		if err != nil {
			err = d.retried(e, a, err, was)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return e, e.node(d.size), nil
}

// retried returns err, the error of env.mayTry. But if err is ErrOverloaded, and a back-off has begun
// or ended since the caller loaded was, it calls mayTry again: a sender that was refused for the
// back-off must not get the error of an overloaded actor. Any goroutine.
func (d *descriptor) retried(e env, a *cell, err error, was downtime) error {
	for err == ErrOverloaded && was != a.flow.Load().downtime() {
		was = a.flow.Load().downtime()
		err = e.mayTry(a, d)
	}
	return err
}

// tooMuch returns the error for a message that the actor refuses because of its load. The error
// tells an overload from a back-off, which lasts until a restart. Any goroutine.
func (a *cell) tooMuch() error {
	switch s := a.flow.Load().suspension(); {
	case s != nil:
		return s.why
	case a.box.Closed(): // it drains, and is muted
		return a.whyEnded()
	}
	return ErrOverloaded
}

// keepsNothing reports whether the actor is in a back-off and refuses mail until its end. It is for
// an actor with a bound, which takes mail in a back-off unless its supervisor says otherwise.
// Any goroutine.
func (a *cell) keepsNothing() bool {
	s := a.flow.Load().suspension()
	return s != nil && s.refuses
}

// beginWait is begin for SendWait, once there is a permit. The node comes from the common lists: a
// goroutine outside has no cache.
func (d *descriptor) beginWait(ctx context.Context, a *cell) (*message, error) {
	d.made().mustSuit(a)
	ctx = mustHave(ctx, "SendWait")
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

// tryDeliver sends a message that beginTry or beginWait has let pass. It returns an error if the
// message will not run, because the actor or the system has ended since. The caller then keeps the
// parcels and regions of the message, as in TrySend.
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
		countMade(e, -1)
	}
	return err
}

// mustSuit panics unless to is an actor of d's type. Go's type checker ensures only that Behaviour
// and Ref have the same type of state. Several actor types may share it, and each would misread a
// message for another.
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
func (c *kernelTurn) send(to *cell, m *message, d *descriptor) {
	if !to.gate.IsOpen() && c.waiters.latest != to && to.policy().meet(c, to, m, d) {
		return
	}
	if invariant.On {
		verifySend(c, to, m, d)
	}
	h := to.box.Head()
	m.ID, m.From = d.id, c.self.id
	// The head is the mark of this worker's own bias: no other goroutine pushes there, so that two
	// plain stores append the message. That saves the locked instruction.
	if h == c.bias.Mark() {
		if !c.bias.Append(&to.box, &to.in, m) {
			c.sendPushSlow(to, m)
		}
		return
	}
	// An idle actor is woken, and this worker may get its bias: then the mark becomes the head, and
	// m is the first message after it. The worker gets no bias if the kernel gives no fences, or if
	// the receiver may run elsewhere.
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
	// One try. If another sender was faster, or the actor has ended, the cold twin goes on.
	if mpsc.IsClosed(h) || !to.box.Swing(h, n) {
		c.sendPushSlow(to, m)
	} else if h == nil {
		// It was idle: this sender schedules it.
		if n != m {
			to.in.Wake(m, n)
		}
		c.w.Schedule(&to.task)
	}
}

// sendPushSlow delivers a message whose first push did not succeed: another sender was faster, this
// worker's bias was revoked just then, or the actor has ended. An actor that drains still accepts
// the outcomes that it waits for.
func (c *kernelTurn) sendPushSlow(to *cell, m *message) {
	if !c.pushMail(to, m) && !takeLate(c, to, m) {
		deadLetter(c, to, m, to.whyEnded())
	}
}

// sendUrgent is Send for urgent behaviours. Their messages go through the system queue, ahead of
// the mail. The load of the receiver does not matter, and no sender is muted. The price is a second
// message, which makes the actor look at its system queue.
func sendUrgent(e env, to *cell, m *message, d *descriptor) {
	if err := pushUrgent(e, to, m, d); err != nil {
		countLost(e)
		deadLetter(e, to, m, err)
	}
}

// pushUrgent is sendUrgent for TrySend and for channel sources: it returns the error, and m is then
// still the caller's.
func pushUrgent(e env, to *cell, m *message, d *descriptor) error {
	m.ID, m.From = d.id, senderID(e)
	if err := e.mayAct(); err != nil {
		return err
	}
	return e.pushSystem(to, m)
}

// answer delivers the answer to a request, as a message of d, or makes it a dead letter. It is for
// answers from outside and for urgent behaviours. A caller waits for the reply, so the reply is
// delivered until the system has stopped, also in Shutdown. e acts in the system of to.
func answer(e env, to *cell, m *message, d *descriptor, urgent bool) {
	markReply(e, m, to) // before the push: then it is the receiver's
	var err error
	m.ID = d.id
	if urgent {
		m.From = senderID(e)
		err = e.pushSystem(to, m)
	} else if err = e.push(to, m, asReply); err != nil && to.box.Closed() && takeLate(e, to, m) {
		return
	}
	if err != nil {
		if isMail(m.ID) {
			countLost(e)
		}
		deadLetter(e, to, m, err)
	}
}

// endedBecause returns the reason for which a mailbox was closed. A system that stops closes each
// mailbox with a reason of its own; the sender gets ErrSystemStopped for all of them. It is not
// inlined, which keeps programs small.
//
//go:noinline
func (a *cell) endedBecause() error {
	if a.shared().sys.sched.Stopping() {
		return ErrSystemStopped
	}
	return a.whyEnded()
}
