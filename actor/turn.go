package actor

import (
	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/sched"
)

// RunTask runs one turn of an actor: the messages that were in its mailbox at the
// beginning, up to a batch of them, unless it stops or must park. What comes in
// meanwhile, from itself as well, waits for the next turn: otherwise an actor that
// sends to itself would always spend its batch, count as overloaded, and never be
// muted. RunTask implements sched.KindRunner.
func (k *typeInSystem) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	c, a := w.Local().(*Context), cellOfTask(t)
	c.left = int(k.batch)
	c.self = a
	a.progress |= begun
	if last := a.in.Tail(); last != nil && last != c.bias.Mark() {
		c.bias.Revoke(&a.box, &a.in)
	}
	if invariant.On {
		a.box.VerifyTurn(&a.in, &c.bias)
		verifyTurn(a, c)
	}
	m := a.in.Pending()
	if m == nil {
		if m = a.refillPending(c); m == nil {
			return a.spuriousWake(c)
		}
	} else if m.Next == nil && k.biased {
		if a.box.Waits(&a.in) {
			m = a.refillPending(c)
		}
	}
	for a.system.IsEmpty() {
		over := false
		if next := m.Next; next != nil && next.OwnerTag == m.OwnerTag {
			over = a.account(c, a.runSegment(c, m, min(c.left, w.Budget(), msg.ChainLength)))
		} else {
			// A segment of one, inlined by hand: so most turns are, and a call less is a nanosecond less.
			c.msg = m
			a.runs()[m.ID](c, a, m)
			if c.then != goOn || a.load != 0 || c.left == 1 || w.Budget() == 1 {
				over = a.account(c, 1)
			} else {
				if invariant.On {
					verifySegment(a, c, 1)
				}
				a.in.SetPending(m.Next)
				c.count.messages++
				c.left--
				if !a.in.IsTop(m) { // as in settle
					if !c.cache.Free(m) { // recycle, inlined by hand as well
						c.recycleChain(m, m, 1)
					}
				}
				w.SpendOne()
				// What nearly every turn comes to: goIdle, inlined by hand.
				if a.in.Pending() == nil && !a.in.HasAppended() && !a.isCollecting() {
					if invariant.On {
						verifyGoIdle(a, c)
					}
					w.PrepareNext()
					stub, ok := a.box.TryIdle(&a.in)
					if stub != c.bias.Mark() && stub != nil {
						c.recycle(stub)
					}
					return !ok
				}
			}
		}
		if m = a.in.Pending(); over || m == nil {
			return a.endTurn(c)
		}
		if w.MustYield() {
			// Others have waited for long; or to where what is left becomes dead letters.
			return a.preempted(c)
		}
	}
	return a.serveSignals(c)
}

// refillPending takes out the mail that has come in, and puts it behind the one message that may be
// in hand. It returns the first message that is then in hand, or nil.
func (a *cell) refillPending(c *Context) *message {
	var stub *message
	if a.in.Pending() == nil {
		stub, _ = a.box.Drain(&a.in)
	} else {
		stub = a.box.DrainBehind(&a.in)
	}
	if stub != nil {
		c.recycle(stub)
	}
	return a.in.Pending()
}

// segment runs messages of one origin, from m on and at most quota, until something calls for a
// closer look. It returns how many there were. c.msg is the last of them, and c.ran has those
// before it.
func (a *cell) runSegment(c *Context, m *message, quota int) (n int) {
	runs := a.runs()
	for left := quota; ; {
		c.msg = m
		runs[m.ID](c, a, m)
		left--
		next := m.Next
		if left == 0 || next == nil || c.then != goOn || next.OwnerTag != m.OwnerTag ||
			!a.system.IsEmpty() {
			return quota - left
		}
		if c.w.MustYield() {
			return quota - left
		}
		m.Next, c.ran = c.ran, m
		m = next
	}
}

// invoke runs the behaviour of a message that is not the next of the mailbox: urgent mail, the
// payload of a timer, what was carried, or an outcome that a signal has brought. It counts the
// message. RunTask and runSegment, which run the mail, have it inlined by hand.
func (c *Context) invoke(a *cell, m *message) {
	c.count.messages++
	a.runs()[m.ID](c, a, m)
}

// account takes the n messages that a segment has run off in.fifo. It recycles them, except for the
// mailbox's top node, which stays in place. The newest is the first to be used again, so nodes that
// lie side by side stay neighbours, however mail is cut into turns and segments
// (docs/decisions/0008-messages-go-home.md). settle reports whether the turn is over.
func (a *cell) account(c *Context, n int) (over bool) {
	if invariant.On {
		verifySegment(a, c, n)
	}
	oldest, newest, free := a.in.Pending(), c.msg, n
	a.in.SetPending(newest.Next)
	if newest == a.in.Tail() { // the top node of the mailbox
		newest, free = c.ran, n-1
	} else {
		newest.Next = c.ran
	}
	c.ran = nil
	c.count.messages += uint64(n)
	c.left -= n
	if a.load != 0 {
		a.policy().ran(a, n)
	}
	if free > 0 {
		c.recycleChain(newest, oldest, free)
	}
	c.w.Spend(n)
	if c.then&(gasLow|turnTable|usesContext) != 0 {
		c.applyFlags()
	}
	return c.left == 0 || c.then != goOn
}

// endTurn ends a turn that has settled a segment.
func (a *cell) endTurn(c *Context) (again bool) {
	if a.in.Pending() != nil || c.left == 0 || c.then != goOn || a.load != 0 {
		return a.endTurnSlow(c)
	}
	return a.goIdle(c)
}

