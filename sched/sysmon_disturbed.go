package sched

// What the governor makes of disturbances from outside: an operating system that keeps the monitor
// or a worker from its processor.

// isLate reports whether the monitor came so late to this look of a measurement that it must have
// waited for a processor, as the workers may have: what was done meanwhile says nothing. It
// believes so only a few times in a measurement.
func (g *governor) isLate(now int64) bool {
	if g.phase == steady || now-g.looked < late || g.skipped == maxSkipped {
		return false
	}
	g.skipped++
	return true
}

// disturb is the other way to more workers than the limit, besides a trial and lift.
//
// It takes in whether a turn was stuck at this look, while a limit keeps other workers asleep.
// All may be awake then, for as long as it is. The limit comes back afterwards: as a rule it was
// the operating system that kept the worker from its processor. It is lifted for good if that goes
// on, or happens again and again: then turns are long.
func (g *governor) disturb(stuck bool) (limit int) {
	switch {
	case !stuck:
		g.stuck = max(0, g.stuck-1)
		return g.limit
	case g.stuck < maxStuck:
		g.stuck += stuckStep
	default:
		g.stuck = 0
		g.lift()
	}
	return g.workers
}
