package kernel

import (
	"math"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/kernel/permits"
	"github.com/gallop-go/gallop/internal/seam"
)

// mailPolicy decides where the mail of an actor waits, and when the actor is overloaded. Each type
// has one policy, found through its class:
//
//   - PlainMail: the mailbox; it is overloaded when a batch is spent and mail is left;
//   - countedMail: the mailbox; two watermarks decide (actor.WithWatermarks);
//   - boundedMail: the mailbox; senders count their messages (actor.WithBound).
//
// On the path of every message PlainMail is inlined by hand: in send, in RunTask, and in the pushes
// of inside and outside. These recognise plain mail by an open gate and a load of 0.
type mailPolicy interface {
	// init prepares a new actor. Its caller owns it.
	init(a *Cell)

	// For senders, on any goroutine.

	// meet is called when a behaviour sends to an actor whose gate is not open. It reports whether
	// it has delivered the message.
	meet(c *Turn, to *Cell, m *Message, d *Descriptor) (delivered bool)
	// refuses reports whether TrySend is refused. If counts is true, a message that passes counts
	// against the watermark of a muted actor.
	refuses(a *Cell, counts bool) bool
	// takes reports whether an actor takes messages of behaviours that drop.
	takes(a *Cell) bool
	// lets reports whether goroutines are let in: see permits.Receiver.
	lets(a *Cell, how permits.Entrance) bool

	// For the owner, in a turn.

	// overload ends a turn that has left mail although its batch is spent.
	overload(a *Cell, c *Turn)
	// drained ends a turn that has run all the mail there was when it began. It reports whether
	// another is to follow; if not, and if idle, the actor goes idle.
	drained(a *Cell, c *Turn) (again, idle bool)
	// shut makes senders wait. full reports that a sender waits already, since the mailbox is full.
	// reopen lets senders pass, and returns the actors that waited.
	shut(a *Cell) (full bool)
	reopen(a *Cell) *backpressure.Waiter[Waiting]
}

func (a *Cell) policy() mailPolicy { return a.Shared().Policy }

// policy returns the mail policy of actors of a type.
func (t *TypeInfo) policy() mailPolicy {
	switch {
	case t.Bound.Limit != 0:
		return boundedMail{}
	case t.Marks.High != 0:
		return countedMail{}
	}
	return PlainMail{}
}

// PlainMail waits in the mailbox, which has no limit.
type PlainMail struct{}

// init implements mailPolicy.
func (PlainMail) init(*Cell) {}

func (PlainMail) meet(c *Turn, to *Cell, m *Message, d *Descriptor) (delivered bool) {
	for {
		fall := to.Flow.Load().fallNow()   // F1
		if c.answers || to.Gate.IsOpen() { // F2
			return false
		}
		s := to.Flow.Load().Suspension()
		switch {
		case s != nil && fall%2 == 0: // the gate is shut since the backlog is full
			if to.Flow.Load().fallNow() != fall {
				continue
			}
			return c.rejectSuspended(to, s, m, d)
		case !d.Drops:
			c.MuteFor(to)
			return false
		case to.PassesAjar():
			return false
		}
		switch keeps, again := fall.keeps(to); { // F3
		case keeps:
			return false
		case !again:
			m.ID, m.From = d.ID, c.Self.ID
			MakeDeadLetter(c, to, m, ErrOverloaded)
			return true
		}
	}
}

func (PlainMail) refuses(a *Cell, counts bool) bool {
	if !counts {
		return !a.Gate.IsOpen() && !a.wouldPassAjar()
	}
	return !a.Gate.IsOpen() && !a.passes((*Cell).PassesAjar)
}

// In a back-off the actor takes the message and decides about it in its turn.
func (PlainMail) takes(a *Cell) bool {
	return a.passes(func(a *Cell) bool { return a.Flow.Load().Suspension() != nil || a.wouldPassAjar() })
}

// passes reports whether a message passes: the gate is open, or ajar returns true, or the actor has
// fallen and keeps the message. Any goroutine.
func (a *Cell) passes(ajar func(a *Cell) bool) bool {
	for {
		fall := a.Flow.Load().fallNow()
		if a.Gate.IsOpen() || ajar(a) {
			return true
		}
		if keeps, again := fall.keeps(a); !again {
			return keeps
		}
	}
}

// Place is System.Push for a message that has a permit. If the push fails, Place gives the permit
// back. Any goroutine.
func Place(s *System, to *Cell, m *Message) error {
	if to.Shared().bounded {
		return to.pushPlaced(s, m)
	}
	l := &to.Flow.Load().Permits
	if err := s.Push(to, m, asPlaced); err != nil { // L2
		l.Release(1, to)
		return err
	}
	if l.Pushed() { // L3
		_ = s.Push(to, newOwn(s, permitID, 0), asSignal) // an error: no goroutine needs room any more
	}
	return nil
}

// An actor that is only muted lets goroutines in until its mailbox has passed the watermark. An
// actor that has only spent its batch lets them in while no actor is muted for it. Their messages
// are bounded by permits, and if they had to wait, the actor would run out of mail before they came
// back.
func (PlainMail) lets(a *Cell, how permits.Entrance) bool {
	f := a.Flow.Load()
	if how == permits.ToWait && f.Suspended.Load() != nil {
		return false
	}
	return a.Gate.IsOpen() || f.BatchOnly.Load() && !a.Gate.Waited(&GateMark) || a.wouldPassAjar()
}

