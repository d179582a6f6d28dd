package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
)

// A turn that has lasted for long is first asked, then urged to end, and after that its
// worker loses its seat, if anything waits for one:
//
//	ON DUTY ── ask ──▶ ASKED ── urge, after 1 ms ──▶ OVERDUE ── relieve, if work waits ──▶ AWAY
//
// After 3 ms if a processor is idle: then the turn is blocked and the spare will find a processor.
// After 6 ms if none is: then the turn may just wait for a processor, since the collector has taken
// it, and a spare would take one from another worker. (Relief after 3 ms in any case made programs
// that allocate a lot slower by a quarter.) Where a queue of goroutines waits for processors, after
// 6 ms and the time in which all of them have had one; only the first few turns do not wait for
// that. Any worker that sits down waits in that queue as well and makes all others later still, so
// that spares were taken for blocked workers, and got spares.
//
// A worker between two turns answers, which costs it a compare-and-swap. All are asked when the
// monitor begins to look and once in calm+awaits from then on, so an unrelated task waits for less
// than 10 ms. When every processor is busy with turns that spin, the monitor itself runs only when
// Go takes one of the processors away, after 10 ms. So it goes by the time since it asked, not by
// the number of its looks.

const (
	overdueAfter    = 1_000_000 // ns after which a worker that was asked should have come by
	retakeAfter     = 3_000_000 // ns after which it loses its seat, if a processor is idle
	retakeAfterBusy = 6_000_000 // the same, if none is
)

// watch is what the monitor remembers of the seats.
type watch struct {
	_      nocmp.Field
	procs  processors
	asking bool // at the last look workers were asked
}

// attend looks at every worker that is in a turn. It reports whether it has asked any, and how long
// ago it asked the last of the overdue ones; 0: none is overdue. Caller holds mu.
func (m *monitor) lookAtTurns(now int64) (asking bool, overdueFor int64) {
	ask := !m.watch.asking
	relieved := 0
	for i := range m.s.slots {
		w := m.s.slots[i].holder.Load()
		if w == nil {
			continue
		}
		if ask && m.ask(w, now) {
			asking = true
			continue
		}
		if lasted := now - w.turn.since; w.state.isPending() && lasted >= overdueAfter {
			w.state.markOverdue()
			if overdueFor == 0 {
				m.watch.procs.look()
				overdueFor = lasted
			}
			overdueFor = min(overdueFor, lasted)
			m.report(w, now)
			if m.isStuck(lasted) && m.retakeIfNeeded(i, w) {
				relieved++
			}
		}
	}
	m.watch.asking = asking
	if overdueFor == 0 && m.burst.rounds > 0 {
		m.watch.procs.look()
	}
	m.growBurst(now, relieved)
	if invariant.On {
		verifyBurst(&m.burst)
	}
	return asking, overdueFor
}

// isStuck tells whether a turn that is overdue, and so old, is to lose its seat. While a queue
// waits for processors, only one turn for each processor may do so before it must be blocked.
// Caller holds mu.
func (m *monitor) isStuck(lasted int64) bool {
	p := &m.watch.procs
	if lasted < retakeAfterBusy {
		return lasted >= m.burst.retakeDelay() && p.idle()
	}
	return lasted >= retakeAfterBusy+p.round() || uint64(m.s.idleWorkers.detachedCount()) < p.n
}

// relieveIfNeeded takes the seat of a worker that is stuck, if work waits. Caller holds mu.
func (m *monitor) retakeIfNeeded(i int, w *Worker) bool {
	s := m.s
	if !s.workLeft() && w.next.stamp()&1 == 0 || !s.retake(i, w) {
		return false
	}
	s.freeNextSlot(w, w.next.stamp()) // H4
	s.freeQueue(w)
	return true
}
