package actor

import "github.com/gallop-go/gallop/internal/invariant"

// cut is the panic value that unwinds a behaviour.
type cut struct{}

// Shield calls fn so that a Kill does not cut it in half. A Kill that comes meanwhile,
// or came before, takes effect when the outermost Shield of the behaviour returns.
// Deferred functions run then, as in a panic. An order to stop takes effect after the
// message, as always. If fn panics, that comes first: see [Kill]. Shield panics if fn
// is nil.
func (c *Context) Shield(fn func()) {
	if fn == nil {
		panic("gallop: Shield: a nil function")
	}
	mustRun(c, "Shield")
	c.shielded(fn)
	c.Checkpoint()
}

func (c *Context) shielded(fn func()) {
	c.shields++
	defer func() { c.shields-- }()
	fn()
}

// Checkpoint ends the behaviour here if its actor has been killed, unless the behaviour
// is in a [Context.Shield]. It does so by a panic with a value of the runtime's own,
// which a behaviour should not recover. Without a checkpoint a behaviour runs to its
// end. Checkpoint costs one load.
func (c *Context) Checkpoint() {
	if c.shields == 0 && (!c.self.system.isEmpty() || c.aside) && pendingStop(c.self, modeKill) { // aside: what came with it is taken out
		panic(cut{})
	}
}

// Stopping reports whether the running actor has been told to end, or is to be taken
// down by its supervisor, or by [Suspend] or [Restart]. A behaviour that runs long
// should check it now and then. It costs one load while there is no signal.
func (c *Context) Stopping() bool {
	a := c.self
	if x := a.cold; x != nil && (x.drained || x.state == leaving) {
		return true
	}
	return pendingStop(a, modeDrain)
}

// pendingStop looks for an order in the system queue and among what has been taken from it, and
// leaves it there. Each of a flood of urgent messages may ask, so told does not look at every
// message each time: until the system queue is taken it grows only at its head, and the greatest
// order among what was taken stays the same until an order is served. Owner only.
func pendingStop(a *cell, v stopMode) bool {
	if a.system.isEmpty() && (a.cold == nil || a.cold.todo.first == nil) {
		return false
	}
	x := a.makeCold()
	if x.inTodo == notAsked {
		x.inTodo = greatestIn(x.todo.first, nil)
	}
	head := a.system.head.Load()
	x.inQueue, x.stopSeen = max(x.inQueue, greatestIn(head, x.stopSeen)), head
	if invariant.On {
		verifyPendingStop(x)
	}
	return max(x.inTodo, x.inQueue) > uint8(v)
}

// notAsked stands for the greatest order while nobody has looked for it.
const notAsked = 255

// greatestIn returns the greatest order from m up to end, exclusive: its verb plus one; 0: there is
// none.
func greatestIn(m, end *message) (most uint8) {
	for ; m != end; m = m.next {
		if m.id == systemID {
			most = max(most, rankOf(*payloadOf[signal](m)))
		}
	}
	return most
}

// rankOf tells how a signal takes down the actor that runs: a verb plus one; 0: it does not.
func rankOf(s signal) uint8 {
	switch s := s.(type) {
	case stopRequest:
		return uint8(s.mode) + 1
	case takeDown, bringUp: // one that is up is taken down by both, as by a Stop
		return uint8(modeStop) + 1
	}
	return 0
}

// verifyPendingStop checks what an actor knows of the orders that it has not come to.
func verifyPendingStop(x *coldState) {
	invariant.Check(x.todo.first != nil || x.inTodo == 0, "an order of %d was taken, and nothing is left of that", x.inTodo)
}
