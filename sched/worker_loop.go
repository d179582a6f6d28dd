package sched

import (
	"runtime"

	"github.com/gallop-go/gallop/internal/invariant"
)

// The loop of a worker takes its next turn from these places, in this order:
//
//	next-slot ──▶ run queue ──▶ inject queue (also every few turns) ──▶ other workers ──▶ sleep
//
// All methods here are for the worker's own goroutine, between two turns.

// begin is the start of the worker's goroutine after its first wake-up.
func (w *Worker) begin() {
	if w.queue.newSize > idleNewRingSize {
		w.queue.begin()
	}
	if t := w.acceptWake(); t != nil {
		w.next.put(t)
	}
	w.run()
}

// run serves until the scheduler stops. A panic of a turn costs the task its life
// and the worker nothing.
func (w *Worker) run() {
	w.bind()
	w.live(w.serve, w.run)
}

// bind binds the worker's thread to the processor of its slot, if Config.BindCPUs says so.
func (w *Worker) bind() {
	if w.sched.cfg.BindCPUs && w.slot != noSlot {
		runtime.LockOSThread()
		w.cpus = bindTo(w.slot, w.cpus)
	}
}

// serve runs turns until the scheduler stops or a turn crashes, and reports whether more turns may
// follow.
func (w *Worker) serve() (more bool) {
	left := false
	defer func() {
		if !left {
			more = w.afterCrash(recover())
		}
	}()
	for t := w.firstTask(); t != nil; t = w.find(false) {
		for ; t != nil; t = w.nextTask() {
			if invariant.On {
				verifyBegin(w, t)
			}
			w.count.turns++
			w.current, w.inTurn = t, true
			again := t.runTurn(w)
			if invariant.On {
				verifyEnd(w, w.current, again)
			}
			w.inTurn = false
			if again {
				w.requeue(w.current) // t, unless NextOf has taken others
			}
		}
	}
	left = true
	w.leave()
	return false
}

// oneTurn runs a turn of t, and reports whether t wants to go on. It is inlined by hand in serve,
// which saves a call.
func (w *Worker) oneTurn(t *Task) (again bool) {
	w.current, w.inTurn = t, true
	w.count.turns++
	again = t.runTurn(w)
	if invariant.On {
		checkTurnEnd(w, w.current, again)
	}
	w.inTurn = false
	return again
}

// leave ends the worker's goroutine. The goroutine that stops the scheduler discards its queued
// tasks.
func (w *Worker) leave() {
	s := w.sched
	w.notHere()
	w.current = nil // as in announceSleep
	w.publish()
	// Without E1 the monitor, in its last look, could take a slot that is no longer needed.
	if !w.state.becomeIdle() { // E1
		s.endDetached()
	}
	if w.dismissed {
		s.idleWorkers.putCold(w) // from here on w belongs to take
	}
	s.stop.gone()
}

// discardQueues discards the tasks that the worker has left in its queues. Called after leave, by
// the goroutine that stops the scheduler.
func (w *Worker) discardQueues() {
	for _, t := range [...]*Task{w.next.take(), w.handed} {
		if t != nil {
			t.terminate(nil, ErrStopped)
		}
	}
	for t := w.queue.steal(); t != nil; t = w.queue.steal() {
		t.terminate(nil, ErrStopped)
	}
}

// firstTask is nextTask for a goroutine that has just begun: the worker may have been counted as a
// searcher.
func (w *Worker) firstTask() *Task {
	if !w.searching {
		if w.slot == noSlot {
			return w.surplusTask()
		}
		if t := w.nextTask(); t != nil {
			return t
		}
	}
	return w.find(false)
}

// nextTask returns the task to run next, or nil if the worker has to look elsewhere or leave. The
// next-slot goes first, for a few turns in a row. Every few turns the inject queue is looked at
// even if there is local work.
func (w *Worker) nextTask() *Task {
	invariant.Check(!w.searching, "worker %d takes a task while it counts as a searcher", w.id)
	if w.sched.stop.flag.Load() != 0 {
		return nil
	}
	if !w.state.isRunning() && !w.answer() {
		return nil // its slot is lost: see find
	}
	if w.count.turns >= w.pollTurn {
		if t := w.pollInTurn(); t != nil || w.state.isDetached() {
			return t
		}
	}
	next := w.next.task
	if next != nil {
		// Fast path, inlined by hand from take: nearly every turn comes here.
		if w.inRow < maxInRow && w.next.prepared() && !w.next.revoked() { // O3
			w.next.clear()
			w.count.nextSlot++
			w.inRow++
			return next
		}
		if next = w.next.take(); next != nil {
			if w.inRow++; w.inRow > maxInRow && w.queue.len() == 0 {
				w.inRow = 0 // no task waits, so none was overtaken
			}
			if w.inRow <= maxInRow {
				w.count.nextSlot++
				return next
			}
			w.enqueue(next)
		}
	}
	w.inRow = 0
	return w.queue.next()
}

// maxInRow is the number of turns in a row that may come from the next-slot ahead of the queue.
const maxInRow = 16

// pollInTurn looks at the inject queue although there may be local work. A task from there
// overtakes the task in the next-slot.
func (w *Worker) pollInTurn() *Task {
	w.pollTurn = w.count.turns + uint64(w.timeslice.pollInterval)
	if w.sched.idle.excess() {
		if !w.state.becomeIdle() { // E1
			return nil // its slot is lost, which nextTask sees
		}
		if w.retire() {
			return w.afterPark()
		}
		w.state.resume() // E3
	}
	t := w.poll()
	if t != nil {
		if !w.sched.inject.empty() {
			// The next look comes after about one turn of each task that waits here.
			w.pollTurn = min(w.pollTurn, w.count.turns+uint64(w.queue.len()+1))
		}
		if next := w.next.take(); next != nil {
			w.putBack(next)
		}
	}
	return t
}
