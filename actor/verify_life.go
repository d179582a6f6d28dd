package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold of the life of an actor and of those around it, in builds that check
// invariants. Its owner only.

// verifyLeave checks the way into LEAVING: see the picture in lifecycle.go.
func verifyLeave(b *body, x *extras, g goal) {
	invariant.Check(x.phase == alive || x.phase == suspended, "%v leaves in phase %d", b, x.phase)
	invariant.Check(g == goalEnd || x.phase == alive, "%v is suspended, and leaves to be suspended or restarted", b)
	invariant.Check(g == goalEnd || b.supervised && x.sup != nil, "%v is to come up again, and nobody looks after it", b)
	invariant.Check(g == goalEnd || !x.drained, "%v drains, and is to come up again", b)
	invariant.Check(!x.waiting || x.over, "%v leaves while it waits", b)
}

// verifyLeft checks an actor that goes on with its way down.
func verifyLeft(b *body, x *extras) {
	invariant.Check(x.phase == leaving, "%v is on its way down, in phase %d", b, x.phase)
	open := seam.Peek(&b.box.head) != &closedMark
	invariant.Check(open == (x.goal != goalEnd) || x.drained, "%v goes down with goal %d, its mailbox open: %v", b, x.goal, open)
	invariant.Check(x.guards >= 0, "%v supervises %d", b, x.guards)
}

// verifyBottom checks that nothing is left that has to end before the actor.
func verifyBottom(b *body, x *extras) {
	invariant.Check(x.children.youngest == nil, "%v ends before its children", b)
	invariant.Check(x.guards == 0, "%v has no children, and supervises %d", b, x.guards)
}

// verifyFinish checks an actor whose box is closed, before the lane is.
func verifyFinish(b *body, x *extras) {
	invariant.Check(seam.Peek(&b.box.head) == &closedMark, "%v finishes, and its mailbox is open", b)
	invariant.Check(x.phase != ended, "%v finishes twice", b)
	invariant.Check(b.in.fifo == nil, "%v finishes with mail in hand", b)
	invariant.Check(x.stash.first == nil && x.back.first == nil && x.held.first == nil, "%v finishes with mail put aside", b)
	invariant.Check(x.err != nil, "%v finishes, and senders are told nothing", b)
}

// verifyEnded checks what is left of an actor when all have been told.
func verifyEnded(b *body, x *extras) {
	invariant.Check(x.phase == ended && seam.Peek(&b.lane.head) == &closedMark, "%v has ended in phase %d", b, x.phase)
	invariant.Check(!x.waiting && !x.resting, "%v has ended, and waits or rests", b)
	invariant.Check(len(x.links.entries)+len(x.watchers.entries)+len(x.watching.entries) == 0, "%v has ended, and is linked or watched", b)
	invariant.Check(x.ward == 0, "%v has ended, and is a ward for %d reasons", b, x.ward)
	invariant.Check(x.names == nil && x.lifeOver == nil, "%v has ended, and has a name or a bridge", b)
	invariant.Check(b.load == 0, "%v has ended with a load of %#x", b, b.load)
	invariant.Check(x.kid == nil || x.kid.parent == nil, "%v has ended, and leads to its parent", b)
	invariant.Check(b.arena == nil && !b.isCollecting(), "%v has ended, and has an arena", b)
	backpressure.MustBe(&b.gate, true)
	backpressure.MustRun(&b.debt)
}

// verifyBury checks an actor that ends at once: nobody may run it.
func verifyBury(b *body) {
	invariant.Check(b.extra == nil || b.extra.phase != ended, "%v is buried twice", b)
	invariant.Check(b.extra != nil || seam.Peek(&b.box.head) != &closedMark, "%v is buried, and its mailbox closed", b)
}

// verifyNew checks an actor that nobody knows yet.
func verifyNew(b *body) {
	invariant.Check(seam.Peek(&b.box.head) == nil && b.in == inbox{}, "%v has mail, and was not spawned yet", b)
	invariant.Check(b.kind().batch >= 1, "%v has a batch of %d", b, b.kind().batch)
	invariant.Check(b.load&^(backpressure.Counted|backpressure.Bounded) == 0, "%v begins with a load of %#x", b, b.load)
	invariant.Check(len(b.kind().runs) == len(b.kind().typ.decls), "%v dispatches %d of %d behaviours", b, len(b.kind().runs), len(b.kind().typ.decls))
}

// verifyWait checks an actor that waits: its debt and its hold are its own.
func verifyWait(b *body, x *extras) {
	invariant.Check(x.phase == leaving || x.phase == suspended || x.over && b.typ().finishes, "%v waits in phase %d", b, x.phase)
	invariant.Check(!x.resting, "%v rests before it waits", b)
	backpressure.MustRun(&b.debt)
}

// verifyWaited checks an actor that waits no longer.
func verifyWaited(b *body, x *extras) {
	invariant.Check(x.ward > 0, "%v has waited, and was no ward", b)
	backpressure.MustRun(&b.debt)
	backpressure.MustOwe(&b.debt)
}

