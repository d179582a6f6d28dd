package kernel

import (
	"math"

	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// MarkAsk is called for each outcome that the running actor asks for. It returns the number of the
// life for the header of the request; 0 if the actor has only one life.
func (c *Turn) MarkAsk() uint16 {
	if a := c.Self; a.Supervised || a.Shared().Typ.Finishes {
		return markAsk(a)
	}
	return 0
}

func markAsk(a *Cell) uint16 {
	if a.Typ().Finishes {
		a.FlowOf().asks.Add(1)
	}
	return a.Cold.lifeMark()
}

// lifeMark returns the number of the actor's life, from 1. x may be nil. Owner only.
func (x *Cold) lifeMark() uint16 {
	if x == nil {
		return 1
	}
	return x.life + 1
}

// nextLife begins another life of the actor. In it, outcomes of the earlier life do not run: see
// IsStale. The numbers of lives repeat after 65,535 lives. An outcome that was under way for just
// so many lives runs by mistake. Owner only.
func (x *Cold) nextLife() {
	if x.life++; x.life == math.MaxUint16 {
		x.life = 0
	}
}

// IsStale reports whether an outcome belongs to an earlier life. x may be nil. Owner only.
func (x *Cold) IsStale(mark uint16) bool { return mark != x.lifeMark() }

// Heard returns run or, if d's messages are outcomes, a function that calls run only for outcomes
// of the actor's present life. Any goroutine.
//
//go:noinline
func (d *Descriptor) Heard(run RunFunc) RunFunc {
	if !d.Outcome {
		return run
	}
	return func(c *Turn, at *Cell, m *Message) {
		if m.Life != 0 && !hears(at, c, m) {
			return
		}
		c.heard = m
		run(c, at, m)
		m.Life, c.heard = 0, nil // not before run: stashOutcome needs the life
	}
}

// hears is called with each outcome that has a mark, before it runs. If the outcome belongs to an
// earlier life, it becomes a dead letter, and hears reports false. Owner only.
func hears(a *Cell, c *Turn, m *Message) bool {
	if a.Cold.IsStale(m.Life) {
		c.Count.NotRun++
		DeclareDead(c, a, m, ErrRestarted)
		return false
	}
	if a.Typ().Finishes {
		a.FlowOf().asks.Add(^uint32(0))
	}
	return true
}

// outcomeCrashed is called after a panic over m. If m is an outcome that is still counted as under
// way, since an interceptor or an injected fault has panicked before its behaviour ran, the outcome
// is counted out. Owner only.
func (c *Turn) outcomeCrashed(a *Cell, m *Message) {
	m = Contents(m)
	if d := a.Typ().Decls[m.ID]; d != nil && d.Outcome && m.Life != 0 && m != c.heard &&
		a.Typ().Finishes {
		a.FlowOf().asks.Add(^uint32(0))
	}
	c.heard = nil
}

// stashOutcome gives m, which replaces the running outcome, the life of that outcome. m counts as
// under way again.
func stashOutcome(a *Cell, c *Turn, d *Descriptor, m *Message) {
	if !d.Outcome || c.Msg.Life == 0 {
		return
	}
	if m.Life = c.Msg.Life; a.Typ().Finishes {
		a.FlowOf().asks.Add(1)
	}
}

// lost is called when an outcome becomes a dead letter. Any goroutine.
func (d *Descriptor) lost(e Env, to *Cell, m *Message) {
	if !d.Outcome || m.Life == 0 {
		return
	}
	m.Life = 0
	if to.Typ().Finishes && to.FlowOf().asks.Add(^uint32(0)) == 0 {
		to.Tell(e, nudge{}) // it may be waiting for the last outcome
	}
}

// nudge makes an actor check whether it still has to wait. See endDrainTurn.
type nudge struct{ Unanswered }

// Serve implements Signal.
func (nudge) Serve(*Cell, *Turn) {}

// hasUnderWay reports whether an outcome for which the actor has asked has not run yet, or the
// actor has put off a reply. Owner only.
func hasUnderWay(a *Cell) bool {
	if f := a.Flow.Load(); f != nil && f.asks.Load() > 0 {
		return true
	}
	return DeferralsOf(a.Cold).All.Len() > 0
}

// takeLate pushes an outcome to the system queue of an actor that drains, whose mailbox is closed.
// It reports false if a's type has no WithFinishAsks, if m is not an outcome, or if the system
// queue is closed as well. Then the caller still owns m.
func takeLate(e Env, a *Cell, m *Message) bool {
	if !a.Shared().Typ.Finishes || !bringsOutcome(a, m) {
		return false
	}
	return e.pushSystem(a, m) == nil
}

// bringsOutcome reports whether a message is an outcome that the actor has asked for. The caller
// owns m.
func bringsOutcome(a *Cell, m *Message) bool {
	if m.ID == SystemID {
		_, is := (*PayloadOf[Signal](m)).(mail)
		return is
	}
	in := Contents(m)
	return !isOwn(in.ID) && a.Typ().Decls[in.ID].Outcome && in.Life != 0
}

// ServeMail runs a message for a behaviour that came through the system queue. A message for an
// ordinary behaviour is an outcome for an actor that drains: it waits in held while mail is left.
// Owner only.
func ServeMail(a *Cell, c *Turn, x *Cold, m *Message, d *Descriptor) {
	if !d.Urgent && x.drained && !x.gone && x.State == alive {
		x.held.Add(m)
		return
	}
	a.runUrgent(c, x, m)
}

// endDrainTurn is called at the end of a turn beside the mail, when the actor drains and has run
// its mail. The actor runs the mail that is there by now, or waits, or ends. Owner only.
func endDrainTurn(a *Cell, c *Turn, x *Cold) {
	if c.Then&(lookAgain|unstashed) != 0 {
		c.Then &^= lookAgain | unstashed
		requeueUnstashed(a)
	}
	left := msg.Concat(a.In.Pending(), x.held.All())
	switch {
	case left != nil:
		a.In.SetPending(msg.Concat(left, NewSignal(c, drainEnd{})))
		x.gone = false
		a.waited()
	case a.Typ().Finishes && hasUnderWay(a):
		a.wait()
	default:
		a.waited()
		a.leave(c, nextEnded, ModeDrain, ErrShutdown)
	}
}

// CopyPrepared copies a message that was made for an outcome. The caller owns node.
func CopyPrepared(e Env, node *Message, d *Descriptor) *Message {
	from := Contents(node)
	in := e.Node(d.Size)
	d.Copy(in, &ArmedTimer{Held: from})
	in.ID, in.Life, in.Next = d.ID, from.Life, nil
	if node.ID == CarriedID {
		return Carry(e, PayloadOf[carried](node).ctx, in, d)
	}
	return in
}

// mail is a signal that stands for a message of the user's.
type mail interface {
	Signal
	Discard(e Env, a *Cell, why error)
}

// discardMailIn makes a dead letter of the message that the signal in m stands for, if there is
// one. The caller owns m.
func discardMailIn(e Env, m *Message, to *Cell, why error) {
	switch s := takeSignal(m).(type) {
	case mail:
		s.Discard(e, to, why)
	case lostInMail:
		s.lost(why)
	}
}
