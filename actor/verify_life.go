package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold of the life of an actor and of those around it, in builds that check
// invariants. Its owner only.

// verifyLeave checks the way into LEAVING: see the picture in life.go.
func verifyLeave(a *cell, x *coldState, g nextState) {
	invariant.Check(x.state == alive || x.state == suspended, "%v leaves in phase %d", a, x.state)
	invariant.Check(g == nextEnded || x.state == alive, "%v is suspended, and leaves to be suspended or restarted", a)
	invariant.Check(g == nextEnded || a.supervised && x.sup != nil, "%v is to come up again, and nobody looks after it", a)
	invariant.Check(g == nextEnded || !x.drained, "%v drains, and is to come up again", a)
	invariant.Check(!x.waiting || x.gone, "%v leaves while it waits", a)
}

// verifyLeft checks an actor that goes on with its way down.
func verifyLeft(a *cell, x *coldState) {
	invariant.Check(x.state == leaving, "%v is on its way down, in phase %d", a, x.state)
	open := seam.Peek(&a.box.head) != &closedMark
	invariant.Check(open == (x.after != nextEnded) || x.drained, "%v goes down with goal %d, its mailbox open: %v", a, x.after, open)
	invariant.Check(x.guards >= 0, "%v supervises %d", a, x.guards)
}

// verifyBottom checks that nothing is left that has to end before the actor.
func verifyBottom(a *cell, x *coldState) {
	invariant.Check(x.children.youngest == nil, "%v ends before its children", a)
	invariant.Check(x.guards == 0, "%v has no children, and supervises %d", a, x.guards)
}

// verifyFinish checks an actor whose box is closed, before the system queue is.
func verifyFinish(a *cell, x *coldState) {
	invariant.Check(seam.Peek(&a.box.head) == &closedMark, "%v finishes, and its mailbox is open", a)
	invariant.Check(x.state != ended, "%v finishes twice", a)
	invariant.Check(a.in.pending == nil, "%v finishes with mail in hand", a)
	invariant.Check(x.stash.list.first == nil && x.unstashed.first == nil && x.held.first == nil, "%v finishes with mail put aside", a)
	invariant.Check(x.err != nil, "%v finishes, and senders are told nothing", a)
}

// verifyEnded checks what is left of an actor when all have been told.
func verifyEnded(a *cell, x *coldState) {
	invariant.Check(x.state == ended && seam.Peek(&a.system.head) == &closedMark, "%v has ended in phase %d", a, x.state)
	invariant.Check(!x.waiting && !x.unheld && x.backoff == nil, "%v has ended, and waits or rests", a)
	invariant.Check(len(x.links.entries)+len(x.watchers.entries)+len(x.watching.entries) == 0, "%v has ended, and is linked or watched", a)
	invariant.Check(x.stopReasons == 0, "%v has ended, and is a ward for %d reasons", a, x.stopReasons)
	invariant.Check(x.names == nil && x.lifeDone == nil, "%v has ended, and has a name or a bridge", a)
	invariant.Check(a.load == 0, "%v has ended with a load of %#x", a, a.load)
	invariant.Check(x.child == nil || x.child.parent == nil, "%v has ended, and leads to its parent", a)
	invariant.Check(a.arena == nil && !a.isCollecting(), "%v has ended, and has an arena", a)
	backpressure.MustBe(&a.gate, true)
	backpressure.MustRun(&a.blockedOn)
}

// verifyTerminate checks an actor that ends at once: nobody may run it.
func verifyTerminate(a *cell) {
	invariant.Check(a.cold == nil || a.cold.state != ended, "%v is buried twice", a)
	invariant.Check(a.cold != nil || seam.Peek(&a.box.head) != &closedMark, "%v is buried, and its mailbox closed", a)
}