// verifySuspend checks the way from LEAVING to SUSPENDED, or up again.
func verifySuspend(b *body, x *extras, g goal) {
	invariant.Check(x.phase == leaving && x.goal == g, "%v comes to goal %d in phase %d, and left for %d", b, g, x.phase, x.goal)
	invariant.Check(b.supervised && x.sup != nil, "%v comes to goal %d, and nobody looks after it", b, g)
	invariant.Check(seam.Peek(&b.box.head) != &closedMark, "%v comes to goal %d, and its mailbox is closed", b, g)
	verifyBottom(b, x)
}

// verifyRevive checks an actor that begins another life: nothing of the last is left.
func verifyRevive(b *body, x *extras) {
	invariant.Check(x.phase == leaving || x.phase == suspended, "%v begins another life in phase %d", b, x.phase)
	invariant.Check(b.arena == nil && !b.isCollecting(), "%v begins another life with its arena", b)
	invariant.Check(x.trap == nil && x.table == nil, "%v begins another life with its trap or variant", b)
	invariant.Check(len(x.watching.entries) == 0, "%v begins another life, and watches %d", b, len(x.watching.entries))
	invariant.Check(!x.drained && !x.over, "%v begins another life after a drain", b)
	invariant.Check(x.stash.first == nil, "%v begins another life with a stash", b)
}

// verifyOrder checks an actor that is told to end.
func verifyOrder(b *body, c *Context, o order) {
	invariant.Check(c.self == b, "%v obeys in the turn of another", b)
	invariant.Check(b.mine().phase != ended, "%v is told to end after its end", b)
	invariant.Check(o.verb <= verbKill, "%v is told to end by verb %d", b, o.verb)
	invariant.Check(o.verb != verbKill || o.why == ErrKilled, "%v is killed for %v", b, o.why)
}

// verifyAttend checks the turn of an actor that has signals.
func verifyAttend(b *body, c *Context, x *extras) {
	invariant.Check(c.self == b, "%v attends in the turn of another", b)
	invariant.Check(!x.waiting || x.phase == leaving || x.phase == suspended || x.over && b.typ().finishes, "%v waits in phase %d", b, x.phase)
	invariant.Check(x.phase != suspended || x.waiting, "%v is suspended, and does not wait", b)
	invariant.Check(x.held.first == nil || b.supervised || b.typ().finishes, "%v holds urgent mail back, and nobody brings it up", b)
	invariant.Check(x.ward >= 0, "%v is a ward for %d reasons", b, x.ward)
	invariant.Check(!x.stashes || x.ward > 0, "%v has a stash, and is no ward", b)
	invariant.Check(!x.resting || x.waiting, "%v rests, and does not wait", b)
	verifyMessageList(&x.todo)
	verifyMessageList(&x.stash)
	backpressure.MustRun(&b.debt)
}

// verifyTomb checks what many share: nobody writes to it.
func verifyTomb(x *extras) {
	invariant.Check(x.phase == ended && x.err != nil, "a tomb in phase %d", x.phase)
	invariant.Check(!x.linking && x.ward == 0 && x.children.youngest == nil, "a tomb that was written to")
}

// verifyAdd checks a thing that takes a place in a roster.
func verifyAdd[T any](who *T, at *int) {
	invariant.Check(who != nil, "nobody takes a place in a roster")
	invariant.Check(*at == 0, "who takes a place in a roster has place %d already", *at)
}

// verifyRemove checks the one that leaves place i of a roster: it knows its place, and the last one
// knows its own.
func verifyRemove[T any](r *roster[T], i int, at *int) {
	invariant.Check(i < len(r.entries), "place %d of %d in a roster", i+1, len(r.entries))
	invariant.Check(r.entries[i].at == at, "place %d of a roster is another's", i+1)
	last := r.entries[len(r.entries)-1]
	invariant.Check(*last.at == len(r.entries), "the last of %d in a roster has place %d", len(r.entries), *last.at)
}

// verifyLink checks a link that one side has in its roster.
func verifyLink(l *link, me *body) {
	invariant.Check(l.a == me || l.b == me, "%v has a link of others in its roster", me)
	invariant.Check(l.a != l.b, "%v is linked to itself", me)
}

// verifyIndex checks the index of links, and what it has with one other.
func verifyIndex(s *links, me, other *body) {
	invariant.Check((s.by == nil) == (len(s.entries) == 0), "%v has an index, and %d links", me, len(s.entries))
	invariant.Check(len(s.by) <= len(s.entries), "%v has %d links, with %d others", me, len(s.entries), len(s.by))
	for l := s.by[other]; l != nil; l = *l.more(me) {
		invariant.Check(l.other(me) == other && *l.at(me) > 0, "%v finds a link with %v that is another's, or gone", me, other)
	}
}

