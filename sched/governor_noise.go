package sched

// The governor on a machine that does other work as well. There, workers stand still for 4 to 15 ms
// at a time, which is longer than a measurement, and so does the monitor.
//
// Rejected: to attribute such a moment to the program. A worker that waits for a processor looks
// like a worker that is stuck in a turn. A measurement with such a moment looks like a program that
// does a tenth as much.

const (
	// A look of a measurement that comes so late is skipped, up to maxSkipped times.
	late       = 2 * ms
	maxSkipped = 8
)

// A look with a stuck turn adds stuckStep, and any other subtracts one. At maxStuck the limit is
// lifted.
const (
	stuckStep = 4
	maxStuck  = 4 * stuckStep
)

// isLate reports whether the monitor came so late to this look of a measurement that it must have
// waited for a processor, as the workers may have. Such a look is not used. At most maxSkipped
// looks of a measurement count as late.
func (g *governor) isLate(now int64) bool {
	if g.phase == steady || now-g.looked < late || g.skipped == maxSkipped {
		return false
	}
	g.skipped++
	return true
}

// disturb records whether a turn was stuck at this look while a limit keeps other workers asleep.
// If so, all workers may be awake until the turn ends. Usually the operating system kept the worker
// from its processor, so the limit comes back afterwards. If it happens for long, or again and
// again, turns are long, and the limit is lifted for good.
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
