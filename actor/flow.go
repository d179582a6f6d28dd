package actor

import "github.com/gallop-go/gallop/internal/seam"

// flow controls who may send to an actor. Few actors need one: those that goroutines wait for, that
// apply pressure, or whose type has watermarks or a bound. The others have a nil pointer.
type flow struct {
	calls   *flowCalls
	lobby   lobby
	life    seam.Pointer[lifeContext] // nil: nobody has asked for it. Stored by the owner
	lenient seam.Bool                 // the gate is shut for nothing but a batch that was spent. Stored by the owner, before Shut and after Open; loaded by open
	bounded *boundedQueue             // types with a bound; nil otherwise
	marks   watermarks                // types with watermarks. Owner only

	keeper  pressureKeeper // set before pressed is for the first time; read once pressed was seen set
	pressed seam.Uint32    // which application of pressure this is; 0: none. Written by the owner
	applied uint32         // how often pressure was applied. Owner only
	spared  uint8          // how often it empties its mailbox before it can be muted. Owner only
	asks    seam.Uint32    // types with TypeFinishAsks: outcomes under way. In what would be padding
	stall   stallState     // guarded by the system's stallWatch
}

// flowCalls is a flow as the rest of the runtime sees it, so that a program in which nobody
// makes one does not link what it does.
type flowCalls struct {
	letIn    func(f *flow, b *body)
	makeRoom func(b *body, c *Context)
	close    func(f *flow) (left *message)
}

var ofFlow = flowCalls{(*flow).letIn, (*body).makeRoom, (*flow).close}

// flowOf returns the actor's flow, and makes one at first. Any goroutine.
func (b *body) flowOf() *flow {
	if f := b.flow.Load(); f != nil {
		return f
	}
	f := &flow{calls: &ofFlow}
	f.lobby.free.Store(outsideRoom)
	if b.flow.CompareAndSwap(nil, f) { // publishes f
		return f
	}
	return b.flow.Load()
}

// initFlow prepares the flow of a new body whose type has a bound or watermarks. Its caller owns
// the body.
func (b *body) initFlow(t *typeInfo) {
	f := b.flowOf()
	if t.marks.high != 0 {
		b.load = counted
		return
	}
	b.load = bounded
	f.lobby.free.Store(0)
	f.lobby.room = t.bound.limit
	f.bounded = &boundedQueue{limit: t.bound.limit, overflow: t.bound.overflow}
	b.gate.Shut(&gateMark) // for good: every sender comes by
}

// endFlow ends what depends on the actor: goroutines that wait are told, and what
// waits in a bounded queue is the caller's. Owner only, once the mailbox is closed.
func (b *body) endFlow() (left *message) {
	f := b.flow.Load()
	if f == nil {
		return nil // whoever makes one later finds the mailbox closed
	}
	f.pressed.Store(0)
	return f.calls.close(f)
}

// The runtime's own messages about the flow, which run as any other.
var (
	roomDecl = &declaration{run: func(c *Context, b *body, _ *message) {
		c.count.messages-- // it is none of the user's
		b.flow.Load().calls.makeRoom(b, c)
	}}
	lookDecl = &declaration{run: func(c *Context, b *body, _ *message) {
		c.count.messages--
		b.typ().bound.keeper.look(b, c)
	}}
	stallDecl = &declaration{run: func(c *Context, b *body, m *message) {
		c.count.messages--
		b.flow.Load().keeper.stalled(b, c, *payloadOf[uint64](m) != 0)
	}}
)

// newOwn makes one of these messages, from the worker's stock, or from the common one if c is nil.
func newOwn(c *Context, id uint16, word uint64) *message {
	m := newMessage(c, wordPools[0].pool)
	if c != nil {
		c.sys.sim.book(-1) // it is none of the user's
	}
	m.id, m.from = id, 0
	*payloadOf[uint64](m) = word
	return m
}
