package sched

import "github.com/gallop-go/gallop/internal/invariant"

// NextOf takes the task that the worker would run next, for a turn that goes on as that task's turn
// instead of returning to the worker. The turn has given its own task up as if it returned false:
// [Worker.PrepareNext], then the read-modify-write. NextOf returns nil if the task is of another
// class, or if the worker has something else to do first: then RunTask is to return false at once.
// A RunTask in which NextOf returned tasks returns true to queue the last of them again.
//
// NextOf saves the way through the worker's loop, and takes one unit off the budget. Owner only.
func (w *Worker) NextOf(c *Class) *Task {
	if w.budget <= 1 || w.count.turns >= w.pollTurn || w.thread != nil ||
		w.sched.stop.flag.Load() != 0 || !w.state.isRunning() {
		return nil
	}
	t := w.next.task
	if t == nil {
		if t = w.nextQueued(c); t == nil {
			return nil
		}
	} else {
		if t.class != c || w.next.revoked() { // O3
			return nil
		}
		if w.inRow++; w.inRow > maxInRow {
			if w.queue.len() != 0 {
				return nil // the next-slot's task is to go behind those
			}
			w.inRow = 0
		}
		w.next.clear()
		w.count.nextSlot++
	}
	w.budget--
	if invariant.On {
		verifyChain(w, t)
	}
	w.count.turns++
	w.current = t
	return t
}

// nextQueued takes the next task from the worker's queue. One of another class goes to the
// next-slot, which is empty, and is what the worker runs next.
func (w *Worker) nextQueued(c *Class) *Task {
	w.inRow = 0
	t := w.queue.next()
	if t == nil || t.class == c {
		return t
	}
	w.next.put(t)
	if !w.sched.monitor.armed.Load() {
		w.sched.monitor.arm()
	}
	return nil
}
