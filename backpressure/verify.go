package backpressure

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold of gates and debts, for builds that check invariants.

// MustRun panics, where invariants are checked, if the sender is parked: whoever runs
// the sender, or changes what it owes from within, owns it. Owner only.
func MustRun(d *Debt) {
	if invariant.On {
		invariant.Check(seam.Peek(&d.v)&parked == 0, "a debt of %#x: its sender runs, and is parked", seam.Peek(&d.v))
	}
}

// MustOwe panics, where invariants are checked, if the sender owes nothing. Owner only.
func MustOwe(d *Debt) {
	if invariant.On {
		invariant.Check(seam.Peek(&d.v)&^parked != 0, "a sender waits and owes nothing")
	}
}

// MustBe panics, where invariants are checked, if the gate is not as open says. Owner
// of the receiver only.
func MustBe[T any](g *Gate[T], open bool) {
	if invariant.On {
		is := seam.Peek(&g.head) == nil
		invariant.Check(is == open, "a gate is open: %v, and should be: %v", is, open)
	}
}

// verifyEntry checks what a sender brings to a ledger.
func verifyEntry[T any](w *Waiter[T]) {
	invariant.Check(w.next == nil, "a waiter enters a ledger, and is in another")
}

// verifyMark checks the end of a chain: it stands for all gates, so it must lead nowhere.
func verifyMark[T any](mark *Waiter[T]) {
	invariant.Check(mark != nil, "a gate without a mark")
	invariant.Check(mark.next == nil, "the mark at the end of a ledger leads on")
}

// verifyChain checks a ledger that was taken over: it ends in its own gate's mark.
func verifyChain[T any](h, mark *Waiter[T]) {
	invariant.Check(h != nil, "a ledger of an open gate is taken over")
	for h != mark {
		h = h.next
		invariant.Check(h != nil, "a ledger that does not end in its gate's mark")
	}
}
