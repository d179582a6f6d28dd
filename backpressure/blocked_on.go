package backpressure

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// BlockedOn counts the gates that a sender waits at, and records whether it is parked for them. The
// low 31 bits are the count; the top bit is set while it is parked. Parked with a count of zero
// never exists outside a transition. The zero value is blocked on nothing.
//
//	         Block                  Park, count > 0
//	RUNNING ─────▶ RUNNING, blocked ──────────────▶ PARKED
//	   ▲                │   ▲                         │ │
//	   │ Unblock, last  │   └───────── Wake ──────────┘ │ Unblock, last
//	   └────────────────┘◀──────────────────────────────┘
//
// The goroutine that wakes a parked sender, or takes the last gate off its count, owns the sender.
// There is only one, since all transitions are RMWs on one word.
type BlockedOn struct{ v seam.Uint32 }

const parked = 1 << 31

// Block adds one gate. Call it before the sender enters the gate. The sender's own worker only.
func (d *BlockedOn) Block() {
	if invariant.On {
		MustRun(d)
	}
	d.v.Add(1)
}

// Unblock takes one gate away and reports whether the caller now owns a parked sender, which it
// must schedule. It is not inlined, which keeps small programs small. Any goroutine; once per
// Block.
//
//go:noinline
func (d *BlockedOn) Unblock() (resumed bool) {
	for {
		o := d.v.Load()
		if o == parked|1 {
			if d.v.CompareAndSwap(o, 0) { // pairs with the swap in Park
				return true
			}
			continue
		}
		if o&^parked == 0 {
			panic("gallop: backpressure: a blocked-on count unblocked that nobody is blocked on")
		}
		if d.v.CompareAndSwap(o, o-1) {
			return false
		}
	}
}

// Park gives the sender up if it is still blocked on a gate, and reports whether it did. After Park
// has returned true the sender belongs to the wait list: its worker must not touch it any more. The
// sender's own worker only.
func (d *BlockedOn) Park() bool {
	if invariant.On {
		MustRun(d)
	}
	for {
		o := d.v.Load()
		if o == 0 {
			return false
		}
		if d.v.CompareAndSwap(o, o|parked) { // publishes the sender to the last unblocker
			return true
		}
	}
}

// Wake takes a parked sender out although it is still blocked, for work that does not wait for
// receivers to recover. It reports whether the caller now owns the sender, which it must schedule.
// The sender may Park again. Any goroutine.
func (d *BlockedOn) Wake() (resumed bool) {
	for {
		o := d.v.Load()
		if o&parked == 0 {
			return false
		}
		if d.v.CompareAndSwap(o, o&^parked) { // pairs with the swap in Park
			return true
		}
	}
}

// Count returns the number of gates the sender waits at. Any goroutine; advisory.
func (d *BlockedOn) Count() int { return int(d.v.Load() &^ parked) }

// Parked reports whether the sender is parked. Any goroutine; advisory.
func (d *BlockedOn) Parked() bool { return d.v.Load()&parked != 0 }
