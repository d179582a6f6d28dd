//go:build gallop_explore

package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// A scheduler without goroutines, for explorations of the layers above. A thread of the exploration
// stands in for each worker and runs one turn after the other. Every worker counts as awake for
// good. So none is woken, admissions are holds, and work from outside goes to the inject queue. The
// scenarios of this package explore sleep, wake-ups and quiescence themselves.

// Manual takes away the goroutines of all workers, and the monitor. Call it before there
// is any work.
func (s *Scheduler) Manual() (workers []*Worker) {
	s.monitor.armed.Store(true) // so its timer is not started
	s.monitor.ended = true
	for _, w := range s.workers {
		w.state.resume()
	}
	s.WakeAll()
	s.exclude()
	return s.workers
}

// exclude makes the scheduler's own memory no interleaving point.
func (s *Scheduler) exclude() {
	seam.ExcludeNone()
	seam.Exclude(s)
	first := s.inject.head.Load()
	seam.Exclude(first)
	seam.ExcludeAll(first.cells)
	for _, w := range s.workers {
		seam.Exclude(w)
		w.queue.begin()
		seam.ExcludeAll(w.queue.newTasks.entries)
		seam.ExcludeAll(w.queue.resumed.entries)
	}
	seam.ExcludeAll(s.slots)
}

// WakeAll makes all workers count as awake, as Manual does.
func (s *Scheduler) WakeAll() { s.idle.v.Store(0) }

// ParkAll puts all workers to sleep, for Wait and Stop, which then need no worker. It
// reports whether the workers have nothing to do.
func (s *Scheduler) ParkAll() bool {
	for _, w := range s.workers {
		if w.HasTask() {
			return false
		}
	}
	s.idle.v.Store(s.idle.all)
	return true
}

// HasTask reports whether Step would find a task.
func (w *Worker) HasTask() bool { return w.next.task != nil || w.sched.workLeft() }

// Step runs one turn, and reports false if there is no task.
func (w *Worker) Step() (ran bool) {
	t := w.takeAny()
	if t == nil {
		return false
	}
	defer func() {
		if w.inTurn {
			w.bringDown(recover())
		}
	}()
	if invariant.On {
		checkTurnBegin(w, t)
	}
	if w.oneTurn(t) {
		w.requeue(w.current) // as in serve
	}
	return true
}

// takeAny takes a task from the places where a worker looks, in the same order.
func (w *Worker) takeAny() *Task {
	if t := w.next.take(); t != nil {
		return t
	}
	if t := w.queue.next(); t != nil {
		return t
	}
	return w.look()
}

// Take takes away from the worker a task that Step would run, as the end of a scheduler
// does. It returns nil if there is none.
func (w *Worker) Take() *Task { return w.takeAny() }

// Chain lets a turn go on as the turn of another task, by NextOf: the worker looks at the inject
// queue only between such chains.
func (w *Worker) Chain() { w.started, w.pollTurn = true, 1<<62 }
