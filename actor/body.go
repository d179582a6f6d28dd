package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// body is an actor, but for its state, which lies behind it in the same
// allocation (cell). Users hold it through a Ref.
//
//	        push finds idle                      worker takes the task
//	IDLE ───────────────────────▶ QUEUED ───────────────────────▶ RUNNING ──stop, panic──▶ STOPPED
//	 ▲                             ▲  ▲                             │  │
//	 │ rest succeeds               │  └── batch spent, or ──────────┘  │ owes, at the end of a behaviour
//	 └─────────────────────────────┼───── rest lost the race           ▼
//	                               └──────── last debt forgiven ───── MUTED
//
// Owner of the body: IDLE nobody · QUEUED the queue · RUNNING the worker · MUTED
// the ledgers of the gates it waits at · STOPPED nobody.
//
// The first group of fields is what senders touch, the second what the runner
// touches. They are 64 bytes apart, so that they never share a cache line however
// the allocation is aligned.
type body struct {
	// Written by senders and, on change, by the owner.
	box  mailbox
	gate backpressure.Gate[waiting]

	// Read-only after the spawn.
	task sched.Task
	typ  *typeInfo
	sys  *System
	id   uint64

	// Owner only, but for stop and debt.
	in    inbox
	arena *heap.Arena // nil until Context.Heap is called
	batch uint32
	load  backpressure.Load
	gc    bool        // the arena is being collected
	stop  seam.Uint32 // set to 1 by anybody: end after the current message
	debt  backpressure.Debt
}

// cell is an actor in memory.
type cell[S any] struct {
	body
	state S
}

// waiting is who waits at a gate: a muted actor or a goroutine in SendWait.
type waiting struct {
	muted   *body
	outside chan<- struct{}
}

// gateMark ends the ledger of every shut gate.
var gateMark backpressure.Waiter[waiting]