// inHand reports whether m, which is or was c.msg, is a message from the mailbox whose segment is
// not settled. If the segment is settled, m is recycled, and may be anywhere. Owner only, in a turn
// that is about mail; or as a hint: see peek, which has looked whose turn it is, and may not read
// that again.
func inHand(c *Context, a *cell, m *message) bool {
	return c.ran != nil || m != nil && m == a.in.Pending()
}

// accountCrash settles a segment that has ended in the middle of c.msg's behaviour. It returns how
// many messages there were, and leaves them to the GC.
func (a *cell) accountCrash(c *Context) (n int) {
	n = 1 + msg.Distance(c.ran, nil)
	if invariant.On {
		verifySegment(a, c, n)
	}
	m := c.msg
	a.in.SetPending(m.Next)
	m.Next = c.ran
	c.ran = nil
	msg.Unlink(m, n)
	return n
}

// endTurnSlow is for a turn that may not simply go on, of an actor that may not simply go idle: the
// turn has run all there was or all that its batch allows, or a behaviour stopped the actor, met a
// gate, spent the gas, or lasted for long.
func (a *cell) endTurnSlow(c *Context) (again bool) {
	then := c.then
	if then == mustEnd && a.endPlainly(c) {
		return false
	}
	c.then = goOn
	if then&lookAgain != 0 {
		a.requeueUnstashed(a.cold)
	}
	if then&yielded != 0 {
		a.pushFront(c.takeFront())
	}
	if then&mustCollect != 0 {
		a.collectArena(c)
	}
	if a.load&backpressure.Withheld != 0 {
		a.endWithholding(c) // its mail has had a turn
	}
	switch {
	case then&mustEnd != 0:
		c.then = then & mayPark // Decide may have it go on
		return a.end(c)
	case then&mayPark != 0 && a.park(c):
		return false
	case then&hasLasted != 0 && a.leftAtLeast(a.batch()):
		return a.markOverloaded(c)
	case then&yielded != 0:
		return a.yieldTurn(c)
	case a.in.Pending() == nil:
		return a.drained(c)
	case c.left == 0 || a.load&backpressure.Counted != 0:
		return a.markOverloaded(c)
	}
	// It need not park after all; the rest of the batch waits its turn.
	return true
}

// drained ends a turn that has run all the mail there was when it began. The turn has used its
// batch up if c.left is 0.
func (a *cell) drained(c *Context) (again bool) {
	if a.load&backpressure.Exempt != 0 {
		a.endExemption()
	}
	if again, idle := a.policy().drained(a, c); !idle {
		return again
	}
	return a.goIdle(c)
}

// goIdle gives the actor up if nothing has come in since the turn began and its arena is
// not being collected.
func (a *cell) goIdle(c *Context) (again bool) {
	if a.isCollecting() && a.collectMore(c) {
		return true
	}
	if a.in.HasAppended() {
		return true
	}
	if invariant.On {
		verifyGoIdle(a, c)
	}
	c.w.PrepareNext()
	stub, ok := a.box.TryIdle(&a.in)
	if stub != nil && stub != c.bias.Mark() {
		c.recycle(stub)
	}
	return !ok // if not, there is more by now
}

// markOverloaded ends a turn that has used its batch or its gas up although mail is left:
// the actor is overloaded, as in the Pony runtime, unless its type has another policy.
func (a *cell) markOverloaded(c *Context) (again bool) {
	if a.cold == nil || !a.cold.drained {
		a.policy().overload(a, c)
	}
	// Otherwise its mailbox is closed, so no sender can make it worse. If it then waited for a
	// reply with its gate shut, senders that came before the close would be muted until its end.
	return true
}

// preempted ends a turn before its batch is used up, because the worker is wanted elsewhere. How
// long a turn took says nothing about the mailbox: the worker may not have run at all for a while.
// So the actor is overloaded only if a batch of mail is left. If it were overloaded without that,
// it could not be muted, and would flood others.
func (a *cell) preempted(c *Context) (again bool) {
	if a.load&backpressure.Counted != 0 || a.leftAtLeast(a.batch()) {
		return a.markOverloaded(c)
	}
	return true
}

// mailWaits reports whether there is mail that the turn has not taken out. Owner only.
func (a *cell) mailWaits() bool { return a.box.Waits(&a.in) }

// leftAtLeast reports whether n messages or more are left, and looks no further. Owner only.
func (a *cell) leftAtLeast(n int) bool {
	a.box.Each(&a.in, func(*message) bool { n--; return n > 0 })
	return n <= 0
}

// spuriousWake is a turn without mail: a signal has called the actor, or the actor was let go
// when it had no mail.
func (a *cell) spuriousWake(c *Context) (again bool) {
	if !a.system.IsEmpty() {
		return a.serveSignals(c)
	}
	a.endWithholding(c)
	c.left = 0
	return a.drained(c)
}

// end ends an actor that has asked for its end itself.
func (a *cell) end(c *Context) (again bool) {
	if !a.plain() {
		a.endSlow(c, a.makeCold())
		return a.endSignalTurn(c)
	}
	c.reset()
	c.count.stopped.Add(1)
	c.w.GiveUp() // a mailbox may be long
	a.terminate(c, terminatedNormal)
	return false
}

// endSlow ends an actor that has more to see to than its mail.
func (a *cell) endSlow(c *Context, x *coldState) {
	c.aside = true
	if x.gone {
		if !a.typ().finishes { // or else endDrainTurn decides
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
