package backpressure

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// Waiter is an entry of a gate's ledger. T says who waits. A waiter belongs to its
// creator until Enter succeeds, then to the gate, and then to whoever opened the gate.
type Waiter[T any] struct {
	next *Waiter[T]
	// Who is the sender that waits. Set it before Enter.
	Who T
}

// Next returns the waiter behind this one in a list that Open returned, and unlinks the
// two. Owner of the list only.
func (w *Waiter[T]) Next() *Waiter[T] {
	n := w.next
	w.next = nil
	return n
}

// Gate is the receiver's side of muting. It is nil while open; while shut, it is a
// chain of waiters that ends in the gate's own mark. The zero value is open. A Gate
// must not be copied after first use.
type Gate[T any] struct {
	_    nocmp.Field
	head seam.Pointer[Waiter[T]]
}

// IsOpen reports whether a sender may pass. Any goroutine. The answer may be stale by
// the time it is used: that costs one message too many in the mailbox, or one failed
// Enter, never a lost waiter.
func (g *Gate[T]) IsOpen() bool { return g.head.Load() == nil }

// Shut makes later senders wait. mark is the end of the chain: a waiter that
// stands for nobody and may be shared by all gates. Shutting a shut gate does
// nothing. Owner of the receiver only.
func (g *Gate[T]) Shut(mark *Waiter[T]) {
	if invariant.On {
		verifyMark(mark)
	}
	if g.head.Load() == nil {
		g.head.Store(mark) // pairs with the load in Enter
	}
}

// Enter adds w to the ledger if the gate is shut, and reports whether it did. An Enter
// that returns true synchronizes before the Open that returns w. Any goroutine.
func (g *Gate[T]) Enter(w *Waiter[T]) bool {
	if invariant.On {
		verifyEntry(w)
	}
	for {
		h := g.head.Load()
		if h == nil {
			w.next = nil
			return false
		}
		w.next = h
		if g.head.CompareAndSwap(h, w) { // pairs with the swap in Open
			return true
		}
	}
}

// Open lets senders pass and returns everyone who waited, the oldest first, without the
// mark. Opening an open gate costs one load; every actor that ends does it. Owner of
// the receiver only.
func (g *Gate[T]) Open(mark *Waiter[T]) *Waiter[T] {
	if g.IsOpen() {
		return nil // and stays so: nobody else shuts it, and nobody enters
	}
	return oldestFirst(g.head.Swap(nil), mark) // takes over every waiter whose Enter succeeded
}

// Drain returns everyone who waited, as Open does, and leaves the gate shut. Owner of
// the receiver only.
func (g *Gate[T]) Drain(mark *Waiter[T]) *Waiter[T] {
	return oldestFirst(g.head.Swap(mark), mark) // as in Open
}

// Waited reports whether anybody is in the ledger. Any goroutine; the answer may be
// stale.
func (g *Gate[T]) Waited(mark *Waiter[T]) bool {
	h := g.head.Load()
	return h != nil && h != mark
}

// Each calls visit for those in the ledger, the youngest first, until visit returns
// false. Those who enter meanwhile are not shown. Only while nobody can open the gate:
// for its owner, or for somebody who keeps the owner from running.
func (g *Gate[T]) Each(mark *Waiter[T], visit func(T) bool) {
	for w := g.head.Load(); w != nil && w != mark && visit(w.Who); {
		w = w.next // written before the Enter that this read has seen
	}
}

// oldestFirst turns a chain around and cuts the mark off.
func oldestFirst[T any](h, mark *Waiter[T]) *Waiter[T] {
	if invariant.On {
		verifyChain(h, mark)
	}
	var first *Waiter[T]
	for h != nil && h != mark {
		h.next, first, h = first, h, h.next
	}
	return first
}
