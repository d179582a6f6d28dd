package actor

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// At the end of a life, and before the next one begins, an actor goes through the mail that
// waits for it, and makes dead letters of what is not to run.

// filterMail makes dead letters of the mail for which refuse returns an error, with that error, and
// keeps the rest in order. It looks at what is in the mailbox by now. Owner only, between two
// messages, while the mailbox is open.
func (a *cell) filterMail(c *Context, refuse func(a *cell, m *message) error) {
	if invariant.On {
		verifyFilter(a)
	}
	a.forgetMarks()
	var all messageList
	all.add(a.in.pending)
	a.in.pending = nil
	if stub, _ := a.box.drain(&a.in); stub != nil && stub != all.last { // else it is still to run
		c.recycle(stub)
	}
	all.add(a.in.pending)
	a.in.pending = a.filterChain(c, all.all(), refuse)
}

// filterChain is sift for a chain of messages, and returns those that are kept. The mailbox's top
// node may be among them: it stays in place, whatever becomes of its message.
func (a *cell) filterChain(c *Context, m *message, refuse func(a *cell, m *message) error) *message {
	e := env{c: c, sys: a.sys()}
	var kept messageList
	for m != nil {
		next := m.next
		m.next = nil
		if err := refuse(a, m); err == nil {
			kept.add(m)
		} else if e.endLetter(a, m, err); m != a.in.tail {
			c.recycle(m)
		}
		m = next
	}
	return kept.all()
}

// takeBoundedIf takes out of the queue of an actor with a bound what fits take. Owner only.
func (a *cell) takeBoundedIf(c *Context, take func(m *message) bool) *message {
	if a.load&bounded == 0 {
		return nil
	}
	out, list := a.flow.Load().takeIf(a, take)
	release(env{c: c, sys: a.sys()}, list)
	return out
}

// dropMail makes dead letters of all mail that waits at the end of a life, also of urgent messages.
// Signals and ticks of timers stay.
func (a *cell) dropMail(c *Context, x *coldState) {
	why := because(ErrRestarted, x.reason)
	drop := func(_ *cell, m *message) error {
		if !isMail(m.id) {
			return nil
		}
		return why
	}
	a.filterMail(c, drop)
	env{c: c, sys: a.sys()}.deadLetters(a, a.takeBoundedIf(c, func(*message) bool { return true }), why)
	x.held.add(a.filterChain(c, x.held.all(), drop))
	a.filterUrgent(c, x, drop)
}

// dropAbandoned makes dead letters of requests whose callers have given up, before a life begins.
func (a *cell) dropAbandoned(c *Context, x *coldState, reason error) {
	why := because(ErrRestarted, reason)
	gone := func(a *cell, m *message) error {
		if d := a.typ().decls[m.id]; d.caller != nil && d.caller(m).state() == callerGone {
			return why
		}
		return nil
	}
	a.filterMail(c, gone)
	env{c: c, sys: a.sys()}.deadLetters(a, a.takeBoundedIf(c, func(m *message) bool { return gone(a, m) != nil }), why)
	x.held.add(a.filterChain(c, x.held.all(), gone))
	a.filterUrgent(c, x, gone)
}

// filterUrgent is sift for what has come by the system queue and was not served yet.
func (a *cell) filterUrgent(c *Context, x *coldState, refuse func(a *cell, m *message) error) {
	if !a.system.isEmpty() {
		x.todo.add(a.system.take())
		x.inTodo, x.inQueue, x.stopSeen = notAsked, 0, nil
	}
	x.todo.add(a.filterChain(c, x.todo.all(), refuse))
}

// verifyFilter checks an actor that goes through its mail.
func verifyFilter(a *cell) {
	invariant.Check(seam.Peek(&a.box.head) != &closedMark && !a.cold.drained, "%v goes through its mail behind the end of its mailbox", a)
}
