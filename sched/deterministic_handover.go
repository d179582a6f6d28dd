package sched

// Hand-over in a deterministic run, where a turn is long if it waits and no thread can go on.
// It takes the steps of the monitor, in the order of the slots.

// freeWaiting moves tasks that waiting turns have made runnable to a place where workers look, and
// reports whether there were any. For the thread that has the baton, when no thread can go on.
func (s *Scheduler) freeWaiting() (moved bool) {
	m := &s.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return false
	}
	for i := range s.slots {
		if w := s.slots[i].holder.Load(); w != nil && w.waitsInTurn() {
			moved = s.freeNextSlot(w, w.next.stamp()) || moved
		}
	}
	for _, w := range s.idleWorkers.allDetached() {
		moved = s.freeNextSlot(w, w.next.stamp()) || !w.queue.empty() || moved
		s.freeQueue(w)
	}
	return moved
}

// retakeWaiting takes the slot of a worker whose turn waits, if work waits for a slot, and reports
// whether it did. For the thread that has the baton, when no thread can go on.
func (s *Scheduler) retakeWaiting() bool {
	m := &s.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return false
	}
	for i := range m.s.slots {
		w := m.s.slots[i].holder.Load()
		if w == nil || !w.waitsInTurn() || !m.s.workLeft() {
			continue
		}
		if w.state.ask() {
			w.turn.begin(0)
		}
		w.state.markOverdue()
		if m.retakeIfNeeded(i, w) {
			return true
		}
	}
	return false
}

// waitsInTurn reports whether the worker waits in the middle of a turn. For the thread that has the
// baton.
func (w *Worker) waitsInTurn() bool {
	// In no turn, w.thread may be about to be set by a goroutine from outside.
	if !w.inTurn {
		return false
	}
	t := w.thread
	return t != nil && (t.until != nil || t.last)
}
