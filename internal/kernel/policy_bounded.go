package kernel

import (
	"math"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/kernel/permits"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Overflow is actor.Overflow, which documents it.
type Overflow uint8

// The policies, which package actor documents.
const (
	OverflowMute Overflow = iota
	OverflowRefuse
	OverflowDropOldest
)

// MailBound is a type's bound; zero: none.
type MailBound struct {
	Limit    int
	Overflow Overflow
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
	Limit    int      // read-only
	overflow Overflow // read-only
	// The actor's load, for senders. Stored by the owner, before flow.admit has the line of goroutines
	// look again; loaded by holdsBack and behind.
	stand seam.Uint32
	// The newest message, if it found no place. Only with OverflowDropOldest. The swaps of senders (N2,
	// N4) pair with those of the owner (M1, M2) and of flow.close.
	Newest seam.Pointer[Message]
}

// boundedMail is the policy of actors with a bound. Mail waits in the mailbox and is counted: see
// places.
type boundedMail struct{ PlainMail }

// init implements mailPolicy.
func (boundedMail) init(a *Cell) {
	f, bound := a.FlowOf(), a.Typ().Bound
	a.Load = backpressure.Bounded
	f.Places = &places{Limit: min(bound.Limit, permits.MaxBound), overflow: bound.Overflow}
	f.Permits.InitBounded(f.Places.Limit)
	a.Gate.Shut(&GateMark) // for good: every sender takes the slow path
}

// meet implements mailPolicy. An answer has no place, and is pushed as to any other actor.
func (b boundedMail) meet(c *Turn, to *Cell, m *Message, d *Descriptor) (delivered bool) {
	if c.answers {
		return false
	}
	m.ID, m.From = d.ID, c.Self.ID
	if d.Drops {
		if err := tryPlace(to); err != nil {
			MakeDeadLetter(c, to, m, err)
		} else if err = c.pushPlaced(to, m); err != nil {
			MakeDeadLetter(c, to, m, err)
		}
		return true
	}
	if kept, err := to.takePlace(c, c, m); err != nil {
		MakeDeadLetter(c, to, m, err)
	} else if !kept {
		c.SendPushSlow(to, m) // Q3
	}
	return true
}

func (boundedMail) refuses(a *Cell, _ bool) bool { return a.keepsNothing() }

func (b boundedMail) takes(a *Cell) bool {
	return a.Flow.Load().Permits.Count() > 0 && b.lets(a, permits.ToTry)
}

// tryPlace takes a place for a message that its sender would otherwise give up. The error says why
// there is none. If a fall or a back-off has begun or ended meanwhile, tryPlace tries again. Any
// goroutine.
func tryPlace(a *Cell) error {
	f := a.Flow.Load()
	for {
		was := f.downtime()
		if (was.down == nil || !was.down.refuses) && f.Permits.TryAcquire(a) {
			return nil
		}
		if err := a.tooMuch(); err != ErrOverloaded || was == f.downtime() {
			return err
		}
	}
}

// pushPlaced delivers a message of a behaviour that has a place.
func (c *Turn) pushPlaced(to *Cell, m *Message) error {
	m.From = c.Self.ID | msg.HasPlace
	if !c.pushMail(to, m) {
		to.returnPlace(m)
		return to.endedBecause()
	}
	return nil
}

// pushPlaced delivers a message from outside, or from a process, whose sender has a place.
func (a *Cell) pushPlaced(e Env, m *Message) error {
	err := e.Push(a, m, asPlaced)
	if err != nil {
		m.From = 0
		a.Flow.Load().Permits.Release(1, a)
	}
	return err
}

// lets implements mailPolicy. An actor that has fallen and is under pressure still takes messages
// of senders that cannot wait: see fall. While a message is in newest no goroutine is let in, since
// that message may be the goroutine's own.
func (boundedMail) lets(a *Cell, how permits.Entrance) bool {
	f := a.Flow.Load()
	if f.Places.Newest.Load() != nil {
		return false
	}
	if how == permits.ToWait {
		return f.Suspended.Load() == nil && !f.Places.holdsBack(a)
	}
	for {
		fall := f.fallNow()
		if fall%2 != 0 || !f.Places.holdsBack(a) {
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
func (q *places) holdsBack(a *Cell) bool {
	return backpressure.Load(q.stand.Load())&backpressure.Pressed != 0 || a.Gate.Waited(&GateMark)
}

// behind reports whether an actor whose gate is not open does not keep up, or is muted. The gate of
// an actor with a bound is never open. Any goroutine.
func behind(a *Cell) bool {
	if !a.Shared().bounded {
		return true
	}
	f := a.Flow.Load()
	return backpressure.Load(f.Places.stand.Load())&backpressure.Muted != 0 ||
		f.Places.holdsBack(a) || f.Permits.Count() <= 0
}

func (boundedMail) overload(*Cell, *Turn) {} // only a full mailbox overloads it

func (boundedMail) drained(a *Cell, c *Turn) (again, idle bool) {
	if c.left == 0 && a.mailWaits() {
		return true, false
	}
	a.letSendersGo(c) // R2
	return false, true
}

// shut publishes the actor's load to senders. It reports whether a sender waits for the actor; if
// so, the actor must not be muted.
func (boundedMail) shut(a *Cell) (full bool) {
	a.Flow.Load().Places.stand.Store(uint32(a.Load))
	return a.Gate.Waited(&GateMark)
}

// reopen releases the senders that wait. If the mailbox is still more than half full, the actor's
// next turn does so instead. In a back-off it always releases them.
func (boundedMail) reopen(a *Cell) (list *backpressure.Waiter[Waiting]) {
	f := a.Flow.Load()
	news := f.Places.stand.Load() != uint32(a.Load)
	if news {
		f.Places.stand.Store(uint32(a.Load))
	}
	if a.Gate.Waited(&GateMark) && (f.halfFree() || f.Suspended.Load() != nil ||
		a.In.Pending() == nil && !a.mailWaits()) {
		list, news = a.Gate.Drain(&GateMark), true
	}
	if news {
		f.admit(a) // after both
	}
	return list
}

// halfFree reports whether half of the mailbox is free. Any goroutine; the answer may be stale.
func (f *flow) halfFree() bool {
	return f.Permits.Count() >= f.Places.Limit-f.Places.Limit/2
}

// letSendersGo is R2. Owner only, when half of the mailbox is free or all mail has run.
func (a *Cell) letSendersGo(c *Turn) {
	if a.Gate.Waited(&GateMark) && !a.Load.MustShut() {
		release(c, a.OpenGate())
	}
}

// takePlace takes a place for m, which is not an answer. The error says why there is none. c is the
// context of the sending behaviour, or nil outside. If kept is true, m was left in newest and must
// not be pushed. Any goroutine.
func (a *Cell) takePlace(e Env, c *Turn, m *Message) (kept bool, err error) {
	f := a.Flow.Load()
	q, s := f.Places, f.Suspended.Load()
	if s != nil && s.refusesBounded(a, m) {
		return false, s.why
	}
	over := 0 // how many places may be lacking
	switch self := c != nil && c.Self == a; {
	case q.overflow == OverflowDropOldest && !self:
		if over = q.Limit; q.Newest.Load() != nil { // N1
			a.leaveNewest(e, m)
			return true, nil
		}
	case q.overflow == OverflowDropOldest, q.overflow == OverflowMute && c != nil && s == nil:
		over = math.MaxInt32
	}
	free, ok := f.Permits.Exceed(over) // Q1
	switch {
	case !ok && a.Box.Closed():
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
		c.MuteFor(a) // Q2
	}
	return false, nil
}

// takePlaceFor is takePlace for a push from outside or from a process. If how is asPlaced the
// message has a place already: it is marked, unless it is the runtime's own.
func (a *Cell) takePlaceFor(e Env, m *Message, how delivery) (kept bool, err error) {
	if how == asPlaced {
		if isMail(m.ID) {
			m.From |= msg.HasPlace
		}
		return false, nil
	}
	id := m.ID // a message that is kept is the receiver's
	if kept, err = a.takePlace(e, nil, m); kept {
		a.Sys().Sim.countUser(id)
	}
	return kept, err
}

// leaveNewest leaves m as the newest message, and makes a dead letter of the one before it. Any
// goroutine.
func (a *Cell) leaveNewest(e Env, m *Message) {
	q, sys := a.Flow.Load().Places, a.Sys()
	// Hold the system until the message that is taken out is a dead letter. Not in a deterministic
	// run: there the caller may be an actor of a system that waits for this one.
	if sys.Sim == nil && sys.Sched.Hold() {
		defer sys.Sched.Release()
	}
	m.Next = nil
	switch old := q.Newest.Swap(m); old { // N2
	case &newestMoves:
		return // M2 finds m
	default:
		MakeDeadLetter(e, a, old, ErrDropped)
		return
	case nil:
	}
	look := newOwn(e, lookID, 0)
	if e.Push(a, look, asSignal) == nil { // N3
		return
	}
	recycle(e, look)
	if left := q.Newest.Swap(nil); left != nil { // N4
		MakeDeadLetter(e, a, left, a.endedBecause())
	}
}

// returnPlace returns the place of m, if it has one. It is for messages that leave the mailbox
// without a turn. The caller owns m.
func (a *Cell) returnPlace(m *Message) {
	if m.From&msg.HasPlace != 0 {
		m.From &^= msg.HasPlace
		a.Flow.Load().Permits.Release(1, a)
	}
}

// refusesBounded reports whether m is refused even if there is room in the mailbox of to, which is
// in a back-off. The caller owns m.
func (s *suspension) refusesBounded(to *Cell, m *Message) bool {
	if isOwn(m.ID) {
		return false
	}
	if d := to.Typ().Decls[m.ID]; d.Caller != nil {
		return d.Caller(m).state() != callerWaits
	}
	return s.refuses
}

// boundedTurns runs the turns of actors with a bound.
type boundedTurns struct{ *TypeInSystem }

// RunTask implements sched.ClassRunner. Before the turn it takes out the mail that the turn may
// run. If there are signals, they go first and the mail waits.
func (k boundedTurns) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	c, a := w.Local().(*Turn), cellOfTask(t)
	if a.System.IsEmpty() {
		c.left, c.Self = int(k.batch), a
		a.Progress |= begun
		a.takeOut(c)
		// A message that comes from now on has a place, and waits for the next turn.
		if a.In.Pending() == nil {
			return a.spuriousWake(c)
		}
	}
	return k.TypeInSystem.RunTask(w, t)
}

// takeOut is R1 and R2, with M1 to M3. Owner only, at the beginning of a turn.
func (a *Cell) takeOut(c *Turn) {
	if a.In.Pending() == nil {
		a.refillPending(c) // M1
	}
	f, back, left := a.Flow.Load(), 0, a.batch()
	if f.Places.overflow == OverflowDropOldest && !a.Box.Closed() &&
		(f.Places.Newest.Load() != nil || f.Permits.Lacking()) {
		dropOldest(a, c, f)
	}
	for m := a.In.Pending(); m != nil && left > 0; m, left = m.Next, left-1 {
		if m.From&msg.HasPlace != 0 {
			m.From &^= msg.HasPlace
			back++
		}
	}
	if back > 0 {
		f.Permits.Release(back, a)
	}
	if invariant.On {
		verifyPlaces(a, f)
	}
	if a.Gate.Waited(&GateMark) && f.halfFree() {
		a.letSendersGo(c)
	}
}

// dropOldest makes dead letters of the messages that have waited longest, until the bound is kept.
// Owner only.
func dropOldest(a *Cell, c *Turn, f *flow) {
	sieve{a, c, func(*Cell, *Message) error { return nil }}.mailbox() // M1, M2
	over := -f.Permits.Count()
	if over <= 0 {
		return
	}
	a.In.SetPending(sieve{a, c, func(_ *Cell, m *Message) error { // M3
		if over <= 0 || m.From&msg.HasPlace == 0 {
			return nil
		}
		over--
		return ErrDropped
	}}.chain(a.In.Pending()))
}

// newestMoves stands in newest while the owner moves the message from there to the mailbox.
var newestMoves = Message{OwnerTag: msg.MarkTag}

// moveNewest is M1 and M2: it moves the message in newest, if there is one, to the mailbox, and
// gives it a place there. It does so at most twice; a further message waits for the next turn.
// Owner only, in a turn, while the mailbox is open.
func (a *Cell) moveNewest(c *Turn) {
	f := a.Flow.Load()
	if f == nil || f.Places == nil || f.Places.Newest.Load() == nil {
		return
	}
	for range 2 {
		m := f.Places.Newest.Swap(&newestMoves) // M1
		f.Permits.Exceed(math.MaxInt32)
		m.From |= msg.HasPlace
		a.Box.Push(m)
		if f.Places.Newest.CompareAndSwap(&newestMoves, nil) { // M2
			return
		}
	}
	a.Box.Push(newOwn(c, lookID, 0))
}

// close releases the goroutines that wait, and returns the message in newest, if there is one. Any
// goroutine, once no worker runs the actor any more and the mailbox is closed.
func (f *flow) close() (left *Message) {
	f.Permits.Close()
	if f.Places != nil {
		left = f.Places.Newest.Swap(nil)
	}
	return left
}

// verifyPlaces checks the number of free places.
func verifyPlaces(a *Cell, f *flow) {
	n := f.Permits.Count()
	invariant.Check(a.Box.PeekClosed() || n <= f.Places.Limit, "%v has %d places left, of %d", a, n,
		f.Places.Limit)
}