func (PlainMail) overload(a *Cell, c *Turn) {
	if a.Load&backpressure.Overloaded == 0 {
		a.SetLoad(c, a.Load|backpressure.Overloaded)
	}
}

func (PlainMail) drained(a *Cell, c *Turn) (again, idle bool) {
	if c.left == 0 && a.mailWaits() {
		return a.markOverloaded(c), false
	}
	if a.Load != 0 {
		a.ForgetAjar()
		a.SetLoad(c, a.Load&^backpressure.Overloaded)
	}
	return false, true
}

func (PlainMail) shut(a *Cell) (full bool) {
	f := a.Flow.Load()
	if f == nil {
		a.shutMailbox()
		return false
	}
	// The gate is shut for actors and goroutines. If a spent batch is the only reason, goroutines
	// may be let in.
	batchOnly := a.Load.BatchOnly()
	f.BatchOnly.Store(batchOnly) // before Shut: it is not shut to them in between
	a.shutMailbox()
	if batchOnly {
		f.admit(a) // after both, as after Open
	}
	return false
}

// shutMailbox shuts the gate, or sets it ajar if the actor is only muted. Owner only.
func (a *Cell) shutMailbox() {
	if a.Load.OnlyMuted() {
		a.Gate.SetAjar(&GateMark)
		return
	}
	a.Gate.Shut(&GateMark)
}

func (PlainMail) reopen(a *Cell) *backpressure.Waiter[Waiting] {
	list := a.Gate.Open(&GateMark)
	if f := a.Flow.Load(); f != nil { // after Open: a goroutine that is let in finds the gate open
		f.BatchOnly.Store(false)
		f.admit(a)
	}
	return list
}

// Limits are a type's watermarks; zero: none.
type Limits struct {
	High, Low int
}

// countedMail is the policy of actors with watermarks. Mail waits in the mailbox; the watermarks
// decide when the actor is overloaded. An actor that drains takes no more mail, and no longer
// counts.
type countedMail struct{ PlainMail }

// init implements mailPolicy.
func (countedMail) init(a *Cell) {
	a.FlowOf()
	a.Load = backpressure.Counted
}

func (countedMail) overload(a *Cell, c *Turn) { a.measure(c) }

func (p countedMail) drained(a *Cell, c *Turn) (again, idle bool) {
	if !p.counts(a) {
		return p.PlainMail.drained(a, c)
	}
	again = a.measure(c)
	return again, !again
}

// counts reports whether the actor counts its mail now. Owner only.
func (countedMail) counts(a *Cell) bool { return a.Load&backpressure.Counted != 0 }

// watermark returns the number of messages that the actor takes while it is muted. Any goroutine.
func watermark(a *Cell) uint32 {
	if a.Typ().Marks.High != 0 {
		return uint32(min(a.Typ().Marks.High, math.MaxInt32))
	}
	return a.Sys().Opts.Leeway
}

// addToCount adds n to the count of the mail: messages that did not come through the mailbox, or, if n
// is negative, messages that have run. Owner only.
func addToCount(a *Cell, n int) {
	if a.Typ().Marks.High != 0 {
		a.Flow.Load().marks.add(n)
	}
}

// forgetCount begins the count of the mail anew, after messages were moved within the mailbox. Owner
// only.
func forgetCount(a *Cell) {
	if a.Typ().Marks.High != 0 {
		a.Flow.Load().marks = watermarks{}
	}
}

// watermarks is the count of an actor's mail. Each message is counted once: the next count begins
// at the head of the mailbox that the last count saw. Owner only.
type watermarks struct {
	// Messages that were taken out and have not run, and messages in the mailbox down from upTo.
	depth int
	// A message in the mailbox, or the last message that was taken out; nil: there is no count.
	upTo *Message
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
func (a *Cell) measure(c *Turn) (mail bool) {
	depth := a.countMail(c)
	if invariant.On {
		verifyDepth(&seam.Peek(&a.Flow).marks)
	}
	switch marks := a.Typ().Marks; {
	case depth >= marks.High && a.Load&backpressure.Overloaded == 0:
		a.SetLoad(c, a.Load|backpressure.Overloaded)
	case depth <= marks.Low && a.Load&backpressure.Overloaded != 0:
		a.SetLoad(c, a.Load&^backpressure.Overloaded)
	}
	return a.In.Pending() != nil
}

// countMail brings the count up to date and returns it. If all messages that were taken out have
// run, it takes out the new mail itself. Taking out reverses the links between messages: a count is
// lost if mail is taken out elsewhere.
func (a *Cell) countMail(c *Turn) int {
	k := &a.Flow.Load().marks
	h := a.Box.Head()
	if k.upTo == nil {
		k.depth, k.upTo = msg.Distance(a.In.Pending(), nil), a.In.Tail()
	}
	k.depth += msg.Distance(h, k.upTo)
	k.upTo = h
	if a.In.Pending() != nil {
		return k.depth
	}
	if h == a.In.Tail() {
		// It will goIdle, or park: the next turn takes out the new mail.
		*k = watermarks{}
		return 0
	}
	c.Recycle(a.Box.DrainTo(&a.In, h))
	return k.depth
}

// passed subtracts n messages that were taken out and will not run. Owner only.
func (a *Cell) passed(n int) {
	if a.In.Pending() == nil {
		forgetCount(a) // the next turn takes out the new mail
		return
	}
	addToCount(a, -n)
}

// verifyDepth checks a count of mail after a measurement.
func verifyDepth(k *watermarks) {
	invariant.Check(k.depth >= 0, "an actor has %d messages", k.depth)
}
