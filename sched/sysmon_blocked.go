package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
)

// The monitor finds turns that block, and takes their workers' slots (README.md, section 8).
//
// A worker whose turn has lasted for long is first asked to answer, then marked overdue. After that
// it is detached from its slot, if a task waits for one:
//
//	RUNNING ─ ask ─▶ ASKED ─ markOverdue, after 1 ms ─▶ OVERDUE ─ detach, if work waits ─▶ DETACHED
//
// The worker is detached after 3 ms if a processor is idle: then the turn is blocked, and the idle
// worker that takes the slot will find a processor. It is detached after 6 ms if no processor is
// idle: then the turn may just wait for a processor that the GC has taken, and another worker would
// take one from a third. (Detaching after 3 ms in any case made programs that allocate a lot slower
// by a quarter.)
//
// Where a queue of goroutines waits for processors, the worker is detached after 6 ms and the time
// in which all of them have had one; only the first few turns do not wait for that. A worker that
// gets a slot waits in that queue as well and delays all others further. Without this rule idle
// workers that had just got a slot counted as blocked, and were detached in their turn.
//
// A worker between two turns answers, which costs it a compare-and-swap. All are asked when the
// monitor begins to look, and then once in lookCalm+lookAsked, so an unrelated task waits for less
// than 10 ms. When every processor is busy with turns that spin, the monitor itself runs only when
// Go takes one of the processors away, after 10 ms. So it uses the time since it asked, not the
// number of its looks.

const (
	// ns after which a worker that was asked should have answered
	overdueAfter    = 1_000_000
	retakeAfter     = 3_000_000 // ns after which it loses its slot, if a processor is idle
	retakeAfterBusy = 6_000_000 // the same, if no processor is idle
)

// slotRecord is the monitor's record of the slots. Guarded by the monitor's mu.
type slotRecord struct {
	_      nocmp.Field
	procs  processors
	asking bool // workers were asked at the last look
}

// lookAtTurns looks at every worker in a turn. asking reports whether it has asked any worker.
// overdueFor is the time since the last of the overdue workers was asked; 0: no worker is overdue.
//
// Only the worker moves its state from ASKED and OVERDUE back to RUNNING. A state that is read here
// may be outdated; then the compare-and-swap of the transition fails. Caller holds mu.
func (m *monitor) lookAtTurns(now int64) (asking bool, overdueFor int64) {
	ask := !m.slots.asking
	retaken := 0
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
			if overdueFor == 0 { // Go's scheduler is asked once in a look
				m.slots.procs.look()
				overdueFor = lasted
			}
			overdueFor = min(overdueFor, lasted)
			m.report(w, now)
			if m.isStuck(lasted) && m.retakeIfNeeded(i, w) {
				retaken++
			}
		}
	}
	m.slots.asking = asking
	if overdueFor == 0 && m.burst.rounds > 0 {
		m.slots.procs.look()
	}
	m.growBurst(now, retaken)
	if invariant.On {
		verifyBurst(&m.burst)
	}
	return asking, overdueFor
}

// isStuck reports whether an overdue turn is to lose its slot. lasted is the time since its worker
// was asked. While a queue waits for processors, only one turn for each processor may lose its slot
// before it must be blocked. Caller holds mu.
func (m *monitor) isStuck(lasted int64) bool {
	p := &m.slots.procs
	if lasted < retakeAfterBusy {
		return lasted >= m.burst.retakeDelay() && p.idle()
	}
	return lasted >= retakeAfterBusy+p.round() || uint64(m.s.idleWorkers.detachedCount()) < p.n
}

// retakeIfNeeded takes slot i from its stuck holder w, if a task waits, and reports whether it did.
// Then it moves the tasks that wait at w to the inject queue, as a thief. Caller holds mu.
func (m *monitor) retakeIfNeeded(i int, w *Worker) bool {
	s := m.s
	if !s.workLeft() && w.next.stamp()&1 == 0 || !s.retake(i, w) {
		return false
	}
	s.freeNextSlot(w, w.next.stamp()) // H4
	s.freeQueue(w)
	return true
}
