package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// The life of an actor, beside the picture in actor.go that says who owns it:
//
//	         Stop, Drain done, Kill, exit        its children have ended; OnStop has run
//	ALIVE ──────────────────────────────▶ LEAVING ─────────────────────────────────▶ ENDED
//	  ▲                                     │  ▲                                       ▲
//	  │                  it is supervised,  │  │ Stop, Kill                            │
//	  │ Restart          and nobody ordered ▼  │                                       │
//	  └──────────────────────────────── SUSPENDED ── Stop, Drain, Kill, its supervisor ┘
//	                                                 ends
//
// Before LEAVING the mailbox is closed if the actor is to end, and stays open if it is to come up
// again. LEAVING with children, and SUSPENDED, are spent parked: the actor owes itself a debt, and
// holds the system. Only signals reach it there, and only it forgives that debt.

// lifeState is where an actor stands. An actor without cold state is alive, or has ended.
type lifeState uint8

const (
	alive lifeState = iota
	leaving
	suspended
	ended
)

// nextState is what comes after LEAVING.
type nextState uint8

const (
	nextEnded nextState = iota
	nextSuspended
	nextRestart
)

// exit is for an actor that leaves by itself: it said so, it crashed, or one that it is linked to
// has died. If it is supervised, its supervisor decides what comes of it, unless it had been told
// to drain.
func (a *cell) exit(c *Context, why error) { a.fall(c, why, true) }

// fall is exit, of an actor that may not be able to go on with its state.
func (a *cell) fall(c *Context, why error, sound bool) {
	x := a.makeCold()
	if x.state != alive {
		return
	}
	next := nextEnded
	if a.supervised && !x.drained {
		next = nextSuspended
		switch a.decide(c, x, why, sound) {
		case DecideResume:
			return
		case DecideStop:
			next = nextEnded
		}
	}
	a.leave(c, next, modeStop, why)
}

// leave takes an actor down. It is done when left returns, or when the last child has
// ended.
func (a *cell) leave(c *Context, g nextState, v stopMode, why error) {
	x := a.makeCold()
	if invariant.On {
		verifyLeave(a, x, g)
	}
	if x.state == alive {
		x.starting = x.down
	} else {
		x.starting, x.decision = false, DecideRestart // they were told when it fell
	}
	x.state, x.after, x.stopMode, x.reason = leaving, g, v, why
	a.endContext(stoppedBecause(why))
	// Turns without mail take out what comes in; and the stash comes and goes.
	a.forgetMarks()
	e := env{c: c, sys: a.sys()}
	if g == nextEnded {
		a.closeBox(e)
	}
	x.children.orphan(e, v)
	a.left(c)
}

// closeBox makes dead letters of all mail, and refuses what comes. Owner only.
func (a *cell) closeBox(e env) {
	x := a.makeCold()
	a.giveUpNamesAndTimers(e)
	why := x.tooLate()
	x.setTooLate(why)
	if x.backoff != nil { // its system has taken it along
		a.waited()
	}
	for _, left := range [...]*message{x.unstashed.all(), x.stash.all(), x.held.all()} {
		e.deadLetters(a, left, why)
	}
	a.discardMailbox(e, why)
}

// setTooLate sets the error for senders that come too late. The first one counts: once the box is
// closed, they read it. Owner only, before the box is closed.
func (x *coldState) setTooLate(why error) {
	if x.err == nil {
		x.err = why
	}
}

// tooLate is the error for senders that come too late, as x has it by now.
func (x *coldState) tooLate() error {
	if x.taken {
		return ErrSystemStopped
	}
	return stoppedBecause(x.reason)
}

// left goes on with an actor that leaves: its youngest child first; when there is none
// OnStop; and then what it leaves for. OnStop may have spawned children.
func (a *cell) left(c *Context) {
	if invariant.On {
		verifyLeft(a, a.cold)
	}
	x := a.cold
	for {
		if k := x.children.youngest; k != nil {
			e := env{c: c, sys: a.sys()}
			if k.together {
				x.children.stopTogether(e, x.stopMode)
			}
			k.requestStop(e, x.stopMode)
			a.wait()
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
		c.count.stopped.Add(1)
		c.w.GiveUp() // many may have to be told
		a.finish(env{c: c, sys: a.sys()})
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
		a.sys().sched.HoldStill()
		a.blockedOn.Owe()
		a.sys().stopList.add(a, x)
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
			a.endBackoff(x)
		} else {
			a.blockedOn.Forgive()
		}
		if !x.unheld {
			a.sys().sched.ReleaseStill()
		}
		x.unheld = false
	}
}

