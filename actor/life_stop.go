package actor

import (
	"context"
	"strings"

	"github.com/gallop-go/gallop/actor/internal/msg"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
)

// Target is an actor of any type: a [Ref] or an [AnyRef]. No other type can implement
// it.
type Target interface {
	target() *cell
}

// targetOf returns the cell of a target. It panics if t is a zero Ref.
func targetOf(call string, t Target) *cell {
	if t != nil {
		if a := t.target(); a != nil {
			return a
		}
	}
	panic("gallop: " + call + " of a zero Ref")
}

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

// stopMode is the way in which an actor is told to end. A greater mode overrules a smaller one.
type stopMode uint8

const (
	modeDrain stopMode = iota
	modeStop
	modeKill
)

// stopRequest tells an actor to end.
type stopRequest struct {
	unanswered
	mode stopMode
	why  error
}

func (o stopRequest) serve(a *cell, c *kernelTurn) {
	x := a.makeCold()
	x.orders.inTodo = notAsked
	if o.mode == modeKill || !x.putOff(a, c, o, o.why) {
		a.applyStop(c, o)
	}
}

// Stop ends an actor, from anywhere, with the reason [ErrShutdown]. It does not wait.
// It panics if t is a zero Ref. Stopping an actor that has ended does nothing.
//
// The actor ends after the message that it is handling. Its children are stopped first,
// the youngest before the older ones. Messages that are left in its mailbox, and later
// messages, become dead letters; requests among them are answered with an error that is
// ErrStopped and the reason.
//
// Stop overtakes the mail of the actor. It reaches a muted or suspended actor too.
func Stop(from Sender, t Target) {
	sendSignal("Stop", from, t, stopRequest{mode: modeStop, why: ErrShutdown})
}

// StopWith is [Stop] with another reason. A nil reason means a normal end.
func StopWith(from Sender, t Target, reason error) {
	sendSignal("StopWith", from, t, stopRequest{mode: modeStop, why: reason})
}

// Drain ends an actor after the mail that is in its mailbox by then. Stashed messages
// that it unstashes meanwhile run, too. Later messages become dead letters. When the
// mail has run, its children are drained, the youngest first. In all else Drain is like
// [Stop], which may follow it if it takes too long.
//
// A suspended actor runs no mail: for it Drain is Stop. A child that drains is not
// muted, and is released if it was muted, because the receiver may be waiting for its
// end.
func Drain(from Sender, t Target) {
	sendSignal("Drain", from, t, stopRequest{mode: modeDrain, why: ErrShutdown})
}

// Kill ends an actor, with the reason [ErrKilled], at the next [Context.Checkpoint] of
// the running behaviour, or else after that behaviour; and so its children, the
// youngest first. OnStop does not run, and neither links nor supervisors can object. In
// all else Kill is like [Stop].
//
// If a behaviour panics while a Kill is pending, in a [Context.Shield] or not, the panic
// comes first. The effect of the Kill then depends on the actor:
//
//   - An actor that had nothing to wait for has ended by then, for the panic and with
//     its OnStop.
//   - An actor that waits for its children ends killed, without OnStop.
//   - A supervised actor has fallen for the panic and ends killed, without a restart in
//     between.
func Kill(from Sender, t Target) {
	sendSignal("Kill", from, t, stopRequest{mode: modeKill, why: ErrKilled})
}

// sendSignal tells an actor something from anywhere.
func sendSignal(call string, from Sender, t Target, s signal) {
	a := targetOf(call, t)
	a.tell(envOf(from), s)
}

// StopWait is [Stop] from outside that blocks until the actor and its children have
// ended, and returns nil then. If ctx ends first it returns ctx's error, and the actor
// ends when it can. If the system stops first it returns ErrSystemStopped. It panics if
// a behaviour or a process of any system calls it.
func StopWait(ctx context.Context, t Target) error {
	return endWait(ctx, "StopWait", t, stopRequest{mode: modeStop, why: ErrShutdown})
}

