package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold of an actor while it runs, in builds that check invariants. Only whoever
// owns what is looked at calls these; what others may write is read by seam.Peek.

// verifyTurn checks what a turn believes when it begins.
func verifyTurn(b *body, c *Context) {
	invariant.Check(c.self == b, "%d runs in the context of another", b.id)
	invariant.Check(b.kind() != nil && b.kind().sys == c.sys, "%v runs on a worker of another system", b)
	invariant.Check(b.id != 0, "an actor with the number of the outside runs")
	invariant.Check(c.then == goOn, "%v begins a turn with the outcome %#x of another", b, c.then)
	invariant.Check(c.shields == 0 && !c.aside, "%v begins a turn within %d shields, aside: %v", b, c.shields, c.aside)
	invariant.Check(c.front.first == nil && c.front.n == 0, "%v begins a turn with the mail of another in front", b)
	invariant.Check(c.left > 0, "%v begins a turn with a batch of %d", b, c.left)
	invariant.Check(seam.Peek(&b.box.head) != nil, "%v is idle, and runs", b)
	backpressure.MustRun(&b.debt)
	verifyLoad(b)
}

// verifyLoad checks how an actor stands against its gate, between two turns.
func verifyLoad(b *body) {
	if seam.Peek(&b.box.head) == &closedMark {
		return // it drains or ends: its gate is open, whatever its load
	}
	const both = backpressure.Counted | backpressure.Bounded
	invariant.Check(b.load&both != both, "%v is counted and bounded: %#x", b, b.load)
	if b.load&(both|backpressure.Spared) != 0 {
		invariant.Check(seam.Peek(&b.flow) != nil, "%v has a load of %#x and no flow", b, b.load)
	}
	backpressure.MustBe(&b.gate, !b.load.MustShut() && b.load&backpressure.Bounded == 0)
}

// verifyStretch checks what a stretch has run: n messages down to c.msg, of one origin.
func verifyStretch(b *body, c *Context, before *message, n int) {
	invariant.Check(n >= 1 && n <= chainLength, "%v has run %d messages in a row", b, n)
	invariant.Check((before == nil) == (n == 1), "%v has run %d messages, and the last but one is missing or too many", b, n)
	m := b.in.fifo
	for i := 1; i < n; i++ {
		invariant.Check(m.origin == c.msg.origin, "%v recycles messages of two origins together", b)
		invariant.Check(i != n-1 || m == before, "%v has run %d messages, and there are more or less", b, n)
		m = m.next
	}
	invariant.Check(m == c.msg, "%v has run %d messages, and there are more or less", b, n)
}

// verifySend checks a message that is about to be pushed by the behaviour that runs.
func verifySend(c *Context, to *body, m *message, d *declaration) {
	invariant.Check(c.self != nil, "a message is sent by a context without an actor")
	invariant.Check(c.self.id != 0, "%v has number 0, which is that of the outside", c.self)
	invariant.Check(m != &closedMark, "a mark is sent to %v", to)
	invariant.Check(m.pool() == d.pool.id, "%s is sent to %v in a node of pool %d", d.name, to, m.pool())
	invariant.Check(d.typ == nil || d.typ == to.kind().typ, "%s is sent to %v", d.name, to)
	invariant.Check(d.id == systemID || to.kind().typ.decls[d.id] == d, "%s is sent to %v, which has another of that number", d.name, to)
}

// verifyDoze checks an actor that is about to be nobody's.
func verifyDoze(b *body, c *Context) {
	invariant.Check(b.in.fifo == nil, "%v goes to rest with mail in hand", b)
	invariant.Check(c.then&(mustEnd|yielded) == 0, "%v goes to rest with the outcome %#x", b, c.then)
	invariant.Check(b.load&backpressure.Muted == 0, "%v is muted, and goes to rest", b)
	invariant.Check(b.extra == nil || !b.extra.waiting, "%v waits for its children or its supervisor, and goes to rest", b)
	invariant.Check(b.extra == nil || b.extra.todo.first == nil, "%v goes to rest with signals in hand", b)
	invariant.Check(!b.isCollecting(), "%v goes to rest in the middle of a collection", b)
	backpressure.MustRun(&b.debt)
}

// verifyPark checks an actor that is about to be its ledgers'.
func verifyPark(b *body, c *Context) {
	invariant.Check(b.load&backpressure.Muted == 0, "%v is muted twice", b)
	invariant.Check(seam.Peek(&b.box.head) != nil, "%v is idle, and muted", b)
	invariant.Check(b.extra == nil || !b.extra.waiting, "%v is muted while it waits for its children", b)
	invariant.Check(c.self == b, "%v is muted in the turn of another", b)
	invariant.Check(b.extra == nil || !b.extra.drainsForOthers(), "%v is muted, and others wait until it has drained", b)
	backpressure.MustRun(&b.debt)
}

