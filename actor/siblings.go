package actor

// What package group needs of handlers and behaviours besides what they are for.

// receiver is a behaviour with the actor that it is sent to, whatever the type of the messages.
type receiver struct {
	d *descriptor
	b *cell
}

// target makes every Handler that [Behaviour.To] returns a [Target], so that the actor behind it
// can be watched. It is not a method of bound: each type of messages would have one of its own.
func (x receiver) target() *cell { return x.b }

// StandingOf returns how an actor stands, as [Ref.Standing] does. The target may also be a
// handler that [Behaviour.To] has returned. StandingOf panics if t is a zero Ref.
func StandingOf(t Target) Standing { return targetOf("StandingOf", t).status() }

// Refuse makes a dead letter of m, a message that the TrySend of h has refused. reason is
// the error that TrySend returned. m is sent nowhere, nobody is muted, and what m owns is
// discarded. Refuse reports false, and does nothing, if h is not what [Behaviour.To]
// returns.
//
// A behaviour can be declared to do that by itself, for all its messages. Refuse is for
// code that knows only a Handler, and for whose receivers it depends.
func Refuse[M any](from Sender, h Handler[M], m M, reason error) bool {
	x, ok := h.(bound[M])
	if !ok {
		return false
	}
	c, n := x.d.begin(from, x.b)
	*payloadOf[M](n) = m
	n.id, n.from = x.d.id, 0
	if c != nil {
		n.from = c.self.id
	} else {
		x.b.sys().sim.count(1)
	}
	env{c: c, sys: x.b.sys()}.deadLetter(x.b, n, reason)
	return true
}

// IsOf reports whether b was declared for t.
func IsOf[S, M any](b Behaviour[S, M], t *Type[S]) bool { return b.d.isOf(infoOf(t)) }

// AskIsOf reports whether b was declared for t.
func AskIsOf[S, Q, R any](b AskBehaviour[S, Q, R], t *Type[S]) bool { return b.d.isOf(infoOf(t)) }

// isOf reports whether d is a descriptor of t. Both may be nil.
func (d *descriptor) isOf(t *typeInfo) bool { return d != nil && t != nil && d.typ == t }

// AskedActor returns the actor behind an Asker. It reports false if a is not what
// [AskBehaviour.To] returns.
func AskedActor[Q, R any](a Asker[Q, R]) (AnyRef, bool) {
	if x, ok := a.(*askedActor[Q, R]); ok {
		return AnyRef{x.b}, true
	}
	return AnyRef{}, false
}

// SameAsker reports whether a and b are equal, or lead to the same behaviour of the same
// actor: [AskBehaviour.To] makes a new Asker at each call.
func SameAsker[Q, R any](a, b Asker[Q, R]) bool {
	x, isX := a.(*askedActor[Q, R])
	y, isY := b.(*askedActor[Q, R])
	if isX && isY {
		return x.d == y.d && x.b == y.b
	}
	return a == b
}
