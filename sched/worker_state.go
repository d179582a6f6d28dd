package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// duty says whether a worker has its seat, and what the monitor thinks of its turn. It
// is how a seat changes hands although nobody can interrupt a turn.
//
//	           ask              urge               relieve
//	ON DUTY ─────────▶ ASKED ─────────▶ OVERDUE ─────────────▶ AWAY   the monitor, in a turn
//	   ▲  ▲              │                 │                     ▲
//	   │  └── answer ────┴─────────────────┘                     │    the owner, between two turns
//	   │                                                         │
//	   ├── stepAside ──▶ ASIDE, and resume or answer back        │    the owner, around a search or sleep
//	   └──────────────────────── leaveSeat ──────────────────────┘    the owner, in a turn (Blocking)
//
//	AWAY ─────────▶ ASIDE   the owner: it becomes a spare, or is about to take its seat back (retakeSeat)
//	ASIDE ────────▶ AWAY    the owner, whose seat is not vacant; the monitor, of a spare that it owns (extra)
//
// From ASIDE and AWAY only the owner moves it, or the monitor for a spare that is nobody else's, so
// a store is enough there; everything else is a compare-and-swap. A worker touches its seat's bit
// in the idle word while ASIDE, or, when it leaves the seat in a turn, while AWAY. The monitor
// takes seats from OVERDUE alone, so only from a worker that leaves the bit alone.
type workerState struct{ word seam.Flag }

const (
	stateRunning  uint32 = iota // runs turns
	stateAsked                  // the monitor wants to see it between two turns
	stateOverdue                // it has not been seen for long: its turn ends with the message at hand
	stateDetached               // it has no seat; the scheduler is held for its turn
	stateIdle                   // it searches, sleeps, or is a spare
)

// isOn is the check before every turn. Owner only; a stale answer is corrected by the
// compare-and-swap in stepAside.
func (s *workerState) isRunning() bool { return s.word.Load() == stateRunning }

// isAway tells whether the seat is lost or being left. Any goroutine.
func (s *workerState) isDetached() bool { return s.word.Load() == stateDetached }

// mustYield tells whether the turn should end with the message at hand. Any goroutine.
func (s *workerState) mustYield() bool { return s.word.Load() >= stateOverdue }

// isPending tells whether the worker has been asked and has not answered. Any goroutine.
func (s *workerState) isPending() bool {
	v := s.word.Load()
	return v == stateAsked || v == stateOverdue
}

// answer goes on duty and reports whether the worker still has its seat. Owner only,
// between two turns.
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

// stepAside keeps the seat from being taken until resume, unless it is lost already.
// Owner only, between two turns.
func (s *workerState) becomeIdle() bool { return s.moveTo(stateIdle) }

// resume goes back on duty. Owner only, after stepAside, or with its seat taken back.
func (s *workerState) resume() {
	if invariant.On {
		verifyResume(s)
	}
	s.word.StoreRelease(stateRunning)
}

// leaveSeat makes the seat free for others, and reports whether it was still the
// worker's. Owner only.
func (s *workerState) leaveSlot() bool { return s.moveTo(stateDetached) }

// leaveFor is a call, which keeps a small program small.
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

// ask asks a worker to come by between two turns. Monitor only.
func (s *workerState) ask() bool { return s.word.CompareAndSwap(stateRunning, stateAsked) }

// urge makes a turn end soon if the worker has not come by since ask. Monitor only.
func (s *workerState) markOverdue() bool { return s.word.CompareAndSwap(stateAsked, stateOverdue) }

// relieve takes the seat of a worker that has not come by, and reports whether it
// could. Monitor only.
func (s *workerState) detach() bool { return s.word.CompareAndSwap(stateOverdue, stateDetached) }

// hurry makes the turn at hand end soon. For the one that stops the scheduler.
func (s *workerState) yieldSoon() {
	if !s.word.CompareAndSwap(stateRunning, stateOverdue) {
		s.word.CompareAndSwap(stateAsked, stateOverdue)
	}
}
