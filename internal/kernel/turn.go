package kernel

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/sched"
)

// RunTask runs one turn of an actor: the messages that were in its mailbox at the
// beginning, up to a batch of them, unless it stops or must park. Messages that come in
// meanwhile, from itself as well, wait for the next turn: otherwise an actor that
// sends to itself would always spend its batch, count as overloaded, and never be
// muted. RunTask implements sched.ClassRunner.
//
// Every message of every actor is run here, so the function is long and flat: the steps of nearly
// every turn are inlined by hand, and rare steps are calls. The parts, in this order:
//
//  1. Take over: the worker's Turn is this actor's until the end. The batch bounds the turn; a
//     behaviour may cut it short (Gas). If the top node of the mailbox is the mark of another
//     worker's bias, that bias ends before mail is taken out.
//  2. Find the mail, in hand or in the mailbox. If a single message is in hand, left there as the
//     top node, and there may be a bias, more mail may have come after it without a wake-up: that
//     is taken in now, to be one segment with the first message.
//  3. Run segments, until the mail, the batch or the timeslice is used up. Most turns run exactly
//     one message, which has a fast path: it saves a call, about 1 ns. The call of account is
//     needed if the behaviour has set a flag, if the actor has a load, or if the batch or the
//     timeslice ends with this message. Signals go first: each segment begins with a look at the
//     system queue.
//  4. Go idle, as nearly every turn does; or leave the actor to endTurn, to serveSignals, or to
//     preempted: other actors have waited for long, or the system stops, and the mail that is left
//     becomes dead letters.
//
// again reports whether another turn is to follow: then the scheduler puts the task at the end of
// its queue. If not, the actor is idle, parked or has ended, and another worker may run it already,
// so this turn may not touch it any more.
func (k *TypeInSystem) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	c, a := w.Local().(*Turn), cellOfTask(t)
	c.left = int(k.batch)
	c.Self = a
	a.Progress |= begun
	// The top node is the mark of another worker's bias: that bias ends before mail is taken out.
	if last := a.In.Tail(); last != nil && last != c.Bias.Mark() {
		c.Bias.Revoke(&a.Box, &a.In)
	}
	if invariant.On {
		a.Box.VerifyTurn(&a.In, &c.Bias)
		verifyTurn(a, c)
	}
	m := a.In.Pending()
	if m == nil {
		if m = a.refillPending(c); m == nil {
			return a.spuriousWake(c)
		}
	} else if m.Next == nil && k.Biased && a.Box.Waits(&a.In) {
		m = a.refillPending(c)
	}
	// Signals go first: the loop looks at the system queue before each segment.
	for a.System.IsEmpty() {
		over := false
		if next := m.Next; next != nil && next.OwnerTag == m.OwnerTag {
			over = a.account(c, a.runSegment(c, m, min(c.left, w.Budget(), msg.ChainLength)))
		} else {
			// Fast path for a single message, inlined by hand.
			c.Msg = m
			a.Runs()[m.ID](c, a, m)
			if c.Then != goOn || a.Load != 0 || c.left == 1 || w.Budget() == 1 {
				over = a.account(c, 1)
			} else {
				// account, inlined by hand.
				if invariant.On {
					verifySegment(a, c, 1)
				}
				a.In.SetPending(m.Next)
				c.Count.messages++
				c.left--
				if !a.In.IsTop(m) && !c.Cache.Free(m) { // recycle, inlined by hand
					c.RecycleChain(m, m, 1)
				}
				w.SpendOne()
				// goIdle, inlined by hand.
				if a.In.Pending() == nil && !a.In.HasAppended() && !a.Progress.IsCollecting() {
					if invariant.On {
						verifyGoIdle(a, c)
					}
					w.PrepareNext()
					stub, ok := a.Box.TryIdle(&a.In)
					if stub != c.Bias.Mark() && stub != nil {
						c.Recycle(stub)
					}
					return !ok
				}
			}
		}
		if m = a.In.Pending(); over || m == nil {
			return a.endTurn(c)
		}
		if w.MustYield() {
			return a.preempted(c)
		}
	}
	return a.serveSignals(c)
}

// HasMail reports whether the turn that runs on w has another message in hand. Owner only, in a
// turn of an actor.
func HasMail(w *sched.Worker, _ *sched.Task) bool {
	c := w.Local().(*Turn)
	if c.left <= 1 {
		return false // the batch ends with this message
	}
	if !c.Aside && inHand(c, c.Self, c.Msg) {
		return c.Msg.Next != nil // messages that have run are pending until the turn accounts for them
	}
	return c.Self.In.Pending() != nil
}

