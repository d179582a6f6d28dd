package backpressure

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Invariants of gates and blocked-on counts, for builds that check them.

// MustRun panics, where invariants are checked, if the sender is parked. A goroutine that runs the
// sender, or changes its count, owns it. Owner only.
func MustRun(d *BlockedOn) {
	if invariant.On {
		invariant.Check(seam.Peek(&d.v)&parked == 0,
			"a blocked-on count of %#x: its sender runs, and is parked", seam.Peek(&d.v))
	}
}

// MustBeBlocked panics, where invariants are checked, if the sender is blocked on no gate. Owner
// only.
func MustBeBlocked(d *BlockedOn) {
	if invariant.On {
		invariant.Check(seam.Peek(&d.v)&^parked != 0, "a sender waits and is blocked on nothing")
	}
}

// MustBe panics, where invariants are checked, if open is not the state of the gate. Owner of the
// receiver only.
func MustBe[T any](g *Gate[T], open bool) {
	if invariant.On {
		is := seam.Peek(&g.head) == nil
		invariant.Check(is == open, "a gate is open: %v, and should be: %v", is, open)
	}
}

// verifyEntry checks the waiter of a sender that enters a wait list.
func verifyEntry[T any](w *Waiter[T]) {
	invariant.Check(w.next == nil, "a waiter enters a wait list, and is in another")
}

// verifyMarks checks the ends of wait lists: they stand for all gates, so they must lead nowhere.
func verifyMarks[T any](m *Marks[T]) {
	invariant.Check(m != nil, "a gate without marks")
	invariant.Check(m.shut.next == nil && m.ajar.next == nil,
		"the mark at the end of a wait list leads on")
}

// verifyChain checks a wait list that was taken over: it ends in one of its gate's marks.
func verifyChain[T any](h *Waiter[T], m *Marks[T]) {
	invariant.Check(h != nil, "a wait list of an open gate is taken over")
	for h != &m.shut && h != &m.ajar {
		h = h.next
		invariant.Check(h != nil, "a wait list that does not end in its gate's marks")
	}
}
