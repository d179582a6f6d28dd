package sched

import "github.com/gallop-go/gallop/internal/invariant"

// lieDown makes the worker sleep on paper. It reports whether the worker is asleep, and so has to
// park, and whether it is the last one. The order of the steps keeps a wake-up from being lost;
// README.md has the proof.
func (w *Worker) announceSleep() (asleep, last bool) {
	w.count.parks.Add(1)
	w.timeslice.stale = true
	w.current = nil // the collector's, if nobody else has it
	w.publish()     // before the announcement: exact for whoever sees all asleep
	if invariant.On {
		verifyAsleep(w)
	}
	all := w.sched.idle.announce(w.slot, w.searching) // S1
	w.searching, w.sawWork = false, false
	switch {
	case w.sched.stop.flag.Load() != 0:
		// Unlike retract, rouse succeeds when the scheduler has just become quiescent for good:
		// Stop may have looked before we announced.
		if w.sched.idle.wakeForStop(w.slot) {
			w.searching = true
			return false, false
		}
	case w.sched.workLeft(): // S2
		w.sawWork = true                  // even if a token is on its way: it may be for something else
		if w.sched.idle.retract(w.slot) { // S3
			return false, false
		}
	case all:
		w.sched.quiet.check(w.sched)
		if w.sched.monitor.disarmOnSleep.Load() {
			w.sched.monitor.disarmAtSleep()
		}
		return true, true
	}
	return true, false
}

// getUp parks the worker until it is woken, and returns the task it was handed, if any.
func (w *Worker) parkUntilWoken() *Task {
	w.park() // S4
	w.count.wakes.Add(1)
	return w.passOn(w.acceptWake())
}

// lingerRounds is how often the last worker to fall asleep lets the process's other
// goroutines run before it parks.
const spinBudget = 2

// mayLinger tells whether the worker may wait a moment for a token. A caller that it has just
// answered may have the next question, and granting a token to a goroutine that has not parked is
// cheap.
func (w *Worker) maySpin() bool { return w.thread == nil && !w.parker.Granted() }

// retire puts the worker to sleep although it has work, because the governor wants fewer of them,
// and reports whether it did. Its tasks go to the workers that stay awake. At least one does, so
// this worker need not look again before it parks. Afterwards it may have been handed a task, or be
// counted as a searcher: find sees to both.
func (w *Worker) retire() bool {
	w.moveToInject() // R1
	w.timeslice.stale = true
	w.count.parks.Add(1)
	w.current = nil
	w.publish()
	if invariant.On {
		verifyAsleep(w)
	}
	if !w.sched.idle.retire(w.slot) { // R2
		return false // the limit has changed, or others were faster
	}
	if w.sched.stop.flag.Load() != 0 && w.sched.idle.wakeForStop(w.slot) { // as in lieDown
		return true
	}
	w.park() // R3
	w.count.wakes.Add(1)
	return true
}

// unload moves what the worker has queued to the inject queue, and reports whether
// there was anything.
func (w *Worker) moveToInject() (moved bool) {
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

// woken goes back to work after a sleep: with the task it was handed, or to find one.
func (w *Worker) afterPark() *Task {
	if t := w.acceptWake(); t != nil { // R4
		return w.takeUp(t)
	}
	return w.find(true)
}

// awake takes over what the waker of this worker left: a task, or the duty to search.
func (w *Worker) acceptWake() *Task {
	if invariant.On {
		verifyToken(w)
	}
	t := w.handed
	w.handed = nil
	w.searching = t == nil && !w.uncounted // wake has counted us then
	w.uncounted = false
	if invariant.On {
		verifyAwake(w)
	}
	return t
}

// wake hands the worker a task, or makes it search. The caller has cleared the worker's bit in the
// idle word, or taken the worker from the spares, and thereby owns handed and started. watched is
// false if the caller calls Scheduler.Watch soon.
func (w *Worker) wake(t *Task, watched bool) {
	if watched && w.sched.cfg.OnLongTurn != nil {
		w.sched.monitor.arm() // or nobody would see a turn that nobody waits for
	}
	if invariant.On {
		verifyWake(w, t, watched)
	}
	w.handed = t
	if w.started {
		w.unpark() // W4; publishes handed
		return
	}
	w.started = true
	w.launch(w.begin)
}

// wakeIdly wakes the worker for nothing. The caller has cleared its bit, or taken it from the
// spares, without counting it as a searcher.
func (w *Worker) wakeUncounted() {
	w.uncounted = true
	w.wake(nil, true)
}

// dismiss tells a sleeping worker that the scheduler stops. The caller has cleared its bit.
func (w *Worker) dismiss() {
	if w.started {
		w.unpark() // P2
		return
	}
	w.sched.stop.gone() // P2: it never ran
}
