package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

const (
	quantum     = 50_000    // ns between two readings of the clock
	yieldEvery     = 100_000   // ns between two yields to Go's scheduler, if workers may have all its processors
	yieldEveryRoomy       = 400_000   // the same, if they have not
	pollLatency = 1_000_000 // ns that work from outside may wait behind local work
	minPoll     = 8         // turns
	maxPoll     = 255       // turns
	maxBudget   = 4096      // units
	longGone    = 1_000_000 // ns without a processor behind a yield: others compute
)

// pace estimates how long units of work and turns take, so that the clock is read
// about once per quantum. Owner only.
type timesliceAccount struct {
	_            nocmp.Field
	last         int64  // when the clock was read last, ns
	yielded      int64  // when the worker let others run last, ns
	earned       int64  // how long it may run for what they took then, ns
	turns        uint64 // counts.turns then
	granted      int    // credit given then
	overhead      int    // of the credit spent since, what was no work
	units        uint64 // of work done so far
	unit         int64  // moving average of a unit's time, ns/16
	pollInterval int    // turns between two looks at the inject queue
	stale        bool   // the worker has slept since; the time says nothing
}

func (p *timesliceAccount) init(w *Worker) {
	p.pollInterval = 61
	p.unit = 16 * 100
	p.stale = true
	p.granted = 64
	w.budget = 64
}

// refill runs when the worker's credit is gone: it lets others run if it has not done so for long,
// and grants credit for the next quantum.
func (w *Worker) refillBudget() {
	if w.thread != nil {
		w.refillOneUnit()
		return
	}
	p := &w.timeslice
	if invariant.On {
		verifyBudget(w)
	}
	now := w.sched.cfg.Clock.Nanos()
	p.units += uint64(p.granted - w.budget - p.overhead)
	p.overhead = 0
	w.spent.StoreRelease(p.units)
	elapsed := now - p.last
	if !p.stale {
		p.learn(elapsed, int64(p.granted-w.budget), int64(w.count.turns-p.turns))
	}
	w.publish()
	if now-p.yielded >= w.yieldInterval() {
		w.count.yields.Add(1)
		before := yields.Add(1)
		if !canLook || !w.sched.network.yield(now) {
			seam.Spin()
		}
		p.yielded = w.sched.cfg.Clock.Nanos()
		p.earned = 0
		if gone := p.yielded - now; gone >= longGone {
			p.earned = w.sched.earned(gone, uint64(yields.Load()-before))
		}
		now = p.yielded
	}
	p.last = now
	p.stale = false
	p.turns = w.count.turns
	p.granted = int(max(1, min(16*quantum/max(p.unit, 1), maxBudget)))
	w.budget = p.granted
	w.queue.applyAging(now - shortTurn*int64(w.count.turns))
	if invariant.On {
		verifyTimeslice(p, w.budget)
	}
}

// SpendOne is [Worker.Spend] of one unit, for a caller that has just seen that Credit is more than
// one. Owner only.
func (w *Worker) SpendOne() { w.budget-- }

// Charge takes n units off the credit, but leaves one, for what a turn does besides its
// own work. So the clock is read in time although a unit has become much dearer. What
// is charged does not count as work done. Charge costs two additions. Owner only.
func (w *Worker) SpendOverhead(n int) {
	n = min(n, w.budget-1)
	w.budget -= n
	w.timeslice.overhead += n
}

// answer goes on duty and reports whether the worker still has its seat. If the worker was asked to
// come by, it reads the clock and looks at the inject queue soon: some milliseconds have gone by,
// and the time for either was reckoned from turns that may have been much shorter.
func (w *Worker) answer() bool {
	overdue := w.state.isPending()
	if !w.state.answer() {
		return false
	}
	if overdue {
		w.SpendOverhead(w.budget)
		w.pollTurn = 0
		w.rebalance()
	}
	return true
}

// patience is how long the worker keeps its processor from the process's other goroutines. While
// workers leave some of the processors alone, the others can go there, and a yield costs dearly: Go
// wakes a thread to see what there is. But goroutines that compute keep a processor until Go takes
// it from them, and would leave the worker next to nothing. So it runs as long as they do then, or
// nearly.
func (w *Worker) yieldInterval() int64 {
	least := int64(yieldEveryRoomy)
	if w.sched.idle.awake(w.sched.idle.v.Load()) >= int(goProcessors()) {
		least = yieldEvery
	}
	return max(least, w.timeslice.earned)
}

// yields counts the yields of the workers of all schedulers. Each worker adds its own before it
// lets others run, and loads the count afterwards: the difference is how many of the others are
// workers as well.
var yields seam.Count

// earned is how long a worker may run after gone nanoseconds without its processor, in which others
// have yielded so many times.
func (s *Scheduler) earned(gone int64, yields uint64) int64 {
	p := processors{n: goProcessors()}
	p.look()
	return p.earned(gone, yields)
}

// learn takes in that units of work in so many turns took elapsed nanoseconds.
func (p *timesliceAccount) learn(elapsed, units, turns int64) {
	sample := 16 * elapsed / max(units, 1)
	p.unit += (sample - p.unit) / 4
	if turns > 0 {
		perTurn := max(elapsed/turns, 1)
		p.pollInterval = int(max(minPoll, min(pollLatency/perTurn, maxPoll)))
	} else {
		p.pollInterval = minPoll
	}
}
