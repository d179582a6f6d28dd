package sched

// Hand-over in a deterministic run, where a turn is long if it waits and nobody can go on.
// It takes the steps of the monitor, in the order of the seats.

// freeWaiting moves on what waiting turns have made runnable where nobody looks, and reports
// whether there was any. For the one that has the baton, when no thread can go on.
func (s *Scheduler) freeWaiting() (moved bool) {
	m := &s.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return false
	}
	for i := range s.seats {
		if w := s.seats[i].holder.Load(); w != nil && w.waitsInTurn() {
			moved = s.free(w, w.slot.stamp()) || moved
		}
	}
	for _, w := range s.spares.lost() {
		moved = s.free(w, w.slot.stamp()) || !w.queue.empty() || moved
		s.drain(w)
	}
	return moved
}

// relieveWaiting takes the seat of a worker whose turn waits, if work waits for a seat, and reports
// whether it did. For the one that has the baton, when no thread can go on.
func (s *Scheduler) relieveWaiting() bool {
	m := &s.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return false
	}
	for i := range m.s.seats {
		w := m.s.seats[i].holder.Load()
		if w == nil || !w.waitsInTurn() || !m.s.workLeft() {
			continue
		}
		if w.duty.ask() {
			w.turn.begin(0)
		}
		w.duty.urge()
		if m.relieveIfNeeded(i, w) {
			return true
		}
	}
	return false
}

// waitsInTurn tells whether the worker waits for something in the middle of a turn. For the one
// that has the baton.
func (w *Worker) waitsInTurn() bool {
	if !w.inTurn { // and w.thread may be about to be set, by somebody from outside
		return false
	}
	t := w.thread
	return t != nil && (t.until != nil || t.last)
}
