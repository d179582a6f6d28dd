package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
)

// A stash keeps messages that an actor cannot handle now, in order, until it can.

// WithStashLimit bounds the stash of each actor of the type to n messages. A message
// beyond that is not stashed: it becomes a dead letter with ErrOverloaded, and the caller
// of an ask gets that error. Without this option a stash has no limit. An actor that wants
// to decide itself checks [StashLen] before it calls Stash. WithStashLimit panics if n is
// less than 1.
func WithStashLimit(n int) TypeOption {
	if n < 1 {
		panic(fmt.Sprintf("gallop: WithStashLimit(%d): want at least 1", n))
	}
	return typeOption(func(t *typeInfo) { t.stashLimit = n })
}

// Stash puts the running message, which is m, aside until [Unstash] or [UnstashAll]. It
// panics if the running message is not for b, or was put aside already. For a full stash
// see [WithStashLimit].
//
// When the actor ends, the messages in its stash become dead letters, before those in
// its mailbox. When the actor is restarted, its stash runs first. A stash keeps neither
// the actor nor the system running.
func (b Behaviour[S, M]) Stash(c *Context, m M) {
	n := c.kernel().beginStash(b.d.made())
	*payloadOf[M](n) = m
	c.kernel().endStash(n, b.d)
}

// Stash puts the running request, which is q, aside until [Unstash] or [UnstashAll]. The
// behaviour must return the results of Stash, and the caller goes on waiting. Stash also
// panics if the reply was put off already ([Defer]) or given. Otherwise it is like
// [Behaviour.Stash].
func (b AskBehaviour[S, Q, R]) Stash(c *Context, q Q) (r R, err error) {
	turn := c.kernel()
	n := turn.beginStash(b.d.madeAsk())
	p := payloadOf[request[Q, R]](turn.msg)
	n.Life = turn.msg.Life
	*payloadOf[request[Q, R]](n) = request[Q, R]{q, p.to}
	p.to = nowhere(p.to) // the answer to the message that runs
	turn.endStash(n, b.d)
	return r, nil
}