// refillPending takes the new mail out of the mailbox, and appends it to the message in hand, if
// there is one. It returns the first message that is then in hand, or nil.
func (a *Cell) refillPending(c *Turn) *Message {
	// The mailbox is a stack, which is reversed here. It returns its old top node, the stub.
	var stub *Message
	if a.In.Pending() == nil {
		stub, _ = a.Box.Drain(&a.In)
	} else {
		stub = a.Box.DrainBehind(&a.In)
	}
	if stub != nil {
		c.Recycle(stub)
	}
	return a.In.Pending()
}

// runSegment runs a segment, which begins with m, and returns its number of messages. At the end
// c.Msg is the last of them, and c.Ran is the chain of the messages before it.
//
// A segment is the unit of accounting: its messages belong to one worker's free list, so they go
// back as one chain, and the counters change once. A segment ends
//
//   - before a message of another owner;
//   - when the behaviour has set a flag;
//   - when a signal has come;
//   - with the quota, and with the timeslice.
func (a *Cell) runSegment(c *Turn, m *Message, quota int) (n int) {
	// Become ends the segment by a flag (TurnTable), so that the table holds for all of it.
	runs := a.Runs()
	for left := quota; ; {
		c.Msg = m
		runs[m.ID](c, a, m)
		left--
		next := m.Next
		if left == 0 || next == nil || c.Then != goOn || next.OwnerTag != m.OwnerTag ||
			!a.System.IsEmpty() {
			return quota - left
		}
		if c.W.MustYield() {
			return quota - left
		}
		// The chain of messages that have run grows at its head: the newest message is the first.
		m.Next, c.Ran = c.Ran, m
		m = next
	}
}

// Invoke runs the behaviour of a message that is not the next of the mailbox: urgent mail, the
// payload of a timer, a carried message, or an outcome that a signal has brought. It counts the
// message. RunTask and runSegment, which run the mail, have it inlined by hand.
func (c *Turn) Invoke(a *Cell, m *Message) {
	c.Count.messages++
	a.Runs()[m.ID](c, a, m)
}

// account accounts for the n messages of a segment at once: in the mailbox, the free list, the
// counters, the watermarks and the timeslice. It reports whether the turn is over.
//
// account removes the messages from the pending mail and recycles them, except for the mailbox's
// top node, which stays in place. The newest is the first to be used again, so nodes that lie side
// by side stay neighbours, for any division of the mail into turns and segments
// (docs/decisions/0008-messages-go-home.md).
func (a *Cell) account(c *Turn, n int) (over bool) {
	if invariant.On {
		verifySegment(a, c, n)
	}
	// The chain from newest to oldest goes back to its owner in one piece.
	oldest, newest, free := a.In.Pending(), c.Msg, n
	a.In.SetPending(newest.Next)
	if newest == a.In.Tail() { // the top node of the mailbox
		newest, free = c.Ran, n-1
	} else {
		newest.Next = c.Ran
	}
	c.Ran = nil
	c.Count.messages += uint64(n)
	c.left -= n
	// Plain mail is not counted, and an actor with plain mail mostly has a load of 0.
	if a.Load != 0 {
		addToCount(a, -n)
	}
	// Nothing is free if the only message that ran is the top node.
	if free > 0 {
		c.RecycleChain(newest, oldest, free)
	}
	c.W.Spend(n)
	// These flags only interrupt a segment; the others are for the end of the turn.
	if c.Then&(gasLow|TurnTable|usesContext|unstashed) != 0 {
		c.applyFlags()
	}
	return c.left == 0 || c.Then != goOn
}

// endTurn ends a turn whose last segment was accounted for. In the common case no mail is left and
// no flag is set; endTurnSlow handles all other cases.
func (a *Cell) endTurn(c *Turn) (again bool) {
	// Four loads of words that this turn has touched anyway.
	if a.In.Pending() != nil || c.left == 0 || c.Then != goOn || a.Load != 0 {
		return a.endTurnSlow(c)
	}
	return a.goIdle(c)
}

