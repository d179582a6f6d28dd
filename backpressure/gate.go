package backpressure

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// Waiter is an entry of a gate's wait list. T identifies the sender. A waiter belongs to its
// creator until Enter succeeds, then to the gate, and then to the receiver that opened the gate.
type Waiter[T any] struct {
	next *Waiter[T]
	// Who is the sender that waits. Set it before Enter.
	Who T
}

// Next returns the waiter after this one in a list that Open returned, and unlinks the two. Owner
// of the list only.
func (w *Waiter[T]) Next() *Waiter[T] {
	n := w.next
	w.next = nil
	return n
}

// Marks are the ends of the wait lists of shut gates. They stand for no sender, and all gates may
// share them. The mark at the end of a wait list records the state of the gate before the first
// waiter entered. The zero value is ready.
type Marks[T any] struct {
	shut, ajar Waiter[T]
}

// isEnd reports whether h ends a wait list. h may be nil.
func (m *Marks[T]) isEnd(h *Waiter[T]) bool { return h == nil || h == &m.shut || h == &m.ajar }

// Gate is the receiver's side of muting. It is open, shut, or ajar. An ajar gate is shut, but
// senders may pass while the receiver has room for them; the gate does not know about the room.
//
//	        SetAjar             Enter, Shut
//	OPEN ─────────────▶ AJAR ───────────────▶ SHUT, with a wait list
//	 ▲ │                 │                     ▲ │
//	 │ └───── Shut ──────┼─────────────────────┘ │
//	 └─────── Open ──────┴──────── Open ─────────┘
//
// The word is nil while the gate is open. Otherwise it is a chain of waiters that ends in one of
// the gate's [Marks]. A gate with a waiter in its wait list is shut, with either mark: when one
// sender waits, no other passes. The zero value is open. A Gate must not be copied after first use.
type Gate[T any] struct {
	_    nocmp.Field
	head seam.Pointer[Waiter[T]]
}

// IsOpen reports whether a sender may pass. Any goroutine. The answer may be stale. A stale answer
// costs one message too many in the mailbox, or one failed Enter, never a lost waiter.
func (g *Gate[T]) IsOpen() bool { return g.head.Load() == nil }

// IsAjar reports whether the gate is ajar. Any goroutine; the answer may be stale, as
// that of IsOpen.
func (g *Gate[T]) IsAjar(m *Marks[T]) bool { return g.head.Load() == &m.ajar }

// Shut makes later senders wait, also if the gate is ajar. It does nothing to a shut gate. Owner of
// the receiver only.
func (g *Gate[T]) Shut(m *Marks[T]) {
	if invariant.On {
		verifyMarks(m)
	}
	switch g.head.Load() {
	case nil:
		g.head.Store(&m.shut) // pairs with the load in Enter
	case &m.ajar:
		g.head.CompareAndSwap(&m.ajar, &m.shut) // fails if a sender has entered: then the gate is shut
	}
}

// SetAjar makes an open gate ajar. It does nothing to a gate that is not open. Owner of
// the receiver only.
func (g *Gate[T]) SetAjar(m *Marks[T]) {
	if invariant.On {
		verifyMarks(m)
	}
	if g.head.Load() == nil {
		g.head.Store(&m.ajar) // pairs with the load in Enter
	}
}

// Enter adds w to the wait list if the gate is shut or ajar, and reports whether it did. An
// Enter that returns true synchronizes before the Open that returns w. Any goroutine.
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

// Open lets senders pass and returns all waiters, the oldest first, without the
// mark. Opening an open gate costs one load; every actor that ends does it. Owner of
// the receiver only.
func (g *Gate[T]) Open(m *Marks[T]) *Waiter[T] {
	if g.IsOpen() {
		return nil // and stays so: only the owner shuts it
	}
	return oldestFirst(g.head.Swap(nil), m) // takes over every waiter whose Enter succeeded
}

// Drain returns all waiters, as Open does, and leaves the gate shut, even if it
// was ajar. Owner of the receiver only.
func (g *Gate[T]) Drain(m *Marks[T]) *Waiter[T] {
	return oldestFirst(g.head.Swap(&m.shut), m) // as in Open
}

// Waited reports whether any sender is in the wait list. Any goroutine; the answer may be stale.
func (g *Gate[T]) Waited(m *Marks[T]) bool { return !m.isEnd(g.head.Load()) }

// Each calls visit for each sender in the wait list, the youngest first, until visit returns false.
// Senders that enter meanwhile are not shown. Only while the gate cannot be opened: for its owner,
// or for a caller that keeps the owner from running.
func (g *Gate[T]) Each(m *Marks[T], visit func(T) bool) {
	for w := g.head.Load(); !m.isEnd(w) && visit(w.Who); {
		w = w.next // written before the Enter that this read has seen
	}
}

// oldestFirst reverses a chain and drops the mark.
func oldestFirst[T any](h *Waiter[T], m *Marks[T]) *Waiter[T] {
	if invariant.On {
		verifyChain(h, m)
	}
	var first *Waiter[T]
	for !m.isEnd(h) {
		h.next, first, h = first, h, h.next
	}
	return first
}