// verifyUnmuted checks an actor that runs while it is muted, and is so no longer.
func verifyUnmuted(b *body, c *Context) {
	invariant.Check(c.self == b, "%v is unmuted in the turn of another", b)
	invariant.Check(b.load&backpressure.Muted != 0, "%v is unmuted, and was not muted", b)
	invariant.Check(b.extra == nil || !b.extra.waiting, "%v is unmuted while it waits", b)
	backpressure.MustRun(&b.debt)
}

// verifyUnmute checks an actor whose last debt the caller has forgiven, and which it owns.
func verifyUnmute(b *body) {
	invariant.Check(b.load&backpressure.Muted != 0, "%v is let go, and was not muted", b)
	invariant.Check(seam.Peek(&b.box.head) != nil, "%v is let go, and was idle", b)
	invariant.Check(b.extra == nil || !b.extra.waiting, "%v is let go, and waits for its children", b)
	invariant.Check(b.extra == nil || b.extra.phase != ended, "%v is let go after its end", b)
	backpressure.MustRun(&b.debt)
}

// verifyGrab checks the consumer's half of a mailbox behind a grab: what was taken ends in
// the new last, from where the next grab goes on.
func verifyGrab(in *inbox, last *message) {
	m := in.fifo
	invariant.Check(m != nil, "a grab without mail")
	for ; m.next != nil; m = m.next {
		invariant.Check(m != last, "a grab has taken what the last one had")
	}
	invariant.Check(m == in.last, "a grab ends in another message than the head")
	invariant.Check(m != &closedMark, "a grab has taken the mark of a closed mailbox")
}

// verifyEmpty checks the consumer's half where it says "with in.fifo empty".
func verifyEmpty(in *inbox) {
	invariant.Check(in.fifo == nil, "a mailbox is looked into while mail is in hand")
}

// verifyPush checks a message that somebody owns and pushes.
func verifyPush(m *message) {
	invariant.Check(m != nil && m != &closedMark, "a mark is pushed")
	invariant.Check(m != &noMessage, "the message of callbacks is pushed")
	invariant.Check(m.from&wasStashed == 0, "a message is pushed that says it was put aside, by actor %d", m.from)
}

// verifyClosed checks what is returned of a mailbox that was closed.
func verifyClosed(q *mailbox) {
	invariant.Check(seam.Peek(&q.head) == &closedMark, "a mailbox was closed, and is open")
}

// verifyMessageList checks a list of messages: it ends in its last.
func verifyMessageList(l *messageList) {
	if l.first != nil {
		invariant.Check(l.last != nil && l.last.next == nil, "a list of messages goes on behind its last")
	}
}

// verifyMagazines checks a worker's stock.
func verifyMagazines(s *magazines) {
	invariant.Check(s.n >= 0 && (s.use == nil) == (s.n == 0), "a stock of %d messages, and there are some: %v", s.n, s.use != nil)
	invariant.Check(s.kept >= 0 && s.kept <= fullChains, "a stock of %d full chains", s.kept)
	for i, m := range s.full {
		invariant.Check((m != nil) == (i < s.kept), "a stock of %d full chains, and the place of number %d is filled: %v", s.kept, i, m != nil)
	}
}

// verifyChain checks n nodes from first to end that are recycled together.
func verifyChain(first, end *message, n int) {
	invariant.Check(n >= 1 && n <= chainLength, "%d messages are recycled together", n)
	m := first
	for range n - 1 {
		invariant.Check(m != &closedMark && m != &noMessage, "a mark is recycled")
		invariant.Check(m.origin == first.origin, "messages of origins %#x and %#x are recycled together", first.origin, m.origin)
		m = m.next
		invariant.Check(m != nil, "%d messages are recycled, and there are less", n)
	}
	invariant.Check(m == end, "%d messages are recycled, and there are more", n)
	invariant.Check(m != &closedMark && m != &noMessage, "a mark is recycled behind %d messages", n-1)
}

// verifyRecycle checks a node that is about to be used again.
func verifyRecycle(s *magazines, m *message) {
	verifyChain(m, m, 1)
	invariant.Check(m != s.use, "a message is recycled twice")
}

// verifyLength checks a chain that was put aside or left to others.
func verifyLength(m *message, want int, p uint16, home int) {
	n := 1
	for k := m; k.next != nil; k = k.next {
		n++
	}
	invariant.Check(want == n, "a chain of %d messages says that it has %d", n, want)
	invariant.Check(m.pool() == p, "a message of pool %d is in the stock of pool %d", m.pool(), p)
	invariant.Check(int(m.home()) == home, "a message of home %d is in the stock of home %d", m.home(), home)
}
