package actor

import (
	"fmt"
	"math"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// limits are a type's watermarks; zero: none.
type limits struct {
	high, low int
}

// WithWatermarks makes actors of this type overloaded by how much mail waits for them,
// and not by whether they empty their mailbox in a turn: they are overloaded from high
// messages on, until no more than low are left. While they are muted, high is also how
// much mail they take before they mute their senders. It panics unless 0 ≤ low < high.
//
// The actor counts its mail at the end of each of its turns; a send pays nothing. So
// the mailbox may exceed high by what is sent during one turn, or while the actor waits
// for one.
func WithWatermarks(high, low int) TypeOption {
	if low < 0 || low >= high {
		panic(fmt.Sprintf("gallop: WithWatermarks(%d, %d): want 0 ≤ low < high", high, low))
	}
	return typeOption(func(t *typeInfo) { t.marks = limits{high, low} })
}

// countedMail waits in the mailbox, and two watermarks say when the actor is overloaded. One that
// drains takes no more, and counts no more.
type countedMail struct{ plainMail }

func (countedMail) counts(a *cell) bool { return a.load&backpressure.Counted != 0 }

func (countedMail) init(a *cell) {
	a.flowOf()
	a.load = backpressure.Counted
}

func (countedMail) watermark(a *cell) uint32 { return uint32(min(a.typ().marks.high, math.MaxInt32)) }

func (countedMail) ran(a *cell, n int) { a.flow.Load().marks.add(-n) }

func (countedMail) added(a *cell, n int) { a.flow.Load().marks.add(n) }

func (countedMail) forget(a *cell) { a.flow.Load().marks = watermarks{} }

// The count begins with the mail that is there.
func (p countedMail) countAjar(a *cell, c *Context, f *flow) {
	if !p.counts(a) {
		p.plainMail.countAjar(a, c, f)
		return
	}
	f.ajarCount.Store(uint32(min(a.countMail(c), math.MaxInt32)))
}

func (countedMail) overload(a *cell, c *Context) { a.measure(c) }

func (p countedMail) drained(a *cell, c *Context) (again, idle bool) {
	if !p.counts(a) {
		return p.plainMail.drained(a, c)
	}
	again = a.measure(c)
	return again, !again
}

// watermarks count an actor's mail. Every message is passed once: the count goes on
// from the head of the mailbox that it has seen last. Owner only.
type watermarks struct {
	// Messages taken out and not yet run, and those in the mailbox down from upTo.
	depth int
	// Nil: nothing is known. In the mailbox, or the last that was taken out.
	upTo *message
}

// add counts n messages that did not come through the mailbox, or takes off what has run.
func (k *watermarks) add(n int) {
	if k.upTo != nil {
		k.depth += n
		if invariant.On {
			verifyDepth(k)
		}
	}
}

// measure counts the mail and changes the load if it has crossed a watermark. It
// reports whether any mail is at hand for the next turn. Owner only, at the end of a turn.
func (a *cell) measure(c *Context) (mail bool) {
	depth := a.countMail(c)
	if invariant.On {
		verifyDepth(&seam.Peek(&a.flow).marks)
	}
	switch marks := a.typ().marks; {
	case depth >= marks.high && a.load&backpressure.Overloaded == 0:
		a.setLoad(c, a.load|backpressure.Overloaded)
	case depth <= marks.low && a.load&backpressure.Overloaded != 0:
		a.setLoad(c, a.load&^backpressure.Overloaded)
	}
	return a.in.Pending() != nil
}

// countMail brings the count up to date. If all that was taken out has run, it takes out what has
// come in: that turns the links around, so a count that does not see the mail leave the mailbox is
// lost.
func (a *cell) countMail(c *Context) int {
	k := &a.flow.Load().marks
	h := a.box.Head()
	if k.upTo == nil {
		k.depth, k.upTo = msg.Distance(a.in.Pending(), nil), a.in.Tail()
	}
	k.depth += msg.Distance(h, k.upTo)
	k.upTo = h
	if a.in.Pending() != nil {
		return k.depth
	}
	if h == a.in.Tail() {
		// It will goIdle, or park: the next turn takes out what comes in.
		*k = watermarks{}
		return 0
	}
	c.recycle(a.box.DrainTo(&a.in, h))
	return k.depth
}

// passed takes off n messages that were taken out and will not run. Owner only.
func (a *cell) passed(n int) {
	if a.in.Pending() == nil {
		a.policy().forget(a) // the next turn takes out what comes in
		return
	}
	a.policy().ran(a, n)
}

// verifyDepth checks a count of mail behind a measurement.
func verifyDepth(k *watermarks) {
	invariant.Check(k.depth >= 0, "an actor has %d messages", k.depth)
}
