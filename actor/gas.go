package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/actor/internal/msg"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// defaultGas is the number of reductions that an actor without [WithGas] may spend in one turn.
const defaultGas = 4000

// gasMeter records how much the running turn has spent besides its messages. It is reset at its
// first use in a turn, which it recognises by the turn's number. So a turn that does not use it
// pays nothing.
type gasMeter struct {
	turn  uint64
	spent int
	cut   int // taken off the messages that the turn may still run
}

// Gas implements [Context.Gas].
func (c *kernelTurn) Gas(n int) {
	if n < 0 {
		panic(fmt.Sprintf("gallop: Gas(%d): want at least 0", n))
	}
	if turn := c.w.Turn(); c.gas.turn != turn {
		c.gas = gasMeter{turn: turn}
	}
	n = min(n, maxBatch)
	c.gas.spent = min(c.gas.spent+n, maxBatch)
	// This keeps the intervals between two readings of the clock.
	c.w.SpendGas(n)
	limit := c.self.shared().gasLimit()
	if c.gas.spent+c.self.batch() <= limit {
		return // enough for the whole batch
	}
	c.then |= gasLow // cutGas accounts for it when the behaviour returns
	if c.gas.spent+c.runInTurn() >= limit {
		c.then |= gasSpent
	}
}

// runInTurn returns the number of messages that the turn has begun to run: the messages of
// accounted segments, and those of the current segment up to the running one.
func (c *kernelTurn) runInTurn() int {
	n := c.self.batch() - c.left - c.gas.cut
	if c.aside {
		return n
	}
	return n + msg.Distance(c.ran, nil) + 1
}

// applyFlags acts on the flags gasLow, turnTable, usesContext and unstashed. They end a segment,
// but not the turn. The caller has accounted for the segment before.
func (c *kernelTurn) applyFlags() {
	then := c.then
	c.then &^= gasLow | turnTable | unstashed
	if then&unstashed != 0 {
		requeueUnstashed(c.self)
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
func (c *kernelTurn) cutGas() {
	ran := c.self.batch() - c.left - c.gas.cut
	if over := c.left - max(c.self.shared().gasLimit()-c.gas.spent-ran, 0); over > 0 {
		c.left -= over
		c.gas.cut += over
	}
	if invariant.On {
		verifyGas(c)
	}
	if c.left == 0 {
		c.then |= gasSpent
	}
}

// ShouldYield implements [Context.ShouldYield].
func (c *kernelTurn) ShouldYield() bool {
	if c.w.InBlocking() {
		return c.then&gasSpent != 0 || c.w.Stopping()
	}
	return c.then&gasSpent != 0 || c.w.SliceSpent() && c.sliceSpent()
}

// sliceSpent returns true. If the running message is from the mailbox, sliceSpent also makes the
// turn end when the behaviour returns.
func (c *kernelTurn) sliceSpent() bool {
	if !c.aside {
		c.then |= gasSpent | hasLasted
	}
	return true
}

// Yield continues a long computation in a later turn. The message m for b is the very next message
// that the running actor handles, before all mail in its mailbox. Other actors have their turns in
// between. State of the computation is kept in m or in the actor's state. Like any message, m runs
// exactly once, or becomes a dead letter if the actor ends before.
//
// Call Yield at most once in a behaviour, as its last action. Yield panics if b is not a behaviour
// of the running actor, or if the behaviour has yielded already. It executes no locked instruction.
func Yield[S, M any](c *Context, b Behaviour[S, M], m M) {
	turn := c.kernel()
	mustRun(turn, "Yield")
	d := b.d.made()
	if d.typ != turn.self.typ() {
		panic("gallop: Yield: " + d.fullName() + " is not a behaviour of " + turn.self.String())
	}
	if turn.then&yielded != 0 {
		panic("gallop: Yield: called twice in one behaviour of " + turn.self.String())
	}
	n := turn.node(d.size)
	*payloadOf[M](n) = m
	n.ID, n.From, n.Next = d.id, turn.self.id, nil
	if turn.travels != nil {
		n = carry(turn, turn.travels, n, d)
		n.From = turn.self.id
	}
	turn.putFront(n, n, 1)
}

// front is mail that goes before the messages that were taken out of the mailbox. It is put there
// after the running behaviour has returned, because until then these messages belong to the turn.
type front struct {
	first, end *message
	n          int
}

func (c *kernelTurn) putFront(first, end *message, n int) {
	c.front = front{first, end, n}
	if invariant.On {
		verifyFront(c.front)
	}
	c.then |= yielded
}

func (c *kernelTurn) takeFront() (first, end *message, n int) {
	f := c.front
	c.front = front{}
	return f.first, f.end, f.n
}

// pushFront puts a chain of n messages before the messages that were taken out of the mailbox. The
// messages of the chain were never in the mailbox, so they can be recycled after they have run.
// Owner only, between two messages. The turn must end before it takes another message.
func (a *cell) pushFront(first, end *message, n int) {
	end.Next = a.in.Pending()
	a.in.SetPending(first)
	addToCount(a, n)
}

// keepYielded puts the message that an urgent behaviour or a callback has yielded before the other
// mail. If the actor is leaving for good, the message becomes a dead letter. It is called after
// each urgent message and callback, since the next one may yield too, or may end this life of the
// actor. Owner only, as pushFront.
func (a *cell) keepYielded(c *kernelTurn) {
	if c.then&yielded == 0 {
		return
	}
	if c.then&(lookAgain|unstashed) != 0 {
		requeueUnstashed(a) // the yielded message is the very next
	}
	c.then &^= yielded | lookAgain | unstashed
	first, end, n := c.takeFront()
	if a.leavesForGood() {
		end.Next = nil
		deadLetters(c, a, first, a.whyEnded())
		return
	}
	a.pushFront(first, end, n)
}

// yieldTurn ends a turn whose next message is already in place. An actor that yields after it has
// spent its batch, while more mail waits, is overloaded as if it had run the batch.
func (a *cell) yieldTurn(c *kernelTurn) (again bool) {
	if a.load&backpressure.Counted != 0 || c.left == 0 &&
		(a.in.Pending().Next != nil || a.mailWaits()) {
		return a.markOverloaded(c)
	}
	return true
}

// verifyGas checks the gas that a turn has spent.
func verifyGas(c *kernelTurn) {
	invariant.Check(c.gas.spent >= 0 && c.gas.spent <= maxBatch, "a turn has spent %d", c.gas.spent)
	invariant.Check(c.left >= 0, "%d messages are left of a turn", c.left)
	invariant.Check(c.gas.cut >= 0 && c.gas.cut <= c.self.batch(),
		"%d messages are cut off a batch of %d", c.gas.cut, c.self.batch())
}

// verifyFront checks the messages that go before the other mail.
func verifyFront(f front) {
	invariant.Check(f.first != nil && f.end != nil && f.n > 0, "%d messages are put in front", f.n)
	invariant.Check(msg.Distance(f.first, f.end)+1 == f.n, "%d messages are put in front as %d",
		msg.Distance(f.first, f.end)+1, f.n)
}
