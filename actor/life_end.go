package actor

import (
	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/sched"
)

// What ends an actor: its mailbox is closed, what is left becomes dead letters, and all that want
// to know are told. The way there is in life.go.

// endPlainly ends an actor that has stopped itself and has nothing and no actor to see to, not even
// mail: most ends are like that. Otherwise it reports false, and has done nothing. One locked
// instruction, since it leaves the system queue alone: see there. Owner only, between two turns.
func (a *cell) endPlainly(c *Context) bool {
	if !a.plain() || a.load != 0 || a.in.Pending() != nil || a.in.HasAppended() || a.arena != nil ||
		!a.gate.IsOpen() {
		return false
	}
	c.w.PrepareNext()
	a.cold = terminatedNormal // before the close, which publishes it
	stub, ok := a.box.CloseEmpty(&a.in)
	if !ok {
		a.cold = nil // no sender has looked: the box was not closed
		return false
	}
	c.then = goOn
	c.countStopped(a)
	if stub != nil {
		c.recycle(stub)
	}
	// After the swap: code that makes one later finds the mailbox closed.
	if a.flow.Load() != nil {
		e := c
		deadLetters(e, a, a.endFlow(), ErrStopped)
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
		a.refuseAll(e, a.system.Close())
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
	left, stub := a.box.Close(&a.in)
	if stub != nil {
		e.recycle(stub)
	}
	a.load &= backpressure.Muted // which ends with what blocks it
	muted, newest := a.letAllGo()
	release(e, muted)
	deadLetters(e, a, msg.Concat(left, newest), why)
}

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
		a.sys().sched.ReleaseParked()
	}
	a.freeArena(e)
	a.dispatchBy(nil)
	a.sys().stopList.drop(x)
	x.state = ended
	left := a.system.Close() // publishes the reason
	a.refuseAll(e, x.todo.All())
	a.refuseAll(e, left)
	x.announce(a, e)
}

