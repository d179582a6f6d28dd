package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/internal/invariant"
)

// DefaultGas is how many reductions an actor may spend in one turn before others have
// theirs. A message is one reduction; [Context.Gas] adds what a behaviour costs
// besides.
const DefaultGas = 4000

// gasMeter is what the turn that runs has spent besides its messages. It begins anew
// when it is first used in a turn, which it knows by the turn's number, so that a turn
// that does not use it does nothing for it.
type gasMeter struct {
	turn  uint64
	spent int
	cut   int // taken off the messages that the turn may still run
}

// Gas charges the turn n reductions, for a behaviour that does more than a message is
// worth. By convention, one reduction is worth a tenth of a microsecond or so. Gas
// panics if n is negative.
//
// Once the turn's budget is spent (the options [Gas] and [TypeGas]), the turn ends when
// the behaviour returns, and the actor goes on after the others. If mail is left, it
// counts as overloaded.
func (c *Context) Gas(n int) {
	if n < 0 {
		panic(fmt.Sprintf("gallop: Gas(%d): want at least 0", n))
	}
	if turn := c.w.Turn(); c.gas.turn != turn {
		c.gas = gasMeter{turn: turn}
	}
	n = min(n, maxBatch)
	c.gas.spent = min(c.gas.spent+n, maxBatch)
	c.w.Spend(n) // so that the worker looks at the clock as often as otherwise
	limit := c.self.shared().gasLimit()
	if c.gas.spent+c.self.batch() <= limit {
		return // it lasts for the batch
	}
	c.then |= gasLow // the turn settles its books when the behaviour returns
	if c.gas.spent+c.runInTurn() >= limit {
		c.then |= gasSpent
	}
}

// runInTurn is how many messages the turn has begun to run: those that are settled, and those
// of the segment up to the one that runs.
func (c *Context) runInTurn() int {
	n := c.self.batch() - c.left - c.gas.cut
	if c.aside {
		return n
	}
	return n + distance(c.ran, nil) + 1
}

// applyFlags sees to the flags that only interrupt a segment, once its books are settled.
func (c *Context) applyFlags() {
	then := c.then
	c.then &^= gasLow | turnTable
	if then&usesContext != 0 {
		c.leaveContext()
	}
	if then&gasLow != 0 {
		c.cutGas()
	}
}

// cutGas ends the turn, or lets it run fewer messages, as its gas demands.
func (c *Context) cutGas() {
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

// ShouldYield tells a long behaviour that it should come to an end soon, because
//
//   - its turn has spent its gas;
//   - its turn has outlived its slice of time, which is 1 to 5 ms, mostly 1, whatever
//     else the processors do;
//   - or the system stops.
//
// To go on later, call [Yield] and return. Within [Context.Blocking], and on a pinned
// type, time does not count: nobody waits for the worker. ShouldYield costs a few
// loads, and in a turn that asks often a reading of the clock about every 20 µs.
func (c *Context) ShouldYield() bool {
	if c.w.InBlocking() {
		return c.then&gasSpent != 0 || c.w.Stopping()
	}
	return c.then&gasSpent != 0 || c.w.SliceSpent() && c.sliceSpent()
}

// sliceSpent sees to it that the turn ends with the behaviour that has outlived its slice of time,
// and is true. What is not from the mailbox ends no turn.
func (c *Context) sliceSpent() bool {
	if !c.aside {
		c.then |= gasSpent | hasLasted
	}
	return true
}

// verifyGas checks what a turn has spent.
func verifyGas(c *Context) {
	invariant.Check(c.gas.spent >= 0 && c.gas.spent <= maxBatch, "a turn has spent %d", c.gas.spent)
	invariant.Check(c.left >= 0, "%d messages are left of a turn", c.left)
	invariant.Check(c.gas.cut >= 0 && c.gas.cut <= c.self.batch(), "%d messages are cut off a batch of %d", c.gas.cut, c.self.batch())
}
