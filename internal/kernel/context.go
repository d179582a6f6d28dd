package kernel

import (
	"fmt"
	"math/rand/v2"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/internal/kernel/mpsc"
	"github.com/gallop-go/gallop/internal/kernel/msg"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Turn is the untyped part of an actor.Context: the state of a worker, and of the turn that runs
// there. Owner only, except where a function or field says otherwise.
type Turn struct {
	// Turns are allocated in a row, and every message writes to them.
	_ cacheline.Pad
	// Read-only.
	Sys *System
	W   *sched.Worker
	// No message is recycled, so each send calls refill: in deterministic systems and explorations.
	Dry bool

	Bias mpsc.Bias

	// Fields of the running turn.
	Self *Cell
	Msg  *Message // the message being handled
	// The messages of the segment that ran before Msg, the newest first. It is nil in a segment of
	// one message, and between two segments.
	Ran  *Message
	sent *Message // the message that was sent last; see seam.SwapHeld
	// The number of messages that the turn may still run. Messages of the running segment are not
	// subtracted yet: see account.
	left     int
	gas      gasMeter // the gas that the turn has spent besides its messages
	blocking blockMeter
	call     blockedCall

	front front // see PutFront

	// Set by the running behaviour, and read by the loop after it.
	Then    outcome
	shields int
	Aside   bool // the running message, signal or callback is not from the mailbox
	answers bool // the message that is being sent is a reply

	Cache   msg.Cache // nodes to be used again
	ids     idBlock
	waiters waiterList
	Chunks  heap.Recycler // memory of arenas that have ended
	visit   *visit        // to be used again; nil: there is none
	// The error of the last request that returned one, for interceptors.
	Failed  error
	heard   *Message    // the running outcome, which no longer counts as under way
	rooting []heap.Root // of the arena that is being collected; empty between collections
	contextState
	Count counters
	// The flight recorder's ring of this worker; nil: no events are recorded.
	ring   *flightlog.Ring
	Labels WorkerLabels
	_      cacheline.Pad
}

// outcome is a set of flags. They say which steps follow when the running behaviour has returned.
type outcome uint16

const (
	goOn      outcome = 0
	mustEnd   outcome = 1 << 0 // Stop or Exit was called
	MayPark   outcome = 1 << 1 // it met a gate
	lookAgain outcome = 1 << 2 // unstashed messages go before the mail in hand; the turn ends
	gasSpent  outcome = 1 << 3 // the turn has spent its gas or its slice of time
	// The turn may run fewer messages than before. This does not end the turn.
	gasLow outcome = 1 << 4
	// The next message is in front: Yield was called, or mail was taken over.
	Yielded     outcome = 1 << 5
	TurnTable   outcome = 1 << 6 // it dispatches by another table; this does not end the turn
	MustCollect outcome = 1 << 7 // its arena is due for a collection
	hasLasted   outcome = 1 << 8 // its turn has blocked, or run, for long
	usesContext outcome = 1 << 9 // contextState is not empty; this does not end the turn
	// unstashed messages go before the mail in hand, and the turn runs them. It does not end.
	unstashed outcome = 1 << 10
)

// NewContext makes the Turn of one worker.
func (s *System) NewContext(w *sched.Worker) *Turn {
	c := &Turn{Sys: s, W: w, Cache: msg.NewCache(w.ID()), Dry: s.Sim != nil}
	c.Bias.Init(seam.CanFence() && w.ID() < s.Opts.Workers) // surplus workers: see reviewBias
	c.collectIfNeeded()
	return c
}

// ActorID implements actor.Context.ActorID.
func (c *Turn) ActorID() uint64 { return c.Self.ID }

// Now implements actor.Context.Now.
func (c *Turn) Now() time.Time { return c.Sys.Opts.Clock.Now() }

// Rand implements actor.Context.Rand.
func (c *Turn) Rand() *rand.Rand { return c.W.Rand() }

// PanicOtherState panics and names both state types. want is a nil pointer to the type argument of
// Self.
//
//go:noinline
func PanicOtherState(c *Turn, want any) {
	panic(fmt.Sprintf("gallop: Self: the running actor is %v with the state %s, not %s",
		c.Self, fmt.Sprintf("%T", c.Self.Typ().State)[1:], fmt.Sprintf("%T", want)[1:]))
}

// TurnBase is embedded in a Context of package actor, which has no other field.
type TurnBase struct{ turn Turn }

const _ = -unsafe.Offsetof(TurnBase{}.turn) // does not compile if the field is not at the beginning

func (c *TurnBase) sender() Env {
	if c == nil {
		return nil
	}
	return &c.turn
}

// MustRun panics if c is nil or zero, or if no actor runs with it. Functions that run for every
// message do not call it. MustRun is inlined, and the panic is not.
func MustRun(c *Turn, call string) {
	if c == nil || c.Self == nil {
		PanicMisuse(call,
			" with a nil or zero Context, or with one whose behaviour has returned: it is valid only "+
				"until then, and only in the goroutine of the behaviour")
	}
}

// reset clears the flags of the behaviour at the end of its actor.
func (c *Turn) reset() {
	c.forgo()
	c.Aside = false
}

// forgo is reset for the end of a life. A turn that serves the system queue may end several lives.
func (c *Turn) forgo() {
	if c.Then&usesContext != 0 {
		c.leaveContext()
	}
	c.Then, c.shields = goOn, 0
	c.waiters.forget()
}

// forgetTurn is called before the worker sleeps. It clears the references of the last turn, so that
// the GC can free the actor and its messages. sent may be cleared: the write barrier of that store
// shows the collector the message, as seam.SwapHeld requires. The list of gates is cleared as well,
// since a turn that ended beside the mail may have left some in it.
func (c *Turn) forgetTurn() {
	if invariant.On {
		verifyForgetTurn(c)
	}
	c.Self, c.Msg, c.sent = nil, nil, nil
	if c.Failed != nil {
		c.Failed = nil
	}
	c.waiters.forget()
}

// idBlock is a worker's block of actor numbers. Most numbers are taken from it without access to
// shared memory: newID gives out the numbers from next to end without further checks. If end is
// before last, newID takes its slow path at end, for one of two reasons. The number at end is the
// one number of the block that is in the sample of package internal/inspect. Or the worker has a
// ring: then end is next, and each spawn takes the slow path.
type idBlock struct{ next, end, last uint64 }

// IDBlockSize is the number of actor numbers in a block of a worker.
const IDBlockSize = 1024

// newID returns a number for an actor that a behaviour spawns.
func (c *Turn) newID() (id uint64, sampled bool) {
	b := &c.ids
	if b.next == b.last {
		b.last = c.Sys.ids.Add(IDBlockSize) + 1
		b.next = b.last - IDBlockSize
		b.end = b.last
		if i := c.Sys.inspected.Load(); i != nil {
			b.end = b.next + (*i).Cut(IDBlockSize)
		}
		if c.ring != nil {
			b.end = b.next
		}
	}
	if b.next == b.end {
		b.end, sampled = b.last, true
		if c.ring != nil {
			b.end, sampled = b.next+1, (*c.Sys.inspected.Load()).Picks(b.next)
		}
	}
	id = b.next
	b.next++
	return id, sampled
}

// Ring returns the flight recorder's ring of the worker, or nil. Owner only.
func (c *Turn) Ring() *flightlog.Ring { return c.ring }

// SetRing gives the worker a ring for the flight recorder, or takes it away if r is nil. While the
// worker has a ring, its spawns take the slow path: see idBlock. Owner only.
func (c *Turn) SetRing(r *flightlog.Ring) {
	if c.ring, c.ids.end = r, c.ids.last; r != nil {
		c.ids.end = c.ids.next
	}
}

// verifyForgetTurn checks a worker between two turns: nothing is under way.
func verifyForgetTurn(c *Turn) {
	invariant.Check(c.front.first == nil && c.front.n == 0,
		"a worker sleeps with %d messages in front", c.front.n)
	invariant.Check(c.W.AboutToPark(), "a worker forgets the turn that it runs")
}
