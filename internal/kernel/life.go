package kernel

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// The life of an actor, beside the picture in actor.go that says who owns it:
//
//	         Stop, Drain done, Kill, exit        its children have ended; OnStop has run
//	ALIVE ──────────────────────────────▶ LEAVING ─────────────────────────────────▶ ENDED
//	  ▲                                     │  ▲                                       ▲
//	  │                  it is supervised,  │  │ Stop, Kill                            │
//	  │ Restart          and not ordered to ▼  │                                       │
//	  └──────────────────────────────── SUSPENDED ── Stop, Drain, Kill, its supervisor ┘
//	                                                 ends
//
// Before LEAVING the mailbox is closed if the actor is to end, and stays open if it is to come up
// again. LEAVING with children, and SUSPENDED, are spent parked: the actor blocks itself, and
// holds the system. Only signals reach it there, and only it unblocks itself.

// lifeState is the phase of an actor in the picture above. An actor without cold state is alive, or
// has ended.
type lifeState uint8

const (
	alive lifeState = iota
	leaving
	Suspended
	ended
)

// nextState is the phase that follows LEAVING.
type nextState uint8

const (
	nextEnded nextState = iota
	nextSuspended
	nextRestart
)

// exit takes down an actor without an order: it has called Stop or Exit, it has crashed, or an
// actor that it is linked to has ended. If it is supervised, its supervisor decides about a
// restart, unless the actor drains.
func (a *Cell) exit(c *Turn, why error) { a.fall(c, why, true) }

// fall is exit with a statement about the state: sound is false if the actor may be unable to go on
// with it.
func (a *Cell) fall(c *Turn, why error, sound bool) {
	x := a.MakeCold()
	if x.State != alive {
		return
	}
	next := nextEnded
	if a.Supervised && !x.drained {
		next = nextSuspended
		switch decide(a, c, x, why, sound) {
		case Resume:
			return
		case Stop:
			next = nextEnded
		}
	}
	a.leave(c, next, ModeStop, why)
}

// leave takes an actor down. The way down is complete when left returns, or later, when the last
// child has ended.
func (a *Cell) leave(c *Turn, g nextState, v StopMode, why error) {
	x := a.MakeCold()
	if invariant.On {
		verifyLeave(a, x, g)
	}
	if x.State == alive {
		x.starting = x.down
	} else {
		x.starting, x.decision = false, Restart // they were told when it fell
	}
	x.State, x.after, x.stopMode, x.Reason = leaving, g, v, why
	x.endParts(a, c, atLeave, stoppedBecause(why))
	// The count of the mail is lost: turns without mail take mail out, and the stash may change.
	forgetCount(a)
	e := c
	if g == nextEnded {
		a.closeBox(e)
	}
	x.Children.orphan(e, v)
	a.left(c)
}

// closeBox closes the mailbox and makes dead letters of all mail. Later messages are refused. Owner
// only.
func (a *Cell) closeBox(e Env) {
	x := a.MakeCold()
	x.closeParts(a, e)
	why := x.tooLate()
	x.setTooLate(why)
	if x.Backoff != nil { // its system has taken it along
		a.waited()
	}
	x.endParts(a, e, atDiscard, why)
	deadLetters(e, a, x.held.All(), why)
	a.discardMailbox(e, why)
}

// setTooLate sets the error for senders that come too late, unless it was set before: senders read
// it once the box is closed. Owner only, before the box is closed.
func (x *Cold) setTooLate(why error) {
	if x.err == nil {
		x.err = why
	}
}

// tooLate returns the error for senders that come too late, made from the present reason.
func (x *Cold) tooLate() error {
	if x.Taken {
		return ErrSystemStopped
	}
	return stoppedBecause(x.Reason)
}

