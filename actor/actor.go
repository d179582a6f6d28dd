package actor

import (
	"github.com/gallop-go/gallop/internal/access"
	"log/slog"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// cell is an actor without its state, which lies behind it in the same allocation (cell). Users
// hold it through a Ref.
//
//	        push finds idle                      worker takes the task
//	IDLE ───────────────────────▶ QUEUED ───────────────────────▶ RUNNING ──it ends──▶ ENDED
//	 ▲                             ▲  ▲                             │  │
//	 │ rest succeeds               │  └── batch spent, or ──────────┘  │ blocked, as a turn ends
//	 └─────────────────────────────┼───── rest lost the race           ▼
//	                               └── last one unblocks, or ──────── PARKED
//	                                   a signal recalls it
//
// Owner of the cell: IDLE none · QUEUED the queue · RUNNING the worker · PARKED
// what blocks it: the wait lists of the gates that it waits at, and itself while it waits for
// its children or its supervisor · ENDED none.
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

	// Owner only, except for the system queue and the blocked-on count.
	blockedOn  backpressure.BlockedOn
	load       backpressure.Load
	supervised bool // read-only after the spawn
	became     bool // it does not dispatch by its type's table: see otherRuns
	progress   progress
	in         inbox
	system     systemQueue // signals, from any goroutine
}

// progress is how far an actor has come.
type progress uint8

const (
	begun      progress = 1 << iota // it has had a turn, or has one
	collecting                      // its arena is being collected
)

func (p progress) isCollecting() bool { return p&collecting != 0 }

