package kernel

import (
	"context"
	"strings"

	"github.com/gallop-go/gallop/internal/kernel/msg"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
)

// stoppedError is ErrStopped with the reason why.
type stoppedError struct{ why error }

// stoppedBecause returns the error for senders that come too late.
func stoppedBecause(why error) error {
	if why == nil {
		return ErrStopped
	}
	return &stoppedError{why}
}

// Error implements error.
func (e *stoppedError) Error() string {
	return ErrStopped.Error() + ": " + strings.TrimPrefix(guard.Text(e.why), "gallop: ")
}

// Unwrap returns both.
func (e *stoppedError) Unwrap() []error { return []error{ErrStopped, e.why} }

// StopMode is the way in which an actor is told to end. A greater mode overrules a smaller one.
type StopMode uint8

// The stop modes, from the smallest.
const (
	ModeDrain StopMode = iota
	ModeStop
	ModeKill
)

// StopRequest tells an actor to end.
type StopRequest struct {
	Unanswered
	Mode StopMode
	Why  error
}

// Serve implements Signal.
func (o StopRequest) Serve(a *Cell, c *Turn) {
	x := a.MakeCold()
	x.Orders.InTodo = NotAsked
	if o.Mode == ModeKill || !x.putOff(a, c, o, o.Why) {
		a.applyStop(c, o)
	}
}

// EndWait tells an actor to end, and waits until it has ended. It panics if a behaviour or a
// process calls it. call names the caller's function.
func (r AnyRef) EndWait(ctx context.Context, call string, o StopRequest) error {
	mustBeOutside(call)
	ctx = MustHave(ctx, call)
	r.b.Tell(r.b.Sys(), o)
	_, err := join(r.b, ctx, call)
	return err
}

// applyStop carries out an order to end, in any phase but ENDED.
func (a *Cell) applyStop(c *Turn, o StopRequest) {
	x := a.MakeCold()
	switch x.State {
	case alive:
		if o.Mode == ModeDrain {
			a.drain(c, x)
			return
		}
		a.leave(c, nextEnded, o.Mode, o.Why)
	case Suspended:
		if o.Mode == ModeKill {
			x.Reason = o.Why
		}
		a.waited()
		a.leave(c, nextEnded, max(o.Mode, ModeStop), x.Reason)
	case leaving:
		a.escalateStop(c, x, o)
	}
}

// escalateStop applies a further order to an actor that leaves already.
func (a *Cell) escalateStop(c *Turn, x *Cold, o StopRequest) {
	if o.Mode == ModeKill {
		x.Reason = o.Why
	}
	x.stopMode = max(x.stopMode, o.Mode)
	if x.after != nextEnded {
		x.after = nextEnded
		a.closeBox(c)
	}
	a.left(c)
}

// drain closes the mailbox and puts drainEnd after its mail, which still runs.
func (a *Cell) drain(c *Turn, x *Cold) {
	if x.drained {
		return
	}
	x.drained = true
	if a.Load&backpressure.Muted != 0 && x.endsForOthers() {
		a.unmuted(c)
	}
	x.setTooLate(stoppedBecause(ErrShutdown))
	x.closeParts(a, c)
	forgetCount(a)
	// No mail comes any more, so there is none to count, and no sender to mute.
	a.Load &^= backpressure.Counted | backpressure.Overloaded
	left, stub := a.Box.Close(&a.In)
	if stub != nil {
		c.Recycle(stub)
	}
	muted, newest := a.LetAllGo()
	a.In.SetPending(msg.Concat(msg.Concat(left, newest), NewSignal(c, drainEnd{})))
	release(c, muted)
}

// drainBehind tells an actor to drain once the mail ahead of it has run.
type drainBehind struct {
	Unanswered
}

// Serve implements Signal.
func (drainBehind) Serve(a *Cell, c *Turn) {
	a.Tell(c, StopRequest{Mode: ModeDrain, Why: ErrShutdown}) // the turn has taken mail out
}

// DrainBehindMail tells the actor to drain when the mail that it has by then has run. Until the actor
// comes to that, it takes mail, and may fall and be restarted: the order keeps its place. Mail that
// the caller has sent to the actor comes before it. Any goroutine.
func (r AnyRef) DrainBehindMail(e Env) {
	r.b.sendBehind(e.In(r.b), drainBehind{})
}

// sendBehind puts s after the mail of an actor. If the actor has ended, s is refused. Any
// goroutine.
func (a *Cell) sendBehind(e Env, s Signal) {
	m := NewSignal(e, s)
	if e.Push(a, m, asSignal) != nil {
		takeSignal(m)
		recycle(e, m)
		s.Refused(a, e)
	}
}

