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

// Overflow selects how an actor whose mailbox is at its bound treats a further message.
type Overflow uint8

const (
	// OverflowMute takes the message in and mutes its sender until half of the mailbox is
	// free. The other two policies, and TrySend, are hard bounds; this one is not. A sender
	// is muted after its behaviour returns, and its messages until then exceed the bound.
	// Some senders are never muted, and exceed the bound without limit:
	//
	//   - an actor that is overloaded or under pressure itself;
	//   - an actor that has supervised children;
	//   - the receiver.
	//
	// Senders outside of behaviours cannot be muted. OverflowMute refuses their messages.
	OverflowMute Overflow = iota
	// OverflowRefuse makes a dead letter of the message, with ErrOverloaded.
	OverflowRefuse
	// OverflowDropOldest makes dead letters, with ErrDropped, of the messages that have waited
	// longest. The new message is not refused. The actor does this at the beginning of each turn.
	// Between two turns the mailbox takes twice its bound. From then on, each new message replaces
	// the newest message before it. So the newest message is always among the messages that run.
	// Messages of the actor to itself are taken in at any fill level, and count at its next turn.
	OverflowDropOldest
)

// mailBound is a type's bound; zero: none.
type mailBound struct {
	limit    int
	overflow Overflow
}

// WithBound bounds the mailbox of every actor of this type: at most limit messages wait
// for their turn. overflow decides about further messages; OverflowMute takes in some of
// them. Besides these, up to a batch may have been taken out for the turn that runs.
// WithBound panics if limit is less than 1 or overflow is none of the three.
//
//   - TrySend refuses at the bound with every overflow policy. SendWait waits for room.
//     Ask waits for room if its context comes from [WaitForRoom]; otherwise it returns
//     ErrOverloaded at once. Urgent requests need no room.
//   - The actor is not overloaded for spending its batch, but while its mailbox is full or
//     it applies pressure. While it is muted it takes mail up to the bound.
//   - Only messages from others, and to itself, count. Ticks of timers, results of [Pipe]
//     and answers to [AskTo] wait in the mailbox like all mail, but take no room there, are
//     never refused, and make room for no other message.
//
// A message to the actor costs one locked instruction more than to another, and a turn
// three.
func WithBound(limit int, overflow Overflow) TypeOption {
	if limit < 1 || overflow > OverflowDropOldest {
		panic(fmt.Sprintf("gallop: WithBound(%d, %d): want at least 1, and OverflowMute, "+
			"OverflowRefuse or OverflowDropOldest", limit, overflow))
	}
	return typeOption(func(t *typeInfo) { t.bound = mailBound{limit: limit, overflow: overflow} })
}

// places is the state of an actor with a bound, besides the permits of its flow. The permits count
// how many messages may still come. A message that counts against the bound has a permit, which is
// called its place and is marked in its header ([msg.HasPlace]).
//
// The gate of such an actor is always shut, so that every sender takes the slow path. The wait list
// holds the actors that are muted because the mailbox was full or the actor is under pressure.
//
//	sender                                      the actor
//	Q1 take a place                  (RMW)      R1 take out the mail of the turn, return
//	Q2 too many? enter the wait list (RMW)         its places                       (RMW)
//	Q3 push the message              (RMW)      R2 a sender waits, and half is free, or all
//	                                               mail has run: drain the wait list (RMW)
//
// No sender waits for ever. It enters the wait list before it pushes, and the actor does R2 in each
// turn in which half of its mailbox is free, and whenever it has run all its mail. An actor with a
// sender in its wait list is never muted: it parks only if it finds its wait list empty after it
// has entered another's (see shut). So no circle closes: its youngest edge would begin at an actor
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
// Order: a later message of the same sender stays after the message of N2. Until M2 it goes through
// newest as well, or is refused (TrySend), or waits (SendWait, see lets) until the place of a
// message that M1 has moved is returned. By then the first message is in the mailbox. An answer
// takes no place and goes by the mailbox at once, so it may overtake a message in newest.
//
// No message in newest is forgotten. The look of N3 brings a turn. If it arrives in a turn that is
// past M2, the look does M1 itself when it runs. M2 notices a message that came between. If the
// mailbox is closed, either the end of the actor or N4 finds the message.
//
// Rejected: to refuse the newest message at twice the bound. The last price of a burst would be
// lost, and an old price would stay. Rejected as well: a queue with a lock beside the mailbox, from
// which senders drop the oldest. It was exact, but took four hundred lines, and its messages could
// not have handles of package heap.
type places struct {
	limit    int      // read-only
	overflow Overflow // read-only
	// The actor's load, for senders. Stored by the owner, before flow.admit has the line of goroutines
	// look again; loaded by holdsBack and behind.
	stand seam.Uint32
	// The newest message, if it found no place. Only with OverflowDropOldest. The swaps of senders (N2,
	// N4) pair with those of the owner (M1, M2) and of flow.close.
	newest seam.Pointer[message]
}

