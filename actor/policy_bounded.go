package actor

import (
	"fmt"
	"math"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/actor/internal/permits"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Overflow says what becomes of a message to an actor whose mailbox is at its bound.
type Overflow uint8

const (
	// OverflowMute takes the message in and mutes its sender until half of the mailbox is
	// free. The other two policies, and TrySend, are hard bounds; this one is not. The
	// mailbox exceeds its bound by what behaviours send that have met it, and without limit
	// by what is sent by those who are never muted: an actor that is overloaded or under
	// pressure itself, one that has supervised children, and the receiver. From outside of
	// behaviours, where no sender can be muted, OverflowMute refuses the message.
	OverflowMute Overflow = iota
	// OverflowRefuse makes a dead letter of the message, with ErrOverloaded.
	OverflowRefuse
	// OverflowDropOldest makes dead letters, with ErrDropped, of the messages that have
	// waited longest. The new message is not refused. The actor does this at the beginning
	// of each turn. Between two turns the mailbox takes twice its bound; from then on each
	// message takes the place of the one that came last before it. So the newest message is
	// always among those that run. What the actor sends to itself in one behaviour is taken
	// in whatever there is, and counts at its next turn.
	OverflowDropOldest
)

// mailBound is a type's bound; zero: none.
type mailBound struct {
	limit    int
	overflow Overflow
}

// WithBound bounds the mailbox of every actor of this type: at most limit messages wait
// for their turn, and overflow says what becomes of the others, of which OverflowMute
// takes in some. Besides these, up to a batch may have been taken out for the turn that
// runs. WithBound panics if limit is less than 1 or overflow is none of the three.
//
//   - TrySend refuses at the bound, whatever overflow says. SendWait waits for room.
//     Ask does so if its context says it ([WaitForRoom]); otherwise it returns
//     ErrOverloaded at once. Urgent requests need no room.
//   - The actor is not overloaded for spending its batch, but while its mailbox is full or
//     it applies pressure. While it is muted it takes mail up to the bound.
//   - Only messages from others, and to itself, count. Ticks of timers, results of [Pipe]
//     and answers to [AskTo] wait in the mailbox like all mail, but take no room there, are
//     never refused, and make room for no other message.
//
// A message to the actor costs one locked instruction more than to another, and a turn
// two.
func WithBound(limit int, overflow Overflow) TypeOption {
	if limit < 1 || overflow > OverflowDropOldest {
		panic(fmt.Sprintf("gallop: WithBound(%d, %d): want at least 1, and OverflowMute, "+
			"OverflowRefuse or OverflowDropOldest", limit, overflow))
	}
	return typeOption(func(t *typeInfo) { t.bound = mailBound{limit: limit, overflow: overflow} })
}

// places is what an actor with a bound has besides the permits of its flow, which count how many
// messages may still come. A message that counts has a permit, and says so in its header
// ([msg.HasPlace]): its place.
//
// Its gate is shut for good, so that every sender comes by. The wait list has those that are muted
// because the mailbox was full, or since the actor is under pressure.
//
//	sender                                      the actor
//	Q1 take a place                  (RMW)      R1 take out what the turn may run, return
//	Q2 too many? enter the wait list (RMW)         its places                       (RMW)
//	Q3 push the message              (RMW)      R2 a sender waits, and half is free, or all
//	                                               mail has run: drain the wait list (RMW)
//
// No sender waits for ever. It enters the wait list before it pushes, and the actor comes to R2
// after each turn that takes out its message, at the latest when it has run all its mail. An actor
// for which one waits is never muted: it parks only if it finds its wait list empty after it has
// entered another's (see shut). So of the edges of a circle the youngest would begin at an actor
// whose wait list was not empty.
//
// With OverflowDropOldest there are twice as many places. A sender that finds none leaves its
// message in newest, and takes out the one before it:
//
//	sender                                      the actor
//	N1 no place, or newest is not empty?        M1 swap the message in newest for a mark
//	N2 swap the message into newest  (RMW)         (RMW), and push it               (RMW)
//	N3 it was empty: push a look     (RMW)      M2 the mark is there still: newest is empty
//	N4 the mailbox is closed: swap it out          again (RMW); otherwise M1 once more
//	                                            M3 drain the mailbox, drop the oldest beyond the
//	                                               bound; then R1
//
// What a sender sends after N2 stays after it: it goes by newest as well until M2, when the message
// is in the mailbox. What is in newest is not forgotten: the look of N3 brings a turn, or comes into
// one that is past M2, and does M1 itself when it runs. M2 sees what has come between. If the mailbox is
// closed either the end finds the message, or N4 does.
//
// Rejected: to refuse the newest message at twice the bound. The last price of a burst would be
// lost, and an old one would stay. Rejected as well: a queue with a lock beside the mailbox, from
// which senders drop the oldest. It was exact, and four hundred lines; no message in it could have a
// handle of package heap.
type places struct {
	limit    int      // read-only
	overflow Overflow // read-only
	// The actor's load, as far as senders look at it. Stored by the owner.
	stand seam.Uint32
	// With OverflowDropOldest: the newest message, if there was no place for it.
	newest seam.Pointer[message]
}

// boundedMail waits in the mailbox, and is counted: see places.
type boundedMail struct{ plainMail }

func (boundedMail) init(a *cell) {
	f, bound := a.flowOf(), a.typ().bound
	a.load = backpressure.Bounded
	f.places = &places{limit: min(bound.limit, permits.MaxBound), overflow: bound.overflow}
	f.permits.InitBounded(f.places.limit)
	a.gate.Shut(&gateMark) // for good: every sender comes by
}

// meet implements mailPolicy. An answer has no place, and is pushed as to any other actor.
func (b boundedMail) meet(c *Context, to *cell, m *message, d *descriptor) (delivered bool) {
	if c.answers {
		return false
	}
	m.ID, m.From = d.id, c.self.id
	if d.drops {
		if err := tryPlace(to); err != nil {
			deadLetter(c, to, m, err)
		} else if err = c.pushPlaced(to, m); err != nil {
			deadLetter(c, to, m, err)
		}
		return true
	}
	if kept, err := to.takePlace(c, c, m); err != nil {
		deadLetter(c, to, m, err)
	} else if !kept {
		c.sendPushSlow(to, m) // Q3
	}
	return true
}

func (boundedMail) refuses(a *cell, _ bool) bool { return a.keepsNothing() }

func (b boundedMail) takes(a *cell) bool {
	return a.flow.Load().permits.Count() > 0 && b.lets(a, permits.ToTry)
}

// tryPlace takes a place for a message that its sender gives up otherwise, or says why there is none.
// It looks again if a back-off has begun or ended since, as retried does. Any goroutine.
func tryPlace(a *cell) error {
	for {
		fall, s := a.flow.Load().fallNow(), a.flow.Load().suspension()
		if (s == nil || !s.refuses) && a.flow.Load().permits.TryAcquire(a) {
			return nil
		}
		if err := a.tooMuch(); err != ErrOverloaded || fall == a.flow.Load().fallNow() && s == a.flow.Load().suspension() {
			return err
		}
	}
}

// pushPlaced delivers a message of a behaviour that has a place.
func (c *Context) pushPlaced(to *cell, m *message) error {
	m.From = c.self.id | msg.HasPlace
	if !c.pushMail(to, m) {
		to.returnPlace(m)
		return to.endedBecause()
	}
	return nil
}

func (boundedMail) place(s *System, to *cell, m *message) error { return to.pushPlaced(s, m) }

// pushPlaced delivers a message from outside, or from a process, whose sender has a place.
func (a *cell) pushPlaced(e env, m *message) error {
	err := e.push(a, m, asPlaced)
	if err != nil {
		m.From = 0
		a.flow.Load().permits.Release(1, a)
	}
	return err
}

// lets implements mailPolicy. An actor that has fallen takes messages even though it is under
// pressure, if their senders cannot wait: see fall.
func (boundedMail) lets(a *cell, how permits.Entrance) bool {
	f := a.flow.Load()
	if how == permits.ToWait {
		return f.suspended.Load() == nil && !f.places.holdsBack(a)
	}
	for {
		fall := a.flow.Load().fallNow()
		if fall%2 != 0 || !f.places.holdsBack(a) {
			return true
		}
		if fall == a.flow.Load().fallNow() {
			return false
		}
	}
}

// holdsBack reports whether senders wait whatever room there is: the actor is under pressure, or
// was full, and half of its mailbox is not free yet. Any goroutine; the answer may be stale.
func (q *places) holdsBack(a *cell) bool {
	return backpressure.Load(q.stand.Load())&backpressure.Pressed != 0 || a.gate.Waited(&gateMark)
}

// The gate is always shut, and says nothing.
func (boundedMail) behind(a *cell) bool {
	f := a.flow.Load()
	return backpressure.Load(f.places.stand.Load())&backpressure.Muted != 0 ||
		f.places.holdsBack(a) || f.permits.Count() <= 0
}

func (boundedMail) overload(*cell, *Context) {} // a full mailbox is what overloads it

func (boundedMail) drained(a *cell, c *Context) (again, idle bool) {
	if c.left == 0 && a.mailWaits() {
		return true, false
	}
	a.letSendersGo(c) // R2
	return false, true
}

// shut tells senders how the actor stands. It reports whether one waits for the actor, so that it
// must not be muted.
func (boundedMail) shut(a *cell) (full bool) {
	a.flow.Load().places.stand.Store(uint32(a.load))
	return a.gate.Waited(&gateMark)
}

// reopen lets those go that wait, unless the mailbox is still more than half full: then the turn
// that is to come does. No sender waits for an actor in a back-off. Nor for one that drains, which
// has opened its gate for ever.
func (boundedMail) reopen(a *cell) (list *backpressure.Waiter[waiting]) {
	f := a.flow.Load()
	news := f.places.stand.Load() != uint32(a.load)
	if news {
		f.places.stand.Store(uint32(a.load))
	}
	if a.gate.Waited(&gateMark) && (f.halfFree() || f.suspended.Load() != nil ||
		a.in.Pending() == nil && !a.mailWaits()) {
		list, news = a.gate.Drain(&gateMark), true
	}
	if news {
		f.admit(a) // after both
	}
	return list
}

// halfFree reports whether half of the mailbox is free. Any goroutine; the answer may be stale.
func (f *flow) halfFree() bool {
	return f.permits.Count() >= f.places.limit-f.places.limit/2
}

// letSendersGo is R2. Owner only, when half of the mailbox is free, or all mail has run.
func (a *cell) letSendersGo(c *Context) {
	if a.gate.Waited(&gateMark) && !a.load.MustShut() {
		release(c, a.openGate())
	}
}

// takePlace takes a place for m, which is not an answer, or says why there is none. c is the
// context of the behaviour that sends; nil outside. kept reports that m was left where the newest
// message is, and is not to be pushed. Any goroutine.
func (a *cell) takePlace(e env, c *Context, m *message) (kept bool, err error) {
	f := a.flow.Load()
	q, s := f.places, f.suspended.Load()
	if s != nil && s.refusesBounded(a, m) {
		return false, s.why
	}
	over := 0 // how many places may be lacking
	switch self := c != nil && c.self == a; {
	case q.overflow == OverflowDropOldest && !self:
		if over = q.limit; q.newest.Load() != nil { // N1
			a.leaveNewest(e, m)
			return true, nil
		}
	case q.overflow == OverflowDropOldest, q.overflow == OverflowMute && c != nil && s == nil:
		over = math.MaxInt32
	}
	free, ok := f.permits.Exceed(over) // Q1
	switch {
	case !ok && a.box.Closed():
		return false, a.endedBecause()
	case !ok && q.overflow == OverflowDropOldest:
		a.leaveNewest(e, m)
		return true, nil
	case !ok && s != nil:
		return false, s.why
	case !ok:
		return false, ErrOverloaded
	}
	m.From |= msg.HasPlace
	if c != nil && s == nil && (q.overflow == OverflowMute && free <= 0 || q.holdsBack(a)) {
		c.muteFor(a) // Q2
	}
	return false, nil
}

// takePlaceFor is takePlace for a push from outside or from a process. A message that has its place
// already is marked, unless it is the runtime's own.
func (a *cell) takePlaceFor(e env, m *message, how delivery) (kept bool, err error) {
	if how == asPlaced {
		if isMail(m.ID) {
			m.From |= msg.HasPlace
		}
		return false, nil
	}
	id := m.ID // a message that is kept is the receiver's
	if kept, err = a.takePlace(e, nil, m); kept {
		a.sys().sim.countUser(id)
	}
	return kept, err
}

// leaveNewest leaves m as the newest message, and makes a dead letter of the one before it. Any
// goroutine.
func (a *cell) leaveNewest(e env, m *message) {
	q, sys := a.flow.Load().places, a.sys()
	// Nothing else holds the system for a message that is taken out, and not a dead letter yet. In a
	// deterministic run the caller may be an actor of a system that waits for this one.
	if sys.sim == nil && sys.sched.Hold() {
		defer sys.sched.Release()
	}
	m.Next = nil
	switch old := q.newest.Swap(m); old { // N2
	case &newestMoves:
		return // M2 finds m
	default:
		deadLetter(e, a, old, ErrDropped)
		return
	case nil:
	}
	look := newOwn(e, lookID, 0)
	if e.push(a, look, asSignal) == nil { // N3
		return
	}
	e.recycle(look)
	if left := q.newest.Swap(nil); left != nil { // N4
		deadLetter(e, a, left, a.endedBecause())
	}
}

// returnPlace returns the place of a message that leaves the mailbox otherwise than with a turn, if
// it has one. The caller owns m.
func (a *cell) returnPlace(m *message) {
	if m.From&msg.HasPlace != 0 {
		m.From &^= msg.HasPlace
		a.flow.Load().permits.Release(1, a)
	}
}

// refusesBounded reports whether m is refused whatever room there is in the mailbox of to, which is
// in a back-off. Any goroutine that owns m.
func (s *suspension) refusesBounded(to *cell, m *message) bool {
	if isOwn(m.ID) {
		return false
	}
	if d := to.typ().decls[m.ID]; d.caller != nil {
		return d.caller(m).state() != callerWaits
	}
	return s.refuses
}

// boundedTurns runs the turns of actors with a bound.
type boundedTurns struct{ *typeInSystem }

// RunTask implements sched.ClassRunner: before the turn the mail that it may run is taken out.
// Signals go first, and the mail waits.
func (k boundedTurns) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	c, a := w.Local().(*Context), cellOfTask(t)
	if a.system.IsEmpty() {
		c.left, c.self = int(k.batch), a
		a.progress |= begun
		a.takeOut(c)
		// What comes from now on has its place, and waits for the next turn.
		if a.in.Pending() == nil {
			return a.spuriousWake(c)
		}
	}
	return k.typeInSystem.RunTask(w, t)
}

