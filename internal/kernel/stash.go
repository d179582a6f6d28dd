package kernel

import (
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// MarkStashed marks the running message. It panics if that is not for d, or is marked already.
// Owner only, in a turn.
func (c *Turn) MarkStashed(call string, d *Descriptor) {
	MustRun(c, call)
	if c.Msg.ID != d.ID || d.Typ != c.Self.Typ() {
		panic("gallop: " + call + " of " + d.FullName() + ", which is not what runs")
	}
	if c.Msg.From&msg.WasStashed != 0 {
		panic("gallop: " + call + ": the running message of " +
			c.Self.String() + " was stashed or deferred already")
	}
	if d.Caller != nil && d.Caller(c.Msg) == (Caller{}) { // an Interceptor's After
		panic("gallop: " + call + ": the running request of " + c.Self.String() + " has its reply")
	}
	c.Msg.From |= msg.WasStashed
	if c.Then&unstashed != 0 {
		c.Then ^= unstashed | lookAgain
	}
}

// BeginStash makes a message for the stash, in place of the running message. The caller fills it
// and passes it to EndStash. Owner only, in a turn.
func (c *Turn) BeginStash(d *Descriptor) *Message {
	c.MarkStashed("Stash", d)
	m := c.Node(d.Size)
	m.ID, m.From, m.Next = d.ID, c.Msg.From&^msg.WasStashed, nil
	c.Self.Sys().Sim.stashed(c.Msg, m)
	c.Count.NotRun++
	return m
}

// EndStash adds a message to the stash. If the stash is full, it makes a dead letter instead. Owner
// only, in a turn.
func (c *Turn) EndStash(m *Message, d *Descriptor) {
	a := c.Self
	x := a.MakeCold()
	s := makeStash(x)
	if limit := a.Typ().StashLimit; limit > 0 && s.kept.n >= limit {
		e := c
		DeclareDead(e, a, m, ErrOverloaded)
		e.Recycle(m)
		return
	}
	if !s.listed {
		s.listed = true
		a.Sys().StopList.Add(a, x)
	}
	stashOutcome(a, c, d, m)
	if c.came != nil {
		in := Carry(c, c.came, m, d)
		in.From = m.From
		m = in
	}
	s.kept.add(m)
}

// Unstash takes the n oldest messages out of the stash, which has as many. Owner only, in a turn.
func (c *Turn) Unstash(n int) {
	if n == 0 {
		return
	}
	s := StashOf(c.Self.Cold)
	s.kept.moveTo(&s.out, n)
	// The mailbox is the turn's until the behaviour returns.
	if c.Msg.From&msg.WasStashed != 0 {
		c.Then |= lookAgain
		return
	}
	c.Then |= unstashed
}

// stash is the part with the messages that an actor has put aside. Owner only.
type stash struct {
	kept   stashList
	out    stashList // unstashed by the running behaviour
	listed bool      // in the stop list
}

// StashOf returns the stash of an actor; nil: it has none. x may be nil. Owner only.
func StashOf(x *Cold) *stash {
	if x == nil {
		return nil
	}
	s, _ := x.Parts[StashPart].(*stash)
	return s
}

// makeStash returns the stash of an actor. The first call makes the part. Owner only.
func makeStash(x *Cold) *stash { return PartOf[stash](x, StashPart) }

// Len returns how many messages are in the stash. s may be nil. Owner only.
func (s *stash) Len() int {
	if s == nil {
		return 0
	}
	return s.kept.n
}

// first returns the oldest message in the stash, which leads to the others. s may be nil.
func (s *stash) first() *Message {
	if s == nil {
		return nil
	}
	return s.kept.list.First
}

// Ends implements Part. The next life runs the stashed messages before the other mail.
func (s *stash) Ends(a *Cell, e Env, at Ending, why error) {
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

// Roots implements rooted. Unstashed messages are in the mailbox by then.
func (s *stash) Roots(roots []heap.Root, t *TypeRoots) []heap.Root {
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

func (s *stashList) add(m *Message) {
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
func (s *stashList) all() *Message {
	s.n = 0
	return s.list.All()
}

// requeueUnstashed puts the unstashed messages into the consumer's half of the mailbox. Owner only,
// between two messages.
func requeueUnstashed(a *Cell) {
	s := StashOf(a.Cold)
	if s == nil || s.out.n == 0 {
		return
	}
	addToCount(a, s.out.n)
	s.out.n = 0
	a.In.Prepend(&s.out.list)
	if s.kept.n == 0 {
		a.Sys().StopList.remove(a.Cold)
		s.listed = false
	}
}

// verifyStash checks the stash of an actor that has come to a stage of its end.
func verifyStash(s *stash, a *Cell, at Ending) {
	invariant.Check(!s.listed || a.Cold.Listed.Reasons > 0 || a.Cold.State == ended,
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