// endPlainly ends an actor that has stopped itself and has nobody and nothing to see to, not even
// mail: most ends are like that. Otherwise it reports false, and has done nothing. One locked
// instruction, since it leaves the system queue alone: see there. Owner only, between two turns.
func (a *cell) endPlainly(c *Context) bool {
	if !a.plain() || a.load != 0 || a.in.pending != nil || a.in.appended != nil || a.arena != nil || !a.gate.IsOpen() {
		return false
	}
	c.w.PrepareNext()
	last := a.in.tail
	a.in.tail = &closedMark   // a turn that looks finds nothing; and see SwapHeld
	a.cold = terminatedNormal // before the swap, which publishes it
	if !seam.SwapHeld(&a.box.head, last, &closedMark) {
		a.in.tail, a.cold = last, nil // nobody has looked: the box was not closed
		return false
	}
	c.then = goOn
	c.count.stopped.Add(1)
	if last != nil {
		c.recycle(last)
	}
	// After the swap: whoever makes one later finds the mailbox closed.
	if a.flow.Load() != nil {
		e := env{c: c, sys: c.sys}
		e.deadLetters(a, a.endFlow(), ErrStopped)
	}
	return true
}

// terminate ends an actor at once. If it had no cold state, t is what is left of it. It has nothing
// to see to, or its system has stopped. Owner only.
func (a *cell) terminate(e env, t *coldState) {
	if invariant.On {
		verifyTerminate(a)
	}
	if a.cold == nil && a.load&backpressure.Muted == 0 {
		a.cold = t // before the box is closed, which publishes it
		if invariant.On {
			verifyTerminated(a.cold)
		}
		a.discardMailbox(e, a.cold.err)
		a.freeArena(e)
		a.refuseAll(e, a.system.close())
		return
	}
	x := a.makeCold()
	x.reason, x.taken = t.reason, t.taken
	a.closeBox(e)
	a.finish(e)
}

// discardMailbox closes the mailbox, lets go of everyone who waits at the gate, and makes dead
// letters of what was left. Owner only.
func (a *cell) discardMailbox(e env, why error) {
	left, stub := a.box.close(&a.in)
	a.in.tail = &closedMark // a turn that looks finds nothing
	if stub != nil {
		e.recycle(stub)
	}
	a.load &= backpressure.Muted // which ends with its debts
	left = concat(left, a.endFlow())
	release(e, a.gate.Open(&gateMark))
	e.deadLetters(a, left, why)
}

// leavesForGood reports whether what runs is the OnStop of an actor that ends, or what comes
// after it: its mailbox is closed, and its gate open to everybody. Owner only.
func (a *cell) leavesForGood() bool {
	x := a.cold
	return x != nil && x.state == leaving && x.after == nextEnded
}

// takesNoMail reports whether the mailbox is closed, though what runs may be a message that was in
// it: the actor drains, or leaves for good. Owner only.
func (a *cell) takesNoMail() bool { return a.cold != nil && a.cold.drained || a.leavesForGood() }

// finish ends an actor whose box is closed, and tells all that want to know.
func (a *cell) finish(e env) {
	x := a.cold
	a.waited()
	a.endContext(x.tooLate()) // its system took it along
	a.giveUpNamesAndTimers(e) // OnStop may have armed timers
	if x.deferred != nil {
		x.deferred.endLife(a, e, x.tooLate())
	}
	if invariant.On {
		verifyFinish(a, x)
	}
	if a.load&backpressure.Muted != 0 {
		a.load = 0
		e.countUnmute()
		a.sys().sched.ReleaseStill()
	}
	a.freeArena(e)
	a.dispatchBy(nil)
	a.sys().stopList.drop(x)
	x.state = ended
	left := a.system.close() // publishes the reason
	a.refuseAll(e, x.todo.all())
	a.refuseAll(e, left)
	x.announce(a, e)
}

