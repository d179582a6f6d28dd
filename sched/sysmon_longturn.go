package sched

import (
	"time"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
)

// turnRecord is the monitor's record of a worker: when the worker was asked, whether the turn since
// then was reported, the stamp of its next-slot, and its progress so far. Guarded by the monitor's
// mu.
type turnRecord struct {
	_        nocmp.Field
	since    int64
	reported bool
	refused  bool   // the limit of detached workers was reported for the turn
	stamp    uint32 // of its next-slot, at the last look
	counted  progress
}

// begin is called when a worker is asked, or begins a turn without a slot. Caller holds mu.
func (t *turnRecord) begin(now int64) { t.since, t.reported, t.refused = now, false, false }

// ask asks w to answer between two turns, and reports whether it has asked. It asks only a worker
// that is RUNNING: a worker that is in a turn or between two, and has answered each earlier
// question. Caller holds mu.
func (m *monitor) ask(w *Worker, now int64) bool {
	if !w.state.ask() {
		return false
	}
	w.turn.begin(now)
	return true
}

// report calls Config.OnLongTurn, once, for a turn that has lasted too long. The call runs in a
// goroutine of its own, so that it may block. Caller holds mu.
func (m *monitor) report(w *Worker, now int64) {
	lasted := time.Duration(now - w.turn.since)
	if invariant.On {
		verifyTurnRecord(w, now)
	}
	f := m.s.cfg.OnLongTurn
	if f != nil && lasted >= m.s.cfg.LongTurn && !w.turn.reported && w.glimpse() != nil {
		w.turn.reported = true
		guard.Go(func() { f(w, lasted) })
	}
}

// LongTurn returns the task whose turn was last reported to Config.OnLongTurn, or nil if that turn
// is over. Any goroutine.
func (w *Worker) LongTurn() (t *Task) {
	m := &w.sched.monitor
	m.mu.Lock()
	t = w.glimpse()
	// Once the turn is over, w has answered, or is not listed as detached any more.
	if m.ended || !w.turn.reported || !w.state.isPending() && !m.s.idleWorkers.isDetached(w) {
		t = nil
	}
	m.mu.Unlock()
	return t
}

// Lasts returns how long the monitor has been waiting for the end of w's turn. The turn has lasted
// a few milliseconds longer. Lasts returns 0 if the monitor does not wait, or if w is the worker of
// a [Pin]. Any goroutine.
func (w *Worker) Lasts() time.Duration {
	m := &w.sched.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended || w.glimpse() == nil || !w.state.isPending() && !m.s.idleWorkers.isDetached(w) {
		return 0
	}
	return time.Duration(m.s.cfg.Clock.Nanos() - w.turn.since)
}

// Running returns the task whose turn w runs, or nil. It is a hint for reports, since the turn may
// change meanwhile. Any goroutine.
func (w *Worker) Running() *Task { return w.glimpse() }

// glimpse returns the task whose turn w runs, or nil, as a hint for other goroutines. It reads the
// worker's own fields without an atomic, since publishing them would cost every turn; the race
// detector ignores this function.
//
// This is sound for a hint. Each field is one word or less, and is loaded whole. The pointer leads
// to a task, which the GC keeps in any case. A caller that acts on the hint checks afterwards that
// the turn is still the same. The monitor has asked at least a millisecond ago by then, so only
// that turn, or one begun since, can have been seen. Any goroutine.
//
//go:norace
//go:noinline
func (w *Worker) glimpse() *Task {
	if !w.inTurn {
		return nil
	}
	return w.current
}
