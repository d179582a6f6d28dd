package actor

import (
	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/sched"
)

// The end of an actor: its mailbox is closed, the mail that is left becomes dead letters, and
// links, watchers, supervisor and parent are told. The way to the end is in life.go.

// endPlainly ends an actor that has stopped itself, if it has no cold state, no OnStop and no mail.
// Most ends are of this kind. For other actors it does nothing and reports false. It takes one
// locked instruction, since it does not close the system queue. Owner only, between two turns.
func (a *cell) endPlainly(c *kernelTurn) bool {
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

// terminate ends an actor at once: an actor without cold state and OnStop, or an actor whose system
// has stopped. If the actor had no cold state, t becomes its cold state. Owner only.
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
		freeArena(a, e)
		a.refuseAll(e, a.system.Close())
		return
	}
	x := a.makeCold()
	x.reason, x.taken = t.reason, t.taken
	a.closeBox(e)
	a.finish(e)
}

// discardMailbox closes the mailbox, releases all senders that wait at the gate, and makes dead
// letters of the mail that was left. Owner only.
func (a *cell) discardMailbox(e env, why error) {
	left, stub := a.box.Close(&a.in)
	if stub != nil {
		e.recycle(stub)
	}
	a.load &= backpressure.Muted // Muted is cleared when the last block is undone
	muted, newest := a.letAllGo()
	release(e, muted)
	deadLetters(e, a, msg.Concat(left, newest), why)
}

// finish ends an actor whose mailbox is closed, and announces the end.
func (a *cell) finish(e env) {
	x := a.cold
	a.waited()
	x.closeParts(a, e) // OnStop may have armed timers
	x.endParts(a, e, atEnd, x.tooLate())
	if invariant.On {
		verifyFinish(a, x)
	}
	if a.load&backpressure.Muted != 0 {
		a.load = 0
		e.countUnmute()
		a.sys().sched.ReleaseParked()
	}
	freeArena(a, e)
	a.sys().stopList.drop(x)
	x.state = ended
	left := a.system.Close() // publishes the reason
	a.refuseAll(e, x.todo.All())
	a.refuseAll(e, left)
	x.announce(a, e)
}

// refuseAll refuses a chain of messages from the system queue of an actor that has ended: signals
// are refused, and messages become dead letters.
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
	x.endParts(a, e, atNews, x.reason)
	if x.sup != nil {
		x.sup.tellChildDown(e, a, x.reason, true)
	}
	if x.child != nil {
		x.child.ended(e)
	}
	x.children.disband()
	x.sup, x.orders.seen = nil, nil // a ref keeps no other actor
	if invariant.On {
		verifyEnded(a, x)
	}
}

// The cold states of ended actors that had none before, for the common reasons. Shared.
var (
	terminatedNormal   = &coldState{state: ended, terminated: true, err: ErrStopped}
	terminatedShutdown = &coldState{state: ended, reason: ErrShutdown,
		err: stoppedBecause(ErrShutdown)}
	terminatedKilled = &coldState{state: ended, reason: ErrKilled, err: stoppedBecause(ErrKilled)}
	terminatedSystem = &coldState{state: ended, taken: true, reason: ErrSystemStopped,
		err: ErrSystemStopped}
)

// newTerminated returns the cold state of an ended actor that had none before.
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

// whyEnded returns the error for senders whose mail is refused. Any goroutine that has seen that
// the mailbox or the system queue is closed.
func (a *cell) whyEnded() error { return a.cold.err }

// endedPlainly reports whether the actor had only a box to close when it ended, and so has ended
// although its system queue may be open. Any goroutine.
func (a *cell) endedPlainly() bool { return a.box.Closed() && a.cold.terminated }

// ended reports whether the actor has ended. If so, its cold state does not change any more, and
// may be read. Any goroutine.
func (a *cell) ended() bool { return a.system.Closed() || a.endedPlainly() }

// terminatedRecord returns the cold state of an actor that has ended. If the actor was ended by the
// end of its system, it may return terminatedSystem.
func (a *cell) terminatedRecord() *coldState {
	if a.ended() {
		return a.cold
	}
	return terminatedSystem
}

// verifyFinish checks an actor whose mailbox is closed and whose system queue is open.
func verifyFinish(a *cell, x *coldState) {
	invariant.Check(a.box.PeekClosed(), "%v finishes, and its mailbox is open", a)
	invariant.Check(x.state != ended, "%v finishes twice", a)
	invariant.Check(a.in.Pending() == nil, "%v finishes with mail in hand", a)
	invariant.Check(x.held.First == nil, "%v finishes with mail put aside", a)
}

// verifyEnded checks an actor after its end was announced.
func verifyEnded(a *cell, x *coldState) {
	invariant.Check(x.state == ended && a.system.PeekClosed(), "%v has ended in phase %d", a, x.state)
	invariant.Check(!x.waiting && !x.unheld && x.backoff == nil, "%v has ended, and waits or rests", a)
	invariant.Check(x.listed.reasons == 0, "%v has ended, and is on the stop list for %d reasons", a,
		x.listed.reasons)
	invariant.Check(a.load == 0, "%v has ended with a load of %#x", a, a.load)
	invariant.Check(x.child == nil || x.child.parent == nil, "%v has ended, and leads to its parent",
		a)
	invariant.Check(a.arena == nil && !a.progress.isCollecting(), "%v has ended, and has an arena", a)
	backpressure.MustBe(&a.gate, true)
	backpressure.MustRun(&a.blockedOn)
}

// verifyTerminate checks an actor that ends at once: no worker may run it any more.
func verifyTerminate(a *cell) {
	invariant.Check(a.cold == nil || a.cold.state != ended, "%v is terminated twice", a)
	invariant.Check(a.cold != nil || !a.box.PeekClosed(), "%v is terminated, and its mailbox closed",
		a)
}

// verifyTerminated checks that a cold state that many actors share was never written to.
func verifyTerminated(x *coldState) {
	invariant.Check(x.state == ended && x.err != nil, "a terminated record in phase %d", x.state)
	invariant.Check(x.parts == [partKinds]part{} && x.listed.reasons == 0 && x.children.youngest == nil,
		"a terminated record was written to")
}

// end ends an actor that has asked for its own end.
func (a *cell) end(c *kernelTurn) (again bool) {
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
func (c *kernelTurn) countStopped(a *cell) {
	c.count.stopped.Add(1)
	if c.ring != nil {
		c.noteStop(a)
	}
}

//go:noinline
func (c *kernelTurn) noteStop(a *cell) {
	c.sys.inspected.Load().noted(c, flightlog.Stop, a, nil)
}

// endSlow ends an actor that has cold state or an OnStop function.
func (a *cell) endSlow(c *kernelTurn, x *coldState) {
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
	a.crashed(w.Local().(*kernelTurn), cause.(*sched.Crash))
}
