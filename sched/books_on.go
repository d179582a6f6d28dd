//go:build gallop_invariants || gallop_explore || race

package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// books say whether a task is anybody's: in a queue, or in a worker's hand, which is one
// place and not two. Whoever makes it runnable enters it, and whoever gives it up, or takes
// it over for good, takes it out again before anybody else can. It is no interleaving point.
type books struct{ places seam.Count }

// enter books a task that has become runnable.
func (b *books) enter() {
	n := b.places.Add(1)
	invariant.Check(n == 1, "a task is made runnable that is queued or runs already: in %d places", n)
}

// leave books a task that is about to be nobody's.
func (b *books) leave() {
	n := b.places.Add(-1)
	invariant.Check(n == 0, "a task is given up that was in %d places", n+1)
}

// mustBeIn panics if a task that is taken from a queue, or runs, is not on the books.
func (b *books) mustBeIn() {
	n := b.places.Load()
	invariant.Check(n == 1, "a task is taken that is in %d places", n)
}

// turnBooks is what a worker knows of the task in its hand. Owner only.
type turnBooks struct{ released bool } // PrepareNext has given it up in this turn

// begin is the start of a turn.
func (b *turnBooks) begin(t *Task) {
	t.books.mustBeIn()
	b.released = false
}

// release gives the task in hand up, once in a turn.
func (b *turnBooks) release(t *Task) {
	if !b.released {
		b.released = true
		t.books.leave()
	}
}

// end is the end of a turn: "Before returning false RunTask must call PrepareNext".
func (b *turnBooks) end(t *Task, again bool) {
	switch {
	case !again:
		invariant.Check(b.released, "a turn ends and has not called PrepareNext")
	case !b.released:
		t.books.leave() // requeue enters it
	}
	b.released = true
}
