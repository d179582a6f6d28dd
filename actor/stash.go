package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/actor/internal/msg"
)

// A stash keeps messages for later: those that an actor cannot handle now, but that must
// not be lost or overtaken.

// WithStashLimit bounds the stash of each actor of the type to n messages. A message
// beyond that is not stashed: it becomes a dead letter with ErrOverloaded, and a caller
// asked gets that error. Without a limit a stash takes whatever it is given. An actor
// that wants to decide itself looks at [StashLen] before it calls Stash. It panics if n
// is less than 1.
func WithStashLimit(n int) TypeOption {
	if n < 1 {
		panic(fmt.Sprintf("gallop: WithStashLimit(%d): want at least 1", n))
	}
	return typeOption(func(t *typeInfo) { t.stashLimit = n })
}

// Stash puts the running message, which is m, aside until [Unstash] or [UnstashAll]. It
// panics if the running message is not one of b's, or was put aside already. For a full
// stash see [WithStashLimit].
//
// When the actor ends, the messages in its stash become dead letters, before those in
// its mailbox. When the actor is restarted, its stash runs first. A stash keeps neither
// the actor nor the system running.
func (b Behaviour[S, M]) Stash(c *Context, m M) {
	n := c.beginStash(b.d.made())
	*payloadOf[M](n) = m
	c.endStash(n, b.d)
}

// Stash puts the running request, which is q, aside until [Unstash] or [UnstashAll]. The
// behaviour must return what Stash returns, and the caller goes on waiting. Stash also
// panics if the reply was put off already ([Defer]) or given. In all else it is like
// [Behaviour.Stash].
func (b AskBehaviour[S, Q, R]) Stash(c *Context, q Q) (r R, err error) {
	n := c.beginStash(b.d.madeAsk())
	p := payloadOf[request[Q, R]](c.msg)
	n.Life = c.msg.Life
	*payloadOf[request[Q, R]](n) = request[Q, R]{q, p.to}
	p.to = nowhere(p.to) // the answer to the message that runs
	c.endStash(n, b.d)
	return r, nil
}

// markStashed marks the message that runs. It panics unless that is one of d's, and is marked for
// the first time.
func (c *Context) markStashed(call string, d *descriptor) {
	mustRun(c, call)
	if c.msg.ID != d.id || d.typ != c.self.typ() {
		panic("gallop: " + call + " of " + d.fullName() + ", which is not what runs")
	}
	if c.msg.From&msg.WasStashed != 0 {
		panic("gallop: " + call + ": the running message of " +
			c.self.String() + " was stashed or deferred already")
	}
	if d.caller != nil && d.caller(c.msg) == (caller{}) { // an Interceptor's After
		panic("gallop: " + call + ": the running request of " + c.self.String() + " has its reply")
	}
	c.msg.From |= msg.WasStashed
	if c.then&unstashed != 0 {
		c.then ^= unstashed | lookAgain
	}
}

// beginStash makes a message for the stash, in the place of the one that runs. The caller
// fills it and hands it to endStash.
func (c *Context) beginStash(d *descriptor) *message {
	c.markStashed("Stash", d)
	m := c.node(d.size)
	m.ID, m.From, m.Next = d.id, c.msg.From&^msg.WasStashed, nil
	c.self.sys().sim.stashed(c.msg, m)
	c.count.notRun++
	return m
}

// endStash adds a message to the stash, unless that is full.
func (c *Context) endStash(m *message, d *descriptor) {
	a := c.self
	x := a.makeCold()
	if limit := a.typ().stashLimit; limit > 0 && x.stash.n >= limit {
		e := c
		declareDead(e, a, m, ErrOverloaded)
		e.recycle(m)
		return
	}
	if !x.stashes {
		x.stashes = true
		a.sys().stopList.add(a, x)
	}
	a.stashOutcome(c, d, m)
	if c.came != nil {
		in := carry(c, c.came, m, d)
		in.From = m.From
		m = in
	}
	x.stash.add(m)
}

// StashLen returns how many messages are in the running actor's stash.
func StashLen(c *Context) int {
	mustRun(c, "StashLen")
	return c.stashed()
}

func (c *Context) stashed() int {
	if c.self.cold == nil {
		return 0
	}
	return c.self.cold.stash.n
}

// UnstashAll puts the messages in the running actor's stash in front of its mailbox, in
// the order in which they were sent, as [Unstash] does. The cost does not depend on how
// many there are.
func UnstashAll(c *Context) {
	mustRun(c, "UnstashAll")
	c.unstash(c.stashed())
}

// Unstash puts the n oldest messages in the running actor's stash in front of its
// mailbox, in the order in which they were sent, and returns how many these are: fewer
// than n if there are no more. They run before what is left in the stash, in the same
// turn if it lasts that long, unless the running message was put aside itself. The cost
// is in proportion to n, however large the stash is. An actor that waits for a reply to each
// message stashes what comes meanwhile, and calls Unstash(c, 1) with each reply. Unstash
// panics if n is negative.
func Unstash(c *Context, n int) int {
	mustRun(c, "Unstash")
	if n < 0 {
		panic(fmt.Sprintf("gallop: Unstash(%d): want at least 0", n))
	}
	n = min(n, c.stashed())
	c.unstash(n)
	return n
}

// unstash takes the n oldest messages out of the stash, which has as many.
func (c *Context) unstash(n int) {
	if n == 0 {
		return
	}
	x := c.self.cold
	x.stash.moveTo(&x.unstashed, n)
	// The mailbox is the turn's until the behaviour returns.
	if c.msg.From&msg.WasStashed != 0 {
		c.then |= lookAgain
		return
	}
	c.then |= unstashed
}

// stashList is the stash of an actor. Owner only.
type stashList struct {
	list messageList
	n    int // how many are in list
}

func (s *stashList) add(m *message) {
	s.list.Add(m)
	s.n++
}

// moveTo moves the n oldest, of which there are so many, behind what is in to. All of them are
// moved in constant time, fewer in proportion to n.
func (s *stashList) moveTo(to *stashList, n int) {
	to.n += n
	if n == s.n {
		s.n = 0
		to.list.Append(&s.list)
		return
	}
	s.n -= n
	part := messageList{First: s.list.First, Last: s.list.First}
	for range n - 1 {
		part.Last = part.Last.Next
	}
	s.list.First, part.Last.Next = part.Last.Next, nil
	to.list.Append(&part)
}

// all empties the stash and returns it as a chain.
func (s *stashList) all() *message {
	s.n = 0
	return s.list.All()
}

// requeueUnstashed puts what has been unstashed into the consumer's half of the mailbox. Owner
// only, between two messages.
func (a *cell) requeueUnstashed(x *coldState) {
	if n := x.unstashed.n; n != 0 {
		a.policy().added(a, n)
		x.unstashed.n = 0
		a.in.Prepend(&x.unstashed.list)
		if x.stash.n == 0 {
			a.sys().stopList.remove(x)
			x.stashes = false
		}
	}
}
