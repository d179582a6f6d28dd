package kernel

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/mpsc"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/sched"
)

// The end of an actor: its mailbox is closed, the mail that is left becomes dead letters, and
// links, watchers, supervisor and parent are told. The way to the end is in life.go.

// endPlainly ends an actor that has stopped itself, if it has no cold state, no OnStop and no mail.
// Most ends are of this kind. For other actors it does nothing and reports false. It takes one
// locked instruction, since it does not close the system queue. Owner only, between two turns.
func (a *Cell) endPlainly(c *Turn) bool {
	if !a.plain() || a.Load != 0 || a.In.Pending() != nil || a.In.HasAppended() || a.Arena != nil ||
		!a.Gate.IsOpen() {
		return false
	}
	c.W.PrepareNext()
	a.Cold = TerminatedNormal // before the close, which publishes it
	stub, ok := a.Box.CloseEmpty(&a.In)
	if !ok {
		a.Cold = nil // no sender has looked: the box was not closed
		return false
	}
	c.Then = goOn
	c.countStopped(a)
	if stub != nil {
		c.Recycle(stub)
	}
	// After the swap: code that makes one later finds the mailbox closed.
	if a.Flow.Load() != nil {
		e := c
		deadLetters(e, a, a.endFlow(), ErrStopped)
	}
	return true
}

// terminate ends an actor at once: an actor without cold state and OnStop, or an actor whose system
// has stopped. If the actor had no cold state, t becomes its cold state. Owner only.
func (a *Cell) terminate(e Env, t *Cold) {
	if invariant.On {
		verifyTerminate(a)
	}
	if a.Cold == nil && a.Load&backpressure.Muted == 0 {
		a.Cold = t // before the box is closed, which publishes it
		if invariant.On {
			verifyTerminated(a.Cold)
		}
		a.discardMailbox(e, a.Cold.err)
		freeArena(a, e)
		a.refuseAll(e, a.System.Close())
		return
	}
	x := a.MakeCold()
	x.Reason, x.Taken = t.Reason, t.Taken
	a.closeBox(e)
	a.finish(e)
}

// discardMailbox closes the mailbox, releases all senders that wait at the gate, and makes dead
// letters of the mail that was left. Owner only.
func (a *Cell) discardMailbox(e Env, why error) {
	left, stub := a.Box.Close(&a.In)
	if stub != nil {
		recycle(e, stub)
	}
	a.Load &= backpressure.Muted // Muted is cleared when the last block is undone
	muted, newest := a.LetAllGo()
	release(e, muted)
	deadLetters(e, a, msg.Concat(left, newest), why)
}

// finish ends an actor whose mailbox is closed, and announces the end.
func (a *Cell) finish(e Env) {
	x := a.Cold
	a.waited()
	x.closeParts(a, e) // OnStop may have armed timers
	x.endParts(a, e, atEnd, x.tooLate())
	if invariant.On {
		verifyFinish(a, x)
	}
	if a.Load&backpressure.Muted != 0 {
		a.Load = 0
		countUnmute(e)
		a.Sys().Sched.ReleaseParked()
	}
	freeArena(a, e)
	a.Sys().StopList.drop(x)
	x.State = ended
	left := a.System.Close() // publishes the reason
	a.refuseAll(e, x.Todo.All())
	a.refuseAll(e, left)
	x.announce(a, e)
}

// refuseAll refuses a chain of messages from the system queue of an actor that has ended: signals
// are refused, and messages become dead letters.
func (a *Cell) refuseAll(e Env, left *Message) {
	for left != nil {
		m := left
		left, m.Next = m.Next, nil
		if m.ID != SystemID {
			MakeDeadLetter(e, a, m, a.WhyEnded())
			continue
		}
		s := takeSignal(m)
		recycle(e, m)
		if s != nil {
			s.Refused(a, e)
		}
	}
}

// announce tells links, watchers, supervisor and parent, in this order.
func (x *Cold) announce(a *Cell, e Env) {
	x.endParts(a, e, atNews, x.Reason)
	if x.Sup != nil {
		x.Sup.tellChildDown(e, a, x.Reason, true)
	}
	if x.Child != nil {
		x.Child.ended(e)
	}
	x.Children.disband()
	x.Sup, x.Orders.seen = nil, nil // a ref keeps no other actor
	if invariant.On {
		verifyEnded(a, x)
	}
}

// The cold states of ended actors that had none before, for the common reasons. Shared.
var (
	TerminatedNormal   = &Cold{State: ended, terminated: true, err: ErrStopped}
	TerminatedShutdown = &Cold{State: ended, Reason: ErrShutdown,
		err: stoppedBecause(ErrShutdown)}
	TerminatedKilled = &Cold{State: ended, Reason: ErrKilled, err: stoppedBecause(ErrKilled)}
	TerminatedSystem = &Cold{State: ended, Taken: true, Reason: ErrSystemStopped,
		err: ErrSystemStopped}
)

// newTerminated returns the cold state of an ended actor that had none before.
func newTerminated(why error) *Cold {
	switch why {
	case nil:
		return TerminatedNormal
	case ErrShutdown:
		return TerminatedShutdown
	case ErrKilled:
		return TerminatedKilled
	}
	return &Cold{State: ended, Reason: why, err: stoppedBecause(why)}
}

