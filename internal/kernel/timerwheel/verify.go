package timerwheel

import "github.com/gallop-go/gallop/internal/invariant"

// Invariants of timers, for builds that check them.

// verifyEnter checks a timer before it goes to the wheel. Caller holds mu.
func verifyEnter(k *Timer, number uint32) {
	invariant.Check(!k.in, "timer %d is armed twice", number)
	invariant.Check(k.live && k.Owner != nil, "timer %d is armed, live %v, owned %v", number, k.live,
		k.Owner != nil)
	invariant.Check(k.Period >= 0, "timer %d has a period of %d ns", number, k.Period)
}

// verifyDue checks a timer that was popped from the wheel. Caller holds mu.
func verifyDue(k *Timer, number uint32, now int64) {
	invariant.Check(k.in && k.live, "timer %d is due: in the wheel %v, live %v", number, k.in, k.live)
	invariant.Check(k.Owner != nil, "timer %d is due, and has no owner", number)
	invariant.Check(k.at <= uint64(now), "timer %d of %d is due at %d", number, k.at, now)
}

// verifyShard checks the counts of a shard before it is unlocked. Caller holds mu.
func verifyShard(s *Shard) {
	invariant.Check(!s.held || s.wheel.Len() > 0, "a shard without timers holds the system")
	invariant.Check(s.slab.frees <= s.slab.used, "%d of %d timers are free", s.slab.frees, s.slab.used)
	invariant.Check((s.slab.free == 0) == (s.slab.frees == 0), "%d timers are free, the first is %d",
		s.slab.frees, s.slab.free)
	invariant.Check(s.slab.free <= s.slab.used, "timer %d of %d is free", s.slab.free-1, s.slab.used)
}

// verifyTaken checks a timer that was free. Caller holds mu.
func verifyTaken(s *slab, number uint32, k *Timer) {
	invariant.Check(number < s.used, "timer %d of %d is taken", number, s.used)
	invariant.Check(k.Owner == nil && k.Held == nil && !k.in, "timer %d is taken, and was not free",
		number)
}

// verifyAlarm checks the system's alarm. Caller holds mu.
func verifyAlarm(at int64) {
	invariant.Check(at >= 0, "the alarm is set to %d", at)
}