// refuseAll answers for the dead: a chain from the system queue.
func (a *cell) refuseAll(e env, left *message) {
	for left != nil {
		m := left
		left, m.next = m.next, nil
		if m.id != systemID {
			e.deadLetter(a, m, a.whyEnded())
			continue
		}
		s := takeSignal(m)
		e.recycle(m)
		if s != nil {
			s.refused(a, e)
		}
	}
}

// announce tells links, watchers, supervisor and parent, in this order.
func (x *coldState) announce(a *cell, e env) {
	for l := x.links.pop(); l != nil; l = x.links.pop() {
		l.tellEnd(a, e, x.reason)
	}
	x.links.by = nil
	for m := x.watching.pop(); m != nil; m = x.watching.pop() {
		m.live = false
		m.leave(e)
	}
	for m := x.watchers.pop(); m != nil; m = x.watchers.pop() {
		m.report(e, a, x)
	}
	if x.sup != nil {
		x.sup.tellChildDown(e, a, x.reason, true)
	}
	if x.child != nil {
		x.child.ended(e)
	}
	x.children.disband()
	x.sup, x.trap, x.stopSeen = nil, nil, nil // a ref to the dead keeps nobody else; nor does x.child
	if invariant.On {
		verifyEnded(a, x)
	}
}

// What is left of actors that had no cold state, when the reason is common.
var (
	terminatedNormal   = &coldState{state: ended, terminated: true, err: ErrStopped}
	terminatedShutdown = &coldState{state: ended, reason: ErrShutdown, err: stoppedBecause(ErrShutdown)}
	terminatedKilled   = &coldState{state: ended, reason: ErrKilled, err: stoppedBecause(ErrKilled)}
	terminatedSystem   = &coldState{state: ended, taken: true, reason: ErrSystemStopped, err: ErrSystemStopped}
)

// terminated record is what is left of an actor that had no cold state.
func newTerminated(why error) *coldState {
	switch why {
	case nil:
		return terminatedNormal
	case ErrShutdown:
		return terminatedShutdown
	case ErrKilled:
		return terminatedKilled
	}
	return &coldState{state: ended, reason: why, err: stoppedBecause(why)}
}

// neverLived makes an actor that ended before anybody saw it: its system has stopped.
func (a *cell) neverLived() {
	// Its own, and not terminatedSystem: spawning it as a child writes there.
	a.cold = &coldState{state: ended, taken: true, reason: ErrSystemStopped, err: ErrSystemStopped}
	a.box.head.Store(&closedMark)
	a.system.head.Store(&closedMark)
	// The queue of one with a bound takes no mail either, and mutes nobody.
	a.endFlow()
}

// whyEnded is the error for senders whose mail is refused: the box is closed, or the system queue.
// Any goroutine that has seen so.
func (a *cell) whyEnded() error { return a.cold.err }

// endedPlainly reports whether the actor had only a box to close when it ended, and so has ended
// although its system queue may be open. Any goroutine.
func (a *cell) endedPlainly() bool { return a.box.closed() && a.cold.terminated }

// ended reports whether the actor has ended. If so, its cold state do not change any more, and may
// be read. Any goroutine.
func (a *cell) ended() bool { return a.system.closed() || a.endedPlainly() }

// terminatedRecord is what is left of an actor that nobody serves any more: it has ended, or its
// system took it along.
func (a *cell) terminatedRecord() *coldState {
	if a.ended() {
		return a.cold
	}
	return terminatedSystem
}

// verifyLeave checks the way into LEAVING: see the picture in life.go.
func verifyLeave(a *cell, x *coldState, g nextState) {
	invariant.Check(x.state == alive || x.state == suspended, "%v leaves in phase %d", a, x.state)
	invariant.Check(g == nextEnded || x.state == alive, "%v is suspended, and leaves to be suspended or restarted", a)
	invariant.Check(g == nextEnded || a.supervised && x.sup != nil, "%v is to come up again, and has no supervisor", a)
	invariant.Check(g == nextEnded || !x.drained, "%v drains, and is to come up again", a)
	invariant.Check(!x.waiting || x.gone, "%v leaves while it waits", a)
}