// neverLived makes an actor that ended before its ref was known: its system has stopped.
func (a *Cell) neverLived() {
	// Its own, and not TerminatedSystem: spawning it as a child writes there.
	a.Cold = &Cold{State: ended, Taken: true, Reason: ErrSystemStopped, err: ErrSystemStopped}
	a.Box.MakeClosed()
	a.System.MakeClosed()
	a.LetAllGo() // the gate of one with a bound is shut, and would mute senders
}

// WhyEnded returns the error for senders whose mail is refused. Any goroutine that has seen that
// the mailbox or the system queue is closed.
func (a *Cell) WhyEnded() error { return a.Cold.err }

// endedPlainly reports whether the actor had only a box to close when it ended, and so has ended
// although its system queue may be open. Any goroutine.
func (a *Cell) endedPlainly() bool { return a.Box.Closed() && a.Cold.terminated }

// Ended reports whether the actor has ended. If so, its cold state does not change any more, and
// may be read. Any goroutine.
func (a *Cell) Ended() bool { return a.System.Closed() || a.endedPlainly() }

// TerminatedRecord returns the cold state of an actor that has ended. If the actor was ended by the
// end of its system, it may return TerminatedSystem. Any goroutine that has seen that the system
// queue is closed.
func (a *Cell) TerminatedRecord() *Cold {
	if a.Ended() {
		return a.Cold
	}
	return TerminatedSystem
}

// verifyFinish checks an actor whose mailbox is closed and whose system queue is open.
func verifyFinish(a *Cell, x *Cold) {
	invariant.Check(a.Box.PeekClosed(), "%v finishes, and its mailbox is open", a)
	invariant.Check(x.State != ended, "%v finishes twice", a)
	invariant.Check(a.In.Pending() == nil, "%v finishes with mail in hand", a)
	invariant.Check(x.held.First == nil, "%v finishes with mail put aside", a)
}

// verifyEnded checks an actor after its end was announced.
func verifyEnded(a *Cell, x *Cold) {
	invariant.Check(x.State == ended && a.System.PeekClosed(), "%v has ended in phase %d", a, x.State)
	invariant.Check(!x.waiting && !x.unheld && x.Backoff == nil, "%v has ended, and waits or rests", a)
	invariant.Check(x.Listed.Reasons == 0, "%v has ended, and is on the stop list for %d reasons", a,
		x.Listed.Reasons)
	invariant.Check(a.Load == 0, "%v has ended with a load of %#x", a, a.Load)
	invariant.Check(x.Child == nil || x.Child.parent == nil, "%v has ended, and leads to its parent",
		a)
	invariant.Check(a.Arena == nil && !a.Progress.IsCollecting(), "%v has ended, and has an arena", a)
	backpressure.MustBe(&a.Gate, true)
	backpressure.MustRun(&a.BlockedOn)
}

// verifyTerminate checks an actor that ends at once: no worker may run it any more.
func verifyTerminate(a *Cell) {
	invariant.Check(a.Cold == nil || a.Cold.State != ended, "%v is terminated twice", a)
	invariant.Check(a.Cold != nil || !a.Box.PeekClosed(), "%v is terminated, and its mailbox closed",
		a)
}

// verifyTerminated checks that a cold state that many actors share was never written to.
func verifyTerminated(x *Cold) {
	invariant.Check(x.State == ended && x.err != nil, "a terminated record in phase %d", x.State)
	invariant.Check(x.Parts == [PartKinds]Part{} && x.Listed.Reasons == 0 && x.Children.Youngest == nil,
		"a terminated record was written to")
}

// end ends an actor that has asked for its own end.
func (a *Cell) end(c *Turn) (again bool) {
	if !a.plain() {
		a.endSlow(c, a.MakeCold())
		return a.endSignalTurn(c)
	}
	c.reset()
	c.countStopped(a)
	c.W.GiveUp() // a mailbox may be long
	a.terminate(c, TerminatedNormal)
	return false
}

// countStopped counts an end, in the turn that brings it.
func (c *Turn) countStopped(a *Cell) {
	c.Count.Stopped.Add(1)
	if c.ring != nil {
		c.noteStop(a)
	}
}

//go:noinline
func (c *Turn) noteStop(a *Cell) {
	(*c.Sys.inspected.Load()).Noted(c, flightlog.Stop, a, nil)
}

// endSlow ends an actor that has cold state or an OnStop function.
func (a *Cell) endSlow(c *Turn, x *Cold) {
	c.Aside = true
	if x.gone {
		if !a.Typ().Finishes && x.held.First == nil { // or else endDrainTurn decides
			a.leave(c, nextEnded, ModeDrain, ErrShutdown)
		}
		return
	}
	a.exit(c, x.takeExit())
}

// TaskTerminated ends an actor whose behaviour crashed, or whose system has stopped. It
// implements sched.ClassRunner.
func (k *TypeInSystem) TaskTerminated(w *sched.Worker, t *sched.Task, cause error) {
	a := cellOfTask(t)
	if w == nil {
		mpsc.NoBias.Revoke(&a.Box, &a.In)
		k.Sys.Outside.Stopped.Add(1)
		a.terminate(k.Sys, TerminatedSystem)
		return
	}
	a.crashed(w.Local().(*Turn), cause.(*sched.Crash))
}