// takeOut is R1 and R2, with M1 to M3. Owner only, at the beginning of a turn.
func (a *cell) takeOut(c *Context) {
	if a.in.Pending() == nil {
		a.refillPending(c) // M1
	}
	f, back, left := a.flow.Load(), 0, a.batch()
	if f.places.overflow == OverflowDropOldest && !a.box.Closed() &&
		(f.places.newest.Load() != nil || f.permits.Count() < 0) {
		dropOldest(a, c, f)
	}
	for m := a.in.Pending(); m != nil && left > 0; m, left = m.Next, left-1 {
		if m.From&msg.HasPlace != 0 {
			m.From &^= msg.HasPlace
			back++
		}
	}
	if back > 0 {
		f.permits.Release(back, a)
	}
	if invariant.On {
		verifyPlaces(a, f)
	}
	if a.gate.Waited(&gateMark) && f.halfFree() {
		a.letSendersGo(c)
	}
}

// dropOldest makes dead letters of the messages that have waited longest, so that as many are left as
// the bound allows. Owner only.
func dropOldest(a *cell, c *Context, f *flow) {
	sieve{a, c, func(*cell, *message) error { return nil }}.mailbox() // M1, M2
	over := -f.permits.Count()
	if over <= 0 {
		return
	}
	a.in.SetPending(sieve{a, c, func(_ *cell, m *message) error { // M3
		if over <= 0 || m.From&msg.HasPlace == 0 {
			return nil
		}
		over--
		return ErrDropped
	}}.chain(a.in.Pending()))
}

