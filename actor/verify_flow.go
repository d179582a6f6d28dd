package actor

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold of who waits for whom, of timers, asks and arenas, in builds that check
// invariants.

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

// verifyAsks checks that an actor that is about to wait in its turn waits for nobody yet. Caller
// holds mu.
func verifyAsks(t *waitGraph, me *cell) {
	_, waits := t.all[me.oneAtATime()]
	invariant.Check(!waits, "%v asks, and waits for a reply already", me)
}

// verifyAlarm checks the system's alarm. Caller holds mu.
func verifyAlarm(at int64) {
	invariant.Check(at >= 0, "the alarm is set to %d", at)
}
