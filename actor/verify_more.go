package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold of types, kinds, pools and what is between two messages, in builds that
// check invariants.

// verifySealed checks a type that is about to be spawned: it never changes again.
func verifySealed(t *typeInfo, runs []runFunc) {
	invariant.Check(len(runs) > userIDs-1, "%s has %d behaviours, without the runtime's own", t.name, len(runs))
	for i, d := range t.decls {
		invariant.Check(isOwn(uint16(i)) || int(d.id) == i, "behaviour %s is number %d, and says %d", d.name, i, d.id)
		invariant.Check(isOwn(uint16(i)) || d.typ == t, "behaviour %s of another type is one of %s", d.name, t.name)
		invariant.Check(isOwn(uint16(i)) || d.pool != nil, "behaviour %s has no messages", d.name)
		invariant.Check(isOwn(uint16(i)) || (d.urgent != nil) == (d.poolID == noPool), "behaviour %s is urgent: %v, and its stock is %d", d.name, d.urgent != nil, d.poolID)
	}
}

// verifyKind checks a kind before a system knows it. Under the system's mu.
func verifyKind(k *kind) {
	invariant.Check(seam.Peek(&k.typ.sealed), "%s is spawned before it is sealed", k.typ.name)
	invariant.Check(k.batch >= 1, "%s has a batch of %d", k.typ.name, k.batch)
	invariant.Check(len(k.runs) == len(k.typ.decls), "%s dispatches %d of %d behaviours", k.typ.name, len(k.runs), len(k.typ.decls))
}

// verifyVariant checks the table of a variant that is about to be used.
func verifyVariant(v *variantInfo) {
	invariant.Check(seam.Peek(&v.typ.sealed), "a variant of %s is in use before that is sealed", v.typ.name)
	invariant.Check(len(v.table.runs) == len(v.typ.decls), "a variant of %s dispatches %d of %d behaviours", v.typ.name, len(v.table.runs), len(v.typ.decls))
	for d := range v.entries {
		invariant.Check(v.typ.decls[d.id] == d, "a variant of %s has another behaviour %d", v.typ.name, d.id)
	}
}

// verifyBegun checks a node that is about to get its message, from a sender with context c.
func verifyBegun(c *Context, b *body, d *declaration, m *message) {
	invariant.Check(m.pool() == d.pool.id, "%s is to be sent in a node of pool %d", d.name, m.pool())
	invariant.Check(c == nil || c.sys == b.sys(), "%s is sent to %v as from its own system", d.name, b)
	invariant.Check(d.typ == b.typ(), "%s is to be sent to %v", d.name, b)
}

// verifyOutside checks a node from the common stock.
func verifyOutside(p *pool, m *message) {
	invariant.Check(m.pool() == p.id, "a message of pool %d is in pool %d", m.pool(), p.id)
	invariant.Check(m.home() == outside, "a message of home %d is in the common stock", m.home())
}

// verifyAway checks a chain on its way home.
func verifyAway(s *magazines, first *message) {
	invariant.Check(first.home() < maxHomes, "a message goes home to %d", first.home())
	invariant.Check(s.away[first.home()].n >= 0 && s.away[first.home()].n < awayLength, "%d messages wait to go home", s.away[first.home()].n)
	invariant.Check((s.away[first.home()].first == nil) == (s.away[first.home()].n == 0), "messages wait to go home, and their number is wrong")
}

// verifyGas checks what a turn has spent.
func verifyGas(c *Context) {
	invariant.Check(c.gas.spent >= 0 && c.gas.spent <= maxBatch, "a turn has spent %d", c.gas.spent)
	invariant.Check(c.left >= 0, "%d messages are left of a turn", c.left)
	invariant.Check(c.gas.cut >= 0 && c.gas.cut <= c.self.batch(), "%d messages are cut off a batch of %d", c.gas.cut, c.self.batch())
}