// left does the next steps of an actor that leaves. It stops the youngest child and waits for it,
// until there are no children. Then it calls OnStop, which may spawn children, so it looks again.
// Then it ends, suspends or restarts the actor, as x.after says.
func (a *Cell) left(c *Turn) {
	if invariant.On {
		verifyLeft(a, a.Cold)
	}
	x := a.Cold
	for {
		if k := x.Children.Youngest; k != nil {
			e := c
			if k.together {
				x.Children.stopTogether(e, x.stopMode)
			}
			k.requestStop(e, x.stopMode)
			a.waitToEnd()
			return
		}
		x.Children.stoppedTogether = 0
		if x.down || x.stopMode == ModeKill || a.Typ().OnStop == nil {
			break
		}
		x.down = true
		a.callStop(c, x)
	}
	if invariant.On {
		verifyBottom(a, x)
	}
	switch x.after {
	case nextEnded:
		c.reset()
		c.countStopped(a)
		c.W.GiveUp() // there may be many links and watchers to tell
		a.finish(c)
	case nextSuspended:
		a.suspend(c, x)
	case nextRestart:
		a.restart(c, x)
	}
}

// wait makes the turn end parked, for a reason of the actor's own.
func (a *Cell) wait() {
	if x := a.Cold; !x.waiting {
		if invariant.On {
			verifyWait(a, x)
		}
		x.waiting = true
		a.Sys().Sched.HoldParked()
		a.BlockedOn.Block()
		a.Sys().StopList.Add(a, x)
	}
}

// waitToEnd is wait for an actor that leaves. With a clock that does not flow, it does not hold the
// system: the clock moves only when the system is quiescent, and the children may wait for a timer.
func (a *Cell) waitToEnd() {
	if a.wait(); !a.Sys().Opts.Clock.Flows() {
		a.releaseHold(a.Cold)
	}
}

// waited ends the wait of an actor that runs.
func (a *Cell) waited() {
	if x := a.Cold; x.waiting {
		if invariant.On {
			verifyWaited(a, x)
		}
		x.waiting = false
		a.Sys().StopList.remove(x)
		if x.Backoff != nil {
			x.Backoff.end(a)
		} else {
			a.BlockedOn.Unblock()
		}
		if !x.unheld {
			a.Sys().Sched.ReleaseParked()
		}
		x.unheld = false
	}
}

// leavesForGood reports whether the actor is in LEAVING and will end. Its mailbox is closed then,
// and its gate open to all senders. Owner only.
func (a *Cell) leavesForGood() bool {
	x := a.Cold
	return x != nil && x.State == leaving && x.after == nextEnded
}

// TakesNoMail reports whether the mailbox is closed: the actor drains, or leaves for good. A
// message that was in the mailbox may still be running. Owner only.
func (a *Cell) TakesNoMail() bool { return a.Cold != nil && a.Cold.drained || a.leavesForGood() }

// Unsealed returns t if a callback may be set, and panics otherwise. name is that of the callback, isNil
// says that it is nil, and has reports whether t has one. Any goroutine.
func (t *TypeInfo) Unsealed(name string, isNil bool, has func(*TypeInfo) bool) *TypeInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case isNil:
		PanicMisuse(t.Name+"."+name, ": a nil function")
	case t.Sealed.Load():
		PanicMisuse(t.Name+"."+name, " was set after the first spawn of its type")
	case has(t):
		PanicMisuse(t.Name+"."+name, " was set twice")
	}
	return t
}

// callback says which callback of an actor runs.
type callback uint8

const (
	inNone callback = iota
	inInit
	inOnStart
	inOnStop
	inChildStop
	inDecide
)

// name is the callback's name in reports.
func (k callback) name() string {
	return [...]string{"", "init", "OnStart", "OnStop", "Stop", "Decide"}[k]
}

// noMessage is the current message while a callback runs.
var noMessage = Message{ID: SystemID, OwnerTag: msg.MarkTag}

// started is the first message of an actor that has to be started.
type started struct{ Unanswered }

// Serve implements Signal.
func (started) Serve(a *Cell, c *Turn) { a.start(c) }

