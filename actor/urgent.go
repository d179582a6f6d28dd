package actor

// BehaviourOption sets a property of a behaviour when it is declared.
type BehaviourOption func(*descriptor)

// Urgent makes the messages of a behaviour overtake ordinary ones. Urgent messages
//
//   - reach a muted actor, unless they make it flood others;
//   - pay no heed to overload: they neither mute their senders nor are refused for it;
//   - are bounded by nothing but good sense;
//   - cost two locked instructions more to send.
//
// A muted actor whose urgent behaviours have sent 10,000 messages to actors that do not
// keep up runs no more urgent messages before it is muted no longer. What the runtime
// itself has to tell it, such as [Stop], still reaches it. An actor that is not muted
// because it is overloaded runs a batch of its other mail whenever its urgent behaviours
// have sent 100 such messages.
//
// Urgent messages from one sender to one receiver keep their order, also causally, and
// they keep it with messages of the runtime, which they do not overtake. Between urgent
// and ordinary messages there is no order.
//
// All this is true whatever brings the message: a send, the outcomes of [AskTo] and
// [Pipe], or [FromChan], which then goes on taking values while the actor is overloaded.
// Only time comes in ordinary mail, as [After] says: ticks of After and [Every], and the
// time-out of an ask ([Within]).
func Urgent() BehaviourOption {
	return func(d *descriptor) { d.urgent = (*cell).runUrgent }
}

// sendUrgent is Send for urgent behaviours; c is nil from outside.
func (a *cell) sendUrgent(c *Context, m *message, d *descriptor) {
	if err := a.pushUrgent(c, m, d); err != nil {
		if c == nil {
			a.sys().sim.count(1)
		}
		env{c: c, sys: a.sys()}.deadLetter(a, m, err)
	}
}

// pushUrgent is sendUrgent, but returns the error. If there is one, m is still the caller's.
func (a *cell) pushUrgent(c *Context, m *message, d *descriptor) error {
	m.id, m.from = d.id, 0
	if c != nil {
		m.from = c.self.id
	} else if a.sys().refusing.Load() {
		return ErrSystemStopped
	}
	return a.pushSystem(env{c: c, sys: a.sys()}, m)
}
