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

// Context is what a behaviour is given besides its state and its message: the actor's
// hold on the runtime. It is valid only until the behaviour returns, and only in the
// behaviour's goroutine.
//
// To keep a Context, or to use it in another goroutine, as in a function that [Pipe]
// runs, is a data race. It belongs to the worker, and so to whatever actor runs there
// by then: Stop ends that actor, and Send corrupts what the worker has. Use the System
// there, and a ref that [Self] has returned before.
//
// Functions that take a Context, and its methods, panic if it is nil or zero. A few
// cost so little that they do not check, and panic in Go's own words if at all: System,
// ActorID, Now, Rand, Gas, ShouldYield, Checkpoint and Stopping.
type Context struct {
	// Contexts are allocated in a row, and every message writes to them.
	_ cacheline.Pad
	// Read-only.
	sys *System
	w   *sched.Worker
	// It recycles nothing: in a deterministic system every send passes by refill.
	dry bool

	bias mpsc.Bias

	// The turn that runs.
	self *cell
	msg  *message // the message being handled
	// Those of the segment that were before it, the newest first; nil in a segment of one, and
	// behind one.
	ran  *message
	sent *message // sent last; see seam.SwapHeld
	// Messages that the turn may still run, as of the last settlement.
	left     int
	gas      gasMeter // what the turn has spent besides
	blocking blockMeter
	call     blockedCall

	front front // see putFront

	// Set by the behaviour that runs, read by the loop behind it.
	then    outcome
	shields int
	aside   bool // what runs is not from the mailbox
	answers bool // what is being sent is a reply

	cache   msg.Cache // nodes to be used again
	ids     idBlock
	waiters waiterList
	chunks  heap.Recycler // memory of arenas that have ended
	visit   *visit        // to be used again; nil: there is none
	// What the last request with an error returned, for interceptors.
	failed  error
	heard   *message    // the outcome that runs, once it is no longer under way
	rooting []heap.Root // of the arena that is being collected; empty in between
	contextState
	count counters
	// Where the worker's events are recorded; nil: they are not.
	ring   *flightlog.Ring
	labels labelsOfWorker
	_      cacheline.Pad
}

// outcome is what has to happen when the behaviour that runs has returned.
type outcome uint16

const (
	goOn      outcome = 0
	mustEnd   outcome = 1 << 0 // Stop or Exit was called
	mayPark   outcome = 1 << 1 // it met a gate
	lookAgain outcome = 1 << 2 // the mailbox has got other mail in front
	gasSpent  outcome = 1 << 3 // it has spent what a turn may
	// It may run fewer messages than it was to; no reason to end.
	gasLow outcome = 1 << 4
	// Its next message is in front: Yield was called, or mail taken over.
	yielded     outcome = 1 << 5
	turnTable   outcome = 1 << 6 // it dispatches by another table; no reason to end
	mustCollect outcome = 1 << 7 // its arena is due
	hasLasted   outcome = 1 << 8 // its turn has blocked, or run, for long
	usesContext outcome = 1 << 9 // its ambit is not empty; no reason to end
	// The mailbox has got other mail in front, which the turn goes on with; no reason to end.
	unstashed outcome = 1 << 10
)

// newContext makes the context of one worker.
func (s *System) newContext(w *sched.Worker) *Context {
	c := &Context{sys: s, w: w, cache: msg.NewCache(w.ID()), dry: s.sim != nil}
	c.bias.Init(seam.CanFence() && w.ID() < s.opts.workers) // others may be surplus: see reviewBias
	c.collectIfNeeded()
	return c
}

// System returns the system that the actor belongs to.
func (c *Context) System() *System { return c.sys }

// ActorID returns the number of the running actor, as [Ref.ID] does.
func (c *Context) ActorID() uint64 { return c.self.id }

// Now returns the runtime's time.
func (c *Context) Now() time.Time { return c.sys.opts.clock.Now() }

// Rand returns the worker's source of random numbers, which the system's [WithDeterministic] or
// [WithRandSeed] starts.
func (c *Context) Rand() *rand.Rand { return c.w.Rand() }

// Self returns the ref of the running actor. It panics if S is not the actor's state
// type.
func Self[S any](c *Context) Ref[S] {
	mustRun(c, "Self")
	if _, ok := c.self.shared().typ.state.(*S); !ok {
		panicOtherState(c, (*S)(nil))
	}
	return Ref[S]{c.self}
}

// panicOtherState names both state types. want is a nil pointer to the one that Self was called
// with.
//
//go:noinline
func panicOtherState(c *Context, want any) {
	panic(fmt.Sprintf("gallop: Self: the running actor is %v with the state %s, not %s",
		c.self, fmt.Sprintf("%T", c.self.typ().state)[1:], fmt.Sprintf("%T", want)[1:]))
}

func (c *Context) sender() env {
	if c == nil {
		return nil
	}
	return c
}

// Sender says who sends: a *[Context] inside a behaviour, a *[System] outside, or what
// [System.With] and [Context.With] return. A struct that embeds a *Context or a *System
// is a Sender as well, on the same terms. No other type can implement Sender.
type Sender interface {
	sender() env
}

// mustRun panics if c is not what a behaviour was given. Functions that run for every message do
// not call it. mustRun is inlined, and the panic is not.
func mustRun(c *Context, call string) {
	if c == nil || c.self == nil {
		panicMisuse(call,
			" with a nil or zero Context, or with one whose behaviour has returned: it is valid only "+
				"until then, and only in the goroutine of the behaviour")
	}
}

// reset forgets what the behaviour asked for, at the end of its actor.
func (c *Context) reset() {
	c.forgo()
	c.aside = false
}

// forgo is reset at the end of a life. A turn that serves the system queue may end several.
func (c *Context) forgo() {
	if c.then&usesContext != 0 {
		c.leaveContext()
	}
	c.then, c.shields = goOn, 0
	c.waiters.forget()
}

// forgetTurn lets go of what the last turn was about, before the worker sleeps: the GC may
// free it, if nothing else has it. sent may go, since its removal shows the collector what
// seam.SwapHeld has to show it. The gates that were met go too, where a turn has ended beside its
// mail.
func (c *Context) forgetTurn() {
	if invariant.On {
		verifyForgetTurn(c)
	}
	c.self, c.msg, c.sent = nil, nil, nil
	if c.failed != nil {
		c.failed = nil
	}
	c.waiters.forget()
}

// idBlock gives out actor numbers without touching shared memory every time. From next to end they
// are given out at once. If end is before last, the number there is the one of the block that is in
// the sample of package inspect: its spawn goes the slow way, as at the end of the block. So does
// each spawn of a worker with a ring: end is next.
type idBlock struct{ next, end, last uint64 }

const idBlockSize = 1024

// newID implements env.
func (c *Context) newID() (id uint64, sampled bool) {
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
func verifyForgetTurn(c *Context) {
	invariant.Check(c.front.first == nil && c.front.n == 0,
		"a worker sleeps with %d messages in front", c.front.n)
	invariant.Check(c.w.AboutToPark(), "a worker forgets the turn that it runs")
}
