package sched

import "time"

// look at a worker's turn: how long it has lasted since the monitor asked the worker to
// come by, and whether that was reported. Monitor only.
type turnWatch struct {
	since    int64
	reported bool
}

// ask asks w to come by. Caller holds mu.
func (m *monitor) ask(w *Worker, now int64) bool {
	if !w.duty.ask() {
		return false
	}
	w.turn = turnWatch{since: now}
	return true
}

// report tells the layer above, once, of a turn that has lasted for too long. Caller
// holds mu; the report has a goroutine of its own.
func (m *monitor) report(w *Worker, now int64) {
	age := time.Duration(now - w.turn.since)
	if f := m.s.cfg.OnLongTurn; f != nil && age >= m.s.cfg.LongTurn && !w.turn.reported {
		w.turn.reported = true
		go f(w, age)
	}
}