// newestMoves stands in newest while the owner moves the message from there to the mailbox.
var newestMoves = message{OwnerTag: msg.MarkTag}

// moveNewest is M1 and M2: it moves the newest message to the mailbox, if it is elsewhere, and gives
// it a place there. Twice at most: what comes between again waits for the next turn. Owner only, in a
// turn, while the mailbox is open.
func (a *cell) moveNewest(c *Context) {
	f := a.flow.Load()
	if f == nil || f.places == nil || f.places.newest.Load() == nil {
		return
	}
	for range 2 {
		m := f.places.newest.Swap(&newestMoves) // M1
		f.permits.Exceed(math.MaxInt32)
		m.From |= msg.HasPlace
		a.box.Push(m)
		if f.places.newest.CompareAndSwap(&newestMoves, nil) { // M2
			return
		}
	}
	a.box.Push(newOwn(c, lookID, 0))
}

// close lets goroutines that wait go, and returns the newest message if it was left beside the
// mailbox. Any goroutine, once no worker runs the actor any more, and the mailbox is closed.
func (f *flow) close() (left *message) {
	f.permits.Close()
	if f.places != nil {
		left = f.places.newest.Swap(nil)
	}
	return left
}

// verifyPlaces checks how many places are left.
func verifyPlaces(a *cell, f *flow) {
	n := f.permits.Count()
	invariant.Check(a.box.PeekClosed() || n <= f.places.limit, "%v has %d places left, of %d", a, n,
		f.places.limit)
}
