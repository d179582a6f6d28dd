package actor

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold of who waits for whom, of timers, asks and arenas, in builds that check
// invariants.

// verifyWaiter checks an entry of a wait list that the caller has taken over.
func verifyWaiter(w *waiting) {
	invariant.Check(w.muted != nil, "a ledger has an entry of nobody")
}

// verifyWaiterList checks a worker's memory of the gates it has met.
func verifyWaiterList(l *waiterList) {
	invariant.Check(len(l.free) <= maxCachedWaiters, "%d ledger entries are kept", len(l.free))
	invariant.Check(l.latest == nil || l.next > 0, "a gate was met, and none is remembered")
}

// verifyPermits checks the books of places. Caller holds mu. With a queue, places are those
// that are left of its limit.
func verifyPermits(l *semaphore, a *cell) {
	free := int(seam.Peek(&l.free))
	q := seam.Peek(&a.flow).bounded
	limit := maxPermits
	if q != nil {
		limit = q.limit
		invariant.Check(free == 0, "%v has a bound, and %d places are free to anybody", a, free)
	}
	invariant.Check(free >= 0 && (l.closed || l.permits+free <= limit), "%v has %d places and %d free ones, of %d", a, l.permits, free, limit)
	invariant.Check(q != nil || l.permits >= 0, "%v has %d places", a, l.permits)
	invariant.Check(!l.closed || l.wait.first == nil && l.called.first == nil, "%v has ended, and somebody waits for a place", a)
	invariant.Check(l.wait.first == nil || free == 0, "somebody waits for a place at %v, and %d are free to anybody", a, free)
}

// verifySemWaiters checks how a goroutine stands in the line. Caller holds mu.
func verifySemWaiters(q *semWaiters, o *semWaiter) {
	invariant.Check(o.in == q, "who leaves the line is in another")
	invariant.Check((o.prev == nil) == (q.first == o), "the first in the line has somebody before him")
	invariant.Check((o.next == nil) == (q.last == o), "the last in the line has somebody behind him")
	invariant.Check(o.prev == nil || o.prev.next == o, "who is before one in the line has another behind him")
	invariant.Check(o.next == nil || o.next.prev == o, "who is behind one in the line has another before him")
}

// verifyJoin checks a goroutine that joins the line. Caller holds mu.
func verifyJoin(q *semWaiters, o *semWaiter) {
	invariant.Check(o.in == nil && o.next == nil && o.prev == nil, "who joins the line is in one already")
	invariant.Check((q.first == nil) == (q.last == nil), "a line with one end")
}

// verifyBoundedQueue checks a bounded queue. Caller holds mu.
func verifyBoundedQueue(q *boundedQueue) {
	invariant.Check((q.first == nil) == (q.last == nil), "a bounded queue with one end")
	invariant.Check(q.last == nil || q.last.next == nil, "a bounded queue goes on behind its last")
	invariant.Check(q.first == nil || q.looking, "mail waits in a bounded queue, and nobody will look")
	invariant.Check(!q.full || q.first != nil, "a bounded queue is empty, and mutes for being full")
	invariant.Check(!q.full || q.overflow == OverflowMute, "a bounded queue mutes for being full, and has policy %d", q.overflow)
}

// verifyDepth checks a count of mail behind a measurement.
func verifyDepth(k *watermarks) {
	invariant.Check(k.depth >= 0, "an actor has %d messages", k.depth)
}

// verifyDeadlockState checks what the watch knows of one actor. Caller holds its mu.
func verifyDeadlockState(t *deadlockState) {
	invariant.Check(t.listed, "an actor is watched, and not listed")
	invariant.Check(t.due >= deadlockFirst && t.due <= deadlockMost, "an actor is due in %d looks", t.due)
	invariant.Check(t.looks >= 0 && t.looks < deadlockMost, "an actor was looked at %d times", t.looks)
}

// verifyEnter checks a timer before it goes to the wheel. Caller holds mu.
func verifyEnter(k *timer, number uint32) {
	invariant.Check(!k.in, "timer %d is armed twice", number)
	invariant.Check(k.live && k.body != nil, "timer %d is armed, live %v, for %v", number, k.live, k.body)
	invariant.Check(k.period >= 0, "timer %d has a period of %d ns", number, k.period)
}

// verifyDue checks a timer that the wheel has given out. Caller holds mu.
func verifyDue(k *timer, number uint32, now int64) {
	invariant.Check(k.in && k.live, "timer %d is due: in the wheel %v, live %v", number, k.in, k.live)
	invariant.Check(k.body != nil, "timer %d is due, and nobody's", number)
	invariant.Check(k.at <= uint64(now), "timer %d of %d is due at %d", number, k.at, now)
}

// verifyShard checks the books of a shard before it is unlocked. Caller holds mu.
func verifyShard(s *timerShard) {
	invariant.Check(!s.held || s.wheel.Len() > 0, "a shard without timers holds the system")
	invariant.Check(s.slab.frees <= s.slab.used, "%d of %d timers are free", s.slab.frees, s.slab.used)
	invariant.Check((s.slab.free == 0) == (s.slab.frees == 0), "%d timers are free, the first is %d", s.slab.frees, s.slab.free)
	invariant.Check(s.slab.free <= s.slab.used, "timer %d of %d is free", s.slab.free-1, s.slab.used)
}

