package sched

import "github.com/gallop-go/gallop/internal/invariant"

// How a worker falls asleep, parks and wakes (README.md, section 2).
//
// A worker that finds no work announces its sleep in the idle word, looks at all queues once more,
// and parks until it is granted a token. A sender publishes its work first and reads the idle word
// afterwards. So of the two, at least one sees the other: no wake-up is lost.
//
// Rejected: to park first and look afterwards, which needs a lock around both; and a time-out,
// which would hide a lost wake-up instead of excluding it.

// announceSleep sets the worker's bit in the idle word. It reports whether the worker is asleep,
// and so has to park, and whether all other workers sleep too. The order of the steps keeps a
// wake-up from being lost. Owner only, in state IDLE.
func (w *Worker) announceSleep() (asleep, last bool) {
	w.count.parks.Add(1)
	w.timeslice.stale = true
	w.current = nil // or the task could not be collected
	// Before the announcement: a goroutine that sees all workers asleep finds exact figures.
	w.publish()
	if invariant.On {
		verifyAsleep(w)
	}
	all := w.sched.idle.announce(w.slot, w.searching) // S1
	w.searching, w.sawWork = false, false
	switch {
	case w.sched.stop.flag.Load() != 0:
		// Unlike retract, wakeForStop succeeds when the scheduler has just become quiescent for
		// good: Stop may have looked before this worker announced.
		if w.sched.wakeForStop(w.slot) {
			return false, false
		}
	case w.sched.workLeft(): // S2
		// Noted even if a token is on its way: the token may be for other work.
		w.sawWork = true
		if w.sched.retract(w.slot) { // S3
			return false, false
		}
	case all:
		// The last bit may complete the quiescence that a caller waits for: see quiescence.check.
		w.sched.quiet.check(w.sched)
		// An armed monitor costs a timer, which is not needed while all sleep.
		if w.sched.monitor.disarmOnSleep.Load() {
			w.sched.monitor.disarmAtSleep()
		}
		return true, true
	}
	return true, false
}

// parkUntilWoken parks the worker, and returns the task that it was handed, or nil. If the worker
// has seen work in S2 and was handed other work, passOn wakes another worker first. Owner only,
// after announceSleep has reported that the worker is asleep.
func (w *Worker) parkUntilWoken() *Task {
	w.park() // S4
	w.count.wakes.Add(1)
	return w.passOn(w.acceptWake())
}

// spinBudget is the number of times that the last worker to fall asleep yields before it parks,
// unless the processors are crowded: see crowding.
const spinBudget = 2

// maySpin reports whether the worker may spin for a token. The caller of the last turn may soon
// send again, and granting a token is cheap while the goroutine has not parked. Owner only.
func (w *Worker) maySpin() bool {
	return w.thread == nil && !w.parker.Granted() && !w.sched.Crowded()
}

// retire puts the worker to sleep although it has work, because the governor wants fewer workers,
// and reports whether it did. Its tasks go to the workers that stay awake. At least one does, so
// this worker need not look again before it parks. Afterwards it may have been handed a task, or be
// counted as a searcher: afterPark handles both. Owner only, in state IDLE.
func (w *Worker) retire() bool {
	// Before the bit is set: afterwards another goroutine may wake the worker.
	w.moveToInject() // R1
	w.timeslice.stale = true
	w.count.parks.Add(1)
	w.current = nil
	w.publish()
	if invariant.On {
		verifyAsleep(w)
	}
	if !w.sched.idle.retire(w.slot) { // R2
		return false // the limit has changed, or another worker was faster
	}
	// With leaves, the only worker that is awake may be this one, which has a token on its way.
	w.sawWork = w.sched.idle.leaves != nil
	// As in announceSleep: Stop may have looked before the bit was set.
	if w.sched.stop.flag.Load() != 0 && w.sched.wakeForStop(w.slot) {
		w.uncounted = true
		return true
	}
	w.park() // R3
	w.count.wakes.Add(1)
	return true
}

// moveToInject moves the tasks in the worker's next-slot and run queue to the inject queue, and
// reports whether there were any. It takes from the run queue as a thief, since the owner's end has
// no advantage here. Owner only.
func (w *Worker) moveToInject() (moved bool) {
	// The next-slot first: its task would have run next.
	if t := w.next.take(); t != nil {
		w.sched.inject.push(t)
		moved = true
	}
	for t := w.queue.steal(); t != nil; t = w.queue.steal() {
		w.sched.inject.push(t)
		moved = true
	}
	return moved
}

// afterPark returns the next task after a sleep: the task that the worker was handed, or one that
// it finds. A worker that was counted as a searcher must search; otherwise the count would stay one
// too high and no worker would be woken again. Owner only.
func (w *Worker) afterPark() *Task {
	if t := w.passOn(w.acceptWake()); t != nil { // R4
		return w.takeUp(t)
	}
	return w.find(true)
}

// acceptWake takes over a task, or the obligation to search, from the goroutine that woke this
// worker. The token pairs with unpark in wake, so handed and uncounted are visible. Owner only,
// once for each token.
func (w *Worker) acceptWake() *Task {
	if invariant.On {
		verifyToken(w)
	}
	// Plain reads: the token orders them after the waker's stores.
	t := w.handed
	w.handed = nil
	w.searching = t == nil && !w.uncounted // wake has counted it
	w.uncounted = false
	w.timeslice.wake(w)
	if invariant.On {
		verifyAwake(w)
	}
	return t
}

// wake hands the worker a task, or makes it search. The caller has cleared the worker's bit in the
// idle word, or taken the worker from the idle workers. It thereby owns handed and started until it
// grants the token. timed is false if the caller calls Scheduler.TimeTurns soon.
func (w *Worker) wake(t *Task, timed bool) {
	if timed && w.sched.cfg.OnLongTurn != nil {
		// Otherwise no look would find a long turn for which no task waits.
		w.sched.monitor.arm()
	}
	if invariant.On {
		verifyWake(w, t, timed)
	}
	w.handed = t
	if w.started {
		w.unpark() // W4; publishes handed, pairs with park
		return
	}
	// The goroutine is started only now: a scheduler that is never used has none.
	w.started = true
	w.launch(w.begin)
}

// wakeUncounted wakes the worker without a task. The caller has cleared its bit, or taken it from
// the idle workers, and has not counted it as a searcher.
func (w *Worker) wakeUncounted() {
	w.uncounted = true
	w.wake(nil, true)
}

// retract takes back the announcement of slot i and reports whether it could. If it could not, a
// token is on its way to the holder. Holder of slot i only.
func (s *Scheduler) retract(i int) bool {
	cleared, ok := s.idle.retract(i)
	if ok && cleared != i {
		s.holder(cleared).wakeUncounted() // the bit of i was cleared in its place
	}
	return ok && cleared == i
}

// wakeForStop clears the bit of slot i for the end and reports whether it could. If it could not,
// the holder is awake, or a token is on its way to it. Only for the goroutine that stops the
// scheduler and for the holder of slot i.
func (s *Scheduler) wakeForStop(i int) bool {
	cleared, ok := s.idle.wakeForStop(i)
	if ok && cleared != i {
		s.dismissSlot(cleared)
	}
	return ok && cleared == i
}

// dismiss wakes a sleeping worker because the scheduler stops. A worker without a goroutine is
// counted out instead. The caller has cleared its bit.
func (w *Worker) dismiss() {
	if w.started {
		w.uncounted = true
		w.unpark() // P2
		return
	}
	w.sched.stop.gone() // P2: it never ran
}
