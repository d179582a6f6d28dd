package sched

// What the governor makes of a machine that does other work as well. There, workers stand still for
// 4 to 15 ms at a time, longer than a measurement lasts, and so does the monitor.
//
// Rejected: to take such a moment for what the program does. A worker that waits for a processor
// looks like one that is stuck in a turn, and a measurement with such a moment in it like a program
// that does a tenth as much.

const (
	// A look of a measurement that comes so late says nothing, but not for ever.
	late       = 2 * ms
	maxSkipped = 8
)

// When a limit is lifted because turns are stuck: at so many looks, and a few more for every so
// many that are not.
const (
	stuckStep = 4
	maxStuck  = 4 * stuckStep
)

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

// disturb takes in whether a turn was stuck at this look, while a limit keeps other workers asleep.
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
