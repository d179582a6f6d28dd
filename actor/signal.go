package actor

import (
	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/actor/internal/msg"
)

// signal is what the runtime itself tells an actor. It travels in a message of its
// own, through the system queue if it is to overtake, else through the mailbox.
type signal interface {
	// serve acts on b, whose turn runs, between two messages.
	serve(a *cell, c *Context)
	// refused is called instead if b has ended: r answers for it if need be.
	refused(a *cell, e env)
}

// unanswered is for signals that the dead need not answer.
type unanswered struct{}

func (unanswered) refused(*cell, env) {}

// signalSize has the nodes of signals.
var signalSize, _ = msg.Of[signal]()

// systemDesc is the runtime's own row of every table: in the mailbox it wakes an actor
// for its system queue, starts it, and marks the end of a drain.
var systemDesc = &descriptor{
	size:  signalSize,
	clear: func(m *message) { takeSignal(m) },
	run: func(c *Context, a *cell, m *message) {
		c.count.messages-- // it is none of the user's
		if s := takeSignal(m); s != nil {
			s.serve(a, c)
		}
	},
}

// newSignal puts s into a message. A nil one only wakes.
func newSignal(c *Context, s signal) *message {
	m := newMessage(c, signalSize)
	m.ID, m.From, m.Next = systemID, 0, nil
	*payloadOf[signal](m) = s
	return m
}

// takeSignal empties a message of the runtime's.
func takeSignal(m *message) signal {
	p := payloadOf[signal](m)
	s := *p
	*p = nil
	return s
}

// in returns r for acting on b: a worker's context is of use in its own system only.
func (e env) in(a *cell) env {
	if e.c != nil && e.c.sys != a.sys() {
		return env{sys: a.sys()}
	}
	return env{c: e.c, sys: a.sys()}
}

// tell brings s to b, ahead of its mail. If b has ended, s is refused.
func (a *cell) tell(e env, s signal) {
	e = e.in(a)
	m, before := newSignal(e.c, s), a.contextOfLife()
	if a.pushSystem(e, m) != nil {
		takeSignal(m)
		e.recycle(m)
		s.refused(a, e)
	} else if ordersEnd(s) {
		a.cutContext(s, before)
	}
}

// pushSystem brings m to b ahead of its mail. If it returns an error, m is still the
// caller's.
func (a *cell) pushSystem(e env, m *message) error {
	if e.c == nil {
		return a.pushSystemFromOutside(m)
	}
	if a.endedPlainly() || !a.system.Push(m) { // S1
		return a.endedBecause()
	}
	if a.recall(e.c) { // S2
		e.c.w.Schedule(&a.task)
		return nil
	}
	wake := newSignal(e.c, nil)
	switch a.box.Push(wake) { // S3
	case mpsc.PushWoke:
		e.c.w.Schedule(&a.task)
	case mpsc.PushClosed:
		e.recycle(wake)
		a.closeSystem(e)
	}
	return nil
}

// pushSystemFromOutside is pushSystem where no worker keeps the system from being quiescent.
func (a *cell) pushSystemFromOutside(m *message) error {
	sys, id := a.sys(), m.ID // as in deliver
	sys.sched.Point()
	adm, ok := sys.sched.Admit()
	if !ok {
		return ErrSystemStopped
	}
	if a.endedPlainly() || !a.system.Push(m) {
		adm.Leave()
		return a.endedBecause()
	}
	sys.sim.countUser(id)
	pushed := mpsc.PushWoke
	if !a.recall(nil) {
		pushed = a.box.Push(newSignal(nil, nil))
	}
	if pushed == mpsc.PushWoke {
		adm.Inject(&a.task)
		return nil
	}
	if pushed == mpsc.PushClosed {
		a.closeSystem(env{sys: a.sys()})
	}
	adm.Leave()
	return nil
}

// closeSystem is for a sender that finds the box closed behind its signal. An actor that ended
// plainly has not looked at its system queue: the first sender to come closes the system queue, and
// answers for the dead. Any other actor closes its system queue itself, later. Any goroutine.
func (a *cell) closeSystem(e env) {
	if a.endedPlainly() {
		a.refuseAll(e, a.system.Close())
	}
}

// recheckSystem is A2: an actor that has just parked looks whether a signal came before anybody
// could see it parked. The one that recalls it schedules it.
func (a *cell) recheckSystem(c *Context) {
	if !a.system.IsEmpty() && a.recall(c) {
		c.w.Schedule(&a.task)
	}
}

// recall takes a parked actor out, and reports whether it did: if so, the caller owns it and
// schedules it. An earlier turn may have served what was brought, and parked the actor again, so
// its system queue may be empty. Then recall puts something there: a turn that finds nothing would
// run mail that has to wait, and rest where it should park.
func (a *cell) recall(c *Context) bool {
	if !a.blockedOn.Wake() {
		return false
	}
	if a.system.IsEmpty() {
		a.system.Push(newSignal(c, nil))
	}
	return true
}