// verifyNew checks an actor that nobody knows yet.
func verifyNew(a *cell) {
	invariant.Check(seam.Peek(&a.box.head) == nil && a.in == inbox{}, "%v has mail, and was not spawned yet", a)
	invariant.Check(a.shared().batch >= 1, "%v has a batch of %d", a, a.shared().batch)
	invariant.Check(a.load&^(backpressure.Counted|backpressure.Bounded) == 0, "%v begins with a load of %#x", a, a.load)
	invariant.Check(len(a.shared().runs) == len(a.shared().typ.decls), "%v dispatches %d of %d behaviours", a, len(a.shared().runs), len(a.shared().typ.decls))
}

// verifyWait checks an actor that waits: its debt and its hold are its own.
func verifyWait(a *cell, x *coldState) {
	invariant.Check(x.state == leaving || x.state == suspended || x.gone && a.typ().finishes, "%v waits in phase %d", a, x.state)
	invariant.Check(!x.unheld, "%v rests before it waits", a)
	backpressure.MustRun(&a.blockedOn)
}

// verifyWaited checks an actor that waits no longer.
func verifyWaited(a *cell, x *coldState) {
	invariant.Check(x.stopReasons > 0, "%v has waited, and was no ward", a)
	backpressure.MustRun(&a.blockedOn)
	if x.backoff == nil {
		backpressure.MustOwe(&a.blockedOn)
	}
}

// verifySuspend checks the way from LEAVING to SUSPENDED, or up again.
func verifySuspend(a *cell, x *coldState, g nextState) {
	invariant.Check(x.state == leaving && x.after == g, "%v comes to goal %d in phase %d, and left for %d", a, g, x.state, x.after)
	invariant.Check(a.supervised && x.sup != nil, "%v comes to goal %d, and nobody looks after it", a, g)
	invariant.Check(seam.Peek(&a.box.head) != &closedMark, "%v comes to goal %d, and its mailbox is closed", a, g)
	verifyBottom(a, x)
}

// verifyBeginLife checks an actor that begins another life: nothing of the last is left.
func verifyBeginLife(a *cell, x *coldState) {
	invariant.Check(x.state == leaving || x.state == suspended, "%v begins another life in phase %d", a, x.state)
	invariant.Check(a.arena == nil && !a.isCollecting(), "%v begins another life with its arena", a)
	invariant.Check(x.trap == nil && x.table == nil, "%v begins another life with its trap or variant", a)
	invariant.Check(len(x.watching.entries) == 0, "%v begins another life, and watches %d", a, len(x.watching.entries))
	invariant.Check(!x.drained && !x.gone, "%v begins another life after a drain", a)
	invariant.Check(x.stash.list.first == nil, "%v begins another life with a stash", a)
}

// verifyStopRequest checks an actor that is told to end.
func verifyStopRequest(a *cell, c *Context, o stopRequest) {
	invariant.Check(c.self == a, "%v obeys in the turn of another", a)
	invariant.Check(a.makeCold().state != ended, "%v is told to end after its end", a)
	invariant.Check(o.mode <= modeKill, "%v is told to end by verb %d", a, o.mode)
	invariant.Check(o.mode != modeKill || o.why == ErrKilled, "%v is killed for %v", a, o.why)
}

// verifyServeSignals checks the turn of an actor that has signals.
func verifyServeSignals(a *cell, c *Context, x *coldState) {
	invariant.Check(c.self == a, "%v attends in the turn of another", a)
	invariant.Check(!x.waiting || x.state == leaving || x.state == suspended || x.gone && a.typ().finishes, "%v waits in phase %d", a, x.state)
	invariant.Check(x.state != suspended || x.waiting, "%v is suspended, and does not wait", a)
	invariant.Check(x.held.first == nil || a.supervised || a.load&backpressure.Withheld != 0 || a.typ().finishes, "%v holds urgent mail back, and nobody brings it up", a)
	invariant.Check(x.stopReasons >= 0, "%v is a ward for %d reasons", a, x.stopReasons)
	invariant.Check(!x.stashes || x.stopReasons > 0, "%v has a stash, and is no ward", a)
	invariant.Check(!x.unheld || x.waiting, "%v rests, and does not wait", a)
	invariant.Check(x.backoff == nil || x.state == suspended && x.unheld, "%v is in a back-off in phase %d", a, x.state)
	verifyMessageList(&x.todo)
	verifyMessageList(&x.stash.list)
	invariant.Check((x.stash.list.first == nil) == (x.stash.n == 0), "%v counts %d messages in its stash", a, x.stash.n)
	backpressure.MustRun(&a.blockedOn)
}

