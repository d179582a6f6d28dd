package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

const (
	quantum         = 50_000    // ns between two readings of the clock
	yieldEvery      = 100_000   // ns between two yields to Go's scheduler
	yieldEveryRoomy = 400_000   // the same, if workers leave processors free
	pollLatency     = 1_000_000 // ns that work from outside may wait
	minPoll         = 8         // turns
	maxPoll         = 255       // turns
	maxBudget       = 4096      // units
	firstBudget     = 32        // units
	firstUnit       = 1_000     // ns
	blindBudget     = 4         // units
	longGone        = 1_000_000 // ns without a processor after a yield
)

// timesliceAccount estimates the length of units of work and of turns, so that the clock is read
// about once per quantum. Between two readings a worker spends a budget of units. Owner only.
type timesliceAccount struct {
	_            nocmp.Field
	last         int64  // time of the last reading of the clock, ns
	yielded      int64  // time of the last yield to other goroutines, ns
	earned       int64  // time that the worker may run for the time that they took then, ns
	turns        uint64 // counts.turns at that reading
	granted      int    // budget granted at that reading
	overhead     int    // part of the budget spent on overhead since then
	units        uint64 // units of work done so far
	unit         int64  // moving average of a unit's time, ns/16
	pollInterval int    // turns between two looks at the inject queue
	stale        bool   // the worker has slept since last, so elapsed time has no meaning
	blind        bool   // stale was true when the budget was granted
}

// init grants the first budget, from estimates. The budget is small, so that readings of the clock
// correct the estimates soon if units are long.
func (p *timesliceAccount) init(w *Worker) {
	p.pollInterval = 61
	p.unit = 16 * firstUnit
	p.stale = true
	p.granted = firstBudget
	w.budget = firstBudget
}

// wake begins the account anew for a worker that has slept. A worker may sleep after every unit,
// and would otherwise never learn their length. Where units are known to be short, the clock is
// read only after a whole budget without a measurement. Owner only.
func (p *timesliceAccount) wake(w *Worker) {
	if p.unit < 16*shareFrom && !p.blind || w.thread != nil && w.sched.cfg.Clock.Flows() {
		return
	}
	p.units += uint64(p.granted - w.budget - p.overhead)
	p.granted, p.overhead, w.sharing.gas, w.sharing.made = w.budget, 0, 0, 0
	p.last, p.turns, p.stale = w.sched.cfg.Clock.Nanos(), w.count.turns, false
}

// refillBudget runs when the worker's budget is used up. It lets other goroutines run if the last
// yield is long ago, and grants the budget for the next quantum. Owner only.
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
	messages := p.granted - w.budget - p.overhead - w.sharing.gas
	p.overhead = 0
	w.spent.StoreRelease(p.units)
	elapsed := now - p.last
	if !p.stale {
		w.learnToShare(now, elapsed, messages)
		p.learn(elapsed, int64(p.granted-w.budget), int64(w.count.turns-p.turns))
	}
	w.sharing.made, w.sharing.gas = 0, 0
	w.setAsks()
	w.publish()
	if now-p.yielded >= w.yieldInterval() {
		w.count.yields.Add(1)
		before := yields.Add(1)
		if !canLook || !w.sched.network.yield(now) {
			seam.Spin()
		}
		p.yielded = w.sched.cfg.Clock.Nanos()
		p.earned = 0
		w.unlabel()
		if gone := p.yielded - now; gone >= longGone {
			p.earned = w.sched.earned(gone, uint64(yields.Load()-before))
		}
		now = p.yielded
	}
	p.last = now
	p.blind, p.stale = p.stale, false
	p.turns = w.count.turns
	p.granted = int(max(1, min(16*quantum/max(p.unit, 1), maxBudget)))
	if p.blind {
		p.granted = min(p.granted, blindBudget)
	}
	w.budget = p.granted
	w.queue.applyAging(now - shortTurn*int64(w.count.turns))
	if invariant.On {
		verifyTimeslice(p, w.budget)
	}
}

// SpendOne is [Worker.Spend] of one unit. The caller has just seen that Budget is more than one.
// Owner only.
func (w *Worker) SpendOne() { w.budget-- }

// SpendOverhead takes n units off the budget for overhead of a turn, but leaves one. So the clock
// is read in time although a unit has become much more expensive. Overhead does not count as work
// done. SpendOverhead costs two additions. Owner only.
func (w *Worker) SpendOverhead(n int) {
	n = min(n, w.budget-1)
	w.budget -= n
	w.timeslice.overhead += n
}

