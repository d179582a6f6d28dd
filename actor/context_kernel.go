package actor

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/actor/internal/msg"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// kernelTurn is the untyped part of a [Context]: the state of a worker, and of the turn that runs there.
type kernelTurn struct {
	// Contexts are allocated in a row, and every message writes to them.
	_ cacheline.Pad
	// Read-only.
	sys *kernelSystem
	w   *sched.Worker
	// No message is recycled, so each send calls refill: in deterministic systems and explorations.
	dry bool

	bias mpsc.Bias

	// Fields of the running turn.
	self *cell
	msg  *message // the message being handled
	// The messages of the segment that ran before msg, the newest first. It is nil in a segment of
	// one message, and between two segments.
	ran  *message
	sent *message // the message that was sent last; see seam.SwapHeld
	// The number of messages that the turn may still run. Messages of the running segment are not
	// subtracted yet: see account.
	left     int
	gas      gasMeter // the gas that the turn has spent besides its messages
	blocking blockMeter
	call     blockedCall

	front front // see putFront

	// Set by the running behaviour, and read by the loop after it.
	then    outcome
	shields int
	aside   bool // the running message, signal or callback is not from the mailbox
	answers bool // the message that is being sent is a reply

	cache   msg.Cache // nodes to be used again
	ids     idBlock
	waiters waiterList
	chunks  heap.Recycler // memory of arenas that have ended
	visit   *visit        // to be used again; nil: there is none
	// The error of the last request that returned one, for interceptors.
	failed  error
	heard   *message    // the running outcome, which no longer counts as under way
	rooting []heap.Root // of the arena that is being collected; empty between collections
	contextState
	count counters
	// The flight recorder's ring of this worker; nil: no events are recorded.
	ring   *flightlog.Ring
	labels labelsOfWorker
	_      cacheline.Pad
}

// outcome is a set of flags. They say which steps follow when the running behaviour has returned.
type outcome uint16

const (
	goOn      outcome = 0
	mustEnd   outcome = 1 << 0 // Stop or Exit was called
	mayPark   outcome = 1 << 1 // it met a gate
	lookAgain outcome = 1 << 2 // unstashed messages go before the mail in hand; the turn ends
	gasSpent  outcome = 1 << 3 // the turn has spent its gas or its slice of time
	// The turn may run fewer messages than before. This does not end the turn.
	gasLow outcome = 1 << 4
	// The next message is in front: Yield was called, or mail was taken over.
	yielded     outcome = 1 << 5
	turnTable   outcome = 1 << 6 // it dispatches by another table; this does not end the turn
	mustCollect outcome = 1 << 7 // its arena is due for a collection
	hasLasted   outcome = 1 << 8 // its turn has blocked, or run, for long
	usesContext outcome = 1 << 9 // contextState is not empty; this does not end the turn
	// Unstashed messages go before the mail in hand, and the turn runs them. It does not end.
	unstashed outcome = 1 << 10
)

// newContext makes the context of one worker.
func (s *kernelSystem) newContext(w *sched.Worker) *kernelTurn {
	c := &kernelTurn{sys: s, w: w, cache: msg.NewCache(w.ID()), dry: s.sim != nil}
	c.bias.Init(seam.CanFence() && w.ID() < s.opts.workers) // surplus workers: see reviewBias
	c.collectIfNeeded()
	return c
}

// System implements [Context.System].
func (c *kernelTurn) System() *kernelSystem { return c.sys }

// ActorID implements [Context.ActorID].
func (c *kernelTurn) ActorID() uint64 { return c.self.id }

// Now implements [Context.Now].
func (c *kernelTurn) Now() time.Time { return c.sys.opts.clock.Now() }

// Rand implements [Context.Rand].
func (c *kernelTurn) Rand() *rand.Rand { return c.w.Rand() }

// panicOtherState panics and names both state types. want is a nil pointer to the type argument of
// Self.
//
//go:noinline
func panicOtherState(c *kernelTurn, want any) {
	panic(fmt.Sprintf("gallop: Self: the running actor is %v with the state %s, not %s",
		c.self, fmt.Sprintf("%T", c.self.typ().state)[1:], fmt.Sprintf("%T", want)[1:]))
}

// kernelContext is embedded in a [Context], which is nothing else.
type kernelContext struct{ turn kernelTurn }

func (c *kernelContext) sender() env {
	if c == nil {
		return nil
	}
	return &c.turn
}

// mustRun panics if c is nil or zero, or if no actor runs with it. Functions that run for every
// message do not call it. mustRun is inlined, and the panic is not.
func mustRun(c *kernelTurn, call string) {
	if c == nil || c.self == nil {
		panicMisuse(call,
			" with a nil or zero Context, or with one whose behaviour has returned: it is valid only "+
				"until then, and only in the goroutine of the behaviour")
	}
}

// reset clears the flags of the behaviour at the end of its actor.
func (c *kernelTurn) reset() {
	c.forgo()
	c.aside = false
}

// forgo is reset for the end of a life. A turn that serves the system queue may end several lives.
func (c *kernelTurn) forgo() {
	if c.then&usesContext != 0 {
		c.leaveContext()
	}
	c.then, c.shields = goOn, 0
	c.waiters.forget()
}

// forgetTurn is called before the worker sleeps. It clears the references of the last turn, so that
// the GC can free the actor and its messages. sent may be cleared: the write barrier of that store
// shows the collector the message, as seam.SwapHeld requires. The list of gates is cleared as well,
// since a turn that ended beside the mail may have left some in it.
func (c *kernelTurn) forgetTurn() {
	if invariant.On {
		verifyForgetTurn(c)
	}
	c.self, c.msg, c.sent = nil, nil, nil
	if c.failed != nil {
		c.failed = nil
	}
	c.waiters.forget()
}

// idBlock is a worker's block of actor numbers. Most numbers are taken from it without access to
// shared memory: newID gives out the numbers from next to end without further checks. If end is
// before last, newID takes its slow path at end, for one of two reasons. The number at end is the
// one number of the block that is in the sample of package inspect. Or the worker has a ring: then
// end is next, and each spawn takes the slow path.
type idBlock struct{ next, end, last uint64 }

const idBlockSize = 1024

// newID implements env.
func (c *kernelTurn) newID() (id uint64, sampled bool) {
	b := &c.ids
	if b.next == b.last {
		b.last = c.sys.ids.Add(idBlockSize) + 1
		b.next = b.last - idBlockSize
		b.end = b.last
		if i := c.sys.inspected.Load(); i != nil {
			b.end = b.next + i.cut(idBlockSize)
		}
		if c.ring != nil {
			b.end = b.next
		}
	}
	if b.next == b.end {
		b.end, sampled = b.last, true
		if c.ring != nil {
			b.end, sampled = b.next+1, c.sys.inspected.Load().picks(b.next)
		}
	}
	id = b.next
	b.next++
	return id, sampled
}

// verifyForgetTurn checks a worker between two turns: nothing is under way.
func verifyForgetTurn(c *kernelTurn) {
	invariant.Check(c.front.first == nil && c.front.n == 0,
		"a worker sleeps with %d messages in front", c.front.n)
	invariant.Check(c.w.AboutToPark(), "a worker forgets the turn that it runs")
}
