package kernel

import (
	"log/slog"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Cell is the part of an actor that does not depend on the type of its state. The state follows in
// the same allocation: see CellOf. Users hold a cell through a Ref.
//
//	        push finds idle                      worker takes the task
//	IDLE ───────────────────────▶ QUEUED ───────────────────────▶ RUNNING ──it ends──▶ ENDED
//	 ▲                             ▲  ▲                             │  │
//	 │ rest succeeds               │  └── batch spent, or ──────────┘  │ blocked, as a turn ends
//	 └─────────────────────────────┼───── rest lost the race           ▼
//	                               └── last one unblocks, or ──────── PARKED
//	                                   a signal recalls it
//
// Owner of the cell:
//
//   - IDLE: none
//   - QUEUED: the queue
//   - RUNNING: the worker
//   - PARKED: the wait lists of the gates that it waits at, and the cell itself while it waits for
//     its children or its supervisor
//   - ENDED: none
//
// The state of its life (alive, leaving, suspended, ended) is independent of the picture. It is in
// the cold state: see life.go.
//
// Senders write the box. They read the gate, and rarely write it. The running worker writes the
// consumer's half in each turn, and reads the system queue for each message. The worker that has
// the bias, nearly always the same one, writes the consumer's half too. However the allocation is
// aligned, the box shares no cache line with these fields. The gate shares one with them at one
// alignment of four; a larger cell would be the price of avoiding that. The fields in between are
// seldom written.
type Cell struct {
	Task sched.Task // leads to the kind; first: see cellOfTask

	// Written by senders and, on change, by the owner.
	Box  mailbox
	Gate backpressure.Gate[Waiting]

	ID   uint64             // read-only after the spawn
	Flow seam.Pointer[flow] // flow control that few actors need; set once, see FlowOf
	// Nil until Context.Heap is called; not in the cold state, for the GC to have one object less
	// to look at.
	Arena *heap.Arena
	Cold  *Cold // nil until the actor needs one

	// Owner only, except for the system queue and the blocked-on count.
	BlockedOn  backpressure.BlockedOn
	Load       backpressure.Load
	Supervised bool // read-only after the spawn
	Became     bool // it does not dispatch by its type's table: see otherRuns
	Progress   progress
	In         inbox
	System     systemQueue // signals, from any goroutine
}

// progress is a set of flags of an actor.
type progress uint8

const (
	begun      progress = 1 << iota // it has had a turn, or has one
	collecting                      // its arena is being collected
)

// IsCollecting reports whether the arena is being collected. Owner only.
func (p progress) IsCollecting() bool { return p&collecting != 0 }

func (p *progress) setCollecting(on bool) {
	*p &^= collecting
	if on {
		*p |= collecting
	}
}

// CellOf is an actor in memory. It does not embed the cell: the compiler would make a copy of each
// method of the cell for every S.
type CellOf[S any] struct {
	Cell  Cell
	State S
}

// Waiting is an entry in the wait list of a gate. It stands for an actor that is muted, or will be
// when its behaviour returns. Goroutines wait in the semaphore instead. An entry that is in no wait
// list is empty.
type Waiting struct {
	Muted *Cell
	to    *Cell // whose gate it is
	since int64 // see waitWatch; 0: unknown
}

// GateMark has the ends of the wait lists of all gates.
var GateMark backpressure.Marks[Waiting]

// Cold holds the fields that only some actors need. Owner only, except the fields that are
// read-only after the spawn. Any goroutine may read err once the box is closed, and Reason once the
// system queue is closed: from then on neither field changes, nor does the pointer to the cold
// state.
type Cold struct {
	// The state of its life: see life.go.
	Reason    error // why it leaves, or has ended
	err       error // the error for senders after its end
	exitWhy   error // the argument of Context.Exit
	fault     *fault
	State     lifeState
	after     nextState // the state after leaving
	stopMode  StopMode  // how its children are stopped
	unstarted bool      // it has not been started
	down      bool      // it is not up: OnStop does not run
	// It waits for its children or its supervisor. Meanwhile it has raised its own blocked-on count,
	// and holds the system.
	waiting bool
	// It waits without holding the system. That is so after PutOnStandby; after Postpone, when it
	// is not blocked either; and for an actor that leaves, on a clock that stands still.
	unheld bool
	// It was suspended or restarted by order, and has not come up again.
	takenDown bool
	drained   bool // its mailbox is closed, and the mail that is left runs
	gone      bool // no mail is left
	// The number of its earlier lives, which nextLife counts: see ask_outcome.go.
	life uint16
	// The end of its system has ended it. The reason does not tell: a user may give the same one.
	Taken bool
	// This is a terminated record, all that is left of an actor that ended plainly. Its system queue
	// may be open. Read-only.
	terminated bool
	where      callback // the callback that runs
	// Messages that it has sent while it is muted: see mute.go.
	excess uint32
	Listed stopEntry

	Todo   messageList // taken from the system queue and not yet served
	Orders pendingOrders
	// Urgent mail of an actor that is suspended, or has sent too much while it was muted; outcomes
	// for an actor that drains.
	held messageList

	Backoff  *backoff // nil unless it is suspended and in a back-off
	decision Decision // about its last fall that was not ordered: see decide
	starting bool     // it fell before it was up

	Child    *child // as a child; read-only
	Children family
	Sup      *supervision // read-only

	Parts    [PartKinds]Part
	lastName string       // the first of its names; set when its names are given up
	Path     string       // its place under its supervisor, for reports; read-only
	logger   *slog.Logger // of Context.Logger; nil: not made yet
}

// MakeCold returns the actor's cold state. The first call makes it. Owner only.
func (a *Cell) MakeCold() *Cold {
	if a.Cold == nil {
		a.Cold = new(Cold)
	}
	return a.Cold
}

// plain reports whether the end of an actor has to deal with its mail alone: it has no cold state,
// and its type has no OnStop.
func (a *Cell) plain() bool { return a.Cold == nil && a.Shared().Typ.OnStop == nil }

// The functions below check invariants of a running actor, in builds that check them. The caller
// owns the fields that they read. Fields that other goroutines may write are read by seam.Peek.

// verifyTurn checks the assumptions of a turn that begins.
func verifyTurn(a *Cell, c *Turn) {
	invariant.Check(a.Shared().Sys == c.Sys, "%v runs on a worker of another system", a)
	invariant.Check(c.Then == goOn, "%v begins a turn with the outcome %#x of another", a, c.Then)
	invariant.Check(c.shields == 0 && !c.Aside, "%v begins a turn within %d shields, aside: %v", a,
		c.shields, c.Aside)
	invariant.Check(c.front.first == nil && c.front.n == 0,
		"%v begins a turn with the mail of another in front", a)
	invariant.Check(c.Ran == nil, "%v begins a turn with messages that another has run", a)
	invariant.Check(!a.Box.PeekIdle(), "%v is idle, and runs", a)
	backpressure.MustRun(&a.BlockedOn)
	verifyLoad(a)
}

// verifyLoad checks, between two turns, that the load of an actor and its gate agree.
func verifyLoad(a *Cell) {
	if a.Box.PeekClosed() {
		return // it drains or ends: its gate is open for every load
	}
	const both = backpressure.Counted | backpressure.Bounded
	invariant.Check(a.Load&both != both, "%v is counted and bounded: %#x", a, a.Load)
	if a.Load&(both|backpressure.Exempt) != 0 {
		invariant.Check(seam.Peek(&a.Flow) != nil, "%v has a load of %#x and no flow", a, a.Load)
	}
	backpressure.MustBe(&a.Gate, !a.Load.MustShut() && a.Load&backpressure.Bounded == 0)
}

// verifySegment checks the messages that a segment has run: n messages of one origin, from c.Msg
// back to the first message in hand.
func verifySegment(a *Cell, c *Turn, n int) {
	invariant.Check(n >= 1 && n <= msg.ChainLength, "%v has run %d messages in a row", a, n)
	m := c.Msg
	invariant.Check(m.From&msg.HasPlace == 0, "%v has run a message that has its place still", a)
	for before, i := c.Ran, 1; i < n; before, i = before.Next, i+1 {
		invariant.Check(before != nil, "%v has run %d messages, and recycles less", a, n)
		invariant.Check(before.OwnerTag == m.OwnerTag, "%v recycles messages of two origins together", a)
		m = before
	}
	invariant.Check(m == a.In.Pending(), "%v has run %d messages, and there are more or less", a, n)
}

// verifySend checks a message that is about to be pushed by the behaviour that runs.
func verifySend(c *Turn, to *Cell, m *Message, d *Descriptor) {
	invariant.Check(m.SizeClass() == d.Size.ID, "%s is sent to %v in a node of pool %d", d.Name, to,
		m.SizeClass())
	invariant.Check(d.Typ == nil || d.Typ == to.Shared().Typ, "%s is sent to %v", d.Name, to)
	invariant.Check(d.ID == SystemID || d == givingWay || to.Shared().Typ.Decls[d.ID] == d,
		"%s is sent to %v, which has another of that number", d.Name, to)
}

// verifyGoIdle checks an actor that is about to be idle.
func verifyGoIdle(a *Cell, c *Turn) {
	invariant.Check(a.In.Pending() == nil, "%v goes to rest with mail in hand", a)
	invariant.Check(c.Then&(mustEnd|Yielded) == 0, "%v goes to rest with the outcome %#x", a, c.Then)
	invariant.Check(a.Load&backpressure.Muted == 0, "%v is muted, and goes to rest", a)
	invariant.Check(a.Cold == nil || !a.Cold.waiting,
		"%v waits for its children or its supervisor, and goes to rest", a)
	mail := a.Box.PeekPushed(&a.In) // then it does not become idle
	invariant.Check(a.Cold == nil || a.Cold.Todo.First == nil || mail,
		"%v goes to rest with signals in hand", a)
	invariant.Check(!a.Progress.IsCollecting(), "%v goes to rest in the middle of a collection", a)
	backpressure.MustRun(&a.BlockedOn)
}

// verifyBegun checks a node that is about to get its message. e is the sender's.
func verifyBegun(e Env, a *Cell, d *Descriptor, m *Message) {
	invariant.Check(m.SizeClass() == d.Size.ID, "%s is to be sent in a node of size class %d", d.Name,
		m.SizeClass())
	invariant.Check(e.InSystem() == a.Sys(), "%s is sent to %v as from its own system", d.Name, a)
	invariant.Check(d.Typ == a.Typ(), "%s is to be sent to %v", d.Name, a)
}

// verifyUnmuted checks an actor that ran signals or urgent mail while it was muted, at the moment
// when it is muted no longer.
func verifyUnmuted(a *Cell) {
	invariant.Check(a.Load&backpressure.Muted != 0, "%v is unmuted, and was not muted", a)
	invariant.Check(a.Cold == nil || !a.Cold.waiting || a.Cold.State == Suspended,
		"%v is unmuted while it waits", a)
	backpressure.MustRun(&a.BlockedOn)
}

// verifyServeSignals checks the turn of an actor that has signals.
func verifyServeSignals(a *Cell, x *Cold) {
	invariant.Check(!x.waiting || x.State == leaving || x.State == Suspended || x.gone &&
		a.Typ().Finishes, "%v waits in phase %d", a, x.State)
	invariant.Check(x.State != Suspended || x.waiting, "%v is suspended, and does not wait", a)
	invariant.Check(x.held.First == nil || a.Supervised || a.Load&backpressure.Withheld != 0 ||
		a.Typ().Finishes || x.drained, "%v holds urgent mail back, and will not come up", a)
	invariant.Check(!x.unheld || x.waiting, "%v rests, and does not wait", a)
	invariant.Check(x.Backoff == nil || x.State == Suspended && x.unheld,
		"%v is in a back-off in phase %d", a, x.State)
	backpressure.MustRun(&a.BlockedOn)
}