// verifyTerminated checks what many share: nobody writes to it.
func verifyTerminated(x *coldState) {
	invariant.Check(x.state == ended && x.err != nil, "a tomb in phase %d", x.state)
	invariant.Check(!x.linking && x.stopReasons == 0 && x.children.youngest == nil, "a tomb that was written to")
}

// verifyAdd checks a thing that takes a place in a indexed set.
func verifyAdd[T any](who *T, at *int) {
	invariant.Check(who != nil, "nobody takes a place in a roster")
	invariant.Check(*at == 0, "who takes a place in a roster has place %d already", *at)
}

// verifyRemove checks the one that leaves place i of a indexed set: it knows its place, and the
// last one knows its own.
func verifyRemove[T any](r *indexedSet[T], i int, at *int) {
	invariant.Check(i < len(r.entries), "place %d of %d in a roster", i+1, len(r.entries))
	invariant.Check(r.entries[i].at == at, "place %d of a roster is another's", i+1)
	last := r.entries[len(r.entries)-1]
	invariant.Check(*last.at == len(r.entries), "the last of %d in a roster has place %d", len(r.entries), *last.at)
}

// verifyLink checks a link that one side has in its indexed set.
func verifyLink(l *link, me *cell) {
	invariant.Check(l.a == me || l.b == me, "%v has a link of others in its roster", me)
	invariant.Check(l.a != l.b, "%v is linked to itself", me)
}

// verifyIndex checks the index of links, and what it has with one other.
func verifyIndex(s *links, me, other *cell) {
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
	invariant.Check(!k.stopSent, "%v is told to end before it is born", k.b)
	invariant.Check(!k.listed, "%v is born twice", k.b)
	invariant.Check(k.b != k.parent && k.b != nil, "%v is its own child", k.parent)
	invariant.Check(f.youngest == nil || f.youngest.younger == nil, "the youngest child of %v has a younger one", k.parent)
}

// verifyForgotten checks a child that its parent has done with.
func verifyForgotten(k *child) {
	invariant.Check(k.older == nil && k.younger == nil && !k.listed, "%v is forgotten, and has a place", k.b)
}

// verifyChildEnd checks the news of a child's end.
func verifyChildEnd(s childEnded, a *cell, x *coldState) {
	invariant.Check(s.child.of == a.id && s.child.listed, "%v hears of the end of a child of number %d, listed: %v", a, s.child.of, s.child.listed)
	invariant.Check(s.child.b.system.ended(), "%v hears of the end of %v, which lives", a, s.child.b)
	invariant.Check(!s.child.b.supervised || x.guards > 0, "%v hears of the end of one it does not supervise", a)
}

// ended is closed for checks.
func (l *systemQueue) ended() bool { return seam.Peek(&l.head) == &closedMark }

// verifyMonitor checks the news of the end of one that b watches.
func verifyMonitor(m *monitor, a *cell) {
	invariant.Check(m.watcher == a && m.outside == nil, "%v hears of an end that another watches", a)
	invariant.Check(m.live == (m.atWatcher > 0), "%v watches: %v, and has place %d", a, m.live, m.atWatcher)
}

// verifyNameList checks the names of an actor.
func verifyNameList(l *nameList, a *cell) {
	for i, name := range l.list {
		invariant.Check(l.index(name) == i, "%v has the name %q twice, or does not find it", a, name)
		v, _ := a.sys().names.m.Load(name)
		invariant.Check(v == a, "%v has the name %q, which leads to another", a, name)
	}
}

// verifyCallStop checks where OnStop runs: beside the mailbox, on the way down.
func verifyCallStop(a *cell, c *Context, x *coldState) {
	invariant.Check(c.aside, "OnStop of %v runs in the place of a message", a)
	invariant.Check(x.state == leaving, "OnStop of %v runs while it is not leaving", a)
}