// boundedMail is the policy of actors with a bound. Mail waits in the mailbox and is counted: see
// places.
type boundedMail struct{ plainMail }

func (boundedMail) init(a *cell) {
	f, bound := a.flowOf(), a.typ().bound
	a.load = backpressure.Bounded
	f.places = &places{limit: min(bound.limit, permits.MaxBound), overflow: bound.overflow}
	f.permits.InitBounded(f.places.limit)
	a.gate.Shut(&gateMark) // for good: every sender takes the slow path
}

// meet implements mailPolicy. An answer has no place, and is pushed as to any other actor.
func (b boundedMail) meet(c *kernelTurn, to *cell, m *message, d *descriptor) (delivered bool) {
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

// tryPlace takes a place for a message that its sender would otherwise give up. The error says why
// there is none. If a fall or a back-off has begun or ended meanwhile, tryPlace tries again. Any
// goroutine.
func tryPlace(a *cell) error {
	f := a.flow.Load()
	for {
		was := f.downtime()
		if (was.down == nil || !was.down.refuses) && f.permits.TryAcquire(a) {
			return nil
		}
		if err := a.tooMuch(); err != ErrOverloaded || was == f.downtime() {
			return err
		}
	}
}

// pushPlaced delivers a message of a behaviour that has a place.
func (c *kernelTurn) pushPlaced(to *cell, m *message) error {
	m.From = c.self.id | msg.HasPlace
	if !c.pushMail(to, m) {
		to.returnPlace(m)
		return to.endedBecause()
	}
	return nil
}

// pushPlaced delivers a message from outside, or from a process, whose sender has a place.
func (a *cell) pushPlaced(e env, m *message) error {
	err := e.push(a, m, asPlaced)
	if err != nil {
		m.From = 0
		a.flow.Load().permits.Release(1, a)
	}
	return err
}

// lets implements mailPolicy. An actor that has fallen and is under pressure still takes messages
// of senders that cannot wait: see fall. While a message is in newest no goroutine is let in, since
// that message may be the goroutine's own.
func (boundedMail) lets(a *cell, how permits.Entrance) bool {
	f := a.flow.Load()
	if f.places.newest.Load() != nil {
		return false
	}
	if how == permits.ToWait {
		return f.suspended.Load() == nil && !f.places.holdsBack(a)
	}
	for {
		fall := f.fallNow()
		if fall%2 != 0 || !f.places.holdsBack(a) {
			return true
		}
		if fall == f.fallNow() {
			return false
		}
	}
}

// holdsBack reports whether senders wait even if there is room. They do while the actor is under
// pressure. They also do after it was full, until half of its mailbox is free. Any goroutine; the
// answer may be stale.
func (q *places) holdsBack(a *cell) bool {
	return backpressure.Load(q.stand.Load())&backpressure.Pressed != 0 || a.gate.Waited(&gateMark)
}

// behind reports whether an actor whose gate is not open does not keep up, or is muted. The gate of
// an actor with a bound is never open. Any goroutine.
func behind(a *cell) bool {
	if !a.shared().bounded {
		return true
	}
	f := a.flow.Load()
	return backpressure.Load(f.places.stand.Load())&backpressure.Muted != 0 ||
		f.places.holdsBack(a) || f.permits.Count() <= 0
}

func (boundedMail) overload(*cell, *kernelTurn) {} // only a full mailbox overloads it

func (boundedMail) drained(a *cell, c *kernelTurn) (again, idle bool) {
	if c.left == 0 && a.mailWaits() {
		return true, false
	}
	a.letSendersGo(c) // R2
	return false, true
}

// shut publishes the actor's load to senders. It reports whether a sender waits for the actor; if
// so, the actor must not be muted.
func (boundedMail) shut(a *cell) (full bool) {
	a.flow.Load().places.stand.Store(uint32(a.load))
	return a.gate.Waited(&gateMark)
}

// reopen releases the senders that wait. If the mailbox is still more than half full, the actor's
// next turn does so instead. In a back-off it always releases them.
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

// letSendersGo is R2. Owner only, when half of the mailbox is free or all mail has run.
func (a *cell) letSendersGo(c *kernelTurn) {
	if a.gate.Waited(&gateMark) && !a.load.MustShut() {
		release(c, a.openGate())
	}
}

// takePlace takes a place for m, which is not an answer. The error says why there is none. c is the
// context of the sending behaviour, or nil outside. If kept is true, m was left in newest and must
// not be pushed. Any goroutine.
func (a *cell) takePlace(e env, c *kernelTurn, m *message) (kept bool, err error) {
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

// takePlaceFor is takePlace for a push from outside or from a process. If how is asPlaced the
// message has a place already: it is marked, unless it is the runtime's own.
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
	// Hold the system until the message that is taken out is a dead letter. Not in a deterministic
	// run: there the caller may be an actor of a system that waits for this one.
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
	recycle(e, look)
	if left := q.newest.Swap(nil); left != nil { // N4
		deadLetter(e, a, left, a.endedBecause())
	}
}

// returnPlace returns the place of m, if it has one. It is for messages that leave the mailbox
// without a turn. The caller owns m.
func (a *cell) returnPlace(m *message) {
	if m.From&msg.HasPlace != 0 {
		m.From &^= msg.HasPlace
		a.flow.Load().permits.Release(1, a)
	}
}

// refusesBounded reports whether m is refused even if there is room in the mailbox of to, which is
// in a back-off. The caller owns m.
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

// RunTask implements sched.ClassRunner. Before the turn it takes out the mail that the turn may
// run. If there are signals, they go first and the mail waits.
func (k boundedTurns) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	c, a := w.Local().(*kernelTurn), cellOfTask(t)
	if a.system.IsEmpty() {
		c.left, c.self = int(k.batch), a
		a.progress |= begun
		a.takeOut(c)
		// A message that comes from now on has a place, and waits for the next turn.
		if a.in.Pending() == nil {
			return a.spuriousWake(c)
		}
	}
	return k.typeInSystem.RunTask(w, t)
}

