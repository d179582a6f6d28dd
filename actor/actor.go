package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// cell is an actor without its state, which lies behind it in the same allocation (cell). Users
// hold it through a Ref.
//
//	        push finds idle                      worker takes the task
//	IDLE ───────────────────────▶ QUEUED ───────────────────────▶ RUNNING ──it ends──▶ ENDED
//	 ▲                             ▲  ▲                             │  │
//	 │ rest succeeds               │  └── batch spent, or ──────────┘  │ owes, at the end of a behaviour
//	 └─────────────────────────────┼───── rest lost the race           ▼
//	                               └── last debt forgiven, or ─────── PARKED
//	                                   a signal recalls it
//
// Owner of the body: IDLE nobody · QUEUED the queue · RUNNING the worker · PARKED
// its debts: the wait lists of the gates that it waits at, and itself while it waits for
// its children or its supervisor · ENDED nobody.
//
// Where an actor stands in its life (alive, leaving, suspended, ended) is another matter, kept in
// its cold state: see life.go.
//
// Senders write the box. They read the gate, and rarely write it. The runner writes the consumer's
// half with each turn, and looks at the system queue with each message. The worker that has the
// bias, nearly always the same one, writes the consumer's half too. The box shares no cache line
// with these however the allocation is aligned. The gate does in one place of four; otherwise the
// body would be larger. What lies between is seldom written.
type cell struct {
	task sched.Task // leads to the kind; first: see cellOfTask

	// Written by senders and, on change, by the owner.
	box  mailbox
	gate backpressure.Gate[waiting]

	id   uint64             // read-only after the spawn
	flow seam.Pointer[flow] // what few actors need; set once, see flowOf
	// Nil until Context.Heap is called; not in the cold state, for the GC to have one object less
	// to look at.
	arena *heap.Arena
	cold  *coldState // nil until it needs any

	// Owner only, except for system queue and debt.
	blockedOn  backpressure.BlockedOn
	load       backpressure.Load
	supervised bool // read-only after the spawn
	became     bool // it does not dispatch by its type's table: see otherRuns
	progress   progress
	in         inbox
	system     systemQueue // signals, from anybody
}

// progress is how far an actor has come.
type progress uint8

const (
	begun      progress = 1 << iota // it has had a turn, or has one
	collecting                      // its arena is being collected
)

func (a *cell) isCollecting() bool { return a.progress&collecting != 0 }

func (a *cell) setCollecting(on bool) {
	a.progress &^= collecting
	if on {
		a.progress |= collecting
	}
}

// cellOf is an actor in memory. It does not embed the body: the compiler would make a copy of each
// of its methods for every S.
type cellOf[S any] struct {
	cell  cell
	state S
}

// waiting is what waits at a gate: an actor that is muted, or will be when its behaviour returns.
// Goroutines wait in the semaphore. The entry is empty while it is in no wait list.
type waiting struct {
	muted *cell
	to    *cell // whose gate it is
	since int64 // see waitWatch; 0: unknown
}

// gateMark has the ends of the wait lists of all gates.
var gateMark backpressure.Marks[waiting]