// markStashed marks the running message. It panics if that is not for d, or is marked already.
func (c *kernelTurn) markStashed(call string, d *descriptor) {
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

// beginStash makes a message for the stash, in place of the running message. The caller fills it
// and passes it to endStash.
func (c *kernelTurn) beginStash(d *descriptor) *message {
	c.markStashed("Stash", d)
	m := c.node(d.size)
	m.ID, m.From, m.Next = d.id, c.msg.From&^msg.WasStashed, nil
	c.self.sys().sim.stashed(c.msg, m)
	c.count.notRun++
	return m
}

// endStash adds a message to the stash. If the stash is full, it makes a dead letter instead.
func (c *kernelTurn) endStash(m *message, d *descriptor) {
	a := c.self
	x := a.makeCold()
	s := makeStash(x)
	if limit := a.typ().stashLimit; limit > 0 && s.kept.n >= limit {
		e := c
		declareDead(e, a, m, ErrOverloaded)
		e.recycle(m)
		return
	}
	if !s.listed {
		s.listed = true
		a.sys().stopList.add(a, x)
	}
	stashOutcome(a, c, d, m)
	if c.came != nil {
		in := carry(c, c.came, m, d)
		in.From = m.From
		m = in
	}
	s.kept.add(m)
}

// StashLen returns how many messages are in the running actor's stash.
func StashLen(c *Context) int {
	mustRun(c.kernel(), "StashLen")
	return stashOf(c.kernel().self.cold).len()
}

// UnstashAll puts the messages in the running actor's stash in front of its mailbox, in
// the order in which they were sent, as [Unstash] does. The cost does not depend on how
// many there are.
func UnstashAll(c *Context) {
	turn := c.kernel()
	mustRun(turn, "UnstashAll")
	turn.unstash(stashOf(turn.self.cold).len())
}

// Unstash puts the n oldest messages in the running actor's stash in front of its
// mailbox, in the order in which they were sent. It returns their number, which is less
// than n if the stash has fewer. They run before the rest of the stash. They run in the
// same turn if it lasts that long, unless the running message was put aside itself. The
// cost is proportional to n, for a stash of any size. Unstash panics if n is negative.
//
// An actor that waits for a reply to each message stashes the messages that come
// meanwhile, and calls Unstash(c, 1) with each reply.
func Unstash(c *Context, n int) int {
	turn := c.kernel()
	mustRun(turn, "Unstash")
	if n < 0 {
		panic(fmt.Sprintf("gallop: Unstash(%d): want at least 0", n))
	}
	n = min(n, stashOf(turn.self.cold).len())
	turn.unstash(n)
	return n
}

// unstash takes the n oldest messages out of the stash, which has as many.
func (c *kernelTurn) unstash(n int) {
	if n == 0 {
		return
	}
	s := stashOf(c.self.cold)
	s.kept.moveTo(&s.out, n)
	// The mailbox is the turn's until the behaviour returns.
	if c.msg.From&msg.WasStashed != 0 {
		c.then |= lookAgain
		return
	}
	c.then |= unstashed
}

// stash is the part with the messages that an actor has put aside. Owner only.
type stash struct {
	kept   stashList
	out    stashList // unstashed by the running behaviour
	listed bool      // in the stop list
}

// stashOf returns the stash of an actor; nil: it has none. x may be nil. Owner only.
func stashOf(x *coldState) *stash {
	if x == nil {
		return nil
	}
	s, _ := x.parts[stashPart].(*stash)
	return s
}

// makeStash returns the stash of an actor. The first call makes the part. Owner only.
func makeStash(x *coldState) *stash { return partOf[stash](x, stashPart) }

// len returns how many messages are in the stash. s may be nil.
func (s *stash) len() int {
	if s == nil {
		return 0
	}
	return s.kept.n
}

// first returns the oldest message in the stash, which leads to the others. s may be nil.
func (s *stash) first() *message {
	if s == nil {
		return nil
	}
	return s.kept.list.First
}

// ends implements part. The next life runs the stashed messages before the other mail.
func (s *stash) ends(a *cell, e env, at ending, why error) {
	if invariant.On {
		verifyStash(s, a, at)
	}
	switch at {
	case atDiscard:
		deadLetters(e, a, s.out.all(), why)
		deadLetters(e, a, s.kept.all(), why)
	case atLifeEnd:
		s.kept.moveTo(&s.out, s.kept.n)
		requeueUnstashed(a)
	}
}

// roots implements rooted. Unstashed messages are in the mailbox by then.
func (s *stash) roots(roots []heap.Root, t *typeRoots) []heap.Root {
	if invariant.On {
		verifyStashRoots(s)
	}
	return t.queued(roots, s.kept.list.First, nil)
}

// stashList is a queue of messages that knows its length.
type stashList struct {
	list messageList
	n    int // messages in list
}

func (s *stashList) add(m *message) {
	s.list.Add(m)
	s.n++
}

// moveTo moves the n oldest messages to the end of another queue. There are at least n. Moving all
// takes constant time, moving fewer takes time in proportion to n.
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

// requeueUnstashed puts the unstashed messages into the consumer's half of the mailbox. Owner only,
// between two messages.
func requeueUnstashed(a *cell) {
	s := stashOf(a.cold)
	if s == nil || s.out.n == 0 {
		return
	}
	addToCount(a, s.out.n)
	s.out.n = 0
	a.in.Prepend(&s.out.list)
	if s.kept.n == 0 {
		a.sys().stopList.remove(a.cold)
		s.listed = false
	}
}

// verifyStash checks the stash of an actor that has come to a stage of its end.
func verifyStash(s *stash, a *cell, at ending) {
	invariant.Check(!s.listed || a.cold.listed.reasons > 0 || a.cold.state == ended,
		"%v has a stash, and is not on the stop list", a)
	invariant.Check((s.kept.list.First == nil) == (s.kept.n == 0),
		"%v counts %d messages in its stash", a, s.kept.n)
	invariant.Check(at != atEnd || s.kept.n+s.out.n == 0, "%v finishes with mail put aside", a)
}

// verifyStashRoots checks that no message that may have handles is between the stash and the
// mailbox.
func verifyStashRoots(s *stash) {
	invariant.Check(s.out.n == 0,
		"what was unstashed is not in the mailbox when the roots are listed")
}
