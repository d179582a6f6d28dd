package actor

import (
	"context"
	"strings"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// Target is an actor of any type: a [Ref] or an [AnyRef]. No other type can implement
// it.
type Target interface {
	target() *body
}

// targetOf takes a target apart.
func targetOf(call string, t Target) *body {
	if t != nil {
		if b := t.target(); b != nil {
			return b
		}
	}
	panic("gallop: " + call + " of a zero Ref")
}

// stoppedError is ErrStopped with the reason why.
type stoppedError struct{ why error }

// stoppedBecause returns the error for senders that come too late. A call, as endedBecause.
//
//go:noinline
func stoppedBecause(why error) error {
	if why == nil {
		return ErrStopped
	}
	return &stoppedError{why}
}

// Error implements error.
func (e *stoppedError) Error() string {
	return ErrStopped.Error() + ": " + strings.TrimPrefix(e.why.Error(), "gallop: ")
}

// Unwrap returns both.
func (e *stoppedError) Unwrap() []error { return []error{ErrStopped, e.why} }

// verb is how an actor is told to end. A greater one overrules a smaller one.
type verb uint8

const (
	verbDrain verb = iota
	verbStop
	verbKill
)

// order tells an actor to end.
type order struct {
	unanswered
	verb verb
	why  error
}

func (o order) serve(b *body, c *Context) {
	b.mine().inTodo = notAsked
	b.ordered(c, o)
}

// Stop ends an actor, from anywhere, with the reason [ErrShutdown]. It does not wait.
// It panics if t is a zero Ref. Stopping an actor that has ended does nothing.
//
// The actor ends after the message that it is handling. Its children are stopped first,
// the youngest before the older ones. What is left in its mailbox, and what comes
// later, becomes dead letters; requests among them are answered with an error that is
// ErrStopped and the reason.
//
// Stop overtakes the mail of the actor. It reaches a muted or suspended actor too.
func Stop(from Sender, t Target) {
	sendSignal("Stop", from, t, order{verb: verbStop, why: ErrShutdown})
}

// StopWith is [Stop] with another reason. A nil reason means a normal end.
func StopWith(from Sender, t Target, reason error) {
	sendSignal("StopWith", from, t, order{verb: verbStop, why: reason})
}

// Drain ends an actor after the mail that is in its mailbox by then, and after what it
// has stashed, if it unstashes that meanwhile. What comes later becomes dead letters.
// Its children are drained when it is done, the youngest first. In all else Drain is
// like [Stop], which may follow it if it takes too long.
//
// To a suspended actor, which runs no mail, Drain is Stop. A child that drains is not
// muted, and if it was muted, it is let go: an actor that it sends to may be waiting
// for its end.
func Drain(from Sender, t Target) {
	sendSignal("Drain", from, t, order{verb: verbDrain, why: ErrShutdown})
}

// Kill ends an actor, with the reason [ErrKilled], at the next [Context.Checkpoint] of
// the running behaviour, or else after that behaviour; and so its children, the
// youngest first. OnStop does not run, and neither links nor supervisors can object. In
// all else Kill is like [Stop].
//
// A behaviour that panics while a Kill is pending, in a [Context.Shield] or not, has
// failed first, and the Kill comes to what that has left:
//
//   - An actor that had nothing to wait for has ended by then, for the panic and with
//     its OnStop.
//   - An actor that waits for its children ends killed, without OnStop.
//   - A supervised actor has fallen for the panic and ends killed, without a restart in
//     between.
func Kill(from Sender, t Target) { sendSignal("Kill", from, t, order{verb: verbKill, why: ErrKilled}) }

// sendSignal tells an actor something from anywhere.
func sendSignal(call string, from Sender, t Target, s signal) {
	b := targetOf(call, t)
	c, sys := split(from)
	b.tell(replier{c: c, sys: sys}, s)
}

// StopWait is [Stop] from outside that blocks until the actor and its children have
// ended. It returns nil then; ctx's error if ctx ends first, in which case the actor
// ends when it can; or ErrSystemStopped. It panics if a behaviour of sys, or of the
// system of t, calls it. A behaviour of a third system would keep its worker waiting.
func StopWait(ctx context.Context, sys *System, t Target) error {
	return endWait(ctx, sys, "StopWait", t, order{verb: verbStop, why: ErrShutdown})
}

// DrainWait is [Drain] that waits for the end, as [StopWait] does.
func DrainWait(ctx context.Context, sys *System, t Target) error {
	return endWait(ctx, sys, "DrainWait", t, order{verb: verbDrain, why: ErrShutdown})
}

// KillWait is [Kill] that waits for the end, as [StopWait] does.
func KillWait(ctx context.Context, sys *System, t Target) error {
	return endWait(ctx, sys, "KillWait", t, order{verb: verbKill, why: ErrKilled})
}

func endWait(ctx context.Context, sys *System, call string, t Target, o order) error {
	b := targetOf(call, t)
	split(sys)
	b.mustBeOutside(sys, call)
	mustHave(ctx, call)
	b.tell(replier{sys: sys}, o)
	_, err := b.join(ctx, call)
	return err
}

// ordered carries an order out, in any phase but ENDED.
func (b *body) ordered(c *Context, o order) {
	if invariant.On {
		verifyOrder(b, c, o)
	}
	x := b.mine()
	switch x.phase {
	case alive:
		if o.verb == verbDrain {
			b.drain(c, x)
			return
		}
		b.leave(c, goalEnd, o.verb, o.why)
	case suspended:
		if o.verb == verbKill {
			x.reason = o.why
		}
		b.waited()
		b.leave(c, goalEnd, max(o.verb, verbStop), x.reason)
	case leaving:
		b.hurry(c, x, o)
	}
}

// hurry overrules how an actor leaves.
func (b *body) hurry(c *Context, x *extras, o order) {
	if o.verb == verbKill {
		x.reason = o.why
	}
	x.verb = max(x.verb, o.verb)
	if x.goal != goalEnd {
		x.goal = goalEnd
		b.closeBox(replier{c: c, sys: b.sys()})
	}
	b.left(c)
}

// drain closes the mailbox and leaves what is in it to be run, with the end behind it.
func (b *body) drain(c *Context, x *extras) {
	if x.drained {
		return
	}
	if invariant.On {
		verifyDrain(b, x)
	}
	x.drained = true
	if b.load&backpressure.Muted != 0 && x.drainsForOthers() {
		b.unmuted(c)
	}
	x.setTooLate(stoppedBecause(ErrShutdown))
	b.giveUpNamesAndTimers(replier{c: c, sys: b.sys()})
	b.forgetMarks()
	left, spent := b.box.close(&b.in)
	b.in.last = &closedMark
	if spent != nil {
		c.recycle(spent)
	}
	left = concat(left, b.endFlow())
	b.in.fifo = concat(left, newSignal(c, drainEnd{}))
	release(replier{c: c, sys: b.sys()}, b.gate.Open(&gateMark))
}

// drainEnd is the last message of an actor that drains.
type drainEnd struct{ unanswered }

func (drainEnd) serve(b *body, c *Context) {
	b.mine().over = true
	c.then |= mustEnd
}

// Stop makes the running message the last of its actor, which ends normally: the reason
// is nil, unless [Context.Exit] has given one. In all else it is like the function
// [Stop].
func (c *Context) Stop() {
	mustRun(c, "Stop")
	c.then |= mustEnd
}

// Exit is [Context.Stop] with a reason. Actors that are linked to this one end with it,
// unless the reason is nil.
func (c *Context) Exit(reason error) {
	mustRun(c, "Exit")
	c.exit(reason)
}

// Restarting reports, in OnStop, whether the actor may come up again in its place: it is
// suspended or restarted, and not at its end. If it is suspended, its supervisor decides after
// OnStop, and may still end it. An order to end that comes during OnStop makes the actor end all the same.
// Elsewhere it reports false.
func (c *Context) Restarting() bool {
	mustRun(c, "Restarting")
	x := c.self.extra
	return x != nil && x.phase == leaving && x.goal != goalEnd
}

// exit is Exit for the runtime itself.
func (c *Context) exit(reason error) {
	c.self.mine().exitWhy = reason
	c.then |= mustEnd
}

func (x *extras) takeExit() error {
	why := x.exitWhy
	x.exitWhy = nil
	return why
}
