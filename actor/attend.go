package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// This file is the turn of an actor that has signals: it serves them, runs its urgent
// mail, and then decides how the turn goes on.

// attend serves what is in the lane, a batch of it at most.
func (b *body) attend(c *Context) (again bool) {
	x := b.mine()
	c.aside, c.msg = true, &noMessage // for the report, if what a supervisor has given panics
	if invariant.On {
		verifyAttend(b, c, x)
	}
	b.passCalls(c)
	if f := x.fault; f != nil { // before anything runs on a broken state
		x.fault = nil
		b.failed(c, f)
	}
	for left := b.batch(); x.phase != ended; left-- {
		if left == 0 {
			x.remind(b, c)
			return b.settleLane(c)
		}
		m := x.next(&b.lane)
		if m == nil {
			return b.settleLane(c)
		}
		b.serve(c, x, m)
	}
	c.aside = false
	return false
}

// passCalls takes off the messages that only call the actor to its lane, where it is now, unless there is
// mail before them. As long as each turn finds something in the lane none of them would be run, and there
// is one for each message that comes there. Owner only.
func (b *body) passCalls(c *Context) {
	n := 0
	for m := b.in.fifo; m != nil && m.id == systemID && *payloadOf[signal](m) == nil; m = b.in.fifo {
		b.in.fifo = m.next
		if n++; m != b.in.last { // as in settle
			c.recycleChain(m, m, 1)
		}
	}
	if n > 0 && b.load&backpressure.Counted != 0 {
		b.typ().marks.passed(b, n)
	}
}

// remind makes the next turn look here too. A reminder that there is already is not
// answered by another: with a batch of one that would go on for ever.
func (x *extras) remind(b *body, c *Context) {
	if x.todo.first != nil && b.lane.quiet() {
		b.lane.push(newSignal(c, nil))
	}
}

// next returns what is to be served next, or nil.
func (x *extras) next(l *lane) *message {
	if x.todo.first == nil && !l.quiet() {
		x.todo.add(l.take())
		x.inTodo, x.inLane, x.toldTo = notAsked, 0, nil
	}
	return x.todo.pop()
}

// serve acts on one message from the lane.
func (b *body) serve(c *Context, x *extras, m *message) {
	if m.id != systemID {
		if d := b.typ().decls[m.id]; d.urgent != nil && m.id != carriedID {
			d.urgent(b, c, x, m)
		} else {
			b.serveMail(c, x, m, b.typ().decls[contents(m).id])
		}
		return
	}
	s := takeSignal(m)
	c.recycle(m)
	if s != nil {
		s.serve(b, c)
	}
}

// runUrgent runs an urgent message, or keeps it until the actor is up again.
func (b *body) runUrgent(c *Context, x *extras, m *message) {
	if x.phase == alive && x.due {
		x.todo.putBack(m) // OnStart may not return
		b.start(c)
		b.heed(c, x)
		return
	}
	switch {
	case x.phase == alive:
	case x.goal == goalEnd:
		replier{c: c, sys: b.sys()}.deadLetter(b, m, stoppedBecause(x.reason))
		return
	default:
		x.held.add(m)
		return
	}
	if invariant.On {
		verifyUrgent(b, x, m)
	}
	c.msg = m
	c.count.messages++
	b.runs()[m.id](c, b, m)
	c.msg = &noMessage // or what comes next looks like it, see doing
	if c.then&usesContext != 0 {
		c.leaveContext()
	}
	c.recycle(m)
	c.w.Spend(1)
	b.keepYielded(c)
	b.heed(c, x)
}

// heed ends an actor that said so in what it has just run.
func (b *body) heed(c *Context, x *extras) {
	if c.then&mustEnd != 0 {
		c.then &^= mustEnd
		b.exit(c, x.takeExit())
	}
}

// settleLane ends a turn that was not about mail. What is left of its batch waits for the
// next turn.
func (b *body) settleLane(c *Context) (again bool) {
	b.keepYielded(c)
	if x := b.extra; x.over && x.phase == alive {
		b.settleDrain(c, x)
	}
	then := c.then
	c.then, c.aside = goOn, false
	if then&lookAgain != 0 {
		b.comeBack(b.extra)
	}
	if then&mustCollect != 0 {
		b.collectArena(c)
	}
	switch x := b.extra; {
	case x.phase == ended:
		return false
	case x.waiting:
		return !b.parkAgain(c)
	case b.load&backpressure.Muted != 0:
		if b.parkAgain(c) {
			return false
		}
		b.unmuted(c)
	case then&mayPark != 0 && b.park(c):
		return false
	}
	return true
}

// parkAgain parks an actor that waited, or was muted, when the lane called it, unless it has
// been forgiven meanwhile, and reports whether it is parked. It has held the system all the time.
func (b *body) parkAgain(c *Context) (parked bool) {
	c.waiters.forget()
	c.w.PrepareNext()
	if !b.debt.Park() {
		return false
	}
	b.recheckLane(c)
	return true
}

// unmuted ends the muting of an actor that runs.
func (b *body) unmuted(c *Context) {
	if invariant.On {
		verifyUnmuted(b, c)
	}
	b.setLoad(c, b.load&^backpressure.Muted)
	c.count.unmutes.Add(1)
	b.sys().sched.ReleaseStill()
}
