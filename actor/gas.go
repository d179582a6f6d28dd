package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/actor/internal/msg"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// defaultGas is the number of reductions that an actor may spend in one turn, without [WithGas].
const defaultGas = 4000

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
// Once the turn's budget is spent (the option [WithGas]), the turn ends when
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
	// So that the worker looks at the clock as often as otherwise.
	c.w.SpendGas(n)
	limit := c.self.shared().gasLimit()
	if c.gas.spent+c.self.batch() <= limit {
		return // it lasts for the batch
	}
	c.then |= gasLow // the turn accounts for it when the behaviour returns
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
	return n + msg.Distance(c.ran, nil) + 1
}

// applyFlags sees to the flags that only interrupt a segment, once it is accounted for.
func (c *Context) applyFlags() {
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
// type, time does not count: no other actor waits for the worker. ShouldYield costs a few
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

// Yield continues a long computation in a later turn: m for b is the very next message
// that the running actor handles, before everything that waits in its mailbox, and
// other actors have their turns in between. What the later turn has to know travels in
// m or in the actor's state. Like any message, m runs exactly once, or becomes a dead
// letter if the actor ends before.
//
// Call Yield at most once in a behaviour, as the last thing that it does. Yield panics
// if b is not a behaviour of the running actor, or if the behaviour has yielded
// already. It costs no locked instruction.
func Yield[S, M any](c *Context, b Behaviour[S, M], m M) {
	mustRun(c, "Yield")
	d := b.d.made()
	if d.typ != c.self.typ() {
		panic("gallop: Yield: " + d.fullName() + " is not a behaviour of " + c.self.String())
	}
	if c.then&yielded != 0 {
		panic("gallop: Yield: called twice in one behaviour of " + c.self.String())
	}
	n := c.node(d.size)
	*payloadOf[M](n) = m
	n.ID, n.From, n.Next = d.id, c.self.id, nil
	if c.travels != nil {
		n = carry(c, c.travels, n, d)
		n.From = c.self.id
	}
	c.putFront(n, n, 1)
}

// front is mail that is to come before what has been taken out of the mailbox. It is put there once
// the behaviour that runs has returned: until then what was taken out is the turn's.
type front struct {
	first, end *message
	n          int
}

func (c *Context) putFront(first, end *message, n int) {
	c.front = front{first, end, n}
	if invariant.On {
		verifyFront(c.front)
	}
	c.then |= yielded
}

func (c *Context) takeFront() (first, end *message, n int) {
	f := c.front
	c.front = front{}
	return f.first, f.end, f.n
}

// pushFront puts a chain of n messages before what has been taken out of the mailbox.
// None of them was ever in it, so that they can be recycled when they have run. Owner
// only, between two messages; the turn must end before it takes another one.
func (a *cell) pushFront(first, end *message, n int) {
	end.Next = a.in.Pending()
	a.in.SetPending(first)
	a.policy().added(a, n)
}

// keepYielded puts what was yielded beside the mailbox in its place: before the other mail. If the
// actor is leaving for good, neither will run. Each urgent message and callback may yield, and what
// comes next may end this life of the actor. Owner only, as pushFront.
func (a *cell) keepYielded(c *Context) {
	if c.then&yielded == 0 {
		return
	}
	if c.then&(lookAgain|unstashed) != 0 {
		requeueUnstashed(a) // what is yielded is the very next
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

// yieldTurn ends a turn whose next message is in place. An actor that yields although it
// has spent its turn, while mail waits behind, is overloaded as if it had run its batch.
func (a *cell) yieldTurn(c *Context) (again bool) {
	if a.load&backpressure.Counted != 0 || c.left == 0 &&
		(a.in.Pending().Next != nil || a.mailWaits()) {
		return a.markOverloaded(c)
	}
	return true
}

// verifyGas checks what a turn has spent.
func verifyGas(c *Context) {
	invariant.Check(c.gas.spent >= 0 && c.gas.spent <= maxBatch, "a turn has spent %d", c.gas.spent)
	invariant.Check(c.left >= 0, "%d messages are left of a turn", c.left)
	invariant.Check(c.gas.cut >= 0 && c.gas.cut <= c.self.batch(),
		"%d messages are cut off a batch of %d", c.gas.cut, c.self.batch())
}

// verifyFront checks mail that comes before the rest.
func verifyFront(f front) {
	invariant.Check(f.first != nil && f.end != nil && f.n > 0, "%d messages are put in front", f.n)
	invariant.Check(msg.Distance(f.first, f.end)+1 == f.n, "%d messages are put in front as %d",
		msg.Distance(f.first, f.end)+1, f.n)
}