// Launch starts a new actor. The caller owns the actor before the call. When Launch returns, the
// actor may be running or have ended.
func (a *Cell) Launch(e Env) {
	if a.System.Closed() {
		return
	}
	x := a.MakeCold()
	x.unstarted, x.down = true, true
	if e.Push(a, NewSignal(e, started{}), asPlaced) != nil {
		a.Sys().unspawn()
		a.neverLived()
	}
}

// start brings an actor up: a new state if it is supervised, and OnStart.
func (a *Cell) start(c *Turn) {
	x := a.MakeCold()
	if !x.unstarted {
		return
	}
	x.unstarted = false
	if c.Aside {
		c.Msg = &noMessage
	}
	if x.Sup != nil {
		x.where = inInit
		a.Sys().Sim.callback(c, a, x.where.name())
		x.Sup.init(a)
	}
	if a.Typ().OnStart != nil {
		x.where = inOnStart
		a.Sys().Sim.callback(c, a, x.where.name())
		err := a.Typ().OnStart(a, c)
		if c.Then&usesContext != 0 {
			c.leaveContext()
		}
		if c.Aside {
			a.keepYielded(c)
		}
		if err != nil {
			c.exit(err)
			return
		}
	}
	x.where, x.down = inNone, false
	if x.Sup != nil {
		x.Sup.tellChildUp(c, a)
	}
}

// callStop runs OnStop. A Stop or Exit that OnStop calls has no effect.
func (a *Cell) callStop(c *Turn, x *Cold) {
	c.Msg, x.where = &noMessage, inOnStop
	a.Sys().Sim.callback(c, a, x.where.name())
	a.Typ().OnStop(a, c, x.Reason)
	if c.Then&usesContext != 0 {
		c.leaveContext()
	}
	x.where, x.exitWhy = inNone, nil
	c.Then &^= mustEnd
	a.keepYielded(c)
}

// verifyLeave checks the way into LEAVING: see the picture in life.go.
func verifyLeave(a *Cell, x *Cold, g nextState) {
	invariant.Check(x.State == alive || x.State == Suspended, "%v leaves in phase %d", a, x.State)
	invariant.Check(g == nextEnded || x.State == alive,
		"%v is suspended, and leaves to be suspended or restarted", a)
	invariant.Check(g == nextEnded || a.Supervised && x.Sup != nil,
		"%v is to come up again, and has no supervisor", a)
	invariant.Check(g == nextEnded || !x.drained, "%v drains, and is to come up again", a)
	invariant.Check(!x.waiting || x.gone, "%v leaves while it waits", a)
}

// verifyLeft checks an actor in LEAVING.
func verifyLeft(a *Cell, x *Cold) {
	invariant.Check(x.State == leaving, "%v is on its way down, in phase %d", a, x.State)
	open := !a.Box.PeekClosed()
	invariant.Check(open == (x.after != nextEnded) || x.drained,
		"%v goes down with goal %d, its mailbox open: %v", a, x.after, open)
	invariant.Check(x.Children.Guards >= 0, "%v supervises %d", a, x.Children.Guards)
}

// verifyBottom checks that no child is left.
func verifyBottom(a *Cell, x *Cold) {
	invariant.Check(x.Children.Youngest == nil, "%v ends before its children", a)
	invariant.Check(x.Children.Guards == 0, "%v has no children, and supervises %d", a, x.Children.Guards)
}

// verifyWait checks an actor that begins to wait.
func verifyWait(a *Cell, x *Cold) {
	invariant.Check(x.State == leaving || x.State == Suspended || x.gone && a.Typ().Finishes,
		"%v waits in phase %d", a, x.State)
	invariant.Check(!x.unheld, "%v rests before it waits", a)
	backpressure.MustRun(&a.BlockedOn)
}

// verifyWaited checks an actor that ends its wait.
func verifyWaited(a *Cell, x *Cold) {
	invariant.Check(x.Listed.Reasons > 0, "%v has waited, and was not on the stop list", a)
	backpressure.MustRun(&a.BlockedOn)
	if x.Backoff == nil {
		backpressure.MustBeBlocked(&a.BlockedOn)
	}
}
