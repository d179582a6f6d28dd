package actor

import (
	"github.com/gallop-go/gallop/actor/internal/mpsc"

	"github.com/gallop-go/gallop/backpressure"
)

// How much mail does an actor take that stands still only because it is muted? Its
// senders need not wait yet: they have nothing to do with the receiver that it waits for. So its
// gate is ajar, and they go on until its mailbox has passed a watermark.
//
// Rejected: a gate that stays open while its actor is muted. Then nothing bounds the mailbox, or
// every send pays for counting. Rejected as well: a gate that is shut, as in the Pony runtime. One
// sender that floods a slow receiver then stops every actor that sends to the sender, and those
// that send to them, for as long as the slow receiver takes.
//
// The count is of messages from other actors of the system, also from those that are never muted:
// such an actor passes on what it has, and if that were not counted, those that send to it would
// never be held back. What comes from outside is bounded in another way, as that of SendWait and
// TrySend is, or by nothing, as ever. The owner never sets the count back while more than a little
// mail is left. So it bounds the mailbox also if the actor is muted again and again, and runs one
// message each time.
//
//	C1 the owner parks: if little mail is left, it sets the count to 0; then it sets its gate ajar
//	C2 a sender finds the gate ajar: count + 1 (RMW). Below the watermark it passes, and pushes
//	C3 at the watermark: it enters the wait list, which shuts the gate for all others (D1, D2)
//	C4 the actor is let go, and the count is at the watermark: it is overloaded from now on, and its
//	   gate stays shut until it has run all its mail. Otherwise the gate opens

// defaultLeeway is how many messages a muted actor takes before it mutes its senders, and how many
// it may send in urgent behaviours before these wait too. A topic that is muted for one slow
// subscriber takes so many publications, for each of its subscribers. Less would stop bystanders
// too soon: at 1,000 messages a second this is ten seconds.
const defaultLeeway = 10_000

// passesAjar reports whether a message passes the gate, because that is ajar and the mailbox is
// below the watermark. It counts the message (C2). Any goroutine.
func (a *cell) passesAjar() bool {
	if !a.gate.IsAjar(&gateMark) {
		return false
	}
	crowd, most := &a.flowOf().ajarCount, a.policy().watermark(a)
	return crowd.Load() < most && crowd.Add(1) < most
}

// wouldPassAjar is passesAjar for a message that is bounded in another way: it is not counted. Any
// goroutine.
func (a *cell) wouldPassAjar() bool { return a.gate.IsAjar(&gateMark) && !a.ajarFull() }

// ajarFull reports whether as many messages have passed as may. Any goroutine; the answer may be
// stale.
func (a *cell) ajarFull() bool {
	f := a.flow.Load()
	return f != nil && f.ajarCount.Load() >= a.policy().watermark(a)
}

// countAjar is C1. Where watermarks are counted, the count begins with the mail that is there.
// Owner only, before it sets its gate ajar.
func (a *cell) countAjar(c *Context) {
	if f := a.flow.Load(); f != nil {
		a.policy().countAjar(a, c, f)
	}
}

// forgetAjar sets the count back when the actor has run all its mail. Owner only.
func (a *cell) forgetAjar() {
	if f := a.flow.Load(); f != nil {
		f.ajarCount.Store(0)
	}
}

// notMuted is the load of a muted actor that is let go (C4). Its owner only.
func (a *cell) notMuted() backpressure.Load {
	l := a.load &^ backpressure.Muted
	if a.ajarFull() {
		l |= backpressure.Overloaded
	}
	return l
}

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
	x := a.cold
	x.excess = 0
	x.held.Add(x.todo.All())
	x.todo, x.held = x.held, messageList{}
	e = e.in(a)
	a.system.Push(newSignal(e, nil))
	if wake := newSignal(e, nil); a.box.Push(wake) == mpsc.PushClosed {
		e.recycle(wake) // it drains, and so does not rest
	}
}
