package actor

// cut is what a behaviour is unwound with.
type cut struct {
	obey func(*body, *Context) // obeyKill, which is linked only with Checkpoint
}

// Shield runs fn, which a Kill does not cut in half: one that comes meanwhile, or came
// before, takes effect when the outermost Shield of the behaviour returns. Deferred
// functions run then, as in a panic. An order to stop takes effect after the message as
// always. If fn panics, that comes first: see [Kill]. It panics if fn is nil.
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

// Checkpoint ends the behaviour here if its actor has been killed, unless it is
// shielded: it panics with a value of the runtime's own, which a behaviour should not
// recover. Without a checkpoint a behaviour runs to its end. It costs one load.
func (c *Context) Checkpoint() {
	if c.shields == 0 && (!c.self.lane.quiet() || c.aside) && c.self.told(verbKill) { // aside: what came with it is taken out
		panic(cut{obey: (*body).obeyKill})
	}
}

// Stopping tells whether the running actor has been told to end, or is to be taken down by
// its supervisor, or by [Suspend] or [Restart]: what a behaviour that runs long should look
// at now and then. It costs one load while there is no signal.
func (c *Context) Stopping() bool {
	b := c.self
	if x := b.extra; x != nil && (x.drained || x.phase == leaving || x.told(verbDrain)) {
		return true
	}
	return b.told(verbDrain)
}

// told looks for an order in the lane, which stays there. Owner only.
func (b *body) told(v verb) bool {
	return b.extra != nil && b.extra.told(v) || ordersIn(b.lane.head.Load(), v)
}

// told looks for an order among what has been taken from the lane.
func (x *extras) told(v verb) bool { return ordersIn(x.todo.first, v) }

// ordersIn tells whether there is an order of at least v in a chain.
func ordersIn(m *message, v verb) bool {
	for ; m != nil; m = m.next {
		if m.id == systemID && orders(*payloadOf[signal](m), v) {
			return true
		}
	}
	return false
}

// orders tells whether a signal takes down who runs, in the way of v or a greater verb.
func orders(s signal, v verb) bool {
	switch s := s.(type) {
	case order:
		return s.verb >= v
	case takeDown, bringUp: // one that is up is taken down by both, as by a Stop
		return verbStop >= v
	}
	return false
}

// obeyKill goes on with an actor whose behaviour was cut.
func (b *body) obeyKill(c *Context) { b.ordered(c, order{verb: verbKill, why: ErrKilled}) }