// drainEnd is the last message of an actor that drains.
type drainEnd struct{ Unanswered }

// Serve implements Signal.
func (drainEnd) Serve(a *Cell, c *Turn) {
	a.MakeCold().gone = true
	c.Then |= mustEnd
}

// Stop implements actor.Context.Stop.
func (c *Turn) Stop() {
	MustRun(c, "Stop")
	c.Then |= mustEnd
}

// Exit implements actor.Context.Exit.
func (c *Turn) Exit(reason error) {
	MustRun(c, "Exit")
	c.exit(reason)
}

// Restarting implements actor.Context.Restarting.
func (c *Turn) Restarting() bool {
	MustRun(c, "Restarting")
	x := c.Self.Cold
	if x == nil || x.State != leaving || x.after == nextEnded || x.decision == Escalate {
		return false
	}
	return x.after == nextRestart || x.takenDown || x.Sup.restarts == nil || x.Sup.restarts(x.Reason)
}

// exit is Exit for the runtime itself.
func (c *Turn) exit(reason error) {
	c.Self.MakeCold().exitWhy = reason
	c.Then |= mustEnd
}

// takeExit returns the argument of Context.Exit, and forgets it. Owner only.
func (x *Cold) takeExit() error {
	why := x.exitWhy
	x.exitWhy = nil
	return why
}

// cut is the panic value that unwinds a behaviour.
type cut struct{}

// Shield implements actor.Context.Shield.
func (c *Turn) Shield(fn func()) {
	if fn == nil {
		panic("gallop: Shield: a nil function")
	}
	MustRun(c, "Shield")
	c.shielded(fn)
	c.Checkpoint()
}

func (c *Turn) shielded(fn func()) {
	c.shields++
	defer func() { c.shields-- }()
	fn()
}

// Checkpoint implements actor.Context.Checkpoint.
func (c *Turn) Checkpoint() {
	// Aside: signals that came together have been taken out of the system queue.
	if c.shields == 0 && (!c.Self.System.IsEmpty() || c.Aside) && PendingStop(c.Self, ModeKill) {
		panic(cut{})
	}
}

// Stopping implements actor.Context.Stopping.
func (c *Turn) Stopping() bool {
	a := c.Self
	if x := a.Cold; x != nil && (x.drained || x.State == leaving) {
		return true
	}
	return PendingStop(a, ModeDrain)
}

// PendingStop reports whether an order above mode v waits in the system queue or in todo, and
// leaves it there. It does not look at every message each time, since each of a flood of urgent
// messages may call it. Until the system queue is taken it grows only at its head, so PendingStop
// looks only at the new messages. The greatest order in todo stays the same until an order is
// served. Owner only.
func PendingStop(a *Cell, v StopMode) bool {
	if a.System.IsEmpty() && (a.Cold == nil || a.Cold.Todo.First == nil) {
		return false
	}
	x := a.MakeCold()
	if x.Orders.InTodo == NotAsked {
		x.Orders.InTodo = GreatestIn(x.Todo.First, nil)
	}
	head := a.System.Newest()
	x.Orders.inQueue, x.Orders.seen = max(x.Orders.inQueue, GreatestIn(head, x.Orders.seen)), head
	if invariant.On {
		verifyPendingStop(x)
	}
	return max(x.Orders.InTodo, x.Orders.inQueue) > uint8(v)
}

// pendingOrders caches results of PendingStop: the orders to end that were not served yet.
type pendingOrders struct {
	InTodo  uint8    // the greatest in todo, as GreatestIn has it, or NotAsked
	inQueue uint8    // the greatest in the system queue, from seen on
	seen    *Message // the newest message there that PendingStop has looked at
}

// NotAsked is the value of InTodo while it is unknown.
const NotAsked = 255

// GreatestIn returns the rank of the greatest order from m up to end, exclusive, or 0 if there is
// none.
func GreatestIn(m, end *Message) (most uint8) {
	for ; m != end; m = m.Next {
		if m.ID == SystemID {
			most = max(most, RankOf(*PayloadOf[Signal](m)))
		}
	}
	return most
}

// RankOf returns the rank of a signal: its stop mode plus one, or 0 if it does not take an actor
// down.
func RankOf(s Signal) uint8 {
	switch s := s.(type) {
	case StopRequest:
		return uint8(s.Mode) + 1
	case TakeDown, BringUp: // both take down an actor that is up, as Stop does
		return uint8(ModeStop) + 1
	}
	return 0
}

// verifyPendingStop checks the cached orders of an actor.
func verifyPendingStop(x *Cold) {
	invariant.Check(x.Todo.First != nil || x.Orders.InTodo == 0,
		"an order of %d was taken, and nothing is left of that", x.Orders.InTodo)
}
