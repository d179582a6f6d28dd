package sched

import "github.com/gallop-go/gallop/internal/invariant"

// NextOf takes the task that the worker would run next, so that the running turn goes on as that
// task's turn instead of returning to the worker. The turn has given its own task up as if it
// returned false: [Worker.PrepareNext], then the read-modify-write. NextOf returns nil if the task
// is of another class, or if the worker has something else to do first; then RunTask returns false
// at once. A RunTask that got tasks from NextOf returns true to queue the last of them again.
//
// NextOf saves the way through the worker's loop. Each turn calls [Worker.Spend] before it gives
// its task up. Owner only.
func (w *Worker) NextOf(c *Class) *Task {
	if w.count.turns >= w.pollTurn || !w.state.isRunning() ||
		w.sched.stop.flag.Load() != 0 || w.thread != nil {
		return nil
	}
	t := w.next.task
	if t == nil {
		return w.nextQueued(c)
	}
	if t.class != c || w.next.revoked() || w.inRow >= maxInRow && !w.mayStay() { // O3
		return nil
	}
	w.next.clear()
	w.count.nextSlot++
	w.inRow++
	w.beginChained(t)
	return t
}

// mayStay reports whether the next-slot may have more turns in a row. It may if the worker's queue
// is empty.
func (w *Worker) mayStay() bool {
	if w.queue.len() != 0 {
		return false
	}
	w.inRow = 0
	return true
}

// nextQueued is NextOf for an empty next-slot: it takes the next task from the worker's queue. A
// task of another class goes to the next-slot, and the worker runs it next.
func (w *Worker) nextQueued(c *Class) *Task {
	w.inRow = 0
	t := w.queue.next()
	if t == nil {
		return nil
	}
	if t.class != c {
		w.next.put(t)
		if !w.sched.monitor.armed.Load() {
			w.sched.monitor.arm()
		}
		return nil
	}
	w.beginChained(t)
	return t
}

// beginChained begins the turn of t in the same call of RunTask.
func (w *Worker) beginChained(t *Task) {
	if invariant.On {
		verifyChain(w, t)
	}
	w.count.turns++
	w.current = t
}