// answer goes back to RUNNING and reports whether the worker still has its slot. If the monitor has
// asked, the worker reads the clock and looks at the inject queue soon: some milliseconds have gone
// by, and both intervals were computed from turns that may have been much shorter. Owner only,
// between two turns.
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

// yieldInterval is the time for which the worker keeps its processor from the process's other
// goroutines. While workers leave processors free, other goroutines can run there, and a yield is
// expensive: Go wakes a thread to look for work. But goroutines that compute keep a processor until
// Go takes it from them, and would leave the worker almost no time. After such a yield the worker
// runs about as long as they did. Owner only.
func (w *Worker) yieldInterval() int64 {
	least := int64(yieldEveryRoomy)
	if w.sched.idle.awake(w.sched.idle.v.Load()) >= int(goProcessors()) {
		least = yieldEvery
	}
	return max(least, w.timeslice.earned)
}

// yields counts the yields of the workers of all schedulers. A worker adds its own before it lets
// other goroutines run, and loads the count afterwards: the difference is the number of other
// workers among them.
var yields seam.Count

// earned returns the time that a worker may run after it was gone nanoseconds without its
// processor. yields is the number of yields meanwhile.
func (s *Scheduler) earned(gone int64, yields uint64) int64 {
	p := processors{n: goProcessors()}
	p.look()
	return p.earned(gone, yields)
}

// learn records that units of work in the given number of turns took elapsed nanoseconds.
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

// sliceMeter measures the timeslice of the running turn, for turns that ask (SliceSpent). The
// monitor marks long turns in the worker's state too. But the monitor needs a processor, and a turn
// that spins on the only one keeps it until Go takes it away, after 10 ms or more.
//
// Reading the clock costs more than a question, so the meter reads it only at some of them: first
// at the second question of a turn, and then at intervals that double while less than sliceStep
// goes by between two readings. The meter begins anew with each turn, which it knows by the turn's
// number. Owner only.
type sliceMeter struct {
	turn  uint64
	left  int   // questions without a look at the clock
	step  int   // questions between the last two looks; 0: there was none
	began int64 // time of the first reading, ns
	last  int64 // time of the last reading, ns
	spent bool
}

const (
	turnSlice = 1_000_000 // ns until a turn that asks should end
	// ns between two looks at the clock, at most about twice that
	sliceStep = 20_000
)

// MustYield reports whether the turn should end soon although there is more to do, because
//
//   - the turn has lasted for 1 to 5 ms, the time within which the monitor sees it;
//   - the worker has lost its slot or left it;
//   - or the scheduler stops.
//
// On a [Pin], which keeps no slot from other workers, only the last is a reason. If no other worker
// could run the waiting tasks, MustYield may never report true. One load. Owner only.
func (w *Worker) MustYield() bool { return w.state.mustYield() }

// SliceSpent reports whether MustYield does, or a millisecond has gone by since the turn's second
// call of SliceSpent. It is for a turn that asks again and again. After the answer true, other
// goroutines get the processor when the turn ends. SliceSpent costs a few loads, and a reading of
// the clock about every 20 µs. Owner only, in a turn.
func (w *Worker) SliceSpent() bool {
	if w.state.mustYield() {
		return true
	}
	m := &w.slice
	if m.turn != w.count.turns {
		*m = sliceMeter{turn: w.count.turns}
		return false
	}
	if m.left--; m.left >= 0 {
		return false
	}
	return m.spent || w.lookAtSlice()
}

// lookAtSlice reads the clock and reports whether the slice is spent. It reads no clock in a
// deterministic run, where time stands still while any thread can go on, nor on a pin, which keeps
// no other task waiting. Owner only, in a turn.
func (w *Worker) lookAtSlice() bool {
	m := &w.slice
	if w.thread != nil || w.pin != nil {
		return false
	}
	now := w.sched.cfg.Clock.Nanos()
	switch {
	case m.step == 0:
		m.began, m.step = now, 1
	case now-m.began >= turnSlice:
		m.spent, m.left = true, 0
		// At the end of the turn the clock is read, and other goroutines have the processor.
		w.SpendOverhead(w.budget)
		return true
	case now-m.last < sliceStep:
		m.step *= 2
	case now-m.last > 2*sliceStep:
		m.step = max(1, m.step/4)
	}
	m.last, m.left = now, m.step-1
	return false
}
