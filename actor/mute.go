package actor

import (
	"sync"

	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/invariant"
)

// The answers of package backpressure become parked actors, holds and wake-ups here. The protocol
// and its proof are in backpressure and in sched/README.md.

// muteFor sees to it that the actor that runs is muted when its behaviour returns, unless others
// wait for it, or the receiver is only muted itself and takes more mail: then its gate is ajar, see
// mute.go. Sending again to the same receiver within a behaviour does not count twice as long
// as few receivers take turns; a second entry in a wait list would do no harm. An actor that is
// muted already, and runs because of what is in its system queue, enters no further wait list: that
// could close a circle. But it may send only so much to actors whose gates are not open, 10,000
// messages.
func (c *Context) muteFor(to *cell) {
	me := c.self
	passes := me != to && to.passesAjar() // also counts what comes from those that are never muted
	switch {
	case me.load&backpressure.Muted != 0:
		me.exceeds(me.sys().opts.leeway)
		return
	case c.aside && me.load&(backpressure.Overloaded|backpressure.Exempt) != 0:
		me.exceeds(defaultBatch)
		return
	case passes || me == to || !me.mayBeMuted() || c.waiters.recent(to) || me.supervises():
		return
	}
	w := c.waiters.get()
	w.Who = waiting{muted: me, to: to}
	me.blockedOn.Block() // before Enter: the opener may unblock at once
	if watch := &me.sys().waits; watch.on && !c.dry {
		w.Who.since = watch.begin() // after Who and Owe, see there
	}
	if !to.gate.Enter(w) {
		me.blockedOn.Unblock() // it has recovered; we are running, so not parked
		c.waiters.put(w)
		return
	}
	if c.ring != nil {
		c.sys.inspected.Load().noted(c, flightlog.Mute, me, to)
	}
	c.waiters.remember(to)
	if to.shared().bounded || to.typ().drops {
		// The next message to it needs a place as well, or may have to give way.
		c.waiters.latest = nil
	}
	c.then |= mayPark
	if f := to.flow.Load(); f != nil && f.pressed.Load() != 0 { // after Enter: see ApplyPressure
		to.sys().deadlocks.watch(to)
	}
	to.wakeSuspended(c)
}

// mayBeMuted reports whether the actor may be muted. Owner only.
func (a *cell) mayBeMuted() bool {
	return a.load.MayBeMuted() && (a.cold == nil || !a.cold.endsForOthers())
}

// endsForOthers reports whether the actor goes on only until its end, and others may wait for that:
// its parent while it drains, and those that wait for the parent; and whoever has told one to end
// that outlives something. It may have to send to them: to an actor that is suspended until
// it has gone, or to one that is muted for such an actor.
func (x *coldState) endsForOthers() bool {
	return x.drained && x.child != nil || x.outlives != nil && x.outlives.orders != nil
}

// park gives the actor up to the wait lists it is in, and reports whether it did: by
// now all may have unblocked it. A parked actor holds the system.
func (a *cell) park(c *Context) bool {
	c.waiters.forget()
	if !a.mayBeMuted() {
		// It has applied pressure since, or drains; others will unblock it as it runs.
		return false
	}
	if invariant.On {
		verifyPark(a)
	}
	a.sys().sched.HoldParked()
	// From here on senders to this actor are counted, and muted from the watermark on.
	// Before parking, since afterwards it is not ours.
	a.load |= backpressure.Muted
	a.beginMuted()
	a.countAjar(c) // C1
	if a.in.Pending() == nil {
		a.policy().forget(a) // the next turn takes out what comes in
	}
	if !c.w.Alone() {
		c.bias.Leave(&a.box, &a.in) // who lets it go may be another
	}
	full := a.shutGate()
	c.w.PrepareNext()
	if !full && a.blockedOn.Park() {
		c.count.mutes.Add(1)
		a.recheckSystem(c)
		return true
	}
	a.sys().sched.ReleaseParked()
	if c.ring != nil {
		c.sys.inspected.Load().noted(c, flightlog.Unmute, a, nil)
	}
	a.setLoad(c, a.notMuted())
	return false
}

// setLoad changes the actor's load and opens or shuts its gate accordingly. Owner
// only.
func (a *cell) setLoad(e env, l backpressure.Load) {
	a.load = l
	if l.MustShut() {
		a.shutGate()
		return
	}
	if !a.gate.IsOpen() {
		release(e, a.openGate())
	}
}