func (p *progress) setCollecting(on bool) {
	*p &^= collecting
	if on {
		*p |= collecting
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

// coldState holds the fields that only some actors need. Owner only, except the fields that are read-only
// after the spawn.
// Any goroutine may read err once the box is closed, and reason once the system queue is: they do
// not change then, nor does the pointer to the cold state.
type coldState struct {
	// Where it stands: life.go.
	reason    error // why it leaves, or has ended
	err       error // the error for senders that come too late
	exitWhy   error // the argument of Context.Exit
	fault     *fault
	state     lifeState
	after     nextState // the state after leaving
	stopMode  stopMode  // how its children are stopped
	unstarted bool      // it has not been started
	down      bool      // it is not up: OnStop does not run
	// It waits for its children or its supervisor: a blocked-on count and a hold of its own.
	waiting bool
	// It waits, but no longer with a hold: Standby, and Postpone, where it is not blocked either; and
	// an actor that leaves, on a clock that stands still.
	unheld bool
	// It was suspended or restarted by order, and has not come up again.
	takenDown bool
	drained   bool // its mailbox is closed, and what is left of it is run
	gone      bool // nothing is left of it
	// How many lives it has had before, as far as its outcomes are concerned: see ask_outcome.go.
	life uint16
	// Its system took it along. Its reason does not say so: a user may give the same one.
	taken bool
	// All that is left of an actor that ended plainly: its system queue may be open. Read-only.
	terminated bool
	where      callback // that runs
	// Messages that it has sent while it is muted: see mute.go.
	excess uint32
	listed stopEntry

	todo   messageList // taken from the system queue and not yet served
	orders pendingOrders
	// Urgent mail of a suspended actor, or of one that has sent too much while it is muted.
	held messageList

	backoff  *backoff        // nil unless it is suspended and in a back-off
	decision access.Decision // what came of the last reason for which it fell by itself
	starting bool            // it fell before it was up

	child    *child // as a child; read-only
	children family
	sup      *supervision // read-only

	parts    [partKinds]part
	lastName string       // the first name that it had, from its end on
	path     string       // its place under its supervisor, for reports; read-only
	logger   *slog.Logger // of Context.Logger; nil: not made yet
}

// makeCold returns the actor's cold state, and makes it at first. Owner only.
func (a *cell) makeCold() *coldState {
	if a.cold == nil {
		a.cold = new(coldState)
	}
	return a.cold
}

// plain reports whether an actor has nothing to see to at its end but its mail.
func (a *cell) plain() bool { return a.cold == nil && a.shared().typ.onStop == nil }

// What must hold of an actor while it runs, in builds that check invariants. The callers own what
// is looked at; what others may write is read by seam.Peek.

// verifyTurn checks what a turn believes when it begins.
func verifyTurn(a *cell, c *Context) {
	invariant.Check(a.shared().sys == c.sys, "%v runs on a worker of another system", a)
	invariant.Check(c.then == goOn, "%v begins a turn with the outcome %#x of another", a, c.then)
	invariant.Check(c.shields == 0 && !c.aside, "%v begins a turn within %d shields, aside: %v", a,
		c.shields, c.aside)
	invariant.Check(c.front.first == nil && c.front.n == 0,
		"%v begins a turn with the mail of another in front", a)
	invariant.Check(c.ran == nil, "%v begins a turn with messages that another has run", a)
	invariant.Check(!a.box.PeekIdle(), "%v is idle, and runs", a)
	backpressure.MustRun(&a.blockedOn)
	verifyLoad(a)
}

// verifyLoad checks how an actor stands against its gate, between two turns.
func verifyLoad(a *cell) {
	if a.box.PeekClosed() {
		return // it drains or ends: its gate is open, whatever its load
	}
	const both = backpressure.Counted | backpressure.Bounded
	invariant.Check(a.load&both != both, "%v is counted and bounded: %#x", a, a.load)
	if a.load&(both|backpressure.Exempt) != 0 {
		invariant.Check(seam.Peek(&a.flow) != nil, "%v has a load of %#x and no flow", a, a.load)
	}
	backpressure.MustBe(&a.gate, !a.load.MustShut() && a.load&backpressure.Bounded == 0)
}

// verifySegment checks what a segment has run: n messages of one origin, from c.msg back to the
// first in hand.
func verifySegment(a *cell, c *Context, n int) {
	invariant.Check(n >= 1 && n <= msg.ChainLength, "%v has run %d messages in a row", a, n)
	m := c.msg
	invariant.Check(m.From&msg.HasPlace == 0, "%v has run a message that has its place still", a)
	for before, i := c.ran, 1; i < n; before, i = before.Next, i+1 {
		invariant.Check(before != nil, "%v has run %d messages, and recycles less", a, n)
		invariant.Check(before.OwnerTag == m.OwnerTag, "%v recycles messages of two origins together", a)
		m = before
	}
	invariant.Check(m == a.in.Pending(), "%v has run %d messages, and there are more or less", a, n)
}

// verifySend checks a message that is about to be pushed by the behaviour that runs.
func verifySend(c *Context, to *cell, m *message, d *descriptor) {
	invariant.Check(m.SizeClass() == d.size.ID, "%s is sent to %v in a node of pool %d", d.name, to,
		m.SizeClass())
	invariant.Check(d.typ == nil || d.typ == to.shared().typ, "%s is sent to %v", d.name, to)
	invariant.Check(d.id == systemID || d == givingWay || to.shared().typ.decls[d.id] == d,
		"%s is sent to %v, which has another of that number", d.name, to)
}

// verifyGoIdle checks an actor that is about to be idle.
func verifyGoIdle(a *cell, c *Context) {
	invariant.Check(a.in.Pending() == nil, "%v goes to rest with mail in hand", a)
	invariant.Check(c.then&(mustEnd|yielded) == 0, "%v goes to rest with the outcome %#x", a, c.then)
	invariant.Check(a.load&backpressure.Muted == 0, "%v is muted, and goes to rest", a)
	invariant.Check(a.cold == nil || !a.cold.waiting,
		"%v waits for its children or its supervisor, and goes to rest", a)
	mail := a.box.PeekPushed(&a.in) // then it does not come to rest
	invariant.Check(a.cold == nil || a.cold.todo.First == nil || mail,
		"%v goes to rest with signals in hand", a)
	invariant.Check(!a.progress.isCollecting(), "%v goes to rest in the middle of a collection", a)
	backpressure.MustRun(&a.blockedOn)
}

// verifyBegun checks a node that is about to get its message, from where e is.
func verifyBegun(e env, a *cell, d *descriptor, m *message) {
	invariant.Check(m.SizeClass() == d.size.ID, "%s is to be sent in a node of size class %d", d.name,
		m.SizeClass())
	invariant.Check(e.system() == a.sys(), "%s is sent to %v as from its own system", d.name, a)
	invariant.Check(d.typ == a.typ(), "%s is to be sent to %v", d.name, a)
}

// verifyUnmuted checks an actor that runs while it is muted, and is so no longer.
func verifyUnmuted(a *cell) {
	invariant.Check(a.load&backpressure.Muted != 0, "%v is unmuted, and was not muted", a)
	invariant.Check(a.cold == nil || !a.cold.waiting || a.cold.state == suspended,
		"%v is unmuted while it waits", a)
	backpressure.MustRun(&a.blockedOn)
}

// verifyServeSignals checks the turn of an actor that has signals.
func verifyServeSignals(a *cell, x *coldState) {
	invariant.Check(!x.waiting || x.state == leaving || x.state == suspended || x.gone &&
		a.typ().finishes, "%v waits in phase %d", a, x.state)
	invariant.Check(x.state != suspended || x.waiting, "%v is suspended, and does not wait", a)
	invariant.Check(x.held.First == nil || a.supervised || a.load&backpressure.Withheld != 0 ||
		a.typ().finishes || x.drained, "%v holds urgent mail back, and will not come up", a)
	invariant.Check(!x.unheld || x.waiting, "%v rests, and does not wait", a)
	invariant.Check(x.backoff == nil || x.state == suspended && x.unheld,
		"%v is in a back-off in phase %d", a, x.state)
	backpressure.MustRun(&a.blockedOn)
}
