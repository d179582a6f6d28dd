package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/actor/internal/permits"
	"github.com/gallop-go/gallop/backpressure"
)

// Overflow says what becomes of a message to an actor whose mailbox is at its bound.
type Overflow uint8

const (
	// OverflowMute takes the message in and mutes its sender until half of the mailbox is
	// free. The other two policies, and TrySend, are hard bounds; this one is not. The
	// mailbox exceeds its bound by what behaviours send that have met it, and without limit
	// by what is sent by those who are never muted: an actor that is overloaded or under
	// pressure itself, one that has supervised children, and the receiver. From outside of
	// behaviours, where no sender can be muted, OverflowMute refuses the message.
	OverflowMute Overflow = iota
	// OverflowRefuse makes a dead letter of the message, with ErrOverloaded.
	OverflowRefuse
	// OverflowDropOldest makes a dead letter, with ErrDropped, of the message that has
	// waited longest. The new message is not refused.
	OverflowDropOldest
)

// mailBound is a type's bound; zero: none.
type mailBound struct {
	limit    int
	overflow Overflow
}

// WithBound bounds the mailbox of every actor of this type: at most limit messages wait
// for their turn, and overflow says what becomes of the others, of which OverflowMute
// takes in some. Besides these, up to a batch may have been taken out for the turn that
// runs. WithBound panics if limit is less than 1 or overflow is none of the three.
//
//   - TrySend refuses at the bound, whatever overflow says. SendWait waits for room.
//     Ask does so if its context says it ([WaitForRoom]); otherwise it returns
//     ErrOverloaded at once. Urgent requests need no room.
//   - The actor is not overloaded for spending its batch, but while its queue is full or
//     it applies pressure. While it is muted it takes mail up to the bound.
//   - Ticks of timers and results of [Pipe] do not wait in the queue: they run behind
//     the messages that have been taken out of it, before those that are still in it.
//     Answers to [AskTo] do wait in the queue, and take room there. But they come in
//     whatever room there is, and make room for no other message.
//   - Messages to the actor may hold no handles of package heap: if those of one of its
//     behaviours do, [Context.Heap] panics in it. The actor's state may hold handles.
//
// Sends to the actor take a lock, which costs one locked instruction more than other
// sends.
func WithBound(limit int, overflow Overflow) TypeOption {
	if limit < 1 || overflow > OverflowDropOldest {
		panic(fmt.Sprintf("gallop: WithBound(%d, %d): want at least 1, and OverflowMute, "+
			"OverflowRefuse or OverflowDropOldest", limit, overflow))
	}
	return typeOption(func(t *typeInfo) { t.bound = mailBound{limit: limit, overflow: overflow} })
}

// boundedMail waits in a queue that has a limit: see boundedQueue. Through the mailbox come only
// the runtime's own messages and a call to look into the queue.
type boundedMail struct{ plainMail }

func (boundedMail) init(a *cell) {
	f, bound := a.flowOf(), a.typ().bound
	a.load = backpressure.Bounded
	f.permits.InitBounded(bound.limit)
	f.bounded = &boundedQueue{limit: bound.limit, overflow: bound.overflow}
	a.gate.Shut(&gateMark) // for good: every sender comes by
}

func (b boundedMail) meet(c *Context, to *cell, m *message, d *descriptor) (delivered bool) {
	m.ID, m.From = d.id, c.self.id
	if c.answers || !d.drops {
		c.sendBounded(to, m)
	} else if err := b.try(c, to, m); err != nil {
		deadLetter(c, to, m, err)
	}
	return true
}

func (boundedMail) refuses(a *cell, _ bool) bool { return a.keepsNothing() }

func (b boundedMail) takes(a *cell) bool {
	f := a.flow.Load()
	f.permits.Lock()
	defer f.permits.Unlock()
	return f.permits.Left() > 0 && b.lets(a, permits.ToTry)
}

func (boundedMail) try(c *Context, to *cell, m *message) error { return to.trySendBounded(c, m) }

func (boundedMail) place(s *System, to *cell, m *message) error {
	return to.putPermitted(s, m)
}

// lets implements mailPolicy. An actor that has fallen takes messages even though its queue is shut,
// if their senders cannot wait: see fall. Caller holds the lock of permits.
func (boundedMail) lets(a *cell, how permits.Entrance) bool {
	f := a.flow.Load()
	if how == permits.ToTry {
		return (!f.bounded.shut || f.falls.Load()%2 != 0) && !f.bounded.full
	}
	return f.suspended.Load() == nil && !f.bounded.shut && !f.bounded.full
}

// The gate is always shut, and says nothing.
func (boundedMail) behind(a *cell) bool {
	f := a.flow.Load()
	f.permits.Lock()
	defer f.permits.Unlock()
	return f.bounded.muted || f.isFullLocked()
}

func (boundedMail) queues() bool { return true }

func (boundedMail) peek(a *cell, note func(from uint64, id uint16) bool) {
	f := a.flow.Load()
	f.permits.Lock()
	defer f.permits.Unlock()
	for m := f.bounded.first; m != nil && note(m.From, contents(m).ID); m = m.Next {
	}
}

func (boundedMail) overload(*cell, *Context) {} // a full queue is what overloads it

