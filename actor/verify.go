package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold of an actor while it runs, in builds that check invariants. The callers own what
// is looked at; what others may write is read by seam.Peek.

// verifyTurn checks what a turn believes when it begins.
func verifyTurn(a *cell, c *Context) {
	invariant.Check(a.shared().sys == c.sys, "%v runs on a worker of another system", a)
	invariant.Check(c.then == goOn, "%v begins a turn with the outcome %#x of another", a, c.then)
	invariant.Check(c.shields == 0 && !c.aside, "%v begins a turn within %d shields, aside: %v", a, c.shields, c.aside)
	invariant.Check(c.front.first == nil && c.front.n == 0, "%v begins a turn with the mail of another in front", a)
	invariant.Check(c.ran == nil, "%v begins a turn with messages that another has run", a)
	invariant.Check(seam.Peek(&a.box.head) != nil, "%v is idle, and runs", a)
	backpressure.MustRun(&a.blockedOn)
	verifyLoad(a)
}

// verifyLoad checks how an actor stands against its gate, between two turns.
func verifyLoad(a *cell) {
	if seam.Peek(&a.box.head) == &closedMark {
		return // it drains or ends: its gate is open, whatever its load
	}
	const both = backpressure.Counted | backpressure.Bounded
	invariant.Check(a.load&both != both, "%v is counted and bounded: %#x", a, a.load)
	if a.load&(both|backpressure.Exempt) != 0 {
		invariant.Check(seam.Peek(&a.flow) != nil, "%v has a load of %#x and no flow", a, a.load)
	}
	backpressure.MustBe(&a.gate, !a.load.MustShut() && a.load&backpressure.Bounded == 0)
}

// verifySegment checks what a segment has run: n messages of one origin, from c.msg back to the
// first in hand.
func verifySegment(a *cell, c *Context, n int) {
	invariant.Check(n >= 1 && n <= chainLength, "%v has run %d messages in a row", a, n)
	m := c.msg
	for before, i := c.ran, 1; i < n; before, i = before.next, i+1 {
		invariant.Check(before != nil, "%v has run %d messages, and recycles less", a, n)
		invariant.Check(before.ownerTag == m.ownerTag, "%v recycles messages of two origins together", a)
		m = before
	}
	invariant.Check(m == a.in.pending, "%v has run %d messages, and there are more or less", a, n)
}

// verifySend checks a message that is about to be pushed by the behaviour that runs.
func verifySend(c *Context, to *cell, m *message, d *descriptor) {
	invariant.Check(m.sizeClass() == d.size.id, "%s is sent to %v in a node of pool %d", d.name, to, m.sizeClass())
	invariant.Check(d.typ == nil || d.typ == to.shared().typ, "%s is sent to %v", d.name, to)
	invariant.Check(d.id == systemID || d == givingWay || to.shared().typ.decls[d.id] == d, "%s is sent to %v, which has another of that number", d.name, to)
}

// verifyGoIdle checks an actor that is about to be idle.
func verifyGoIdle(a *cell, c *Context) {
	invariant.Check(a.in.pending == nil, "%v goes to rest with mail in hand", a)
	invariant.Check(c.then&(mustEnd|yielded) == 0, "%v goes to rest with the outcome %#x", a, c.then)
	invariant.Check(a.load&backpressure.Muted == 0, "%v is muted, and goes to rest", a)
	invariant.Check(a.cold == nil || !a.cold.waiting, "%v waits for its children or its supervisor, and goes to rest", a)
	mail := seam.Peek(&a.box.head) != a.in.tail // then it does not come to rest
	invariant.Check(a.cold == nil || a.cold.todo.first == nil || mail, "%v goes to rest with signals in hand", a)
	invariant.Check(!a.isCollecting(), "%v goes to rest in the middle of a collection", a)
	backpressure.MustRun(&a.blockedOn)
}

// verifyDrained checks the consumer's half of a mailbox behind a grab: what was taken ends in
// the new last, from where the next grab goes on.
func verifyDrained(in *inbox, last *message) {
	m := in.pending
	invariant.Check(m != nil, "a grab without mail")
	for ; m.next != nil; m = m.next {
		invariant.Check(m != last, "a grab has taken what the last one had")
	}
	invariant.Check(m == in.tail, "a grab ends in another message than the head")
	invariant.Check(m != &closedMark, "a grab has taken the mark of a closed mailbox")
}

// verifyEmpty checks the consumer's half where it says "with in.fifo empty".
func verifyEmpty(in *inbox) {
	invariant.Check(in.pending == nil, "a mailbox is looked into while mail is in hand")
}

// verifyPush checks a message that is about to be pushed.
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

// verifyBias checks what was appended to the mail of an actor that begins a turn under own.
func verifyBias(a *cell, own *bias) {
	head := seam.Peek(&a.box.head)
	invariant.Check(!isBiasMark(head) || head == &own.mark || head == &noBias.mark, "%v runs, and is leased to another", a)
	invariant.Check(a.in.appended == nil || a.in.tail == &own.mark || a.in.tail == &noBias.mark, "%v has mail that was appended without a lease", a)
	if a.in.appended != nil {
		verifyRing(a.in.appended)
	}
}

// verifyRing checks that what was appended is a ring.
func verifyRing(last *message) {
	for m := last.next; m != last; m = m.next {
		invariant.Check(m != nil && !isBiasMark(m), "what was appended is no ring")
	}
}

// verifyRevoked checks an actor whose bias another had.
func verifyRevoked(a *cell, theirs *bias) {
	invariant.Check(seam.Peek(&a.box.head) != &theirs.mark, "%v was taken over, and is leased to another", a)
	invariant.Check(theirs != &noBias, "%v is taken over from nobody", a)
	for m := seam.Peek(&a.box.head); m != a.in.tail; m = m.next {
		invariant.Check(m != nil, "%v was taken over, and its mail has another end", a)
	}
}
