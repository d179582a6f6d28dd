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
type duty struct{ f seam.Flag }

const (
	onDuty  uint32 = iota // runs turns
	asked                 // the monitor wants to see it between two turns
	overdue               // it has not been seen for long: its turn ends with the message at hand
	away                  // it has no seat; the scheduler is held for its turn
	aside                 // it searches, sleeps, or is a spare
)

// isOn is the check before every turn. Owner only; a stale answer is corrected by the
// compare-and-swap in stepAside.
func (d *duty) isOn() bool { return d.f.Load() == onDuty }

// isAway tells whether the seat is lost or being left. Any goroutine.
func (d *duty) isAway() bool { return d.f.Load() == away }

// mustYield tells whether the turn should end with the message at hand. Any goroutine.
func (d *duty) mustYield() bool { return d.f.Load() >= overdue }

// isPending tells whether the worker has been asked and has not answered. Any goroutine.
func (d *duty) isPending() bool { v := d.f.Load(); return v == asked || v == overdue }

// answer goes on duty and reports whether the worker still has its seat. Owner only,
// between two turns.
func (d *duty) answer() bool {
	for {
		v := d.f.Load()
		if v == away {
			return false
		}
		if d.f.CompareAndSwap(v, onDuty) {
			return true
		}
	}
}

// stepAside keeps the seat from being taken until resume, unless it is lost already.
// Owner only, between two turns.
func (d *duty) stepAside() bool { return d.leaveFor(aside) }

// resume goes back on duty. Owner only, after stepAside, or with its seat taken back.
func (d *duty) resume() {
	if invariant.On {
		verifyResume(d)
	}
	d.f.StoreRelease(onDuty)
}

// leaveSeat makes the seat free for others, and reports whether it was still the
// worker's. Owner only.
func (d *duty) leaveSeat() bool { return d.leaveFor(away) }

// leaveFor is a call, which keeps a small program small.
//
//go:noinline
func (d *duty) leaveFor(to uint32) bool {
	for {
		v := d.f.Load()
		if v == away {
			return false
		}
		if d.f.CompareAndSwap(v, to) {
			return true
		}
	}
}

// ask asks a worker to come by between two turns. Monitor only.
func (d *duty) ask() bool { return d.f.CompareAndSwap(onDuty, asked) }

// urge makes a turn end soon if the worker has not come by since ask. Monitor only.
func (d *duty) urge() bool { return d.f.CompareAndSwap(asked, overdue) }

// relieve takes the seat of a worker that has not come by, and reports whether it
// could. Monitor only.
func (d *duty) relieve() bool { return d.f.CompareAndSwap(overdue, away) }

// hurry makes the turn at hand end soon. For the one that stops the scheduler.
func (d *duty) hurry() {
	if !d.f.CompareAndSwap(onDuty, overdue) {
		d.f.CompareAndSwap(asked, overdue)
	}
}
