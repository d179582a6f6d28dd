package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Invariants of the monitor, the governor and timeslices, for builds that check them.

// verifyArmed checks a monitor that is about to be disarmed. Caller holds its mu.
func verifyArmed(m *monitor) {
	invariant.Check(seam.Peek(&m.armed),
		"a monitor goes to rest that is disarmed: whoever it wakes waits for its lock")
	invariant.Check(!m.ended, "a monitor goes to rest behind its end")
}

// verifyGovernor checks the governor's figures.
func verifyGovernor(g *governor) {
	invariant.Check(g.limit >= 1 && g.limit <= g.workers,
		"the governor lets %d of %d workers be awake", g.limit, g.workers)
	invariant.Check(g.phase >= steady && g.phase <= trial, "the governor is in phase %d", g.phase)
	invariant.Check(g.pause >= firstPause && g.pause <= maxPause,
		"the governor pauses for %d ns", g.pause)
	invariant.Check(g.phase != trial || g.before >= 1 && g.before <= g.workers,
		"the governor tries %d behind %d workers", g.limit, g.before)
	invariant.Check(g.independentFor >= 0 && g.independentFor <= independentLooks,
		"the governor has tried nothing for %d looks", g.independentFor)
	invariant.Check(g.changed >= 0 && g.changed < changes,
		"the governor has seen another program in %d looks", g.changed)
	invariant.Check(g.limit == g.workers || g.phase != steady || g.kept > 0,
		"the governor keeps %d of %d workers, and does not know why", g.limit, g.workers)
	invariant.Check(g.seen.units >= g.then.units && g.seen.crossed >= g.then.crossed &&
		g.seen.steals >= g.then.steals,
		"the workers had done %v, and have done %v", g.then, g.seen)
	invariant.Check(g.awake >= 0 && g.awake <= g.looks*g.workers,
		"%d workers were awake in %d looks", g.awake, g.looks)
	invariant.Check(g.stuck >= 0 && g.stuck < maxStuck+stuckStep,
		"turns were stuck in %d looks", g.stuck)
}

// verifyBurst checks the counts of the workers without a slot. Caller holds mu.
func verifyBurst(g *blockingBurst) {
	invariant.Check(g.rounds > 0 || len(g.surplus) == 0,
		"%d surplus workers in no burst", len(g.surplus))
	invariant.Check(g.rounds > 0 || g.out == 0,
		"%d surplus workers have not come back, and there is no burst", g.out)
}

// verifyRound checks the longest wait of a goroutine for a processor. Caller holds the
// monitor's mu.
func verifyRound(p *processors, round int64) {
	invariant.Check(p.n > 0, "Go has %d processors", p.n)
	invariant.Check(round == 0 || round >= goTimeslice && round <= maxRound,
		"%d wait for %d processors, for %d ns", p.runnable, p.n, round)
}

// verifyTimeslice checks the worker's estimates. Owner only.
func verifyTimeslice(p *timesliceAccount, budget int) {
	invariant.Check(p.granted >= 1 && p.granted <= maxBudget, "a budget of %d is granted", p.granted)
	invariant.Check(p.unit >= 0, "a unit of work takes %d/16 ns", p.unit)
	invariant.Check(p.pollInterval >= minPoll && p.pollInterval <= maxPoll,
		"the inject queue is looked at every %d turns", p.pollInterval)
	invariant.Check(budget == p.granted,
		"a budget of %d is granted, and %d is there", p.granted, budget)
	invariant.Check(p.earned >= 0 && p.earned <= goTimeslice, "a worker may run for %d ns", p.earned)
	invariant.Check(p.yielded <= p.last,
		"a worker has let others run at %d ns, and it is %d", p.yielded, p.last)
}

// verifyBudget checks that the counted work only grows, and that the budget is within its grant.
func verifyBudget(w *Worker) {
	invariant.Check(w.timeslice.units >= w.spent.Load(),
		"worker %d has done %d units, and has shown %d", w.id, w.timeslice.units, w.spent.Load())
	invariant.Check(w.timeslice.overhead >= 0 && w.timeslice.overhead < w.timeslice.granted,
		"of a budget of %d, %d were charged", w.timeslice.granted, w.timeslice.overhead)
	invariant.Check(w.budget <= w.timeslice.granted,
		"worker %d has more budget than it was given: %d", w.id, w.budget)
}

// verifyLook checks a worker that is about to look at the network: it alone owns procs and look.
func verifyLook(n *network, now, nextLook int64) {
	invariant.Check(n.nextLook.Load() == never,
		"two workers look at the network: the other one until %d ns", n.nextLook.Load())
	invariant.Check(nextLook < never && nextLook <= now,
		"the network was to be looked at behind %d ns, and it is %d", nextLook, now)
	invariant.Check(n.procs.n > 0, "Go has %d processors", n.procs.n)
}
