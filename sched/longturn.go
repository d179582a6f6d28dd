package sched

import (
	"bytes"
	"runtime"
	"strconv"
	"time"
)

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

// Stack returns the stack of the worker's goroutine, or nil if it has none. It stops the
// world for as long as it takes to write the stacks of all goroutines, some microseconds
// each, and sees at most a megabyte of them. Any goroutine.
func (w *Worker) Stack() []byte {
	buf := make([]byte, 64<<10)
	n := runtime.Stack(buf, true)
	if n == len(buf) {
		buf = make([]byte, 1<<20)
		n = runtime.Stack(buf, true)
	}
	return goroutineIn(buf[:n], w.goid.Load())
}

// goroutineIn cuts one goroutine out of the stacks of many.
func goroutineIn(all []byte, id uint64) []byte {
	head := "goroutine " + strconv.FormatUint(id, 10) + " ["
	i := bytes.Index(all, []byte(head))
	if i < 0 || i > 0 && all[i-1] != '\n' {
		return nil
	}
	all = all[i:]
	if end := bytes.Index(all, []byte("\n\n")); end >= 0 {
		all = all[:end+1]
	}
	return all
}
