//go:build gallop_invariants || gallop_explore || race

package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// books say whether a task is anybody's: in a queue, or in a worker's hand, which is one place and
// not two. Code that makes it runnable enters it; code that gives it up, or takes it over for good,
// takes it out again before anybody else can enter it. It is no interleaving point.
type taskCheck struct{ places seam.Count }

// turnBooks is what a worker knows of the task in its hand. Owner only.
type turnCheck struct{ released bool } // PrepareNext has given it up in this turn

// bookIn books a task that has become runnable.
func checkEnter(t *Task) {
	n := t.check.places.Add(1)
	invariant.Check(n == 1, "a task is made runnable that is queued or runs already: in %d places", n)
}

// bookOut books a task that is about to be nobody's.
func checkLeave(t *Task) {
	n := t.check.places.Add(-1)
	invariant.Check(n == 0, "a task is given up that was in %d places", n+1)
}

// mustBeBooked panics if a task that is taken from a queue, or runs, is not on the books in exactly
// one place.
func mustBeInOnePlace(t *Task) {
	n := t.check.places.Load()
	invariant.Check(n == 1, "a task is taken that is in %d places", n)
}

// bookTurn is the start of a turn.
func checkTurnBegin(w *Worker, t *Task) {
	mustBeInOnePlace(t)
	w.turnCheck.released = false
}

// bookRelease gives the task in hand up, once in a turn.
func checkRelease(w *Worker, t *Task) {
	if !w.turnCheck.released {
		w.turnCheck.released = true
		checkLeave(t)
	}
}

// bookEnd is the end of a turn: "Before returning false RunTask must call PrepareNext".
func checkTurnEnd(w *Worker, t *Task, again bool) {
	switch {
	case !again:
		invariant.Check(w.turnCheck.released, "a turn ends and has not called PrepareNext")
	case !w.turnCheck.released:
		checkLeave(t) // requeue enters it
	}
	w.turnCheck.released = true
}
