package sched

import (
	"time"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
)

// turnRecord is the memory of the monitor about a worker: when it asked the worker to come by, whether
// the turn since then was reported, what was in the worker's next-slot, and what the worker had
// done so far. Guarded by the monitor's mu.
type turnRecord struct {
	_        nocmp.Field
	since    int64
	reported bool
	refused  bool   // the limit of detached workers was reported for it
	stamp    uint32 // of its next-slot, at the last look
	counted  progress
}

// begin is for a worker that is asked to come by, or begins a turn without a slot. Caller holds mu.
func (t *turnRecord) begin(now int64) { t.since, t.reported, t.refused = now, false, false }

// ask asks w to come by, and reports whether it did: w is in a turn, or between two, and was not
// asked before. Caller holds mu.
func (m *monitor) ask(w *Worker, now int64) bool {
	if !w.state.ask() {
		return false
	}
	w.turn.begin(now)
	return true
}

// report tells the layer above, once, of a turn that has lasted for too long. The report runs in a
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

// LongTurn returns the task whose turn Config.OnLongTurn was last told of, or nil if
// that turn is over. Any goroutine.
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

// Running returns the task whose turn w runs, or nil, as it looks from outside: a hint for reports.
// Any goroutine.
func (w *Worker) Running() *Task { return w.glimpse() }

// glimpse returns the task whose turn w runs, or nil, as it looks from outside. It reads the
// worker's own fields without an atomic, since publishing them would cost every turn; the race
// detector is told to look away.
//
// For a hint that is sound. Each field is one word, or less, and is loaded whole. The pointer leads
// to a task, which the GC keeps, whatever has become of it. And a caller that acts on the hint asks
// afterwards whether the turn is still the same: the monitor has asked at least a millisecond ago
// by then, so a turn that has begun since is the only one that w can have been seen in. Any
// goroutine.
//
//go:norace
//go:noinline
func (w *Worker) glimpse() *Task {
	if !w.inTurn {
		return nil
	}
	return w.current
}
