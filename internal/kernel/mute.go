package kernel

import (
	"math"
	"sync"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/mpsc"
)

// The answers of package backpressure become parked actors, holds and wake-ups here.
// backpressure/README.md has the protocol and its proof.

// MuteFor enters the running actor into the wait list of to, so that it is muted when its behaviour
// returns. It does not do so
//
//   - if others wait for the running actor;
//   - if the gate of to is ajar (see defaultLeeway) and lets the message pass;
//   - if the actor has entered that wait list in this behaviour. It remembers few receivers; a
//     second entry does no harm;
//   - if the actor is muted already, and runs for a message in its system queue: another entry could
//     close a circle. Such an actor may send 10,000 messages to actors whose gates are not open.
//
// Owner only, in a turn.
func (c *Turn) MuteFor(to *Cell) {
	me := c.Self
	passes := me != to && to.PassesAjar() // counts messages of actors that are never muted, too
	switch {
	case me.Load&backpressure.Muted != 0:
		me.exceeds(me.Sys().Opts.Leeway)
		return
	case c.Aside && me.Load&(backpressure.Overloaded|backpressure.Exempt) != 0:
		me.exceeds(DefaultBatch)
		return
	case passes || me == to || !me.mayBeMuted() || c.waiters.recent(to) || me.supervises():
		return
	}
	w := c.waiters.get()
	w.Who = Waiting{Muted: me, to: to}
	me.BlockedOn.Block() // before Enter: the opener may unblock at once
	if watch := &me.Sys().Waits; watch.On && !c.Dry {
		w.Who.since = watch.begin() // after Who and Block: see waitWatch
	}
	if !to.Gate.Enter(w) {
		me.BlockedOn.Unblock() // it has recovered; we are running, so not parked
		c.waiters.put(w)
		return
	}
	if c.ring != nil {
		(*c.Sys.inspected.Load()).Noted(c, flightlog.Mute, me, to)
	}
	c.waiters.remember(to)
	if to.Shared().bounded || to.Typ().drops {
		// The next message to it needs a place as well, or may have to give way.
		c.waiters.latest = nil
	}
	c.Then |= MayPark
	if f := to.Flow.Load(); f != nil && f.pressed.Load() != 0 { // after Enter: see ApplyPressure
		to.Sys().Deadlocks.watch(to)
	}
	wakeSuspended(to, c)
}

// mayBeMuted reports whether the actor may be muted. Owner only.
func (a *Cell) mayBeMuted() bool {
	return a.Load.MayBeMuted() && (a.Cold == nil || !a.Cold.endsForOthers())
}

// endsForOthers reports whether the actor is on its way to an end for which other actors may wait.
// This is so if it is a child that drains: its parent waits. It is also so if the actor outlives
// something and was told to end: the sender of the order may wait. Such an actor must not be muted,
// since it may have to send to an actor that waits for its end.
func (x *Cold) endsForOthers() bool {
	if x.drained && x.Child != nil {
		return true
	}
	o := OutlivesOf(x)
	return o != nil && o.orders != nil
}

// park parks the actor until all wait lists that it is in have released it. It reports false if
// they have done so already. A parked actor holds the system.
func (a *Cell) park(c *Turn) bool {
	c.waiters.forget()
	if !a.mayBeMuted() {
		// It has applied pressure since, or drains; others will unblock it as it runs.
		return false
	}
	if invariant.On {
		verifyPark(a)
	}
	a.Sys().Sched.HoldParked()
	// From here on senders to this actor are counted, and muted from the watermark on.
	// Before parking, since afterwards it is not ours.
	a.Load |= backpressure.Muted
	a.beginMuted()
	a.countAjar(c) // C1
	if a.In.Pending() == nil {
		forgetCount(a) // the next turn takes out the new mail
	}
	if !c.W.Alone() {
		c.Bias.Leave(&a.Box, &a.In) // another worker may unmute it
	}
	full := a.ShutGate()
	c.W.PrepareNext()
	if !full && a.BlockedOn.Park() {
		c.Count.mutes.Add(1)
		a.recheckSystem(c)
		return true
	}
	a.Sys().Sched.ReleaseParked()
	if c.ring != nil {
		(*c.Sys.inspected.Load()).Noted(c, flightlog.Unmute, a, nil)
	}
	a.SetLoad(c, a.NotMuted())
	return false
}

// SetLoad changes the actor's load and opens or shuts its gate accordingly. Owner
// only.
func (a *Cell) SetLoad(e Env, l backpressure.Load) {
	a.Load = l
	if l.MustShut() {
		a.ShutGate()
		return
	}
	if !a.Gate.IsOpen() {
		release(e, a.OpenGate())
	}
}

// ShutGate makes senders wait. If the actor is only muted, they wait from the watermark on. full
// reports that a sender may wait already, since the mailbox of an actor with a bound is full: then
// the actor must not be muted. Owner only.
func (a *Cell) ShutGate() (full bool) { return a.policy().shut(a) }

// OpenGate lets senders pass. It returns the actors that waited, and lets in the goroutines that
// waited. Owner only.
func (a *Cell) OpenGate() *backpressure.Waiter[Waiting] { return a.policy().reopen(a) }

