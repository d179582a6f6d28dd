package actor

import (
	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/actor/internal/permits"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/seam"
)

// flow controls who may send to an actor. Few actors have one: an actor for which goroutines wait,
// an actor that applies pressure, or an actor of a type with watermarks or a bound.
type flow struct {
	permits permits.Semaphore
	// Messages that came while the gate was ajar: see mute.go. Added to by senders; set back
	// by the owner.
	ajarCount seam.Uint32
	// The only reason why the gate is shut is a spent batch. Stored by the owner, before Shut and
	// after Open; loaded by senders outside.
	batchOnly seam.Bool
	// Odd while the gate is shut because the actor has fallen: see fall.
	falls  seam.Uint32
	life   seam.Pointer[lifeContext] // nil: it was not asked for. Stored by the owner
	places *places                   // types with a bound; nil otherwise
	marks  watermarks                // types with watermarks. Owner only

	// In a back-off; nil otherwise. Written by the owner.
	suspended seam.Pointer[suspension]
	// Which application of pressure this is; 0: none. Written by the owner.
	pressed seam.Uint32
	applied uint32 // how often pressure was applied. Owner only
	// How often it empties its mailbox before it can be muted. Owner only.
	exempted uint8
	asks     seam.Uint32   // types with WithFinishAsks: outcomes under way
	deadlock deadlockState // guarded by the system's deadlockWatch
}

// flowOf returns the actor's flow. The first call makes it. Any goroutine.
func (a *cell) flowOf() *flow {
	if f := a.flow.Load(); f != nil {
		return f
	}
	f := new(flow)
	f.permits.Init(permits.Max)
	if a.flow.CompareAndSwap(nil, f) { // publishes f
		return f
	}
	return a.flow.Load()
}

// letAllGo releases all senders that wait for an actor whose mailbox is closed. It returns the
// muted actors, and the message in newest, if there is one. Owner only.
func (a *cell) letAllGo() (muted *backpressure.Waiter[waiting], newest *message) {
	muted = a.gate.Open(&gateMark)
	return muted, a.endFlow()
}

// endFlow tells the goroutines that wait that the actor has ended, and returns the newest message,
// as letAllGo does. Owner only, once the mailbox is closed and the gate is open: a goroutine that
// makes the flow later finds both so, and does not wait.
func (a *cell) endFlow() (newest *message) {
	f := a.flow.Load()
	if f == nil {
		return nil
	}
	f.pressed.Store(0)
	return f.close()
}

// The runtime's own messages about the flow, which run as any other.
var (
	permitDecl = &descriptor{run: func(c *kernelTurn, a *cell, _ *message) {
		c.count.notRun++
		a.returnPermits(c)
	}}
	lookDesc = &descriptor{run: func(c *kernelTurn, a *cell, _ *message) {
		c.count.notRun++
		if !a.box.Closed() { // else the end of the actor finds the message
			a.moveNewest(c) // it may have come after this turn's M2
		}
	}}
	deadlockDecl = &descriptor{run: func(c *kernelTurn, a *cell, m *message) {
		c.count.notRun++
		resolveDeadlock(a, c, *payloadOf[uint64](m) != 0)
	}}
)

// wordSize has the messages of one word without pointers.
var wordSize, _ = msg.Of[uint64]()

// newOwn makes one of these messages.
func newOwn(e env, id uint16, word uint64) *message {
	m := e.node(wordSize)
	e.countMade(-1) // it is not a user's message
	m.ID, m.From = id, 0
	*payloadOf[uint64](m) = word
	return m
}

// ApplyPressure implements [Context.ApplyPressure].
func (c *kernelTurn) ApplyPressure() {
	mustRun(c, "ApplyPressure")
	a := c.self
	if a.load&backpressure.Pressed != 0 || a.leavesForGood() {
		return
	}
	f := a.flowOf()
	f.applied = max(f.applied+1, 1)
	f.pressed.Store(f.applied)
	a.setLoad(c, a.load|backpressure.Pressed)
	// Either a sender that enters the wait list sees that the actor is pressed or we see that one
	// waits already, because the actor was overloaded before.
	if a.gate.Waited(&gateMark) {
		a.sys().deadlocks.watch(a)
	}
}

// ReleasePressure implements [Context.ReleasePressure].
func (c *kernelTurn) ReleasePressure() {
	mustRun(c, "ReleasePressure")
	a := c.self
	if a.load&backpressure.Pressed == 0 {
		return
	}
	a.flow.Load().pressed.Store(0)
	if a.load&backpressure.Muted != 0 { // it runs urgent mail: its gate is to be ajar again
		release(c, a.openGate())
	}
	a.setLoad(c, a.load&^backpressure.Pressed)
}

// dropPressure takes back the pressure that an ending life has applied. Owner only.
func (a *cell) dropPressure() {
	if f := a.flow.Load(); f != nil {
		f.pressed.Store(0)
		f.exempted = 0
		a.load &^= backpressure.Exempt
	}
}

// exempt keeps an actor from being muted until it has run its present mail: the messages that it
// has taken out of the mailbox, and the messages that it takes out next. The caller owns the actor.
func (a *cell) exempt() {
	a.flowOf().exempted = 2
	a.load |= backpressure.Exempt
}

// endExemption is called when the actor has run all messages that it had taken out. The second call
// after exempt ends the exemption.
func (a *cell) endExemption() {
	f := a.flow.Load()
	if f.exempted--; f.exempted == 0 {
		a.load &^= backpressure.Exempt
	}
}

// releaseWaiters releases the actors in a wait list, so that they run their mail although the
// receiver has not recovered. It returns how many go on. An actor that also waits for another
// receiver, or is not parked yet, is only unblocked once.
func releaseWaiters(e env, list *backpressure.Waiter[waiting]) (n uint64) {
	for list != nil {
		w := list
		list = w.Next()
		a, to := w.Who.muted, w.Who.to
		e.keepWaiter(w)
		if a.blockedOn.Unblock() {
			a.exempt()
			release(e, a.unmute(e, to))
			n++
		}
	}
	return n
}