// takeOut is R1 and R2, with M1 to M3. Owner only, at the beginning of a turn.
func (a *cell) takeOut(c *kernelTurn) {
	if a.in.Pending() == nil {
		a.refillPending(c) // M1
	}
	f, back, left := a.flow.Load(), 0, a.batch()
	if f.places.overflow == OverflowDropOldest && !a.box.Closed() &&
		(f.places.newest.Load() != nil || f.permits.Lacking()) {
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

// dropOldest makes dead letters of the messages that have waited longest, until the bound is kept.
// Owner only.
func dropOldest(a *cell, c *kernelTurn, f *flow) {
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

// moveNewest is M1 and M2: it moves the message in newest, if there is one, to the mailbox, and
// gives it a place there. It does so at most twice; a further message waits for the next turn.
// Owner only, in a turn, while the mailbox is open.
func (a *cell) moveNewest(c *kernelTurn) {
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

// close releases the goroutines that wait, and returns the message in newest, if there is one. Any
// goroutine, once no worker runs the actor any more and the mailbox is closed.
func (f *flow) close() (left *message) {
	f.permits.Close()
	if f.places != nil {
		left = f.places.newest.Swap(nil)
	}
	return left
}

// verifyPlaces checks the number of free places.
func verifyPlaces(a *cell, f *flow) {
	n := f.permits.Count()
	invariant.Check(a.box.PeekClosed() || n <= f.places.limit, "%v has %d places left, of %d", a, n,
		f.places.limit)
}
