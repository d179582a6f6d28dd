package actor

import "github.com/gallop-go/gallop/internal/seam"

// flow controls who may send to an actor. Few actors need one: those that goroutines wait for, that
// apply pressure, or whose type has watermarks or a bound. The others have a nil pointer.
type flow struct {
	permits semaphore
	// Messages that came while the gate was ajar: see mute_ajar.go. Added to by senders; set back
	// by the owner.
	ajarCount seam.Uint32
	// The gate is shut for nothing but a batch that was spent. Stored by the owner, before Shut and
	// after Open; loaded by open.
	batchOnly seam.Bool
	life      seam.Pointer[lifeContext] // nil: nobody has asked for it. Stored by the owner
	bounded   *boundedQueue             // types with a bound; nil otherwise
	marks     watermarks                // types with watermarks. Owner only

	// In a back-off; nil otherwise. Written by the owner, under the semaphore's mu.
	suspended seam.Pointer[suspension]
	// Which application of pressure this is; 0: none. Written by the owner.
	pressed seam.Uint32
	applied uint32 // how often pressure was applied. Owner only
	// How often it empties its mailbox before it can be muted. Owner only.
	exempted uint8
	asks     seam.Uint32   // types with TypeFinishAsks: outcomes under way
	deadlock deadlockState // guarded by the system's deadlockWatch
}

// flowOf returns the actor's flow, and makes one at first. Any goroutine.
func (a *cell) flowOf() *flow {
	if f := a.flow.Load(); f != nil {
		return f
	}
	f := new(flow)
	f.permits.free.Store(maxPermits)
	if a.flow.CompareAndSwap(nil, f) { // publishes f
		return f
	}
	return a.flow.Load()
}

// hasFlow reports whether actors of the type have a flow from the start.
func (t *typeInfo) hasFlow() bool { return t.bound.limit != 0 || t.marks.high != 0 }

// initFlow prepares the flow of a new body whose type has a bound or watermarks. Its caller owns
// the body.
func (a *cell) initFlow(t *typeInfo) {
	f := a.flowOf()
	if t.marks.high != 0 {
		a.load = counted
		return
	}
	a.load = bounded
	f.permits.free.Store(0)
	f.permits.permits = t.bound.limit
	f.bounded = &boundedQueue{limit: t.bound.limit, overflow: t.bound.overflow}
	a.gate.Shut(&gateMark) // for good: every sender comes by
}

// endFlow ends what depends on the actor: goroutines that wait are told, and what
// waits in a bounded queue is the caller's. Owner only, once the mailbox is closed.
func (a *cell) endFlow() (left *message) {
	f := a.flow.Load()
	if f == nil {
		return nil // whoever makes one later finds the mailbox closed
	}
	f.pressed.Store(0)
	return f.close()
}

// The runtime's own messages about the flow, which run as any other.
var (
	permitDecl = &descriptor{run: func(c *Context, a *cell, _ *message) {
		c.count.messages-- // it is none of the user's
		a.returnPermits(c)
	}}
	lookDesc = &descriptor{run: func(c *Context, a *cell, _ *message) {
		c.count.messages--
		a.look(c)
	}}
	deadlockDecl = &descriptor{run: func(c *Context, a *cell, m *message) {
		c.count.messages--
		a.resolveDeadlock(c, *payloadOf[uint64](m) != 0)
	}}
)

// newOwn makes one of these messages, from the worker's cache, or from the common one if c is nil.
func newOwn(c *Context, id uint16, word uint64) *message {
	m := newMessage(c, wordClasses[0].pool)
	if c != nil {
		c.sys.sim.count(-1) // it is none of the user's
	}
	m.id, m.from = id, 0
	*payloadOf[uint64](m) = word
	return m
}