// verifyLeft checks an actor that goes on with its way down.
func verifyLeft(a *cell, x *coldState) {
	invariant.Check(x.state == leaving, "%v is on its way down, in phase %d", a, x.state)
	open := seam.Peek(&a.box.head) != &closedMark
	invariant.Check(open == (x.after != nextEnded) || x.drained, "%v goes down with goal %d, its mailbox open: %v", a, x.after, open)
	invariant.Check(x.guards >= 0, "%v supervises %d", a, x.guards)
}

// verifyBottom checks that nothing is left that has to end before the actor.
func verifyBottom(a *cell, x *coldState) {
	invariant.Check(x.children.youngest == nil, "%v ends before its children", a)
	invariant.Check(x.guards == 0, "%v has no children, and supervises %d", a, x.guards)
}

// verifyFinish checks an actor whose box is closed, before the system queue is.
func verifyFinish(a *cell, x *coldState) {
	invariant.Check(seam.Peek(&a.box.head) == &closedMark, "%v finishes, and its mailbox is open", a)
	invariant.Check(x.state != ended, "%v finishes twice", a)
	invariant.Check(a.in.pending == nil, "%v finishes with mail in hand", a)
	invariant.Check(x.stash.list.first == nil && x.unstashed.first == nil && x.held.first == nil, "%v finishes with mail put aside", a)
}

// verifyEnded checks what is left of an actor once all others have been told.
func verifyEnded(a *cell, x *coldState) {
	invariant.Check(x.state == ended && seam.Peek(&a.system.head) == &closedMark, "%v has ended in phase %d", a, x.state)
	invariant.Check(!x.waiting && !x.unheld && x.backoff == nil, "%v has ended, and waits or rests", a)
	invariant.Check(len(x.links.entries)+len(x.watchers.entries)+len(x.watching.entries) == 0, "%v has ended, and is linked or watched", a)
	invariant.Check(x.stopReasons == 0, "%v has ended, and is a ward for %d reasons", a, x.stopReasons)
	invariant.Check(x.names == nil && x.lifeDone == nil, "%v has ended, and has a name or a bridge", a)
	invariant.Check(a.load == 0, "%v has ended with a load of %#x", a, a.load)
	invariant.Check(x.child == nil || x.child.parent == nil, "%v has ended, and leads to its parent", a)
	invariant.Check(a.arena == nil && !a.isCollecting(), "%v has ended, and has an arena", a)
	backpressure.MustBe(&a.gate, true)
	backpressure.MustRun(&a.blockedOn)
}

// verifyTerminate checks an actor that ends at once: no worker may run it any more.
func verifyTerminate(a *cell) {
	invariant.Check(a.cold == nil || a.cold.state != ended, "%v is terminated twice", a)
	invariant.Check(a.cold != nil || seam.Peek(&a.box.head) != &closedMark, "%v is terminated, and its mailbox closed", a)
}

// verifyWait checks an actor that waits: its debt and its hold are its own.
func verifyWait(a *cell, x *coldState) {
	invariant.Check(x.state == leaving || x.state == suspended || x.gone && a.typ().finishes, "%v waits in phase %d", a, x.state)
	invariant.Check(!x.unheld, "%v rests before it waits", a)
	backpressure.MustRun(&a.blockedOn)
}

// verifyWaited checks an actor that waits no longer.
func verifyWaited(a *cell, x *coldState) {
	invariant.Check(x.stopReasons > 0, "%v has waited, and was not on the stop list", a)
	backpressure.MustRun(&a.blockedOn)
	if x.backoff == nil {
		backpressure.MustOwe(&a.blockedOn)
	}
}

// verifyTerminated checks a record that many actors share: it is never written to.
func verifyTerminated(x *coldState) {
	invariant.Check(x.state == ended && x.err != nil, "a terminated record in phase %d", x.state)
	invariant.Check(!x.linking && x.stopReasons == 0 && x.children.youngest == nil, "a terminated record was written to")
}
