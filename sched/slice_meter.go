package sched

// sliceMeter is how the turn that runs stands in its slice of time, as the turn finds out itself
// when it asks (SliceSpent). The monitor would tell it by its duty. But the monitor needs a
// processor, and a turn that spins on the only one keeps that until Go takes it away, after 10 ms or
// more.
//
// Reading the clock at each question would cost more than the question, so the meter reads it at
// some of them: at the second of a turn, then twice as many later each time, for as long as less
// than sliceStep goes by in between. The meter begins anew with another turn, which it knows by the
// turn's number. Owner only.
type sliceMeter struct {
	turn  uint64
	left  int   // questions without a look at the clock
	step  int   // questions between the last two looks; 0: there was none
	began int64 // when the meter was begun, ns
	last  int64 // when the clock was read last, ns
	spent bool
}

const (
	turnSlice = 1_000_000 // ns of a turn that asks, after which it is to end
	sliceStep = 20_000    // ns between two looks at the clock, at most about twice that
)

// MustYield reports whether the turn should end soon although there is more to do,
// because
//
//   - the turn has lasted for 1 to 5 ms, which is when the monitor sees it;
//   - the worker has lost its seat or given it up;
//   - or the scheduler stops.
//
// On a [Pin], where nobody's seat is kept from others, only the last is a reason. Where
// nobody else could run the work that waits, MustYield may never report true. One load.
func (w *Worker) MustYield() bool { return w.state.mustYield() }

// SliceSpent reports whether the turn should end soon, as MustYield does, or has found out itself
// that it has outlived its slice of time: a millisecond since its second question. It is for a turn
// that asks again and again. From the answer true on, others have the processor when the turn ends.
// SliceSpent costs a few loads, and a reading of the clock about every 20 µs. Owner only, in a turn.
func (w *Worker) SliceSpent() bool {
	if w.state.mustYield() {
		return true
	}
	m := &w.slice
	if m.turn != w.count.turns {
		*m = sliceMeter{turn: w.count.turns}
		return false
	}
	if m.left--; m.left >= 0 {
		return false
	}
	return m.spent || w.lookAtSlice()
}

// lookAtSlice reads the clock. In a deterministic run, where time stands still while somebody can go
// on, and on a pin, which keeps no other task waiting, it does not.
func (w *Worker) lookAtSlice() bool {
	m := &w.slice
	if w.thread != nil || w.pin != nil {
		return false
	}
	now := w.sched.cfg.Clock.Nanos()
	switch {
	case m.step == 0:
		m.began, m.step = now, 1
	case now-m.began >= turnSlice:
		m.spent, m.left = true, 0
		w.SpendOverhead(w.budget) // at the end of the turn the clock is read, and other goroutines have the processor
		return true
	case now-m.last < sliceStep:
		m.step *= 2
	case now-m.last > 2*sliceStep:
		m.step = max(1, m.step/4)
	}
	m.last, m.left = now, m.step-1
	return false
}
