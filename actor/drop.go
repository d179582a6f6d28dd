package actor

// DropOnOverload makes the messages of a behaviour give way: one that is sent to an
// actor that does not keep up becomes a dead letter with [ErrOverloaded], and mutes
// nobody. It is for senders that must not wait for a receiver that they do not trust,
// such as a room that passes on what is said to its members.
//
// A message is dropped where [Behaviour.TrySend] would refuse it: while the receiver is
// overloaded or under pressure; while it is muted, from the watermark on; at the bound
// of a [TypeBound], whatever its policy; and from outside also while there is no room.
// An actor's messages to itself are no exception.
//
// A request, see [DeclareAsk], is not sent but answered with ErrOverloaded at once. From
// outside it takes no room, as the caller waits for the answer.
//
// What the receiver itself has asked for is never dropped, and mutes nobody: answers to
// [AskTo], results of [Pipe], ticks of timers, and values of [FromChan].
//
// TrySend and [Behaviour.SendWait] of such a behaviour are as ever. An urgent behaviour
// pays no heed to overload: Declare panics if it is given both options. A behaviour
// without this option costs nothing for it.
func DropOnOverload() BehaviourOption { return func(d *descriptor) { d.drops = true } }

// sendOrDrop delivers m or makes it a dead letter, unless it may simply be pushed. The gate of to
// was not open.
func (c *Context) sendOrDrop(to *cell, m *message, d *descriptor) (done bool) {
	var err error
	m.id, m.from = d.id, c.self.id
	switch {
	case to.typ().bound.limit != 0:
		err = to.trySendBounded(c, m)
	case to.gate.IsOpen() || to.passesAjar():
		return false
	default:
		err = ErrOverloaded
	}
	if err != nil {
		env{c: c, sys: c.sys}.deadLetter(to, m, err)
	}
	return true
}

// sendOrDropFromOutside delivers m, which is not from a behaviour of the receiver's system, or
// makes it a dead letter.
func (d *descriptor) sendOrDropFromOutside(to *cell, m *message) {
	err := d.mayTry(nil, to)
	if err == nil {
		m.id, m.from = d.id, 0
		err = to.pushPermitted(m)
	}
	if err != nil {
		m.id, m.from = d.id, 0
		to.sys().sim.count(1)
		env{sys: to.sys()}.deadLetter(to, m, err)
	}
}

// takes reports whether an actor takes messages of behaviours that drop. Any goroutine.
func (a *cell) takes() bool {
	if a.typ().bound.limit != 0 {
		return !a.flow.Load().isFull()
	}
	return a.gate.IsOpen() || a.wouldPassAjar()
}
