package actor

// BehaviourOption sets a property of a behaviour at its declaration.
type BehaviourOption func(*declaration)

// Urgent makes the messages of a behaviour overtake ordinary ones, those of the runtime
// apart, with which they keep their order. Among urgent messages of one sender to one
// receiver the order is kept, and causally; between urgent and ordinary ones there is
// none. They reach a muted actor, pay no heed to overload, so that they neither mute
// their senders nor are refused for it, and are not bounded by anything but good sense.
// A send costs two locked instructions more.
//
// This holds whatever brings them: a send, the outcomes of [AskTo], [AskToWithin] and
// [Pipe], or [FromChan], which then goes on taking values while the actor is overloaded.
// Only time comes in ordinary mail, as [After] says: ticks of After and [Every], and the
// time-out of AskToWithin.
func Urgent() BehaviourOption { return func(d *declaration) { d.urgent = true } }

func (d *declaration) with(opts []BehaviourOption) *declaration {
	for _, o := range opts {
		if o == nil {
			panic("gallop: a nil option for behaviour " + d.name)
		}
		o(d)
	}
	return d
}

// sendUrgent is Send for urgent behaviours.
func (b Behaviour[S, M]) sendUrgent(from Sender, to Ref[S], m M) {
	r, n := b.urgentMessage(from, to, m)
	if err := to.b.pushUrgent(r, n); err != nil {
		if r.c == nil {
			to.b.sys().sim.book(1)
		}
		r.deadLetter(to.b, n, err)
	}
}

// pushUrgent is TrySend for urgent behaviours.
func (b Behaviour[S, M]) pushUrgent(from Sender, to Ref[S], m M) error {
	r, n := b.urgentMessage(from, to, m)
	err := to.b.pushUrgent(r, n)
	if err != nil && r.c != nil {
		to.b.sys().sim.book(-1)
	}
	return err
}

func (b Behaviour[S, M]) urgentMessage(from Sender, to Ref[S], m M) (replier, *message) {
	c, sys := split(from)
	r := replier{c: c, sys: sys}.in(to.b)
	n := newMessage(r.c, b.d.pool)
	n.id, n.from = b.d.id, 0
	if r.c != nil {
		n.from = r.c.self.id
	}
	*payloadOf[M](n) = m
	return r, n
}

func (b *body) pushUrgent(r replier, m *message) error {
	if r.c == nil && b.sys().refusing.Load() {
		return ErrSystemStopped
	}
	return b.pushLane(r, m)
}
