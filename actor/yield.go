package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

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
	n := newMessage(c, d.size)
	*payloadOf[M](n) = m
	n.id, n.from, n.next = d.id, c.self.id, nil
	if c.travels != nil {
		n = carry(c, c.travels, n, d)
		n.from = c.self.id
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
	end.next = a.in.pending
	a.in.pending = first
	if a.load&backpressure.Counted != 0 {
		a.flow.Load().marks.add(n)
	}
}

// keepYielded puts what was yielded beside the mailbox in its place: before the other mail. If the
// actor is leaving for good, neither will run. Each urgent message and callback may yield, and what
// comes next may end this life of the actor. Owner only, as pushFront.
func (a *cell) keepYielded(c *Context) {
	if c.then&yielded == 0 {
		return
	}
	if c.then&lookAgain != 0 {
		a.requeueUnstashed(a.cold) // what is yielded is the very next
	}
	c.then &^= yielded | lookAgain
	first, end, n := c.takeFront()
	if a.leavesForGood() {
		end.next = nil
		env{c: c, sys: a.sys()}.deadLetters(a, first, a.whyEnded())
		return
	}
	a.pushFront(first, end, n)
}

// yieldTurn ends a turn whose next message is in place. An actor that yields although it
// has spent its turn, while mail waits behind, is overloaded as if it had run its batch.
func (a *cell) yieldTurn(c *Context) (again bool) {
	switch {
	case a.load&backpressure.Counted != 0:
		a.measure(c)
	case c.left == 0 && (a.in.pending.next != nil || a.mailWaits()):
		return a.markOverloaded(c)
	}
	return true
}

// verifyFront checks mail that comes before the rest.
func verifyFront(f front) {
	invariant.Check(f.first != nil && f.end != nil && f.n > 0, "%d messages are put in front", f.n)
	invariant.Check(distance(f.first, f.end)+1 == f.n, "%d messages are put in front as %d", distance(f.first, f.end)+1, f.n)
}
