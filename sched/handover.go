package sched

import (
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Hand-over: a turn that blocks must not keep a processor's worth of work waiting.
//
// The scheduler has a fixed number of slots, each with its bit in the idle word. It has any number
// of workers: goroutines with their rings. Each slot is held by at most one worker at a time. The
// goroutine of a blocked turn cannot be taken out of the turn, so its worker loses the slot, and an
// idle worker gets it. The waiting tasks go to the inject queue. When the turn returns, its worker
// has no slot; it leaves its tasks to other workers and becomes an idle worker.
//
// Rejected: moving the worker's queues to the idle worker, as Go moves a P from one M to another.
// The ring's only owner may be about to push; taking the ring would put a fence into every push.
// Slots are read only by workers that search, sleep or wake.
//
// README.md has the steps and the proof.

// Blocking calls f, which may block for long, while other workers run the tasks that are queued
// after this turn: the worker leaves its slot. Afterwards the worker takes its slot back if that is
// still vacant. In three cases Blocking only calls f: on a pinned worker, inside another Blocking,
// and when Config.MaxDetached turns are detached.
//
// It costs some ten locked instructions, and the wake-up of an idle worker if a task waits.
func (w *Worker) Blocking(f func()) {
	if w.blocking {
		f()
		return
	}
	w.blocking = true
	left, _ := w.leaveSlot()
	defer w.unblock(left)
	f()
}

// TryBlocking is [Worker.Blocking], except for one case: when Config.MaxDetached turns are
// detached, it does not call f, since f would keep the worker from other tasks. It reports whether
// it has called f.
func (w *Worker) TryBlocking(f func()) bool {
	outer := w.blocking // with its slot left, or kept at the limit
	left, lacking := w.leaveSlot()
	if lacking {
		return false
	}
	w.blocking = true
	defer func() { w.unblock(left); w.blocking = outer }()
	f()
	return true
}

// unblock ends Blocking. left says whether the worker left its slot for it.
func (w *Worker) unblock(left bool) {
	w.blocking = false
	if left {
		w.retakeSlot()
	}
}

// leaveSlot frees the worker's slot in the middle of a turn and reports whether it did. lacking
// reports that it did not because the limit of detached workers is reached. As in announceSleep the
// bit is set first and all queues are looked at afterwards. So either the worker sees a task that
// comes in, or the sender sees the bit. Owner only.
func (w *Worker) leaveSlot() (left, lacking bool) {
	s := w.sched
	if w.detached {
		return false, false
	}
	switch s.beginDetached() { // L1
	case detachAtLimit:
		s.reportDetachLimit()
		return false, true
	case detachEnded:
		return false, false
	}
	if !w.state.leaveSlot() { // L2
		s.endDetached() // the monitor has detached it before (H2)
		w.setDetached(true)
		return false, false
	}
	w.setDetached(true)
	s.stop.left.Add(1) // the slot keeps its own count
	w.moveToInject()   // L3
	if invariant.On {
		verifyVacant(w)
	}
	s.idle.announce(w.slot, false)    // L4
	s.slots[w.slot].holder.Store(nil) // L5; claim waits for it
	if s.workLeft() {                 // L6
		s.notify()
	}
	return true, false
}

// retakeSlot ends Blocking: the worker takes its slot back if that is vacant. If another goroutine
// clears the bit first, it finds this worker in the slot, and owes it a token. Owner only.
func (w *Worker) retakeSlot() {
	s := w.sched
	// B1 comes before B2: a holder that is DETACHED counts as leaving.
	w.state.word.StoreRelease(stateIdle)                // B1
	if !s.slots[w.slot].holder.CompareAndSwap(nil, w) { // B2
		w.state.word.StoreRelease(stateDetached)
		return
	}
	cleared := s.retract(w.slot) // B3
	if !cleared {
		w.park()
	}
	w.resumeSlot()
	if !cleared {
		w.acceptWakeInTurn()
	}
}

// acceptWakeInTurn accepts a wake-up in the middle of a turn: a handed task is queued, and a search
// counts as done. Owner only.
func (w *Worker) acceptWakeInTurn() {
	if t := w.acceptWake(); t != nil {
		w.enqueue(t)
	}
	if w.searching {
		w.found()
	}
}

// resumeSlot continues the turn in the worker's own slot, whose bit was just cleared. Owner only.
func (w *Worker) resumeSlot() {
	if invariant.On {
		verifyAwake(w)
	}
	w.occupy(w.slot)
	w.setDetached(false)
	w.state.resume() // B4
	if w.sched.cfg.OnLongTurn != nil {
		w.sched.monitor.arm() // as in wake
	}
	w.sched.stop.left.Add(-1)
	w.sched.endDetached()
}

// detachResult is the outcome of an attempt to run without a slot.
type detachResult int

const (
	detachOK      detachResult = iota
	detachAtLimit              // Config.MaxDetached turns are detached
	detachEnded                // the scheduler is quiescent for good
)

// beginDetached counts in one more worker without a slot, and holds the scheduler for it. It does
// nothing at the limit or after the scheduler's end. It is a loop of compare-and-swaps: with an
// addition first and a check afterwards, two workers could refuse each other the last place. Any
// goroutine.
func (s *Scheduler) beginDetached() detachResult {
	for {
		n := s.idleWorkers.detachedNow.Load()
		if int(n) >= s.cfg.MaxDetached {
			return detachAtLimit
		}
		if s.idleWorkers.detachedNow.CompareAndSwap(n, n+1) {
			break
		}
	}
	if !s.Hold() {
		s.idleWorkers.detachedNow.Add(-1)
		return detachEnded
	}
	return detachOK
}

// endDetached counts the worker out, and releases the scheduler. Any goroutine.
func (s *Scheduler) endDetached() {
	if invariant.On {
		verifyDetachedCount(s, seam.Peek(&s.idleWorkers.detachedNow)-1)
	}
	s.idleWorkers.detachedNow.Add(-1)
	s.Release()
}

// reportDetachLimit counts a turn that keeps its slot, or does not block, at the limit of detached
// workers. It calls OnDetachLimit outside the turn, at most once a second. Any goroutine.
func (s *Scheduler) reportDetachLimit() {
	soFar := s.idleWorkers.refused.Add(1)
	f := s.cfg.OnDetachLimit
	if f == nil || s.driver != nil {
		return
	}
	last, now := s.idleWorkers.lastReport.Load(), s.cfg.Clock.Nanos()
	if (last == 0 || now-last >= detachLimitGap) &&
		s.idleWorkers.lastReport.CompareAndSwap(last, now) {
		guard.Go(func() { f(soFar) })
	}
}

// retake takes slot i from w, whose turn has lasted too long, and gives it to an idle worker. It
// reports whether it did. Monitor only.
func (s *Scheduler) retake(i int, w *Worker) bool {
	switch s.beginDetached() { // H1
	case detachAtLimit:
		if !w.turn.refused { // once a turn: retake is tried at each look
			w.turn.refused = true
			s.reportDetachLimit()
		}
		return false
	case detachEnded:
		return false
	}
	// Both come before H2. Once w is detached its turn may end. Then w may leave, or become the
	// very idle worker that is taken for its slot; in either case it must no longer be listed.
	s.stop.left.Add(1)           // for w; the slot keeps its own
	s.idleWorkers.addDetached(w) // H1
	if !w.state.detach() {       // H2
		s.idleWorkers.dropDetached(w)
		s.stop.gone()
		s.endDetached()
		return false
	}
	idle := s.idleWorkers.take() // H3
	if invariant.On {
		verifyRetake(s, i, w, idle)
	}
	idle.occupy(i)
	idle.wakeUncounted() // the bit is clear, and it is not counted
	return true
}

// waitIdle ends the turns of a worker without a slot (E4). The worker leaves its queued tasks to
// other workers, and waits as an idle worker until it is needed. waitIdle returns the next task to
// run, or nil when the worker has to leave. Owner only.
func (w *Worker) waitIdle() *Task {
	s := w.sched
	for {
		if w.moveToInject() {
			s.notify()
		}
		w.timeslice.stale, w.current = true, nil
		w.setDetached(false)
		w.count.parks.Add(1)
		w.publish()
		w.state.word.StoreRelease(stateIdle)
		stays := s.idleWorkers.park(w) // from here on take may find it
		s.monitor.arm()                // or it would never be dismissed
		s.endDetached()                // after the tasks it had were queued
		if !stays {
			return nil
		}
		w.park()
		w.count.wakes.Add(1)
		switch {
		case w.dismissed:
			return nil
		case w.slot != noSlot:
			w.bind()
			return w.afterPark()
		}
		w.acceptWake() // with no task, as a surplus worker
		if t := w.takeOne(); t != nil {
			return t
		}
	}
}

// surplusTask returns the first task of a surplus worker. Without one, the worker waits as an idle
// worker first. Owner only.
func (w *Worker) surplusTask() *Task {
	if t := w.takeOne(); t != nil {
		return t
	}
	return w.waitIdle()
}

// takeOne returns one task from any queue for a worker without a slot. Owner only.
func (w *Worker) takeOne() *Task {
	w.setDetached(true)
	if w.sched.stop.flag.Load() != 0 {
		return nil
	}
	if t := w.sched.inject.pop(); t != nil {
		w.count.injected.Add(1)
		return t
	}
	return w.steal()
}
