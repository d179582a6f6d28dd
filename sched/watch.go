package sched

// A turn that has lasted for long is first asked, then urged to end, and after that its
// worker loses its seat, if anything waits for one:
//
//	look 1: ON DUTY → ASKED      look 2: ASKED → OVERDUE      later, if work waits: OVERDUE → AWAY
//
// A worker between two turns answers, which costs it a compare-and-swap per look. The
// monitor asks once in calm+awaits, so a turn is overdue after 1 to 5 ms, and with
// relief behind that: an unrelated task waits for less than 10 ms.

// relief is how long a turn may be overdue, in ns, before its worker loses its seat.
const relief = 2_000_000

// watch is what the monitor remembers of the seats.
type watch struct {
	asking bool    // at the last look workers were asked
	since  []int64 // by seat: when its turn became overdue, 0 if it is not
}

// attend looks at every worker that is in a turn. It reports whether it has asked any,
// and whether any is overdue. Caller holds mu.
func (m *monitor) attend(now int64) (asking, late bool) {
	ask := !m.watch.asking
	relieved := 0
	for i := range m.s.seats {
		w := m.s.seats[i].holder.Load()
		if w == nil {
			m.watch.since[i] = 0
			continue
		}
		switch {
		case w.duty.urge():
			m.watch.since[i] = now
			late = true
		case w.duty.isLate() && m.watch.since[i] != 0:
			late = true
			if now-m.watch.since[i] >= m.surge.patience() && m.relieve(i, w) {
				m.watch.since[i] = 0
				relieved++
			}
		default:
			m.watch.since[i] = 0
			asking = ask && w.duty.ask() || asking
		}
	}
	m.watch.asking = asking
	m.grow(now, relieved)
	return asking, late
}

// relieve takes the seat of a worker that is stuck, if work waits. Caller holds mu.
func (m *monitor) relieve(i int, w *Worker) bool {
	s := m.s
	if !s.workLeft() && w.slot.stamp()&1 == 0 || !s.relieve(i, w) {
		return false
	}
	s.free(w, w.slot.stamp())
	s.drain(w)
	return true
}