// DrainWait is [Drain] that waits for the end, as [StopWait] does.
func DrainWait(ctx context.Context, t Target) error {
	return endWait(ctx, "DrainWait", t, stopRequest{mode: modeDrain, why: ErrShutdown})
}

// KillWait is [Kill] that waits for the end, as [StopWait] does.
func KillWait(ctx context.Context, t Target) error {
	return endWait(ctx, "KillWait", t, stopRequest{mode: modeKill, why: ErrKilled})
}

func endWait(ctx context.Context, call string, t Target, o stopRequest) error {
	a := targetOf(call, t)
	mustBeOutside(call)
	ctx = mustHave(ctx, call)
	a.tell(a.sys(), o)
	_, err := join(a, ctx, call)
	return err
}

// applyStop carries out an order to end, in any phase but ENDED.
func (a *cell) applyStop(c *kernelTurn, o stopRequest) {
	x := a.makeCold()
	switch x.state {
	case alive:
		if o.mode == modeDrain {
			a.drain(c, x)
			return
		}
		a.leave(c, nextEnded, o.mode, o.why)
	case suspended:
		if o.mode == modeKill {
			x.reason = o.why
		}
		a.waited()
		a.leave(c, nextEnded, max(o.mode, modeStop), x.reason)
	case leaving:
		a.escalateStop(c, x, o)
	}
}

// escalateStop applies a further order to an actor that leaves already.
func (a *cell) escalateStop(c *kernelTurn, x *coldState, o stopRequest) {
	if o.mode == modeKill {
		x.reason = o.why
	}
	x.stopMode = max(x.stopMode, o.mode)
	if x.after != nextEnded {
		x.after = nextEnded
		a.closeBox(c)
	}
	a.left(c)
}

// drain closes the mailbox and puts drainEnd after its mail, which still runs.
func (a *cell) drain(c *kernelTurn, x *coldState) {
	if x.drained {
		return
	}
	x.drained = true
	if a.load&backpressure.Muted != 0 && x.endsForOthers() {
		a.unmuted(c)
	}
	x.setTooLate(stoppedBecause(ErrShutdown))
	x.closeParts(a, c)
	forgetCount(a)
	// No mail comes any more, so there is none to count, and no sender to mute.
	a.load &^= backpressure.Counted | backpressure.Overloaded
	left, stub := a.box.Close(&a.in)
	if stub != nil {
		c.recycle(stub)
	}
	muted, newest := a.letAllGo()
	a.in.SetPending(msg.Concat(msg.Concat(left, newest), newSignal(c, drainEnd{})))
	release(c, muted)
}

// drainBehind tells an actor to drain once the mail ahead of it has run.
type drainBehind struct {
	unanswered
}

func (drainBehind) serve(a *cell, c *kernelTurn) {
	a.tell(c, stopRequest{mode: modeDrain, why: ErrShutdown}) // the turn has taken mail out
}

// drainBehindMail is access.DrainBehind.
func drainBehindMail(from Sender, t Target) {
	a := targetOf("DrainBehind", t)
	a.sendBehind(envOf(from).in(a), drainBehind{})
}

// sendBehind puts s after the mail of an actor. If the actor has ended, s is refused. Any
// goroutine.
func (a *cell) sendBehind(e env, s signal) {
	m := newSignal(e, s)
	if e.push(a, m, asSignal) != nil {
		takeSignal(m)
		recycle(e, m)
		s.refused(a, e)
	}
}

// drainEnd is the last message of an actor that drains.
type drainEnd struct{ unanswered }

func (drainEnd) serve(a *cell, c *kernelTurn) {
	a.makeCold().gone = true
	c.then |= mustEnd
}

// Stop implements [Context.Stop].
func (c *kernelTurn) Stop() {
	mustRun(c, "Stop")
	c.then |= mustEnd
}

// Exit implements [Context.Exit].
func (c *kernelTurn) Exit(reason error) {
	mustRun(c, "Exit")
	c.exit(reason)
}

