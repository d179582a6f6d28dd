package kernel

// ClearValue sets a value to zero. The caller owns it.
func ClearValue[M any](p *M) {
	var zero M
	*p = zero
}

// Made returns d, the descriptor of a Behaviour. It panics if d is nil. Any goroutine.
func (d *Descriptor) Made() *Descriptor {
	if d == nil {
		panic("gallop: a zero Behaviour: use Declare")
	}
	return d
}

// MustDo panics if a Behaviour is zero, or its method nil. It is not inlined: see TypeInfo.Made.
//
//go:noinline
func (d *Descriptor) MustDo(isNil bool) {
	if d.Made(); isNil {
		panic("gallop: Handle: a nil method for " + d.FullName())
	}
}

// Package group also uses the following declarations: they find the actor of a Handler, its status,
// and the type of a behaviour.

// Receiver is a behaviour with the actor that gets its messages. It does not depend on the type of
// the messages.
type Receiver struct {
	D *Descriptor
	B *Cell
}

func (x Receiver) receiver() Receiver { return x }

// ReceiverOf returns the Receiver that a Handler or an Asker of package actor embeds. It reports
// false unless a behaviour's method To has made it.
func ReceiverOf(to any) (Receiver, bool) {
	x, ok := to.(interface{ receiver() Receiver })
	if !ok {
		return Receiver{}, false
	}
	return x.receiver(), true
}

// SameAsker reports whether a and b are equal, or lead to the same behaviour of the same actor: a
// behaviour's method To returns a new value at each call.
func SameAsker(a, b any) bool {
	x, isX := ReceiverOf(a)
	y, isY := ReceiverOf(b)
	if isX && isY {
		return x == y
	}
	return a == b
}

// Refuse makes a dead letter of m, which is not sent to x. M is the type of x's messages. Any
// goroutine.
func Refuse[M any](from Sender, x Receiver, m M, reason error) {
	e, n := x.D.Begin(EnvOf(from), x.B)
	*PayloadOf[M](n) = m
	n.ID, n.From = x.D.ID, SenderID(e)
	CountLost(e)
	MakeDeadLetter(e, x.B, n, reason)
}

// IsOf reports whether d is a descriptor of t. Both may be nil.
func (d *Descriptor) IsOf(t *TypeInfo) bool { return d != nil && t != nil && d.Typ == t }