// endTurnSlow ends a turn of an actor that may not simply go idle: mail is left, the batch is used
// up, the actor has a load, or a behaviour has set a flag. Such a behaviour stopped the actor, met
// a gate, spent the gas, or lasted for long.
func (a *Cell) endTurnSlow(c *Turn) (again bool) {
	then := c.Then
	// An actor that stops itself, without callbacks, links or mail, ends here.
	if then == mustEnd && a.endPlainly(c) {
		return false
	}
	c.Then = goOn
	// First the changes of the mail in hand: unstashed messages go before the rest, and a yielded
	// message before them.
	if then&(lookAgain|unstashed) != 0 {
		requeueUnstashed(a)
	}
	if then&Yielded != 0 {
		a.pushFront(c.takeFront())
	}
	if then&MustCollect != 0 {
		collectArena(a, c)
	}
	if a.Load&backpressure.Withheld != 0 {
		a.endWithholding(c) // its mail has had a turn
	}
	// Then the next state: ended, parked, or with more mail. The order matters: an actor that ends
	// does not park, and an actor that parks is not overloaded.
	switch {
	case then&mustEnd != 0:
		c.Then = then & MayPark // Decide may have it go on
		return a.end(c)
	case then&MayPark != 0 && a.park(c):
		return false
	case then&hasLasted != 0 && a.leftAtLeast(a.batch()):
		return a.markOverloaded(c)
	case then&Yielded != 0:
		return a.yieldTurn(c)
	case a.In.Pending() == nil:
		return a.drained(c)
	case c.left == 0 || a.Load&backpressure.Counted != 0:
		return a.markOverloaded(c)
	}
	// Every gate that it met was open again before it parked: the rest of the batch waits its turn.
	return true
}

// drained ends a turn that has run all the mail of its beginning. An actor that has emptied its
// mailbox keeps up: it is not overloaded any more. If c.left is 0 the turn has used up its batch.
func (a *Cell) drained(c *Turn) (again bool) {
	if a.Load&backpressure.Exempt != 0 {
		a.endExemption()
	}
	if again, idle := a.policy().drained(a, c); !idle {
		return again
	}
	return a.goIdle(c)
}

// goIdle makes the actor idle if no mail has come in since the turn began and its arena is not
// being collected. It reports whether another turn is to follow. The swap of TryIdle races with the
// push of a sender. If the swap comes first, the actor is idle, and that sender schedules it. If
// the push comes first, the actor has mail, and this worker schedules it.
func (a *Cell) goIdle(c *Turn) (again bool) {
	// A collection in steps keeps the actor scheduled until it is done.
	if a.Progress.IsCollecting() && collectMore(a, c) {
		return true
	}
	// By a bias the worker itself has appended mail, which a look at the mailbox would not show.
	if a.In.HasAppended() {
		return true
	}
	if invariant.On {
		verifyGoIdle(a, c)
	}
	// Before TryIdle: once the actor is idle, its next sender may run it elsewhere.
	c.W.PrepareNext()
	stub, ok := a.Box.TryIdle(&a.In)
	// The mailbox returns a node, or the mark of the bias, which stays in place.
	if stub != nil && stub != c.Bias.Mark() {
		c.Recycle(stub)
	}
	return !ok // if not, there is more by now
}

// markOverloaded ends a turn that has used its batch or its gas up although mail is left:
// the actor is overloaded, as in the Pony runtime, unless its type has another policy.
func (a *Cell) markOverloaded(c *Turn) (again bool) {
	if a.Cold == nil || !a.Cold.drained {
		a.policy().overload(a, c)
	}
	// Otherwise its mailbox is closed, so no sender can make it worse. If it then waited for a
	// reply with its gate shut, senders that came before the close would be muted until its end.
	return true
}

// preempted ends a turn before its batch is used up, because other actors wait for the worker. The
// length of a turn says nothing about the mailbox: the worker may not have run at all for a while.
// So the actor is overloaded only if a batch of mail is left. An overloaded actor cannot be muted:
// without that condition it could flood others.
func (a *Cell) preempted(c *Turn) (again bool) {
	if a.Load&backpressure.Counted != 0 || a.leftAtLeast(a.batch()) {
		return a.markOverloaded(c)
	}
	return true
}

// mailWaits reports whether the mailbox has mail that the turn has not taken out. The answer may be
// stale. Owner only.
func (a *Cell) mailWaits() bool { return a.Box.Waits(&a.In) }

// leftAtLeast reports whether n messages or more are left. It counts at most n. Owner only.
//
// An actor whose turn was cut short is overloaded if a batch of mail is left.
func (a *Cell) leftAtLeast(n int) bool {
	a.Box.Each(&a.In, func(*Message) bool { n--; return n > 0 })
	return n <= 0
}

// spuriousWake is a turn without mail. This is no mistake: a signal has woken the actor, or the
// actor was unmuted when it had no mail.
func (a *Cell) spuriousWake(c *Turn) (again bool) {
	if !a.System.IsEmpty() {
		return a.serveSignals(c)
	}
	a.endWithholding(c)
	return a.drained(c)
}