// Restarting implements [Context.Restarting].
func (c *kernelTurn) Restarting() bool {
	mustRun(c, "Restarting")
	x := c.self.cold
	if x == nil || x.state != leaving || x.after == nextEnded || x.decision == access.Escalate {
		return false
	}
	return x.after == nextRestart || x.takenDown || x.sup.restarts == nil || x.sup.restarts(x.reason)
}

// exit is Exit for the runtime itself.
func (c *kernelTurn) exit(reason error) {
	c.self.makeCold().exitWhy = reason
	c.then |= mustEnd
}

func (x *coldState) takeExit() error {
	why := x.exitWhy
	x.exitWhy = nil
	return why
}

// cut is the panic value that unwinds a behaviour.
type cut struct{}

// Shield implements [Context.Shield].
func (c *kernelTurn) Shield(fn func()) {
	if fn == nil {
		panic("gallop: Shield: a nil function")
	}
	mustRun(c, "Shield")
	c.shielded(fn)
	c.Checkpoint()
}

func (c *kernelTurn) shielded(fn func()) {
	c.shields++
	defer func() { c.shields-- }()
	fn()
}

// Checkpoint implements [Context.Checkpoint].
func (c *kernelTurn) Checkpoint() {
	// Aside: signals that came together have been taken out of the system queue.
	if c.shields == 0 && (!c.self.system.IsEmpty() || c.aside) && pendingStop(c.self, modeKill) {
		panic(cut{})
	}
}

// Stopping implements [Context.Stopping].
func (c *kernelTurn) Stopping() bool {
	a := c.self
	if x := a.cold; x != nil && (x.drained || x.state == leaving) {
		return true
	}
	return pendingStop(a, modeDrain)
}

// pendingStop reports whether an order above mode v waits in the system queue or in todo, and
// leaves it there. It does not look at every message each time, since each of a flood of urgent
// messages may call it. Until the system queue is taken it grows only at its head, so pendingStop
// looks only at the new messages. The greatest order in todo stays the same until an order is
// served. Owner only.
func pendingStop(a *cell, v stopMode) bool {
	if a.system.IsEmpty() && (a.cold == nil || a.cold.todo.First == nil) {
		return false
	}
	x := a.makeCold()
	if x.orders.inTodo == notAsked {
		x.orders.inTodo = greatestIn(x.todo.First, nil)
	}
	head := a.system.Newest()
	x.orders.inQueue, x.orders.seen = max(x.orders.inQueue, greatestIn(head, x.orders.seen)), head
	if invariant.On {
		verifyPendingStop(x)
	}
	return max(x.orders.inTodo, x.orders.inQueue) > uint8(v)
}

// pendingOrders caches results of pendingStop: the orders to end that were not served yet.
type pendingOrders struct {
	inTodo  uint8    // the greatest in todo, as greatestIn has it, or notAsked
	inQueue uint8    // the greatest in the system queue, from seen on
	seen    *message // the newest message there that pendingStop has looked at
}

// notAsked is the value of inTodo while it is unknown.
const notAsked = 255

// greatestIn returns the rank of the greatest order from m up to end, exclusive, or 0 if there is
// none.
func greatestIn(m, end *message) (most uint8) {
	for ; m != end; m = m.Next {
		if m.ID == systemID {
			most = max(most, rankOf(*payloadOf[signal](m)))
		}
	}
	return most
}

// rankOf returns the rank of a signal: its stop mode plus one, or 0 if it does not take an actor
// down.
func rankOf(s signal) uint8 {
	switch s := s.(type) {
	case stopRequest:
		return uint8(s.mode) + 1
	case takeDown, bringUp: // both take down an actor that is up, as Stop does
		return uint8(modeStop) + 1
	}
	return 0
}

// verifyPendingStop checks the cached orders of an actor.
func verifyPendingStop(x *coldState) {
	invariant.Check(x.todo.First != nil || x.orders.inTodo == 0,
		"an order of %d was taken, and nothing is left of that", x.orders.inTodo)
}