// verifyCrash checks an actor whose behaviour did not return.
func verifyCrash(b *body, c *Context) {
	invariant.Check(c.self == b, "%v crashes in the turn of another", b)
	invariant.Check(c.msg != nil, "%v crashes over no message", b)
	invariant.Check(b.extra == nil || b.extra.phase != ended, "%v crashes after its end", b)
	backpressure.MustRun(&b.debt)
}

// verifyDrain checks who begins to drain: nothing was closed yet.
func verifyDrain(b *body, x *extras) {
	invariant.Check(x.phase == alive, "%v drains in phase %d", b, x.phase)
	invariant.Check(!x.over, "%v drains after its drain", b)
}

// verifyLease checks what was appended to the mail of an actor that begins a turn under own.
func verifyLease(b *body, own *lease) {
	head := seam.Peek(&b.box.head)
	invariant.Check(!isMark(head) || head == &own.mark || head == &noLease.mark, "%v runs, and is leased to another", b)
	invariant.Check(b.in.more == nil || b.in.last == &own.mark || b.in.last == &noLease.mark, "%v has mail that was appended without a lease", b)
	if b.in.more != nil {
		verifyRing(b.in.more)
	}
}

// verifyRing checks that what was appended is a ring.
func verifyRing(last *message) {
	for m := last.next; m != last; m = m.next {
		invariant.Check(m != nil && !isMark(m), "what was appended is no ring")
	}
}

// verifyTakenOver checks an actor whose lease another had.
func verifyTakenOver(b *body, theirs *lease) {
	invariant.Check(seam.Peek(&b.box.head) != &theirs.mark, "%v was taken over, and is leased to another", b)
	invariant.Check(theirs != &noLease, "%v is taken over from nobody", b)
	for m := seam.Peek(&b.box.head); m != b.in.last; m = m.next {
		invariant.Check(m != nil, "%v was taken over, and its mail has another end", b)
	}
}

// verifyRunUpTo checks where a turn ends that did not come to its end.
func verifyRunUpTo(in *inbox, m *message) {
	k := in.fifo
	for k != nil && k != m {
		k = k.next
	}
	invariant.Check(k == m && m != nil, "a turn ends with a message that it had not taken")
}

// verifyUrgent checks a message of the lane that runs.
func verifyUrgent(b *body, x *extras, m *message) {
	invariant.Check(!isOwn(m.id), "%v runs a signal of the runtime's as urgent mail", b)
	invariant.Check(int(m.id) < len(b.kind().typ.decls), "%v runs behaviour %d of %d", b, m.id, len(b.kind().typ.decls))
	invariant.Check(!x.due, "%v runs before it was started", b)
}

// verifyForgetTurn checks a worker between two turns: nothing is under way.
func verifyForgetTurn(c *Context) {
	invariant.Check(c.front.first == nil && c.front.n == 0, "a worker sleeps with %d messages in front", c.front.n)
	invariant.Check(c.w.Resting(), "a worker forgets the turn that it runs")
}

// verifyDiscard checks the payload of a timer that will not run: it is one message, of the
// behaviour that it was for.
func verifyDiscard(b *body, held *message, d *declaration) {
	invariant.Check(held.next == nil, "%v discards a payload that is in a chain", b)
	invariant.Check(held.pool() == d.pool.id, "%v discards a payload of pool %d as one of pool %d", b, held.pool(), d.pool.id)
}

// verifyGathering checks that there is room for one more reply.
func verifyGathering[R any](g *gathering[R], k *call[R]) {
	invariant.Check(k.several == g, "a reply comes to others")
	invariant.Check(k.of >= 0 && k.of < cap(g.in), "the reply to request %d of %d", k.of, cap(g.in))
}

// verifyDoing checks what a worker was seen doing: a callback or a message, of an actor.
func verifyDoing(d doing) {
	invariant.Check(d.typ != nil || d == doing{}, "an actor of no type does something: %+v", d)
	invariant.Check(d.where <= inCareStop, "callback %d runs", d.where)
	invariant.Check(d.where == inNone || d.msg == nil, "a callback and a message run at once")
}
