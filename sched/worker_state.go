package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// workerState says whether a worker has its slot, and how far the monitor has gone with its turn.
// Through it a slot changes hands although a turn cannot be interrupted.
//
//	            ask           markOverdue         detach
//	RUNNING ─────────▶ ASKED ─────────▶ OVERDUE ────────▶ DETACHED  monitor, in a turn
//	 ▲  ▲  ▲             │                 │                  ▲
//	 │  │  └── answer ───┴─────────────────┘                  │     owner, between two turns
//	 │  │                                                     │
//	 │  └─── becomeIdle ──▶ IDLE, and resume back             │     owner, around search and sleep
//	 └────────────────────── leaveSlot ───────────────────────┘     owner, in a turn (Blocking)
//
//	DETACHED ──▶ IDLE      the owner: it becomes an idle worker, or is about to take its slot back
//	IDLE ──▶ DETACHED      the owner, whose slot is not vacant any more; or the monitor, of an idle
//	                       worker that it owns (startSurplus)
//
// From IDLE and DETACHED only the owner changes the state, or the monitor for an idle worker that
// it has taken, so a store is enough there. Every other transition is a compare-and-swap. A worker
// touches its slot's bit in the idle word while IDLE, or, when it leaves the slot in a turn, while
// DETACHED. The monitor takes slots only from OVERDUE workers, which leave the bit alone.
//
// Section 8 of README.md has the steps that comments name by E1, H2, L2, B4 and the like.
type workerState struct{ word seam.Flag }

const (
	stateRunning  uint32 = iota // in or between turns, never without its slot
	stateAsked                  // the monitor wants to see it between two turns
	stateOverdue                // it has not answered: its turn ends with the message
	stateDetached               // in a turn without a slot; the scheduler is held
	stateIdle                   // between turns: it searches, sleeps, or has no slot
)

// isRunning is the check before every turn. A stale answer is corrected by the compare-and-swap in
// becomeIdle. Owner only.
func (s *workerState) isRunning() bool { return s.word.Load() == stateRunning }

// isDetached reports whether the slot is lost or being left. Any goroutine.
func (s *workerState) isDetached() bool { return s.word.Load() == stateDetached }

// mustYield reports whether the turn should end with the message at hand. Any goroutine.
func (s *workerState) mustYield() bool { return s.word.Load() >= stateOverdue }

// isPending reports whether the worker has been asked and has not answered. Any goroutine.
func (s *workerState) isPending() bool {
	v := s.word.Load()
	return v == stateAsked || v == stateOverdue
}

// answer goes back to RUNNING after ask, and reports whether the worker still has its slot. Owner
// only, between two turns.
func (s *workerState) answer() bool {
	for {
		v := s.word.Load()
		if v == stateDetached {
			return false
		}
		if s.word.CompareAndSwap(v, stateRunning) {
			return true
		}
	}
}

// becomeIdle keeps the slot from being taken until resume. It reports false if the slot is already
// lost (E1). Owner only, between two turns.
func (s *workerState) becomeIdle() bool { return s.moveTo(stateIdle) }

// resume goes back to RUNNING. The owner calls it when it has a task after becomeIdle (step E3), or
// when it has taken its slot back (step B4). Owner only.
func (s *workerState) resume() {
	if invariant.On {
		verifyResume(s)
	}
	s.word.StoreRelease(stateRunning)
}

// leaveSlot frees the slot for another worker, and reports whether it was still the worker's (L2).
// Owner only.
func (s *workerState) leaveSlot() bool { return s.moveTo(stateDetached) }

// moveTo moves to IDLE or DETACHED, and reports false if the worker is DETACHED already. It is not
// inlined, which keeps small programs small. Owner only.
//
//go:noinline
func (s *workerState) moveTo(to uint32) bool {
	for {
		v := s.word.Load()
		if v == stateDetached {
			return false
		}
		if s.word.CompareAndSwap(v, to) {
			return true
		}
	}
}

// ask asks a worker to answer between two turns. Monitor only.
func (s *workerState) ask() bool { return s.word.CompareAndSwap(stateRunning, stateAsked) }

// markOverdue makes a turn end soon if the worker has not answered since ask. Monitor only.
func (s *workerState) markOverdue() bool { return s.word.CompareAndSwap(stateAsked, stateOverdue) }

// detach takes the slot of a worker that has not answered, and reports whether it could (H2).
// Monitor only.
func (s *workerState) detach() bool { return s.word.CompareAndSwap(stateOverdue, stateDetached) }

// yieldSoon makes the turn at hand end soon. For the goroutine that stops the scheduler.
func (s *workerState) yieldSoon() {
	if !s.word.CompareAndSwap(stateRunning, stateOverdue) {
		s.word.CompareAndSwap(stateAsked, stateOverdue)
	}
}
