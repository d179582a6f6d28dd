package actor

import (
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
		c.count.notRun++
		if s := takeSignal(m); s != nil {
			s.serve(a, c)
		}
	},
}

// newSignal puts s into a message. A nil one only wakes.
func newSignal(e env, s signal) *message {
	m := e.node(signalSize)
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

// tell brings s to b, ahead of its mail. If b has ended, s is refused.
func (a *cell) tell(e env, s signal) {
	e = e.in(a)
	m, before := newSignal(e, s), a.contextOfLife()
	if e.pushSystem(a, m) != nil {
		takeSignal(m)
		e.recycle(m)
		s.refused(a, e)
	} else if ordersEnd(s) {
		a.cutContext(s, before)
	}
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
func (a *cell) recall(e env) bool {
	if !a.blockedOn.Wake() {
		return false
	}
	if a.system.IsEmpty() {
		a.system.Push(newSignal(e, nil))
	}
	return true
}