// drained takes mail out for the next turn. It takes from the mailbox and the queue in turn, so
// that neither waits for the other to be empty.
func (boundedMail) drained(a *cell, c *Context) (again, idle bool) {
	q := a.flow.Load().bounded
	if q.ticked = !q.ticked && a.takeTicks(c); q.ticked {
		return true, false
	}
	first, _, n := a.takeBounded(c)
	if n == 0 {
		return false, true
	}
	a.in.SetPending(first)
	return true, false
}

func (boundedMail) shut(a *cell) (full bool) { return a.flow.Load().shut(a.load) }

func (boundedMail) reopen(a *cell) *backpressure.Waiter[waiting] { return a.flow.Load().unshut(a) }

func (boundedMail) takeIf(a *cell, c *Context, fits func(m *message) bool) *message {
	out, list := a.flow.Load().takeIf(a, fits)
	release(c, list)
	return out
}

// look takes mail out of the queue that has come in while the actor did not look. Owner only, in a
// turn, which ends afterwards.
func (a *cell) look(c *Context) {
	first, last, n := a.takeBounded(c)
	if n > 0 {
		c.putFront(first, last, n)
	}
}

// takeTicks takes out what has come in by the mailbox, and reports whether anything had. Owner
// only.
func (a *cell) takeTicks(c *Context) (some bool) {
	stub, some := a.box.Drain(&a.in)
	if stub != nil {
		c.recycle(stub)
	}
	return some
}

func (a *cell) takeBounded(c *Context) (first, last *message, n int) {
	first, last, n, list := a.flow.Load().take(a, a.batch())
	release(c, list)
	return first, last, n
}

// sendBounded delivers a message from the behaviour that runs to an actor with a bound.
func (c *Context) sendBounded(to *cell, m *message) {
	dropped, tell, err := to.flow.Load().put(to, c, m, c.answers)
	if bounce(c, to, dropped); err != nil {
		if !to.box.Closed() || !takeLate(c, to, m) {
			deadLetter(c, to, m, err)
		}
	} else if tell {
		to.callToLook(c)
	}
}

// callToLook makes the actor look into its queue. Should it have ended meanwhile, its end has
// emptied the queue.
func (a *cell) callToLook(c *Context) {
	m := newOwn(c, lookID, 0)
	if !c.pushMail(a, m) {
		c.recycle(m)
	}
}

// pushBounded is push for an actor with a bound.
func (c *Context) pushBounded(to *cell, m *message, how delivery) error {
	dropped, tell, err := to.flow.Load().put(to, nil, m, how == asReply)
	bounce(c, to, dropped)
	if tell {
		to.callToLook(c)
	}
	return err
}

// pushBounded is push for an actor with a bound.
func (s *System) pushBounded(to *cell, m *message, how delivery) error {
	s.sched.Point()
	id := m.ID // as in push
	return to.fromOutside(func() (tell bool, dropped *message, err error) {
		dropped, tell, err = to.flow.Load().put(to, nil, m, how == asReply)
		if err == nil {
			s.sim.countUser(id)
		}
		return tell, dropped, err
	})
}

// putPermitted delivers a message from outside, or from a process, whose sender has a place in the
// queue.
func (a *cell) putPermitted(from env, m *message) error {
	a.sys().sched.Point()
	f := a.flow.Load()
	err := a.fromOutside(func() (tell bool, dropped *message, err error) {
		if err := from.mayAct(); err != nil {
			return false, nil, err
		}
		f.permits.Lock()
		defer f.permits.Unlock()
		if f.permits.Closed() {
			return false, nil, a.endedBecause()
		}
		a.sys().sim.count(1)
		dropped, tell = f.appendPermitted(a, m)
		return tell, dropped, nil
	})
	if err != nil {
		f.permits.Release(1, a)
	}
	return err
}

// bounce makes a dead letter of a message that had to make room for another, if there is one.
func bounce(e env, a *cell, dropped *message) {
	if dropped != nil {
		deadLetter(e, a, dropped, ErrDropped)
	}
}

// fromOutside adds a message to the queue by put, from outside, and tells the actor. What had to
// make room becomes a dead letter. A hold keeps the system from being quiescent in between. If the
// system stops all the same, no worker runs the actor any more: this goroutine ends what is there.
func (a *cell) fromOutside(put func() (tell bool, dropped *message, err error)) error {
	sys := a.sys()
	if !sys.sched.Hold() {
		return ErrSystemStopped
	}
	tell, dropped, err := put()
	if e := (sys); sys.sim == nil {
		// No mail any more, and no dead letter yet: nothing else holds the system for it.
		bounce(e, a, dropped)
	} else {
		// If an actor of another system has asked, it may take until that system is waited for.
		defer bounce(e, a, dropped)
	}
	defer sys.sched.Release()
	if !tell || sys.push(a, newOwn(sys, lookID, 0), asSignal) != ErrSystemStopped {
		return err
	}
	deadLetters(sys, a, a.flow.Load().close(), ErrSystemStopped)
	return nil
}

// trySendBounded is TrySend from the behaviour that runs.
func (a *cell) trySendBounded(c *Context, m *message) error {
	f := a.flow.Load()
	if s := f.suspended.Load(); s != nil && s.refuses {
		return s.why // which may be over by now
	}
	if !f.permits.TryAcquire(a) {
		return a.tooMuch()
	}
	m.From = c.self.id
	f.permits.Lock()
	if f.permits.Closed() {
		f.permits.Unlock()
		return a.endedBecause()
	}
	dropped, tell := f.appendPermitted(a, m)
	f.permits.Unlock()
	bounce(c, a, dropped)
	if tell {
		a.callToLook(c)
	}
	return nil
}