// verifyTaken checks a timer that was free. Caller holds mu.
func verifyTaken(s *slab, number uint32, k *timer) {
	invariant.Check(number < s.used, "timer %d of %d is taken", number, s.used)
	invariant.Check(k.body == nil && k.held == nil && !k.in, "timer %d is taken, and was not free", number)
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

// verifyAnswered checks a call that is over before it is used again: its result is written,
// and no token is left that would answer the next one.
func verifyAnswered[R any](k *call[R]) {
	invariant.Check(seam.Peek(&k.state) == callAnswered, "a call ends in state %d", seam.Peek(&k.state))
	invariant.Check(len(k.done) == 0, "a call is over, and a token is left")
}

// verifyCaller checks an actor that is to wait for a reply in its turn.
func verifyCaller(me *cell) {
	invariant.Check(!me.blockedOn.Parked(), "%v asks in its turn, and is parked", me)
	invariant.Check(me.progress&begun != 0, "%v asks, and has had no turn", me)
}

// verifyAsks checks that an actor that is about to wait in its turn waits for nobody yet. Caller
// holds mu.
func verifyAsks(t *waitGraph, me *cell) {
	_, waits := t.all[me.oneAtATime()]
	invariant.Check(!waits, "%v asks, and waits for a reply already", me)
}

// verifyBlockedCall checks a call of Blocking that begins. Caller holds mu.
func verifyBlockedCall(l *blockedCalls, k *blockedCall) {
	invariant.Check(!k.listed && k.prev == nil && k.next == nil, "a call of Blocking begins within another of worker %d", k.c.w.ID())
	invariant.Check(k != l.first && k != l.last, "a call of Blocking begins that goes on already")
	invariant.Check((l.first == nil) == (l.last == nil), "the list of calls of Blocking has one end")
}

// verifyParked checks, while nothing runs, that the muted actors hold the system: n actors do.
func verifyParked(n int, st Stats) {
	invariant.Check(st.Unmutes <= st.Mutes && st.Mutes-st.Unmutes <= uint64(n), "%d muted, and %d let go on, of %d who are parked", st.Mutes, st.Unmutes, n)
}

// verifyIDs checks a worker's block of numbers.
func verifyIDs(d *idBlock) {
	invariant.Check(d.next <= d.end && d.end-d.next <= idBlockSize, "numbers %d to %d are left of a block", d.next, d.end)
}

// verifyFront checks mail that comes before the rest.
func verifyFront(f front) {
	invariant.Check(f.first != nil && f.end != nil && f.n > 0, "%d messages are put in front", f.n)
	invariant.Check(distance(f.first, f.end)+1 == f.n, "%d messages are put in front as %d", distance(f.first, f.end)+1, f.n)
}

// verifyAlarm checks the system's alarm. Caller holds mu.
func verifyAlarm(at int64) {
	invariant.Check(at >= 0, "the alarm is set to %d", at)
}

// verifyRoots checks that no message that may have handles is between the stash and the mailbox.
func verifyRoots(x *coldState) {
	invariant.Check(x.unstashed.first == nil, "what was unstashed is not in the mailbox when the roots are listed")
}

// verifyDiscard checks the payload of a timer that will not run: it is one message, of the
// behaviour that it was for.
func verifyDiscard(a *cell, held *message, d *descriptor) {
	invariant.Check(held.next == nil, "%v discards a payload that is in a chain", a)
	invariant.Check(held.sizeClass() == d.size.id, "%v discards a payload of pool %d as one of pool %d", a, held.sizeClass(), d.size.id)
}

// verifyFanIn checks that there is room for one more reply.
func verifyFanIn[R any](g *fanIn[R], k *call[R]) {
	invariant.Check(k.several == g, "a reply comes to others")
	invariant.Check(k.of >= 0 && k.of < cap(g.in), "the reply to request %d of %d", k.of, cap(g.in))
}

// verifyNoBridges checks that no goroutine is left between actors and channels.
func verifyNoBridges(b *bridges) {
	invariant.Check(b.left.Load() == 0, "%d bridges go on behind the end of their system", b.left.Load())
}

// verifyBlocked checks what a turn knows of how long it has blocked, ns of it just now.
func verifyBlocked(c *Context, ns int64) {
	invariant.Check(ns >= 0 && c.blocking.time >= ns, "a turn has blocked for %d ns, %d of them now", c.blocking.time, ns)
	invariant.Check(c.blocking.turn == c.w.Turn(), "turn %d has blocked in turn %d", c.w.Turn(), c.blocking.turn)
}

// verifySourceTurn checks an channel source that may take something, now that those before it are
// gone.
func verifySourceTurn(o openSource, before []chan struct{}) {
	invariant.Check(!isClosed(o.gone), "a bridge of %v is gone before it has begun", o.to)
	for _, gone := range before {
		invariant.Check(isClosed(gone), "a bridge of %v overtakes another", o.to)
	}
}

// verifyOpen checks the channel sources that opening another does not look at: they are of the life
// that runs, which has not ended.
func verifyOpen(l *chanSources) {
	for _, o := range l.open {
		invariant.Check(o.ended == l.life, "a bridge of %v is open, of another life", o.to)
		invariant.Check(!isClosed(o.ended), "a bridge of %v is open, of a life that is over", o.to)
	}
}