// unmute makes a parked actor runnable and returns the actors that wait for it. The caller owns the
// cell, since it has undone the actor's last block, which was for to.
func (a *Cell) unmute(e Env, to *Cell) *backpressure.Waiter[Waiting] {
	if invariant.On {
		verifyUnmute(a)
	}
	if i := a.Sys().inspected.Load(); i != nil {
		(*i).Noted(e, flightlog.Unmute, a, to)
	}
	a.endWithholding(e)
	a.Load = a.NotMuted() // C4
	var list *backpressure.Waiter[Waiting]
	if a.Load.MustShut() {
		a.ShutGate() // it may have been ajar
	} else {
		list = a.OpenGate()
	}
	countUnmute(e)
	sys := a.Sys()
	e.schedule(a)
	sys.Sched.ReleaseParked()
	return list
}

// waiterList is a worker's cache of wait list entries, and its memory of the gates
// that the running behaviour has met. Owner only.
type waiterList struct {
	free   []*backpressure.Waiter[Waiting]
	met    [4]*Cell
	next   int
	latest *Cell // the last one met
}

func (l *waiterList) get() *backpressure.Waiter[Waiting] {
	if n := len(l.free); n > 0 {
		w := l.free[n-1]
		l.free = l.free[:n-1]
		return w
	}
	if w := waiterPool.Get(); w != nil {
		return w.(*backpressure.Waiter[Waiting])
	}
	return l.makeBlock()
}

// makeBlock makes a block of entries, returns the first and keeps the others.
func (l *waiterList) makeBlock() *backpressure.Waiter[Waiting] {
	b := new(waiterBlock)
	mutes.Add(b)
	for i := range b[1:] {
		l.free = append(l.free, &b[1+i])
	}
	return &b[0]
}

// waiterBlock is a group of entries that are made together, so that one weak pointer lists them
// all. A weak pointer for each took a third of the instructions of a program that mutes many actors
// at once. An entry in use keeps its whole block in memory.
type waiterBlock [16]backpressure.Waiter[Waiting]

const maxCachedWaiters = 64

// waiterPool takes the entries that a worker has no room for. Entries collect at the worker that
// opens a gate, and are used up by the worker that mutes actors, which is often another one.
var waiterPool sync.Pool

// put keeps w for later.
func (l *waiterList) put(w *backpressure.Waiter[Waiting]) {
	w.Who = Waiting{}
	if len(l.free) < maxCachedWaiters {
		l.free = append(l.free, w)
		return
	}
	waiterPool.Put(w)
}

func (l *waiterList) recent(to *Cell) bool {
	for _, a := range &l.met {
		if a == to {
			return true
		}
	}
	return false
}

func (l *waiterList) remember(to *Cell) {
	l.met[l.next%len(l.met)] = to
	l.next++
	l.latest = to
}

// forget forgets the gates that were met. It is called before another behaviour runs.
func (l *waiterList) forget() {
	// A worker forgets whenever it sleeps, and has nearly always met no gate.
	if l.next != 0 {
		clear(l.met[:])
		l.next = 0
	}
	l.latest = nil
}

// verifyPark checks an actor that is about to park in its wait lists.
func verifyPark(a *Cell) {
	invariant.Check(a.Load&backpressure.Muted == 0, "%v is muted twice", a)
	invariant.Check(!a.Box.PeekIdle(), "%v is idle, and muted", a)
	invariant.Check(a.Cold == nil || !a.Cold.waiting, "%v is muted while it waits for its children", a)
	invariant.Check(a.Cold == nil || !a.Cold.endsForOthers(),
		"%v is muted, and others wait for its end", a)
	backpressure.MustRun(&a.BlockedOn)
}

// verifyUnmute checks an actor that is about to be unmuted. The caller owns it.
func verifyUnmute(a *Cell) {
	invariant.Check(a.Load&backpressure.Muted != 0, "%v is let go, and was not muted", a)
	invariant.Check(!a.Box.PeekIdle(), "%v is let go, and was idle", a)
	invariant.Check(a.Cold == nil || !a.Cold.waiting, "%v is let go, and waits for its children", a)
	invariant.Check(a.Cold == nil || a.Cold.State != ended, "%v is let go after its end", a)
	backpressure.MustRun(&a.BlockedOn)
}

// The gate of a muted actor is ajar. Its senders have nothing to do with the receiver that it waits
// for, so they go on until its mailbox has passed a watermark. Only then are they muted, too.
//
// Rejected: a gate that stays open while its actor is muted. Then nothing bounds the mailbox, or
// every send pays for counting. Rejected as well: a gate that is shut, as in the Pony runtime. One
// sender that floods a slow receiver then stops every actor that sends to the sender, and those
// that send to them, for as long as the slow receiver takes.
//
// The watermark counts messages from other actors of the system. It includes actors that are never
// muted: such an actor passes its mail on, and without the count its own senders would never be
// held back. Messages from outside are not counted: TrySend and SendWait have their own bound, and
// other sends from outside have none. The owner sets the count back only when little mail is left.
// So the count bounds the mailbox even if the actor is muted again and again, and runs one message
// each time.
//
//	C1 the owner parks: if little mail is left, it sets the count to 0; then it sets its gate ajar
//	C2 a sender finds the gate ajar: count + 1 (RMW). Below the watermark it passes, and pushes
//	C3 at the watermark: it enters the wait list, which shuts the gate for all others (D1, D2)
//	C4 the actor is let go, and the count is at the watermark: it is overloaded from now on, and its
//	   gate stays shut until it has run all its mail. Otherwise the gate opens

