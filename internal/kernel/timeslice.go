package kernel

import (
	"fmt"

	"github.com/gallop-go/gallop/internal/kernel/msg"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// DefaultGas is the number of reductions that an actor without actor.WithGas may spend in one turn.
const DefaultGas = 4000

// gasMeter records how much the running turn has spent besides its messages. It is reset at its
// first use in a turn, which it recognises by the turn's number. So a turn that does not use it
// pays nothing.
type gasMeter struct {
	turn  uint64
	spent int
	cut   int // taken off the messages that the turn may still run
}

// Gas implements actor.Context.Gas.
func (c *Turn) Gas(n int) {
	if n < 0 {
		panic(fmt.Sprintf("gallop: Gas(%d): want at least 0", n))
	}
	if turn := c.W.Turn(); c.gas.turn != turn {
		c.gas = gasMeter{turn: turn}
	}
	n = min(n, MaxBatch)
	c.gas.spent = min(c.gas.spent+n, MaxBatch)
	// This keeps the intervals between two readings of the clock.
	c.W.SpendGas(n)
	limit := c.Self.Shared().gasLimit()
	if c.gas.spent+c.Self.batch() <= limit {
		return // enough for the whole batch
	}
	c.Then |= gasLow // cutGas accounts for it when the behaviour returns
	if c.gas.spent+c.runInTurn() >= limit {
		c.Then |= gasSpent
	}
}

// runInTurn returns the number of messages that the turn has begun to run: the messages of
// accounted segments, and those of the current segment up to the running one.
func (c *Turn) runInTurn() int {
	n := c.Self.batch() - c.left - c.gas.cut
	if c.Aside {
		return n
	}
	return n + msg.Distance(c.Ran, nil) + 1
}

// applyFlags acts on the flags gasLow, TurnTable, usesContext and unstashed. They end a segment,
// but not the turn. The caller has accounted for the segment before.
func (c *Turn) applyFlags() {
	then := c.Then
	c.Then &^= gasLow | TurnTable | unstashed
	if then&unstashed != 0 {
		requeueUnstashed(c.Self)
	}
	if then&usesContext != 0 {
		c.leaveContext()
	}
	if then&gasLow != 0 {
		c.cutGas()
	}
}

// cutGas lets the turn run fewer messages, so that it stays within its gas. If none remain, the
// turn ends.
func (c *Turn) cutGas() {
	ran := c.Self.batch() - c.left - c.gas.cut
	if over := c.left - max(c.Self.Shared().gasLimit()-c.gas.spent-ran, 0); over > 0 {
		c.left -= over
		c.gas.cut += over
	}
	if invariant.On {
		verifyGas(c)
	}
	if c.left == 0 {
		c.Then |= gasSpent
	}
}

// ShouldYield implements actor.Context.ShouldYield.
func (c *Turn) ShouldYield() bool {
	if c.W.InBlocking() {
		return c.Then&gasSpent != 0 || c.W.Stopping()
	}
	return c.Then&gasSpent != 0 || c.W.SliceSpent() && c.sliceSpent()
}

// sliceSpent returns true. If the running message is from the mailbox, sliceSpent also makes the
// turn end when the behaviour returns.
func (c *Turn) sliceSpent() bool {
	if !c.Aside {
		c.Then |= gasSpent | hasLasted
	}
	return true
}

// front is mail that goes before the messages that were taken out of the mailbox. It is put there
// after the running behaviour has returned, because until then these messages belong to the turn.
type front struct {
	first, end *Message
	n          int
}

// PutFront makes a chain of n messages the next that the running actor handles. Owner only, in a
// turn, once in a behaviour.
func (c *Turn) PutFront(first, end *Message, n int) {
	c.front = front{first, end, n}
	if invariant.On {
		verifyFront(c.front)
	}
	c.Then |= Yielded
}

// takeFront returns the chain, and forgets it.
func (c *Turn) takeFront() (first, end *Message, n int) {
	f := c.front
	c.front = front{}
	return f.first, f.end, f.n
}

// pushFront puts a chain of n messages before the messages that were taken out of the mailbox. The
// messages of the chain were never in the mailbox, so they can be recycled after they have run.
// Owner only, between two messages. The turn must end before it takes another message.
func (a *Cell) pushFront(first, end *Message, n int) {
	end.Next = a.In.Pending()
	a.In.SetPending(first)
	addToCount(a, n)
}

// keepYielded puts the message that an urgent behaviour or a callback has yielded before the other
// mail. If the actor is leaving for good, the message becomes a dead letter. It is called after
// each urgent message and callback, since the next one may yield too, or may end this life of the
// actor. Owner only, as pushFront.
func (a *Cell) keepYielded(c *Turn) {
	if c.Then&Yielded == 0 {
		return
	}
	if c.Then&(lookAgain|unstashed) != 0 {
		requeueUnstashed(a) // the yielded message is the very next
	}
	c.Then &^= Yielded | lookAgain | unstashed
	first, end, n := c.takeFront()
	if a.leavesForGood() {
		end.Next = nil
		deadLetters(c, a, first, a.WhyEnded())
		return
	}
	a.pushFront(first, end, n)
}

// yieldTurn ends a turn whose next message is already in place. An actor that yields after it has
// spent its batch, while more mail waits, is overloaded as if it had run the batch.
func (a *Cell) yieldTurn(c *Turn) (again bool) {
	if a.Load&backpressure.Counted != 0 || c.left == 0 &&
		(a.In.Pending().Next != nil || a.mailWaits()) {
		return a.markOverloaded(c)
	}
	return true
}

// verifyGas checks the gas that a turn has spent.
func verifyGas(c *Turn) {
	invariant.Check(c.gas.spent >= 0 && c.gas.spent <= MaxBatch, "a turn has spent %d", c.gas.spent)
	invariant.Check(c.left >= 0, "%d messages are left of a turn", c.left)
	invariant.Check(c.gas.cut >= 0 && c.gas.cut <= c.Self.batch(),
		"%d messages are cut off a batch of %d", c.gas.cut, c.Self.batch())
}

// verifyFront checks the messages that go before the other mail.
func verifyFront(f front) {
	invariant.Check(f.first != nil && f.end != nil && f.n > 0, "%d messages are put in front", f.n)
	invariant.Check(msg.Distance(f.first, f.end)+1 == f.n, "%d messages are put in front as %d",
		msg.Distance(f.first, f.end)+1, f.n)
}
