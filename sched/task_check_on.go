//go:build gallop_invariants || gallop_explore || race

package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// taskCheck counts the places of a task. A place is a queue or a worker's hand, and a task has at
// most one. Code that makes the task runnable counts it in. Code that gives it up, or takes it over
// for good, counts it out before any other goroutine can count it in. It is no interleaving point.
type taskCheck struct{ places seam.Count }

// turnCheck is the worker's record of the task in its hand. Owner only.
type turnCheck struct{ released bool } // PrepareNext has given it up in this turn

// checkEnter counts in a task that has become runnable.
func checkEnter(t *Task) {
	n := t.check.places.Add(1)
	invariant.Check(n == 1, "a task is made runnable that is queued or runs already: in %d places", n)
}

// checkLeave counts out a task that is about to have no place.
func checkLeave(t *Task) {
	n := t.check.places.Add(-1)
	invariant.Check(n == 0, "a task is given up that was in %d places", n+1)
}

// mustBeInOnePlace panics unless a task that is taken from a queue, or runs, is counted in exactly
// once.
func mustBeInOnePlace(t *Task) {
	n := t.check.places.Load()
	invariant.Check(n == 1, "a task is taken that is in %d places", n)
}

// checkTurnBegin is the start of a turn.
func checkTurnBegin(w *Worker, t *Task) {
	mustBeInOnePlace(t)
	w.turnCheck.released = false
}

// checkRelease gives the task in hand up, once in a turn.
func checkRelease(w *Worker, t *Task) {
	if !w.turnCheck.released {
		w.turnCheck.released = true
		checkLeave(t)
	}
}

// checkTurnEnd is the end of a turn: "Before returning false RunTask must call PrepareNext".
func checkTurnEnd(w *Worker, t *Task, again bool) {
	switch {
	case !again:
		invariant.Check(w.turnCheck.released, "a turn ends and has not called PrepareNext")
	case !w.turnCheck.released:
		checkLeave(t) // requeue enters it
	}
	w.turnCheck.released = true
}