// defaultLeeway is the number of messages that a muted actor takes before it mutes its senders. It
// is also the number that a muted actor may send in urgent behaviours before these wait too. A
// topic that is muted for one slow subscriber takes this number of publications. A smaller number
// would stop bystanders too soon: at 1,000 messages a second this one lasts ten seconds.
const defaultLeeway = 10_000

// PassesAjar reports whether a message passes a gate that is ajar: the mailbox is below the
// watermark. It counts the message (C2). Any goroutine.
func (a *Cell) PassesAjar() bool {
	if !a.Gate.IsAjar(&GateMark) {
		return false
	}
	crowd, most := &a.FlowOf().AjarCount, watermark(a)
	return crowd.Load() < most && crowd.Add(1) < most
}

// wouldPassAjar is PassesAjar for a message that is bounded in another way: it is not counted. Any
// goroutine.
func (a *Cell) wouldPassAjar() bool { return a.Gate.IsAjar(&GateMark) && !a.AjarFull() }

// AjarFull reports whether the count has reached the watermark. Any goroutine; the answer may be
// stale.
func (a *Cell) AjarFull() bool {
	f := a.Flow.Load()
	return f != nil && f.AjarCount.Load() >= watermark(a)
}

// countAjar is C1. For an actor that counts its mail (actor.WithWatermarks) the count begins with
// the mail that is there. Owner only, before it sets its gate ajar.
func (a *Cell) countAjar(c *Turn) {
	f := a.Flow.Load()
	switch {
	case f == nil:
	case a.Load&backpressure.Counted != 0:
		f.AjarCount.Store(uint32(min(a.countMail(c), math.MaxInt32)))
	case f.AjarCount.Load() != 0 && !a.leftAtLeast(DefaultBatch):
		f.AjarCount.Store(0)
	}
}

// ForgetAjar sets the count back when the actor has run all its mail. Owner only.
func (a *Cell) ForgetAjar() {
	if f := a.Flow.Load(); f != nil {
		f.AjarCount.Store(0)
	}
}

// NotMuted returns the load that a muted actor has once it is unmuted (C4). Owner only.
func (a *Cell) NotMuted() backpressure.Load {
	l := a.Load &^ backpressure.Muted
	if a.AjarFull() {
		l |= backpressure.Overloaded
	}
	return l
}

// Urgent messages reach a muted actor, and their behaviours could flood the receiver for which it
// is muted. An actor that drives itself by urgent messages would never be held back. So the number
// of messages that a muted actor may send is limited. At the limit its urgent mail waits, as its
// other mail does, until it is unmuted. Signals of the runtime still reach it.
//
// An actor that is overloaded, or was let go to run its mail, is not muted before it has run that
// mail. Urgent mail would keep the other mail from running. So when its urgent behaviours have sent
// a batch of messages, its urgent mail waits for one turn of the other mail.
//
// Rejected: to hold back only urgent messages that an actor sends to itself. Two actors that drive
// each other would go on. Rejected as well: to make dead letters of the messages beyond the limit.
// A message from an urgent behaviour would then be less reliable than any other.
//
// The limit closes no circle. A muted actor waits for the receivers for which it was muted, and for
// no other actor. When they release it, its urgent mail runs again (D1 to D3, T5).

// exceeds counts a message that a behaviour beside the mail sends to an actor whose gate is not
// open, while the sender is muted or cannot be muted. At the count of most, the sender's urgent
// mail waits. Owner only, in a turn.
func (a *Cell) exceeds(most uint32) {
	x := a.MakeCold()
	if x.excess++; x.excess >= most {
		a.Load |= backpressure.Withheld
	}
}

// beginMuted sets the count of exceeds to 0. Owner only, before it parks.
func (a *Cell) beginMuted() {
	if x := a.Cold; x != nil {
		x.excess = 0
	}
}

// endWithholding brings back the urgent mail that has waited, ahead of later urgent mail. It pushes
// an empty signal to the system queue and one to the mailbox, so that the actor runs the urgent
// mail instead of going idle. Owner only.
func (a *Cell) endWithholding(e Env) {
	if a.Load&backpressure.Withheld == 0 {
		return
	}
	a.Load &^= backpressure.Withheld
	x := a.Cold
	x.excess = 0
	x.held.Add(x.Todo.All())
	x.Todo, x.held = x.held, messageList{}
	e = e.In(a)
	a.System.Push(NewSignal(e, nil))
	if wake := NewSignal(e, nil); a.Box.Push(wake) == mpsc.PushClosed {
		recycle(e, wake) // it drains, and so does not rest
	}
}