// verifyFamily checks how a child stands among its siblings.
func verifyFamily(f *family, k *child) {
	invariant.Check(k.older == nil || k.older.younger == k, "the older sibling of %v has another younger one", k.b)
	invariant.Check(k.younger == nil || k.younger.older == k, "the younger sibling of %v has another older one", k.b)
	invariant.Check((k.younger == nil) == (f.youngest == k), "%v is the youngest, or has younger siblings, not both", k.b)
	invariant.Check(k.listed, "%v stands among its siblings, and is not in the list", k.b)
}

// verifyBirth checks a new child.
func verifyBirth(f *family, k *child) {
	invariant.Check(k.older == nil && k.younger == nil, "%v is born with siblings", k.b)
	invariant.Check(!k.told, "%v is told to end before it is born", k.b)
	invariant.Check(!k.listed, "%v is born twice", k.b)
	invariant.Check(k.b != k.parent && k.b != nil, "%v is its own child", k.parent)
	invariant.Check(f.youngest == nil || f.youngest.younger == nil, "the youngest child of %v has a younger one", k.parent)
}

// verifyForgotten checks a child that its parent has done with.
func verifyForgotten(k *child) {
	invariant.Check(k.older == nil && k.younger == nil && !k.listed, "%v is forgotten, and has a place", k.b)
}

// verifyChildEnd checks the news of a child's end.
func verifyChildEnd(s childEnded, b *body, x *extras) {
	invariant.Check(s.kid.of == b.id && s.kid.listed, "%v hears of the end of a child of number %d, listed: %v", b, s.kid.of, s.kid.listed)
	invariant.Check(s.kid.b.lane.ended(), "%v hears of the end of %v, which lives", b, s.kid.b)
	invariant.Check(!s.kid.b.supervised || x.guards > 0, "%v hears of the end of one it does not supervise", b)
}

// ended is closed for checks.
func (l *lane) ended() bool { return seam.Peek(&l.head) == &closedMark }

// verifyMonitor checks the news of the end of one that b watches.
func verifyMonitor(m *monitor, b *body) {
	invariant.Check(m.watcher == b && m.outside == nil, "%v hears of an end that another watches", b)
	invariant.Check(m.live == (m.atWatcher > 0), "%v watches: %v, and has place %d", b, m.live, m.atWatcher)
}

// verifyNameList checks the names of an actor.
func verifyNameList(l *nameList, b *body) {
	for i, name := range l.list {
		invariant.Check(l.index(name) == i, "%v has the name %q twice, or does not find it", b, name)
		v, _ := b.sys().names.m.Load(name)
		invariant.Check(v == b, "%v has the name %q, which leads to another", b, name)
	}
}

// verifyCallStop checks where OnStop runs: beside the mailbox, on the way down.
func verifyCallStop(b *body, c *Context, x *extras) {
	invariant.Check(c.aside, "OnStop of %v runs in the place of a message", b)
	invariant.Check(x.phase == leaving, "OnStop of %v runs while it is not leaving", b)
}

// verifyVerdict checks an actor that is taken down: somebody brings it up again.
func verifyVerdict(b *body) {
	invariant.Check(b.supervised, "%v is taken down, and was not supervised", b)
}

// verifyForsaken checks an actor that is left alone by its supervisor.
func verifyForsaken(b *body) {
	invariant.Check(b.supervised, "%v is forsaken, and was not supervised", b)
}

// verifyDrain checks an actor that begins to drain: nothing was closed yet.
func verifyDrain(b *body, x *extras) {
	invariant.Check(x.phase == alive, "%v drains in phase %d", b, x.phase)
	invariant.Check(!x.over, "%v drains after its drain", b)
}

// verifyUrgent checks a message of the lane that runs.
func verifyUrgent(b *body, x *extras, m *message) {
	invariant.Check(isMail(m.id), "%v runs a signal of the runtime's as urgent mail", b)
	invariant.Check(int(m.id) < len(b.kind().typ.decls), "%v runs behaviour %d of %d", b, m.id, len(b.kind().typ.decls))
	invariant.Check(!x.due, "%v runs before it was started", b)
}

// verifyTold checks what an actor knows of the orders that it has not come to.
func verifyTold(x *extras) {
	const most = uint8(verbKill) + 1
	invariant.Check(x.inTodo <= most && x.inLane <= most, "an order of %d was taken, and one of %d is in the lane", x.inTodo, x.inLane)
	invariant.Check(x.todo.first != nil || x.inTodo == 0, "an order of %d was taken, and nothing is left of that", x.inTodo)
}

// verifyDeferral checks a reply that was put off and is to be taken off its owner's list.
func verifyDeferral(b *body, d *deferral) {
	x := b.extra
	invariant.Check(d.to != nil, "%v has put off a reply that goes nowhere", b)
	invariant.Check(x != nil && x.deferred != nil, "%v replies to what is not in its list", b)
	invariant.Check(x.ward > 0, "%v has put a reply off, and its system does not know", b)
	invariant.Check(x.deferrals().all.entries[d.place-1].who == d, "%v has put another reply off in its place", b)
}