// shutGate makes senders wait; if the actor is only muted, from the watermark on. It reports
// whether the actor's queue is full, so that a sender may wait for it already and it must not be
// muted. Owner only.
func (a *cell) shutGate() (full bool) { return a.policy().shut(a) }

// openGate lets senders pass and returns the actors that waited; goroutines that waited have been
// let in. Owner only.
func (a *cell) openGate() *backpressure.Waiter[waiting] { return a.policy().reopen(a) }

// unmute makes a parked actor runnable and returns those that wait for it. The caller has undone
// the last block, that for to, so it owns the cell.
func (a *cell) unmute(e env, to *cell) *backpressure.Waiter[waiting] {
	if invariant.On {
		verifyUnmute(a)
	}
	if i := a.sys().inspected.Load(); i != nil {
		i.noted(e, flightlog.Unmute, a, to)
	}
	a.endWithholding(e)
	a.load = a.notMuted() // C4
	var list *backpressure.Waiter[waiting]
	if a.load.MustShut() {
		a.shutGate() // it may have been ajar
	} else {
		list = a.openGate()
	}
	e.countUnmute()
	sys := a.sys()
	e.schedule(a)
	sys.sched.ReleaseParked()
	return list
}

// waiterList is a worker's cache of wait list entries, and its memory of the gates
// that the running behaviour has met. Owner only.
type waiterList struct {
	free   []*backpressure.Waiter[waiting]
	met    [4]*cell
	next   int
	latest *cell // the last one met
}

func (l *waiterList) get() *backpressure.Waiter[waiting] {
	if n := len(l.free); n > 0 {
		w := l.free[n-1]
		l.free = l.free[:n-1]
		return w
	}
	if w := waiterPool.Get(); w != nil {
		return w.(*backpressure.Waiter[waiting])
	}
	return l.makeBlock()
}

// makeBlock makes entries, keeps all but one, and returns that.
func (l *waiterList) makeBlock() *backpressure.Waiter[waiting] {
	b := new(waiterBlock)
	mutes.Add(b)
	for i := range b[1:] {
		l.free = append(l.free, &b[1+i])
	}
	return &b[0]
}

// waiterBlock is entries that are made together, so that one weak pointer lists them all: one for
// each was a third of the instructions of a program that mutes many actors at once. An entry in use
// keeps the others of its block.
type waiterBlock [16]backpressure.Waiter[waiting]

const maxCachedWaiters = 64

// waiterPool has the entries that a worker has no room for. The worker that opens a gate ends up
// with entries, and the worker whose actors are muted needs them: often another one, whose own
// would not last.
var waiterPool sync.Pool

// put keeps w for later.
func (l *waiterList) put(w *backpressure.Waiter[waiting]) {
	w.Who = waiting{}
	if len(l.free) < maxCachedWaiters {
		l.free = append(l.free, w)
		return
	}
	waiterPool.Put(w)
}

func (l *waiterList) recent(to *cell) bool {
	for _, a := range &l.met {
		if a == to {
			return true
		}
	}
	return false
}

func (l *waiterList) remember(to *cell) {
	l.met[l.next%len(l.met)] = to
	l.next++
	l.latest = to
}

// forget begins anew, for another behaviour.
func (l *waiterList) forget() {
	// A worker forgets whenever it sleeps, and has nearly always met no gate.
	if l.next != 0 {
		clear(l.met[:])
		l.next = 0
	}
	l.latest = nil
}

// verifyPark checks an actor that is about to park in its wait lists.
func verifyPark(a *cell) {
	invariant.Check(a.load&backpressure.Muted == 0, "%v is muted twice", a)
	invariant.Check(!a.box.PeekIdle(), "%v is idle, and muted", a)
	invariant.Check(a.cold == nil || !a.cold.waiting, "%v is muted while it waits for its children", a)
	invariant.Check(a.cold == nil || !a.cold.endsForOthers(),
		"%v is muted, and others wait for its end", a)
	backpressure.MustRun(&a.blockedOn)
}

// verifyUnmute checks an actor that waits for no other any more, and that the caller owns.
func verifyUnmute(a *cell) {
	invariant.Check(a.load&backpressure.Muted != 0, "%v is let go, and was not muted", a)
	invariant.Check(!a.box.PeekIdle(), "%v is let go, and was idle", a)
	invariant.Check(a.cold == nil || !a.cold.waiting, "%v is let go, and waits for its children", a)
	invariant.Check(a.cold == nil || a.cold.state != ended, "%v is let go after its end", a)
	backpressure.MustRun(&a.blockedOn)
}

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
// It closes no circle. A muted actor waits for those for which it was muted, and for no other;
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
