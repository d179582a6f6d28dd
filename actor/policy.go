package actor

import (
	"fmt"
	"math"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/actor/internal/permits"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// mailPolicy decides where the mail of an actor waits, and when the actor is overloaded. Each type
// has one policy, found through its class:
//
//   - plainMail: the mailbox; it is overloaded when a batch is spent and mail is left;
//   - countedMail: the mailbox; two watermarks decide ([WithWatermarks]);
//   - boundedMail: the mailbox; senders count their messages ([WithBound]).
//
// On the path of every message plainMail is inlined by hand: in send, in RunTask, and in the pushes
// of inside and outside. These recognise plain mail by an open gate and a load of 0.
type mailPolicy interface {
	// init prepares a new actor. Its caller owns it.
	init(a *cell)

	// For senders, on any goroutine.

	// meet is called when a behaviour sends to an actor whose gate is not open. It reports whether
	// it has delivered the message.
	meet(c *kernelTurn, to *cell, m *message, d *descriptor) (delivered bool)
	// refuses reports whether TrySend is refused. If counts is true, a message that passes counts
	// against the watermark of a muted actor.
	refuses(a *cell, counts bool) bool
	// takes reports whether an actor takes messages of behaviours that drop.
	takes(a *cell) bool
	// lets reports whether goroutines are let in: see permits.Receiver.
	lets(a *cell, how permits.Entrance) bool

	// For the owner, in a turn.

	// overload ends a turn that has left mail although its batch is spent.
	overload(a *cell, c *kernelTurn)
	// drained ends a turn that has run all the mail there was when it began. It reports whether
	// another is to follow; if not, and if idle, the actor goes idle.
	drained(a *cell, c *kernelTurn) (again, idle bool)
	// shut makes senders wait. full reports that a sender waits already, since the mailbox is full.
	// reopen lets senders pass, and returns the actors that waited.
	shut(a *cell) (full bool)
	reopen(a *cell) *backpressure.Waiter[waiting]
}

func (a *cell) policy() mailPolicy { return a.shared().policy }

// policy returns the mail policy of actors of a type.
func (t *typeInfo) policy() mailPolicy {
	switch {
	case t.bound.limit != 0:
		return boundedMail{}
	case t.marks.high != 0:
		return countedMail{}
	}
	return plainMail{}
}

// plainMail waits in the mailbox, which has no limit.
type plainMail struct{}

func (plainMail) init(*cell) {}

func (plainMail) meet(c *kernelTurn, to *cell, m *message, d *descriptor) (delivered bool) {
	for {
		fall := to.flow.Load().fallNow()   // F1
		if c.answers || to.gate.IsOpen() { // F2
			return false
		}
		s := to.flow.Load().suspension()
		switch {
		case s != nil && fall%2 == 0: // the gate is shut since the backlog is full
			if to.flow.Load().fallNow() != fall {
				continue
			}
			return c.rejectSuspended(to, s, m, d)
		case !d.drops:
			c.muteFor(to)
			return false
		case to.passesAjar():
			return false
		}
		switch keeps, again := fall.keeps(to); { // F3
		case keeps:
			return false
		case !again:
			m.ID, m.From = d.id, c.self.id
			deadLetter(c, to, m, ErrOverloaded)
			return true
		}
	}
}

func (plainMail) refuses(a *cell, counts bool) bool {
	if !counts {
		return !a.gate.IsOpen() && !a.wouldPassAjar()
	}
	return !a.gate.IsOpen() && !a.passes((*cell).passesAjar)
}

// In a back-off the actor takes the message and decides about it in its turn.
func (plainMail) takes(a *cell) bool {
	return a.passes(func(a *cell) bool { return a.flow.Load().suspension() != nil || a.wouldPassAjar() })
}

// passes reports whether a message passes: the gate is open, or ajar returns true, or the actor has
// fallen and keeps the message. Any goroutine.
func (a *cell) passes(ajar func(a *cell) bool) bool {
	for {
		fall := a.flow.Load().fallNow()
		if a.gate.IsOpen() || ajar(a) {
			return true
		}
		if keeps, again := fall.keeps(a); !again {
			return keeps
		}
	}
}

// place is push from outside for a message that has a permit. If the push fails, place gives the
// permit back.
func place(s *kernelSystem, to *cell, m *message) error {
	if to.shared().bounded {
		return to.pushPlaced(s, m)
	}
	l := &to.flow.Load().permits
	if err := s.push(to, m, asPlaced); err != nil { // L2
		l.Release(1, to)
		return err
	}
	if l.Pushed() { // L3
		_ = s.push(to, newOwn(s, permitID, 0), asSignal) // an error: no goroutine needs room any more
	}
	return nil
}

// An actor that is only muted lets goroutines in until its mailbox has passed the watermark. An
// actor that has only spent its batch lets them in while no actor is muted for it. Their messages
// are bounded by permits, and if they had to wait, the actor would run out of mail before they came
// back.
func (plainMail) lets(a *cell, how permits.Entrance) bool {
	f := a.flow.Load()
	if how == permits.ToWait && f.suspended.Load() != nil {
		return false
	}
	return a.gate.IsOpen() || f.batchOnly.Load() && !a.gate.Waited(&gateMark) || a.wouldPassAjar()
}

func (plainMail) overload(a *cell, c *kernelTurn) {
	if a.load&backpressure.Overloaded == 0 {
		a.setLoad(c, a.load|backpressure.Overloaded)
	}
}

func (plainMail) drained(a *cell, c *kernelTurn) (again, idle bool) {
	if c.left == 0 && a.mailWaits() {
		return a.markOverloaded(c), false
	}
	if a.load != 0 {
		a.forgetAjar()
		a.setLoad(c, a.load&^backpressure.Overloaded)
	}
	return false, true
}

func (plainMail) shut(a *cell) (full bool) {
	f := a.flow.Load()
	if f == nil {
		a.shutMailbox()
		return false
	}
	// The gate is shut for actors and goroutines. If a spent batch is the only reason, goroutines
	// may be let in.
	batchOnly := a.load.BatchOnly()
	f.batchOnly.Store(batchOnly) // before Shut: it is not shut to them in between
	a.shutMailbox()
	if batchOnly {
		f.admit(a) // after both, as after Open
	}
	return false
}

// shutMailbox shuts the gate, or sets it ajar if the actor is only muted. Owner only.
func (a *cell) shutMailbox() {
	if a.load.OnlyMuted() {
		a.gate.SetAjar(&gateMark)
		return
	}
	a.gate.Shut(&gateMark)
}

func (plainMail) reopen(a *cell) *backpressure.Waiter[waiting] {
	list := a.gate.Open(&gateMark)
	if f := a.flow.Load(); f != nil { // after Open: a goroutine that is let in finds the gate open
		f.batchOnly.Store(false)
		f.admit(a)
	}
	return list
}

// limits are a type's watermarks; zero: none.
type limits struct {
	high, low int
}

// WithWatermarks sets by two numbers when actors of this type are overloaded: from high
// waiting messages on, until no more than low are left. Without it, an actor is
// overloaded when it has not emptied its mailbox in a turn. While an actor is muted, it
// takes high messages before it mutes its senders. WithWatermarks panics unless
// 0 ≤ low < high.
//
// The actor counts its mail at the end of each of its turns; a send pays nothing. So
// the mailbox may exceed high by the messages that are sent during one turn, or while
// the actor waits for a turn.
func WithWatermarks(high, low int) TypeOption {
	if low < 0 || low >= high {
		panic(fmt.Sprintf("gallop: WithWatermarks(%d, %d): want 0 ≤ low < high", high, low))
	}
	return typeOption(func(t *typeInfo) { t.marks = limits{high, low} })
}

// countedMail is the policy of actors with watermarks. Mail waits in the mailbox; the watermarks
// decide when the actor is overloaded. An actor that drains takes no more mail, and no longer
// counts.
type countedMail struct{ plainMail }

func (countedMail) init(a *cell) {
	a.flowOf()
	a.load = backpressure.Counted
}

func (countedMail) overload(a *cell, c *kernelTurn) { a.measure(c) }

func (p countedMail) drained(a *cell, c *kernelTurn) (again, idle bool) {
	if !p.counts(a) {
		return p.plainMail.drained(a, c)
	}
	again = a.measure(c)
	return again, !again
}

// counts reports whether the actor counts its mail now. Owner only.
func (countedMail) counts(a *cell) bool { return a.load&backpressure.Counted != 0 }

// watermark returns the number of messages that the actor takes while it is muted. Any goroutine.
func watermark(a *cell) uint32 {
	if a.typ().marks.high != 0 {
		return uint32(min(a.typ().marks.high, math.MaxInt32))
	}
	return a.sys().opts.leeway
}

// addToCount adds n to the count of the mail: messages that did not come through the mailbox, or, if n
// is negative, messages that have run. Owner only.
func addToCount(a *cell, n int) {
	if a.typ().marks.high != 0 {
		a.flow.Load().marks.add(n)
	}
}

// forgetCount begins the count of the mail anew, after messages were moved within the mailbox. Owner
// only.
func forgetCount(a *cell) {
	if a.typ().marks.high != 0 {
		a.flow.Load().marks = watermarks{}
	}
}

// watermarks is the count of an actor's mail. Each message is counted once: the next count begins
// at the head of the mailbox that the last count saw. Owner only.
type watermarks struct {
	// Messages that were taken out and have not run, and messages in the mailbox down from upTo.
	depth int
	// A message in the mailbox, or the last message that was taken out; nil: there is no count.
	upTo *message
}

// add adds n to the count: messages that did not come through the mailbox, or, if n is negative,
// messages that have run.
func (k *watermarks) add(n int) {
	if k.upTo != nil {
		k.depth += n
		if invariant.On {
			verifyDepth(k)
		}
	}
}

// measure counts the mail and changes the load if the count has crossed a watermark. It reports
// whether there is mail for the next turn. Owner only, at the end of a turn.
func (a *cell) measure(c *kernelTurn) (mail bool) {
	depth := a.countMail(c)
	if invariant.On {
		verifyDepth(&seam.Peek(&a.flow).marks)
	}
	switch marks := a.typ().marks; {
	case depth >= marks.high && a.load&backpressure.Overloaded == 0:
		a.setLoad(c, a.load|backpressure.Overloaded)
	case depth <= marks.low && a.load&backpressure.Overloaded != 0:
		a.setLoad(c, a.load&^backpressure.Overloaded)
	}
	return a.in.Pending() != nil
}

// countMail brings the count up to date and returns it. If all messages that were taken out have
// run, it takes out the new mail itself. Taking out reverses the links between messages: a count is
// lost if mail is taken out elsewhere.
func (a *cell) countMail(c *kernelTurn) int {
	k := &a.flow.Load().marks
	h := a.box.Head()
	if k.upTo == nil {
		k.depth, k.upTo = msg.Distance(a.in.Pending(), nil), a.in.Tail()
	}
	k.depth += msg.Distance(h, k.upTo)
	k.upTo = h
	if a.in.Pending() != nil {
		return k.depth
	}
	if h == a.in.Tail() {
		// It will goIdle, or park: the next turn takes out the new mail.
		*k = watermarks{}
		return 0
	}
	c.recycle(a.box.DrainTo(&a.in, h))
	return k.depth
}

// passed subtracts n messages that were taken out and will not run. Owner only.
func (a *cell) passed(n int) {
	if a.in.Pending() == nil {
		forgetCount(a) // the next turn takes out the new mail
		return
	}
	addToCount(a, -n)
}

// verifyDepth checks a count of mail after a measurement.
func verifyDepth(k *watermarks) {
	invariant.Check(k.depth >= 0, "an actor has %d messages", k.depth)
}