// verifyVerdict checks an actor that is taken down: somebody brings it up again.
func verifyVerdict(a *cell) {
	invariant.Check(a.supervised, "%v is taken down, and was not supervised", a)
}

// verifyOrphaned checks an actor that is left alone by its supervisor.
func verifyOrphaned(a *cell) {
	invariant.Check(a.supervised, "%v is forsaken, and was not supervised", a)
}

// verifyDrain checks an actor that begins to drain: nothing was closed yet.
func verifyDrain(a *cell, x *coldState) {
	invariant.Check(x.state == alive, "%v drains in phase %d", a, x.state)
	invariant.Check(!x.gone, "%v drains after its drain", a)
}

// verifyUrgent checks a message of the system queue that runs.
func verifyUrgent(a *cell, x *coldState, m *message) {
	invariant.Check(isMail(m.id), "%v runs a signal of the runtime's as urgent mail", a)
	invariant.Check(int(m.id) < len(a.shared().typ.decls), "%v runs behaviour %d of %d", a, m.id, len(a.shared().typ.decls))
	invariant.Check(!x.unstarted, "%v runs before it was started", a)
}

// verifyPendingStop checks what an actor knows of the orders that it has not come to.
func verifyPendingStop(x *coldState) {
	const most = uint8(modeKill) + 1
	invariant.Check(x.inTodo <= most && x.inQueue <= most, "an order of %d was taken, and one of %d is in the lane", x.inTodo, x.inQueue)
	invariant.Check(x.todo.first != nil || x.inTodo == 0, "an order of %d was taken, and nothing is left of that", x.inTodo)
}

// verifyDeferral checks a reply that was put off and is to be taken off its owner's list.
func verifyDeferral(a *cell, d *deferral) {
	x := a.cold
	invariant.Check(d.to != nil, "%v has put off a reply that goes nowhere", a)
	invariant.Check(x != nil && x.deferred != nil, "%v replies to what is not in its list", a)
	invariant.Check(x.stopReasons > 0, "%v has put a reply off, and its system does not know", a)
	invariant.Check(x.deferred.all.entries[d.place-1].who == d, "%v has put another reply off in its place", a)
}

// verifyDecide checks an actor before it asks what becomes of it.
func verifyDecide(a *cell, c *Context) {
	invariant.Check(c.self == a && c.aside, "what becomes of %v is decided in the place of a message", a)
	invariant.Check(a.cold.state == alive && !a.cold.drained, "what becomes of %v is decided in phase %d", a, a.cold.state)
}

// verifyBackoff checks an actor whose back-off begins: it waits, with a debt of its own.
func verifyBackoff(a *cell, x *coldState) {
	invariant.Check(x.waiting && x.unheld, "%v is in a back-off, and does not wait", a)
	invariant.Check(a.load&backpressure.Muted == 0, "%v is in a back-off, and muted", a)
	backpressure.MustRun(&a.blockedOn)
	backpressure.MustOwe(&a.blockedOn)
}

// verifyPostpone checks an actor in a back-off at the end of its turn.
func verifyPostpone(a *cell, x *coldState) {
	f := x.backoff
	invariant.Check(x.state == suspended && x.waiting && x.unheld, "%v lays its mail by in phase %d", a, x.state)
	invariant.Check(f.room >= 0, "%v keeps %d messages too many", a, -f.room)
	invariant.Check(f.mail.last == nil || f.mail.last != a.in.tail, "%v has put the top node of its mailbox aside", a)
	invariant.Check(seam.Peek(&seam.Peek(&a.flow).suspended) != nil, "%v is in a back-off, and senders do not know", a)
	verifyMessageList(&f.mail)
}

// verifyFilter checks an actor that goes through its mail.
func verifyFilter(a *cell) {
	invariant.Check(seam.Peek(&a.box.head) != &closedMark && !a.cold.drained, "%v goes through its mail behind the end of its mailbox", a)
}
