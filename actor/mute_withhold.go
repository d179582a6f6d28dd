package actor

import "github.com/gallop-go/gallop/backpressure"

// Urgent messages reach a muted actor. What they send could flood the very receiver for which it is
// muted: an actor that drives itself by urgent messages would never be held back. So a muted actor
// may send so much and no more: then its urgent mail waits, as its other mail does, until it is
// muted no longer. Signals of the runtime reach it all the same.
//
// An actor that is overloaded, or was let go for the mail that it has, is not muted before it has
// run that mail. Urgent mail keeps that from running. So when its urgent behaviours have sent a
// batch, its urgent mail waits for one turn of the other mail.
//
// Rejected: to hold back only urgent messages that an actor sends to itself. Two actors that drive
// each other would go on. Rejected as well: to make dead letters of what it sends. A message that
// is sent from an urgent behaviour would be worth less than any other.
//
// It closes no circle. A muted actor waits for those for which it was muted, and for nobody else;
// what lets it go, lets its urgent mail go too (D1 to D3, T5).

// exceeds counts a message that the actor sends in an urgent behaviour to an actor whose gate is
// not open, although it is muted or cannot be. From most on its urgent mail waits. Owner only, in a
// turn.
func (a *cell) exceeds(most uint32) {
	x := a.makeCold()
	if x.excess++; x.excess >= most {
		a.load |= backpressure.Withheld
	}
}

// beginMuted begins to count what a muted actor sends. Owner only, before it parks.
func (a *cell) beginMuted() {
	if x := a.cold; x != nil {
		x.excess = 0
	}
}

// endWithholding brings back the urgent mail that has waited, before what has come since, and calls
// the actor to it, in the system queue and in the mailbox: otherwise it might go to rest. Its owner
// only.
func (a *cell) endWithholding(e env) {
	if a.load&backpressure.Withheld == 0 {
		return
	}
	a.load &^= backpressure.Withheld
	x, c := a.cold, e.in(a).c
	x.excess = 0
	x.held.add(x.todo.all())
	x.todo, x.held = x.held, messageList{}
	a.system.push(newSignal(c, nil))
	if wake := newSignal(c, nil); a.box.push(wake) == pushClosed {
		e.in(a).recycle(wake) // it drains, and so does not rest
	}
}
