package kernel

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/kernel/permits"
	"github.com/gallop-go/gallop/internal/seam"
)

// flow controls who may send to an actor. Few actors have one: an actor for which goroutines wait,
// an actor that applies pressure, or an actor of a type with watermarks or a bound.
type flow struct {
	Permits permits.Semaphore
	// Messages that came while the gate was ajar: see mute.go. Added to by senders; set back
	// by the owner.
	AjarCount seam.Uint32
	// The only reason why the gate is shut is a spent batch. Stored by the owner, before Shut and
	// after Open; loaded by senders outside.
	BatchOnly seam.Bool
	// Odd while the gate is shut because the actor has fallen: see fall.
	Falls  seam.Uint32
	life   seam.Pointer[lifeContext] // nil: it was not asked for. Stored by the owner
	Places *places                   // types with a bound; nil otherwise
	marks  watermarks                // types with watermarks. Owner only

	// In a back-off; nil otherwise. Written by the owner.
	Suspended seam.Pointer[suspension]
	// Which application of pressure this is; 0: none. Written by the owner.
	pressed seam.Uint32
	applied uint32 // how often pressure was applied. Owner only
	// How often it empties its mailbox before it can be muted. Owner only.
	exempted uint8
	asks     seam.Uint32   // types with WithFinishAsks: outcomes under way
	Deadlock deadlockState // guarded by the system's deadlockWatch
}

// Pressure returns which application of pressure by the actor goes on, or 0. Any goroutine.
func (f *flow) Pressure() uint32 { return f.pressed.Load() }

// FlowOf returns the actor's flow. The first call makes it. Any goroutine.
func (a *Cell) FlowOf() *flow {
	if f := a.Flow.Load(); f != nil {
		return f
	}
	f := new(flow)
	f.Permits.Init(permits.Max)
	if a.Flow.CompareAndSwap(nil, f) { // publishes f
		return f
	}
	return a.Flow.Load()
}

// LetAllGo releases all senders that wait for an actor whose mailbox is closed. It returns the
// muted actors, and the message in newest, if there is one. Owner only.
func (a *Cell) LetAllGo() (muted *backpressure.Waiter[Waiting], newest *Message) {
	muted = a.Gate.Open(&GateMark)
	return muted, a.endFlow()
}

// endFlow tells the goroutines that wait that the actor has ended, and returns the newest message,
// as LetAllGo does. Owner only, once the mailbox is closed and the gate is open: a goroutine that
// makes the flow later finds both so, and does not wait.
func (a *Cell) endFlow() (newest *Message) {
	f := a.Flow.Load()
	if f == nil {
		return nil
	}
	f.pressed.Store(0)
	return f.close()
}

// The runtime's own messages about the flow, which run as any other.
var (
	permitDecl = &Descriptor{run: func(c *Turn, a *Cell, _ *Message) {
		c.Count.NotRun++
		a.ReturnPermits(c)
	}}
	lookDesc = &Descriptor{run: func(c *Turn, a *Cell, _ *Message) {
		c.Count.NotRun++
		if !a.Box.Closed() { // else the end of the actor finds the message
			a.moveNewest(c) // it may have come after this turn's M2
		}
	}}
	deadlockDecl = &Descriptor{run: func(c *Turn, a *Cell, m *Message) {
		c.Count.NotRun++
		resolveDeadlock(a, c, *PayloadOf[uint64](m) != 0)
	}}
)

// wordSize has the messages of one word without pointers.
var wordSize, _ = msg.Of[uint64]()

// newOwn makes one of these messages.
func newOwn(e Env, id uint16, word uint64) *Message {
	m := e.Node(wordSize)
	CountMade(e, -1) // it is not a user's message
	m.ID, m.From = id, 0
	*PayloadOf[uint64](m) = word
	return m
}

// ApplyPressure implements actor.Context.ApplyPressure.
func (c *Turn) ApplyPressure() {
	MustRun(c, "ApplyPressure")
	a := c.Self
	if a.Load&backpressure.Pressed != 0 || a.leavesForGood() {
		return
	}
	f := a.FlowOf()
	f.applied = max(f.applied+1, 1)
	f.pressed.Store(f.applied)
	a.SetLoad(c, a.Load|backpressure.Pressed)
	// Either a sender that enters the wait list sees that the actor is pressed or we see that one
	// waits already, because the actor was overloaded before.
	if a.Gate.Waited(&GateMark) {
		a.Sys().Deadlocks.watch(a)
	}
}

// ReleasePressure implements actor.Context.ReleasePressure.
func (c *Turn) ReleasePressure() {
	MustRun(c, "ReleasePressure")
	a := c.Self
	if a.Load&backpressure.Pressed == 0 {
		return
	}
	a.Flow.Load().pressed.Store(0)
	if a.Load&backpressure.Muted != 0 { // it runs urgent mail: its gate is to be ajar again
		release(c, a.OpenGate())
	}
	a.SetLoad(c, a.Load&^backpressure.Pressed)
}

// dropPressure takes back the pressure that an ending life has applied. Owner only.
func (a *Cell) dropPressure() {
	if f := a.Flow.Load(); f != nil {
		f.pressed.Store(0)
		f.exempted = 0
		a.Load &^= backpressure.Exempt
	}
}

// exempt keeps an actor from being muted until it has run its present mail: the messages that it
// has taken out of the mailbox, and the messages that it takes out next. The caller owns the actor.
func (a *Cell) exempt() {
	a.FlowOf().exempted = 2
	a.Load |= backpressure.Exempt
}

// endExemption is called when the actor has run all messages that it had taken out. The second call
// after exempt ends the exemption.
func (a *Cell) endExemption() {
	f := a.Flow.Load()
	if f.exempted--; f.exempted == 0 {
		a.Load &^= backpressure.Exempt
	}
}

// releaseWaiters releases the actors in a wait list, so that they run their mail although the
// receiver has not recovered. It returns how many go on. An actor that also waits for another
// receiver, or is not parked yet, is only unblocked once.
func releaseWaiters(e Env, list *backpressure.Waiter[Waiting]) (n uint64) {
	for list != nil {
		w := list
		list = w.Next()
		a, to := w.Who.Muted, w.Who.to
		keepWaiter(e, w)
		if a.BlockedOn.Unblock() {
			a.exempt()
			release(e, a.unmute(e, to))
			n++
		}
	}
	return n
}
