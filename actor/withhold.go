package actor

import "github.com/gallop-go/gallop/backpressure"

// Urgent messages reach a muted actor. What they send could flood the very receiver for which it is
// muted: an actor that drives itself by urgent messages would never be held back. So a muted actor
// may send so much and no more: then its urgent mail waits, as its other mail does, until it is
// muted no longer. Signals of the runtime reach it all the same.
//
// Rejected: to hold back only urgent messages that a muted actor sends to itself. Two actors that
// drive each other would go on. Rejected as well: to make dead letters of what it sends. A message
// that is sent from an urgent behaviour would be worth less than any other.
//
// It closes no circle. The actor waits for those for which it was muted, and for nobody else; what
// lets it go, lets its urgent mail go too (D1 to D3, T5).

// sendsMuted counts a message that the actor sends while it is muted, to an actor whose gate is not
// open. Owner only, in a turn.
func (b *body) sendsMuted() {
	x := b.mine()
	if x.excess++; x.excess >= b.sys().opts.leeway {
		b.load |= backpressure.Withheld
	}
}

// beginMuted begins to count what a muted actor sends. Owner only, before it parks.
func (b *body) beginMuted() {
	if x := b.extra; x != nil {
		x.excess = 0
	}
}

// endWithholding brings back the urgent mail that has waited, before what has come since, and makes
// the next turn look at it. Its owner only.
func (b *body) endWithholding(c *Context) {
	if b.load&backpressure.Withheld == 0 {
		return
	}
	b.load &^= backpressure.Withheld
	x := b.extra
	x.held.add(x.todo.all())
	x.todo, x.held = x.held, messageList{}
	x.remind(b, c)
}