// refuseAll answers for the dead: a chain from the system queue.
func (a *cell) refuseAll(e env, left *message) {
	for left != nil {
		m := left
		left, m.Next = m.Next, nil
		if m.ID != systemID {
			deadLetter(e, a, m, a.whyEnded())
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
	for l := x.links.Pop(); l != nil; l = x.links.Pop() {
		l.tellEnd(a, e, x.reason)
	}
	for m := x.watching.Pop(); m != nil; m = x.watching.Pop() {
		m.live = false
		m.leave(e)
	}
	for m := x.watchers.Pop(); m != nil; m = x.watchers.Pop() {
		m.report(e, a, x)
	}
	if x.sup != nil {
		x.sup.tellChildDown(e, a, x.reason, true)
	}
	if x.child != nil {
		x.child.ended(e)
	}
	x.children.disband()
	x.sup, x.trap, x.stopSeen, x.outlives = nil, nil, nil, nil // a ref keeps no other actor
	if invariant.On {
		verifyEnded(a, x)
	}
}

// What is left of actors that had no cold state, when the reason is common.
var (
	terminatedNormal   = &coldState{state: ended, terminated: true, err: ErrStopped}
	terminatedShutdown = &coldState{state: ended, reason: ErrShutdown,
		err: stoppedBecause(ErrShutdown)}
	terminatedKilled = &coldState{state: ended, reason: ErrKilled, err: stoppedBecause(ErrKilled)}
	terminatedSystem = &coldState{state: ended, taken: true, reason: ErrSystemStopped,
		err: ErrSystemStopped}
)

// newTerminated returns what is left of an actor that had no cold state.
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

// neverLived makes an actor that ended before its ref was known: its system has stopped.
func (a *cell) neverLived() {
	// Its own, and not terminatedSystem: spawning it as a child writes there.
	a.cold = &coldState{state: ended, taken: true, reason: ErrSystemStopped, err: ErrSystemStopped}
	a.box.MakeClosed()
	a.system.MakeClosed()
	a.letAllGo() // the gate of one with a bound is shut, and would mute senders
}

// whyEnded is the error for senders whose mail is refused: the box is closed, or the system queue.
// Any goroutine that has seen so.
func (a *cell) whyEnded() error { return a.cold.err }

// endedPlainly reports whether the actor had only a box to close when it ended, and so has ended
// although its system queue may be open. Any goroutine.
func (a *cell) endedPlainly() bool { return a.box.Closed() && a.cold.terminated }

// ended reports whether the actor has ended. If so, its cold state does not change any more, and
// may be read. Any goroutine.
func (a *cell) ended() bool { return a.system.Closed() || a.endedPlainly() }

// terminatedRecord is what is left of an actor that is not served any more: it has ended, or its
// system took it along.
func (a *cell) terminatedRecord() *coldState {
	if a.ended() {
		return a.cold
	}
	return terminatedSystem
}

// verifyFinish checks an actor whose box is closed, before the system queue is.
func verifyFinish(a *cell, x *coldState) {
	invariant.Check(a.box.PeekClosed(), "%v finishes, and its mailbox is open", a)
	invariant.Check(x.state != ended, "%v finishes twice", a)
	invariant.Check(a.in.Pending() == nil, "%v finishes with mail in hand", a)
	invariant.Check(x.stash.list.First == nil && x.unstashed.n == 0 && x.held.First == nil,
		"%v finishes with mail put aside", a)
}

// verifyEnded checks what is left of an actor once all others have been told.
func verifyEnded(a *cell, x *coldState) {
	invariant.Check(x.state == ended && a.system.PeekClosed(), "%v has ended in phase %d", a, x.state)
	invariant.Check(!x.waiting && !x.unheld && x.backoff == nil, "%v has ended, and waits or rests", a)
	invariant.Check(x.links.Len()+x.watchers.Len()+x.watching.Len() == 0,
		"%v has ended, and is linked or watched", a)
	invariant.Check(x.stopReasons == 0, "%v has ended, and is on the stop list for %d reasons", a,
		x.stopReasons)
	invariant.Check(x.names == nil && x.lifeDone == nil, "%v has ended, and has a name or a bridge", a)
	invariant.Check(a.load == 0, "%v has ended with a load of %#x", a, a.load)
	invariant.Check(x.child == nil || x.child.parent == nil, "%v has ended, and leads to its parent",
		a)
	invariant.Check(a.arena == nil && !a.isCollecting(), "%v has ended, and has an arena", a)
	backpressure.MustBe(&a.gate, true)
	backpressure.MustRun(&a.blockedOn)
}

// verifyTerminate checks an actor that ends at once: no worker may run it any more.
func verifyTerminate(a *cell) {
	invariant.Check(a.cold == nil || a.cold.state != ended, "%v is terminated twice", a)
	invariant.Check(a.cold != nil || !a.box.PeekClosed(), "%v is terminated, and its mailbox closed",
		a)
}

// verifyTerminated checks a record that many actors share: it is never written to.
func verifyTerminated(x *coldState) {
	invariant.Check(x.state == ended && x.err != nil, "a terminated record in phase %d", x.state)
	invariant.Check(!x.linking && x.stopReasons == 0 && x.children.youngest == nil,
		"a terminated record was written to")
}

// end ends an actor that has asked for its end itself.
func (a *cell) end(c *Context) (again bool) {
	if !a.plain() {
		a.endSlow(c, a.makeCold())
		return a.endSignalTurn(c)
	}
	c.reset()
	c.countStopped(a)
	c.w.GiveUp() // a mailbox may be long
	a.terminate(c, terminatedNormal)
	return false
}

// countStopped counts an end, in the turn that brings it.
func (c *Context) countStopped(a *cell) {
	c.count.stopped.Add(1)
	if c.ring != nil {
		c.noteStop(a)
	}
}

//go:noinline
func (c *Context) noteStop(a *cell) {
	c.sys.inspected.Load().noted(c, flightlog.Stop, a, nil)
}

// endSlow ends an actor that has more to see to than its mail.
func (a *cell) endSlow(c *Context, x *coldState) {
	c.aside = true
	if x.gone {
		if !a.typ().finishes && x.held.First == nil { // or else endDrainTurn decides
			a.leave(c, nextEnded, modeDrain, ErrShutdown)
		}
		return
	}
	a.exit(c, x.takeExit())
}

// TaskTerminated ends an actor whose behaviour crashed, or whose system has stopped. It
// implements sched.KindRunner.
func (k *typeInSystem) TaskTerminated(w *sched.Worker, t *sched.Task, cause error) {
	a := cellOfTask(t)
	if w == nil {
		mpsc.NoBias.Revoke(&a.box, &a.in)
		k.sys.outside.stopped.Add(1)
		a.terminate(k.sys, terminatedSystem)
		return
	}
	a.crashed(w.Local().(*Context), cause.(*sched.Crash))
}
