package actor

import (
	"github.com/gallop-go/gallop/actor/internal/msg"
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
	invariant.Check(!a.box.PeekIdle(), "%v is idle, and runs", a)
	backpressure.MustRun(&a.blockedOn)
	verifyLoad(a)
}

// verifyLoad checks how an actor stands against its gate, between two turns.
func verifyLoad(a *cell) {
	if a.box.PeekClosed() {
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
	invariant.Check(n >= 1 && n <= msg.ChainLength, "%v has run %d messages in a row", a, n)
	m := c.msg
	for before, i := c.ran, 1; i < n; before, i = before.Next, i+1 {
		invariant.Check(before != nil, "%v has run %d messages, and recycles less", a, n)
		invariant.Check(before.OwnerTag == m.OwnerTag, "%v recycles messages of two origins together", a)
		m = before
	}
	invariant.Check(m == a.in.Pending(), "%v has run %d messages, and there are more or less", a, n)
}

// verifySend checks a message that is about to be pushed by the behaviour that runs.
func verifySend(c *Context, to *cell, m *message, d *descriptor) {
	invariant.Check(m.SizeClass() == d.size.ID, "%s is sent to %v in a node of pool %d", d.name, to, m.SizeClass())
	invariant.Check(d.typ == nil || d.typ == to.shared().typ, "%s is sent to %v", d.name, to)
	invariant.Check(d.id == systemID || d == givingWay || to.shared().typ.decls[d.id] == d, "%s is sent to %v, which has another of that number", d.name, to)
}

// verifyGoIdle checks an actor that is about to be idle.
func verifyGoIdle(a *cell, c *Context) {
	invariant.Check(a.in.Pending() == nil, "%v goes to rest with mail in hand", a)
	invariant.Check(c.then&(mustEnd|yielded) == 0, "%v goes to rest with the outcome %#x", a, c.then)
	invariant.Check(a.load&backpressure.Muted == 0, "%v is muted, and goes to rest", a)
	invariant.Check(a.cold == nil || !a.cold.waiting, "%v waits for its children or its supervisor, and goes to rest", a)
	mail := a.box.PeekPushed(&a.in) // then it does not come to rest
	invariant.Check(a.cold == nil || a.cold.todo.First == nil || mail, "%v goes to rest with signals in hand", a)
	invariant.Check(!a.isCollecting(), "%v goes to rest in the middle of a collection", a)
	backpressure.MustRun(&a.blockedOn)
}

// verifyBegun checks a node that is about to get its message, from where e is.
func verifyBegun(e env, a *cell, d *descriptor, m *message) {
	invariant.Check(m.SizeClass() == d.size.ID, "%s is to be sent in a node of size class %d", d.name, m.SizeClass())
	invariant.Check(e.system() == a.sys(), "%s is sent to %v as from its own system", d.name, a)
	invariant.Check(d.typ == a.typ(), "%s is to be sent to %v", d.name, a)
}
