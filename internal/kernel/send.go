package kernel

import (
	"context"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/mpsc"
)

// Begin returns a node for a message to a, and the Env for acting on a. The caller, whose Env is e,
// fills the node and hands it to Deliver. The payload is written between the two because only that
// depends on the type of the message: Begin and Deliver are compiled once (decision 1).
func (d *Descriptor) Begin(e Env, a *Cell) (Env, *Message) {
	d.Made().MustSuit(a)
	e = inOf(e, a)
	return e, e.Node(d.Size)
}

// Deliver sends m, whose node Begin has returned. If ctx is not nil, it is the context that the
// sender carries. Deliver then puts the message into a second one, which travels in its place with
// a descriptor of its own.
func (d *Descriptor) Deliver(ctx context.Context, e Env, a *Cell, m *Message) {
	if invariant.On {
		verifyBegun(e, a, d, m)
	}
	urgent := d.Urgent // as declared: the row of a carried message is another
	if ctx != nil {
		m, d = Carry(e, ctx, m, d), rowOf(d)
	}
	// Urgent mail passes every gate and goes by the system queue. Its size class is in no cache, so
	// the hot way never sees it.
	if urgent {
		SendUrgent(e, a, m, d)
		return
	}
	e.Send(a, m, d)
}

// BeginTry is Begin for TrySend. Its error is the reason of a refusal. The load of the receiver is
// never a reason to refuse an urgent message.
func (d *Descriptor) BeginTry(e Env, a *Cell) (Env, *Message, error) {
	d.Made().MustSuit(a)
	e = inOf(e, a)
	if !d.Urgent {
		was := a.Flow.Load().downtime()
		err := e.mayTry(a, d)
		if err != nil {
			err = d.retried(e, a, err, was)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return e, e.Node(d.Size), nil
}

// retried returns err, the error of Env.mayTry. But if err is ErrOverloaded, and a back-off has
// begun or ended since the caller loaded was, it calls mayTry again: a sender that was refused for
// the back-off must not get the error of an overloaded actor. Any goroutine.
func (d *Descriptor) retried(e Env, a *Cell, err error, was downtime) error {
	for err == ErrOverloaded && was != a.Flow.Load().downtime() {
		was = a.Flow.Load().downtime()
		err = e.mayTry(a, d)
	}
	return err
}

// tooMuch returns the error for a message that the actor refuses because of its load. The error
// tells an overload from a back-off, which lasts until a restart. Any goroutine.
func (a *Cell) tooMuch() error {
	switch s := a.Flow.Load().Suspension(); {
	case s != nil:
		return s.why
	case a.Box.Closed(): // it drains, and is muted
		return a.WhyEnded()
	}
	return ErrOverloaded
}

// keepsNothing reports whether the actor is in a back-off and refuses mail until its end. It is for
// an actor with a bound, which takes mail in a back-off unless its supervisor says otherwise.
// Any goroutine.
func (a *Cell) keepsNothing() bool {
	s := a.Flow.Load().Suspension()
	return s != nil && s.refuses
}

// BeginWait is Begin for SendWait, once there is a permit. The node comes from the common lists: a
// goroutine outside has no cache.
func (d *Descriptor) BeginWait(ctx context.Context, a *Cell) (*Message, error) {
	d.Made().MustSuit(a)
	ctx = MustHave(ctx, "SendWait")
	var err error
	if d.Urgent {
		err = ctx.Err()
	} else {
		err = a.AcquirePermit(ctx)
	}
	if err != nil {
		return nil, err
	}
	return d.Size.TakeOne(), nil
}

// TryDeliver sends a message that BeginTry or BeginWait has let pass. It returns an error if the
// message will not run, because the actor or the system has ended since. The caller then keeps the
// parcels and regions of the message, as in TrySend.
func (d *Descriptor) TryDeliver(ctx context.Context, e Env, a *Cell, m *Message) (err error) {
	if invariant.On {
		verifyBegun(e, a, d, m)
	}
	urgent := d.Urgent
	if ctx != nil {
		m, d = Carry(e, ctx, m, d), rowOf(d)
	}
	if urgent {
		err = PushUrgent(e, a, m, d)
	} else {
		err = e.trySend(a, m, d)
	}
	if err != nil {
		CountMade(e, -1)
	}
	return err
}

// MustSuit panics unless to is an actor of d's type. Go's type checker ensures only that Behaviour
// and Ref have the same type of state. Several actor types may share it, and each would misread a
// message for another. Any goroutine.
func (d *Descriptor) MustSuit(to *Cell) {
	switch {
	case to == nil:
		PanicMisuse(d.FullName(), " sent to a zero Ref")
	case to.Shared().Typ != d.Typ:
		PanicMisuse(d.FullName(),
			" sent to "+to.String()+", which is of another type with the same state")
	}
}

// Send delivers a message from the behaviour that runs. The caller has filled the payload. The
// first push is inlined by hand: it nearly always succeeds. Its parts are package mpsc's.
// SendPushSlow is its cold twin. Owner only, in a turn.
func (c *Turn) Send(to *Cell, m *Message, d *Descriptor) {
	if !to.Gate.IsOpen() && c.waiters.latest != to && to.policy().meet(c, to, m, d) {
		return
	}
	if invariant.On {
		verifySend(c, to, m, d)
	}
	h := to.Box.Head()
	m.ID, m.From = d.ID, c.Self.ID
	// The head is the mark of this worker's own bias: no other goroutine pushes there, so that two
	// plain stores append the message. That saves the locked instruction.
	if h == c.Bias.Mark() {
		if !c.Bias.Append(&to.Box, &to.In, m) {
			c.SendPushSlow(to, m)
		}
		return
	}
	// An idle actor is woken, and this worker may get its bias: then the mark becomes the head, and
	// m is the first message after it. The worker gets no bias if the kernel gives no fences, or if
	// the receiver may run elsewhere.
	woken := m
	if l := &c.Bias; l.Allowed() && l.Kept() && l.Fits(c.W.Overflows()) && to.Shared().Biased {
		woken = c.Bias.Mark()
	}
	m.Next, c.sent = h, m
	n := m
	// A conditional move: a branch that is guessed wrong would delay the swap.
	if h == nil {
		n = woken
	}
	// One try. If another sender was faster, or the actor has ended, the cold twin goes on.
	if mpsc.IsClosed(h) || !to.Box.Swing(h, n) {
		c.SendPushSlow(to, m)
	} else if h == nil {
		// It was idle: this sender schedules it.
		if n != m {
			to.In.Wake(m, n)
		}
		c.W.Schedule(&to.Task)
	}
}

// SendPushSlow delivers a message whose first push did not succeed: another sender was faster, this
// worker's bias was revoked just then, or the actor has ended. An actor that drains still accepts
// the outcomes that it waits for. Owner only, in a turn.
func (c *Turn) SendPushSlow(to *Cell, m *Message) {
	if !c.pushMail(to, m) && !takeLate(c, to, m) {
		MakeDeadLetter(c, to, m, to.WhyEnded())
	}
}

// SendUrgent is Send for urgent behaviours. Their messages go through the system queue, ahead of
// the mail. The load of the receiver does not matter, and no sender is muted. The price is a second
// message, which makes the actor look at its system queue. e acts in the system of to.
func SendUrgent(e Env, to *Cell, m *Message, d *Descriptor) {
	if err := PushUrgent(e, to, m, d); err != nil {
		CountLost(e)
		MakeDeadLetter(e, to, m, err)
	}
}

// PushUrgent is SendUrgent for TrySend and for bridge.FromChan: it returns the error, and m is then
// still the caller's.
func PushUrgent(e Env, to *Cell, m *Message, d *Descriptor) error {
	m.ID, m.From = d.ID, SenderID(e)
	if err := e.mayAct(); err != nil {
		return err
	}
	return e.pushSystem(to, m)
}

// Answer delivers the answer to a request, as a message of d, or makes it a dead letter. It is for
// answers from outside and for urgent behaviours. A caller waits for the reply, so the reply is
// delivered until the system has stopped, also in Shutdown. e acts in the system of to.
func Answer(e Env, to *Cell, m *Message, d *Descriptor, urgent bool) {
	markReply(e, m, to) // before the push: then it is the receiver's
	var err error
	m.ID = d.ID
	if urgent {
		m.From = SenderID(e)
		err = e.pushSystem(to, m)
	} else if err = e.Push(to, m, asReply); err != nil && to.Box.Closed() && takeLate(e, to, m) {
		return
	}
	if err != nil {
		if isMail(m.ID) {
			CountLost(e)
		}
		MakeDeadLetter(e, to, m, err)
	}
}

// endedBecause returns the reason for which a mailbox was closed. A system that stops closes each
// mailbox with a reason of its own; the sender gets ErrSystemStopped for all of them. It is not
// inlined, which keeps programs small.
//
//go:noinline
func (a *Cell) endedBecause() error {
	if a.Shared().Sys.Sched.Stopping() {
		return ErrSystemStopped
	}
	return a.WhyEnded()
}
