package actor

import (
	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/invariant"
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
	suspended
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
func (a *cell) exit(c *kernelTurn, why error) { a.fall(c, why, true) }

// fall is exit with a statement about the state: sound is false if the actor may be unable to go on
// with it.
func (a *cell) fall(c *kernelTurn, why error, sound bool) {
	x := a.makeCold()
	if x.state != alive {
		return
	}
	next := nextEnded
	if a.supervised && !x.drained {
		next = nextSuspended
		switch decide(a, c, x, why, sound) {
		case access.Resume:
			return
		case access.Stop:
			next = nextEnded
		}
	}
	a.leave(c, next, modeStop, why)
}

// leave takes an actor down. The way down is complete when left returns, or later, when the last
// child has ended.
func (a *cell) leave(c *kernelTurn, g nextState, v stopMode, why error) {
	x := a.makeCold()
	if invariant.On {
		verifyLeave(a, x, g)
	}
	if x.state == alive {
		x.starting = x.down
	} else {
		x.starting, x.decision = false, access.Restart // they were told when it fell
	}
	x.state, x.after, x.stopMode, x.reason = leaving, g, v, why
	x.endParts(a, c, atLeave, stoppedBecause(why))
	// The count of the mail is lost: turns without mail take mail out, and the stash may change.
	forgetCount(a)
	e := c
	if g == nextEnded {
		a.closeBox(e)
	}
	x.children.orphan(e, v)
	a.left(c)
}

// closeBox closes the mailbox and makes dead letters of all mail. Later messages are refused. Owner
// only.
func (a *cell) closeBox(e env) {
	x := a.makeCold()
	x.closeParts(a, e)
	why := x.tooLate()
	x.setTooLate(why)
	if x.backoff != nil { // its system has taken it along
		a.waited()
	}
	x.endParts(a, e, atDiscard, why)
	deadLetters(e, a, x.held.All(), why)
	a.discardMailbox(e, why)
}

// setTooLate sets the error for senders that come too late, unless it was set before: senders read
// it once the box is closed. Owner only, before the box is closed.
func (x *coldState) setTooLate(why error) {
	if x.err == nil {
		x.err = why
	}
}

// tooLate returns the error for senders that come too late, made from the present reason.
func (x *coldState) tooLate() error {
	if x.taken {
		return ErrSystemStopped
	}
	return stoppedBecause(x.reason)
}

// left does the next steps of an actor that leaves. It stops the youngest child and waits for it,
// until there are no children. Then it calls OnStop, which may spawn children, so it looks again.
// Then it ends, suspends or restarts the actor, as x.after says.
func (a *cell) left(c *kernelTurn) {
	if invariant.On {
		verifyLeft(a, a.cold)
	}
	x := a.cold
	for {
		if k := x.children.youngest; k != nil {
			e := c
			if k.together {
				x.children.stopTogether(e, x.stopMode)
			}
			k.requestStop(e, x.stopMode)
			a.waitToEnd()
			return
		}
		x.children.stoppedTogether = 0
		if x.down || x.stopMode == modeKill || a.typ().onStop == nil {
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
		c.w.GiveUp() // there may be many links and watchers to tell
		a.finish(c)
	case nextSuspended:
		a.suspend(c, x)
	case nextRestart:
		a.restart(c, x)
	}
}

// wait makes the turn end parked, for a reason of the actor's own.
func (a *cell) wait() {
	if x := a.cold; !x.waiting {
		if invariant.On {
			verifyWait(a, x)
		}
		x.waiting = true
		a.sys().sched.HoldParked()
		a.blockedOn.Block()
		a.sys().stopList.add(a, x)
	}
}

// waitToEnd is wait for an actor that leaves. With a clock that does not flow, it does not hold the
// system: the clock moves only when the system is quiescent, and the children may wait for a timer.
func (a *cell) waitToEnd() {
	if a.wait(); !a.sys().opts.clock.Flows() {
		a.releaseHold(a.cold)
	}
}

// waited ends the wait of an actor that runs.
func (a *cell) waited() {
	if x := a.cold; x.waiting {
		if invariant.On {
			verifyWaited(a, x)
		}
		x.waiting = false
		a.sys().stopList.remove(x)
		if x.backoff != nil {
			x.backoff.end(a)
		} else {
			a.blockedOn.Unblock()
		}
		if !x.unheld {
			a.sys().sched.ReleaseParked()
		}
		x.unheld = false
	}
}

// leavesForGood reports whether the actor is in LEAVING and will end. Its mailbox is closed then,
// and its gate open to all senders. Owner only.
func (a *cell) leavesForGood() bool {
	x := a.cold
	return x != nil && x.state == leaving && x.after == nextEnded
}

// takesNoMail reports whether the mailbox is closed: the actor drains, or leaves for good. A
// message that was in the mailbox may still be running. Owner only.
func (a *cell) takesNoMail() bool { return a.cold != nil && a.cold.drained || a.leavesForGood() }

// OnStart sets a function that runs in every actor of the type before its first
// message, even an urgent one, and again when a supervised actor is restarted. If f
// returns an error, the actor ends for that reason. An actor with a start function runs
// once without being sent anything. OnStart returns t. It panics if f is nil, if there
// is a start function already, or after the first spawn.
//
// Call OnStart after [Type.Table], as in the example, or in an init function. Chained
// onto [NewType] it makes Go refuse the program (initialization cycle) once f names a
// behaviour of the type, as most do some day: the behaviour needs the type, and the
// type needs f.
func (t *Type[S]) OnStart(f func(*S, *Context) error) *Type[S] {
	i := infoOf(t).made("OnStart").unsealed("OnStart", f == nil, func(i *typeInfo) bool {
		return i.onStart != nil
	})
	i.onStart = func(a *cell, c *kernelTurn) error { return f(stateOf[S](a), c.face()) }
	return t
}

// OnStop sets a function that runs in every actor of the type after its last message,
// when its mailbox is closed and its children have ended. f is given the reason of the
// end: nil if the actor ended by itself, ErrShutdown if it was told to; [IsNormal] tells
// a normal end from a fault. f may send messages. OnStop returns t. It panics if f is
// nil, if there is a stop function already, or after the first spawn. Call it after
// [Type.Table], for the reason that [Type.OnStart] gives.
//
// f runs after a panic too, and finds the state as the panic left it. It also runs
// before a restart. It does not run in an actor that was killed, that has not been
// started or failed in OnStart, or whose system stops.
func (t *Type[S]) OnStop(f func(*S, *Context, error)) *Type[S] {
	i := infoOf(t).made("OnStop").unsealed("OnStop", f == nil, func(i *typeInfo) bool {
		return i.onStop != nil
	})
	i.onStop = func(a *cell, c *kernelTurn, why error) { f(stateOf[S](a), c.face(), why) }
	return t
}

// unsealed returns t if a callback may be set, and panics otherwise.
func (t *typeInfo) unsealed(what string, isNil bool, has func(*typeInfo) bool) *typeInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case isNil:
		panicMisuse(t.name+"."+what, ": a nil function")
	case t.sealed.Load():
		panicMisuse(t.name+"."+what, " was set after the first spawn of its type")
	case has(t):
		panicMisuse(t.name+"."+what, " was set twice")
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
var noMessage = message{ID: systemID, OwnerTag: msg.MarkTag}

// started is the first message of an actor that has to be started.
type started struct{ unanswered }

func (started) serve(a *cell, c *kernelTurn) { a.start(c) }

// launch starts a new actor. The caller owns the actor before the call. When launch returns, the
// actor may be running or have ended.
func (a *cell) launch(from Sender) {
	if a.system.Closed() {
		return
	}
	x := a.makeCold()
	x.unstarted, x.down = true, true
	if e := envOf(from); e.push(a, newSignal(e, started{}), asPlaced) != nil {
		a.sys().unspawn()
		a.neverLived()
	}
}

// start brings an actor up: a new state if it is supervised, and OnStart.
func (a *cell) start(c *kernelTurn) {
	x := a.makeCold()
	if !x.unstarted {
		return
	}
	x.unstarted = false
	if c.aside {
		c.msg = &noMessage
	}
	if x.sup != nil {
		x.where = inInit
		a.sys().sim.callback(c, a, x.where.name())
		x.sup.init(a)
	}
	if a.typ().onStart != nil {
		x.where = inOnStart
		a.sys().sim.callback(c, a, x.where.name())
		err := a.typ().onStart(a, c)
		if c.then&usesContext != 0 {
			c.leaveContext()
		}
		if c.aside {
			a.keepYielded(c)
		}
		if err != nil {
			c.exit(err)
			return
		}
	}
	x.where, x.down = inNone, false
	if x.sup != nil {
		x.sup.tellChildUp(c, a)
	}
}

// callStop runs OnStop. A Stop or Exit that OnStop calls has no effect.
func (a *cell) callStop(c *kernelTurn, x *coldState) {
	c.msg, x.where = &noMessage, inOnStop
	a.sys().sim.callback(c, a, x.where.name())
	a.typ().onStop(a, c, x.reason)
	if c.then&usesContext != 0 {
		c.leaveContext()
	}
	x.where, x.exitWhy = inNone, nil
	c.then &^= mustEnd
	a.keepYielded(c)
}

// verifyLeave checks the way into LEAVING: see the picture in life.go.
func verifyLeave(a *cell, x *coldState, g nextState) {
	invariant.Check(x.state == alive || x.state == suspended, "%v leaves in phase %d", a, x.state)
	invariant.Check(g == nextEnded || x.state == alive,
		"%v is suspended, and leaves to be suspended or restarted", a)
	invariant.Check(g == nextEnded || a.supervised && x.sup != nil,
		"%v is to come up again, and has no supervisor", a)
	invariant.Check(g == nextEnded || !x.drained, "%v drains, and is to come up again", a)
	invariant.Check(!x.waiting || x.gone, "%v leaves while it waits", a)
}

// verifyLeft checks an actor in LEAVING.
func verifyLeft(a *cell, x *coldState) {
	invariant.Check(x.state == leaving, "%v is on its way down, in phase %d", a, x.state)
	open := !a.box.PeekClosed()
	invariant.Check(open == (x.after != nextEnded) || x.drained,
		"%v goes down with goal %d, its mailbox open: %v", a, x.after, open)
	invariant.Check(x.children.guards >= 0, "%v supervises %d", a, x.children.guards)
}

// verifyBottom checks that no child is left.
func verifyBottom(a *cell, x *coldState) {
	invariant.Check(x.children.youngest == nil, "%v ends before its children", a)
	invariant.Check(x.children.guards == 0, "%v has no children, and supervises %d", a, x.children.guards)
}

// verifyWait checks an actor that begins to wait.
func verifyWait(a *cell, x *coldState) {
	invariant.Check(x.state == leaving || x.state == suspended || x.gone && a.typ().finishes,
		"%v waits in phase %d", a, x.state)
	invariant.Check(!x.unheld, "%v rests before it waits", a)
	backpressure.MustRun(&a.blockedOn)
}

// verifyWaited checks an actor that ends its wait.
func verifyWaited(a *cell, x *coldState) {
	invariant.Check(x.listed.reasons > 0, "%v has waited, and was not on the stop list", a)
	backpressure.MustRun(&a.blockedOn)
	if x.backoff == nil {
		backpressure.MustBeBlocked(&a.blockedOn)
	}
}
