package actor

import "github.com/gallop-go/gallop/backpressure"

// A stash keeps messages for later: those that an actor cannot handle now, but that must
// not be lost or overtaken.

// Stash puts the running message, which is m, aside until [UnstashAll]. It panics if
// the running message is not one of b's, or was put aside already.
//
// When the actor ends, the messages in its stash become dead letters, before those in
// its mailbox. When the actor is restarted, its stash runs first. A stash keeps neither
// the actor nor the system running.
func (b Behaviour[S, M]) Stash(c *Context, m M) {
	n := c.stash(b.d.made())
	*payloadOf[M](n) = m
}

// Stash puts the running request, which is q, aside until [UnstashAll]. The behaviour
// must return what Stash returns, and the asker goes on waiting. Stash also panics if
// the reply was put off already ([Defer]). In all else it is like [Behaviour.Stash].
func (b AskBehaviour[S, Q, R]) Stash(c *Context, q Q) (r R, err error) {
	n := c.stash(b.d.madeAsk())
	p := payloadOf[request[Q, R]](c.msg)
	n.life = c.msg.life
	*payloadOf[request[Q, R]](n) = request[Q, R]{q, p.to}
	p.to = nowhere(c.sys, p.to) // the answer to the message that runs
	return r, nil
}

// putAside marks the message that runs. It panics unless that is one of d's, and is marked for the first time.
func (c *Context) putAside(call string, d *declaration) {
	mustRun(c, call)
	if c.msg.id != d.id || d.typ != c.self.typ() {
		panic("gallop: " + call + " of " + d.fullName() + ", which is not what runs")
	}
	if c.msg.from&wasStashed != 0 {
		panic("gallop: " + call + ": called twice for one message of " + c.self.String() + ", or behind Stash or Defer")
	}
	c.msg.from |= wasStashed
}

// stash adds a message to the stash, in the place of the one that runs.
func (c *Context) stash(d *declaration) *message {
	c.putAside("Stash", d)
	b := c.self
	x := b.mine()
	if !x.stashes {
		x.stashes = true
		b.sys().wards.add(b, x)
	}
	m := newMessage(c, d.pool)
	b.sys().sim.book(-1) // it was sent once
	m.id, m.from, m.next = d.id, c.msg.from&^wasStashed, nil
	b.stashOutcome(c, d, m)
	if in := m; c.came != nil {
		in = carry(c, c.came, m, d)
		in.from = m.from
		x.stash.add(in)
	} else {
		x.stash.add(m)
	}
	c.count.messages-- // it has not run yet
	return m
}

// UnstashAll puts the messages in the running actor's stash in front of its mailbox, in
// the order in which they were sent.
func UnstashAll(c *Context) {
	mustRun(c, "UnstashAll")
	x := c.self.mine()
	if x.stash.first != nil {
		x.back.add(x.stash.all())
		c.then |= lookAgain // the mailbox is the turn's until the behaviour returns
	}
}

// comeBack puts what has been unstashed into the consumer's half of the mailbox. Owner
// only, between two messages.
func (b *body) comeBack(x *extras) {
	if m := x.back.all(); m != nil {
		if b.load&backpressure.Counted != 0 {
			b.flow.Load().marks.add(distance(m, nil))
		}
		b.in.fifo = concat(m, b.in.fifo)
		if x.stash.first == nil {
			b.sys().wards.remove(x)
			x.stashes = false
		}
	}
}
