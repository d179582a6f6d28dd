package actor

import "github.com/gallop-go/gallop/internal/invariant"

// At the end of a life, and before the next one begins, an actor goes through the mail that
// waits for it, and makes dead letters of what is not to run.

// sift makes dead letters of the mail for which refuse returns an error, with that error, and keeps
// the rest in order. It looks at what is in the mailbox by now. Owner only, between two messages,
// while the mailbox is open.
func (b *body) sift(c *Context, refuse func(b *body, m *message) error) {
	if invariant.On {
		verifySift(b)
	}
	b.forgetMarks()
	var all messageList
	all.add(b.in.fifo)
	b.in.fifo = nil
	if spent, _ := b.box.grab(&b.in); spent != nil && spent != all.last { // else it is still to run
		c.recycle(spent)
	}
	all.add(b.in.fifo)
	b.in.fifo = b.siftChain(c, all.all(), refuse)
}

// siftChain is sift for a chain of messages, and returns those that are kept. The mailbox's top
// node may be among them: it stays in place, whatever becomes of its message.
func (b *body) siftChain(c *Context, m *message, refuse func(b *body, m *message) error) *message {
	r := replier{c: c, sys: b.sys()}
	var kept messageList
	for m != nil {
		next := m.next
		m.next = nil
		if err := refuse(b, m); err == nil {
			kept.add(m)
		} else if r.endLetter(b, m, err); m != b.in.last {
			c.recycle(m)
		}
		m = next
	}
	return kept.all()
}

// takeBoundedIf takes out of the queue of an actor with a bound what fits take. Owner only.
func (b *body) takeBoundedIf(c *Context, take func(m *message) bool) *message {
	if b.load&bounded == 0 {
		return nil
	}
	out, list := b.flow.Load().takeIf(b, take)
	release(replier{c: c, sys: b.sys()}, list)
	return out
}

// dropMail makes dead letters of all mail that waits at the end of a life, also of urgent messages. Signals
// and ticks of timers stay.
func (b *body) dropMail(c *Context, x *extras) {
	why := because(ErrRestarted, x.reason)
	drop := func(_ *body, m *message) error {
		if isOwn(m.id) || m.id == systemID {
			return nil
		}
		return why
	}
	b.sift(c, drop)
	replier{c: c, sys: b.sys()}.deadLetters(b, b.takeBoundedIf(c, func(*message) bool { return true }), why)
	x.held.add(b.siftChain(c, x.held.all(), drop))
	b.siftUrgent(c, x, drop)
}

// dropAbandoned makes dead letters of requests whose callers have given up, before a life begins.
func (b *body) dropAbandoned(c *Context, x *extras, reason error) {
	why := because(ErrRestarted, reason)
	gone := func(b *body, m *message) error {
		if d := b.typ().decls[m.id]; d.call != nil && callerOf(d.call(m)) == callerGone {
			return why
		}
		return nil
	}
	b.sift(c, gone)
	replier{c: c, sys: b.sys()}.deadLetters(b, b.takeBoundedIf(c, func(m *message) bool { return gone(b, m) != nil }), why)
	x.held.add(b.siftChain(c, x.held.all(), gone))
	b.siftUrgent(c, x, gone)
}

// siftUrgent is sift for what has come by the system queue and was not served yet.
func (b *body) siftUrgent(c *Context, x *extras, refuse func(b *body, m *message) error) {
	if !b.lane.quiet() {
		x.todo.add(b.lane.take())
		x.inTodo, x.inLane, x.toldTo = notAsked, 0, nil
	}
	x.todo.add(b.siftChain(c, x.todo.all(), refuse))
}
