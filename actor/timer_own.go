package actor

import (
	"slices"

	"github.com/gallop-go/gallop/internal/invariant"
)

// ownTimers returns the timers of an actor, and makes them at first. Owner only.
func (x *coldState) ownTimers() *actorTimers {
	if x.timers == nil { // over: its mailbox is closed
		over := x.drained || x.state == leaving && x.after == nextEnded
		x.timers = &actorTimers{over: over}
	}
	return x.timers
}

// actorTimers are an actor's timers. Owner only.
//
// They are in a list with gaps: a timer that has run or was canceled stays in it, and
// is known by its gen. To take it out at once would fetch its neighbours.
type actorTimers struct {
	list  []armedTimer
	left  int         // how many of the list have not run
	shard *timerShard // where all of them are: their order is decided in one place
	over  bool        // the actor ends: what is on its way is the last
}

// add enters a timer, and tidies the list up if it is full and half of it is gone.
func (l *actorTimers) add(t armedTimer) {
	if len(l.list) == cap(l.list) && l.left <= len(l.list)/2 {
		l.tidy()
	}
	l.list = append(l.list, t)
	l.left++
	if invariant.On {
		verifyActorTimers(l)
	}
}

// tidy drops those that have run or were canceled.
func (l *actorTimers) tidy() {
	l.list = slices.DeleteFunc(l.list, func(t armedTimer) bool { return l.shard.slab.find(t) == nil })
}

// cancel ends one timer, and reports whether it was in time. A timer that is on its way stays as it
// is, without its payload, and is discarded when it comes.
func (l *actorTimers) cancel(c *Context, t armedTimer) bool {
	if l.shard == nil {
		return false
	}
	held, ok := l.shard.cancel(t)
	if !ok {
		return false
	}
	l.left--
	if invariant.On {
		verifyActorTimers(l)
	}
	env{c: c, sys: c.sys}.discardAll(c.self, held)
	return true
}

// discard ends the payload of a timer of b that will not run: what it owns, and what it keeps
// alive. The caller has taken it from the timer.
func (e env) discard(a *cell, held *message) {
	d := a.typ().decls[held.ID]
	if invariant.On {
		verifyDiscard(a, held, d)
	}
	if held.ID == carriedID {
		in := unwrap(held)
		e.recycle(held)
		e.discard(a, in)
		return
	}
	if !isOwn(held.ID) {
		d.discardOwned(held)
	}
	d.clear(held)
	e.recycle(held)
}

// discardAll is discard for a chain.
func (e env) discardAll(a *cell, left *message) {
	for left != nil {
		held := left
		left, held.Next = held.Next, nil
		e.discard(a, held)
	}
}

// cancelAll ends all timers of an actor that lives on: those on their way as well.
func (l *actorTimers) cancelAll(c *Context) {
	for _, t := range l.list {
		l.cancel(c, t)
	}
	l.list, l.left = nil, 0
}

// end ends all timers with their actor. What is on its way finds the mailbox closed,
// unless it is in there already and the actor drains. A system that has stopped keeps
// its wheels, since nobody looks at them any more: see timers.over.
func (l *actorTimers) end(e env, a *cell) {
	if e.c == nil {
		return
	}
	if l.shard == nil {
		l.over = true
		return
	}
	for some := range slices.Chunk(l.list, fireBatch) {
		held := l.shard.removeAll(some)
		e.discardAll(a, held)
	}
	l.tidy() // what is on its way keeps its handles
	l.left, l.over = len(l.list), true
}

// missed ends a timer whose message does not run any more.
func (l *actorTimers) missed(e env, a *cell, m *message) {
	n := payloadOf[fired](m).number
	k := l.shard.slab.at(n)
	k.gen.Add(1)
	held := k.takeHeld()
	l.shard.giveBack(n, k)
	e.discardAll(a, held)
}

// verifyDiscard checks the payload of a timer that will not run: it is one message, of the
// behaviour that it was for.
func verifyDiscard(a *cell, held *message, d *descriptor) {
	invariant.Check(held.Next == nil, "%v discards a payload that is in a chain", a)
	invariant.Check(held.SizeClass() == d.size.ID, "%v discards a payload of pool %d as one of pool %d", a, held.SizeClass(), d.size.ID)
}

// verifyFired checks a timer whose message runs. Its actor's owner only.
func verifyFired(l *actorTimers, a *cell, n uint32, k *timer) {
	invariant.Check(k != nil && !k.in, "timer %d fires, and is armed", n)
	invariant.Check(!k.live || k.body == a, "timer %d of another fires at %v", n, a)
	invariant.Check(!k.live || l.left > 0 || l.over, "timer %d fires, and %v has none", n, a)
}

// verifyActorTimers checks the list of an actor's timers. Owner only.
func verifyActorTimers(l *actorTimers) {
	invariant.Check(l.over || l.left >= 0 && l.left <= len(l.list), "%d of %d timers are left", l.left, len(l.list))
	invariant.Check(l.shard != nil || len(l.list) == 0, "%d timers in no shard", len(l.list))
}
