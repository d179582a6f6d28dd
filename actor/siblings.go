package actor

// What package group looks for in a [Handler] besides its two methods. A handler of the user's own
// making may have none of it.

// target makes the handler a [Target], so that the actor behind it can be watched.
func (x bound[M]) target() *body { return x.b }

// Refused makes a dead letter of m, a message that TrySend has refused, with the reason
// that TrySend returned. It is sent nowhere, and nobody is muted.
func (x bound[M]) Refused(from Sender, m M, reason error) {
	c, n := x.d.begin(from, x.b)
	*payloadOf[M](n) = m
	n.id, n.from = x.d.id, 0
	if c != nil {
		n.from = c.self.id
	} else {
		x.b.sys().sim.book(1)
	}
	replier{c: c, sys: x.b.sys()}.deadLetter(x.b, n, reason)
}

// Of reports whether b was declared for t.
func (b Behaviour[S, M]) Of(t *Type[S]) bool { return b.d != nil && t != nil && b.d.typ == &t.info }

// Of reports whether b was declared for t.
func (b AskBehaviour[S, Q, R]) Of(t *Type[S]) bool {
	return b.d != nil && t != nil && b.d.typ == &t.info
}
