package mailbox

import (
	"sync/atomic"
)

// Swap is Vyukov's queue with "empty and unscheduled" as a state of the head, as the
// Pony runtime has it. A push is a swap and a linking store, two locked instructions
// in Go; going idle is a compare-and-swap. The tag is a node here instead of a bit.
type Swap struct {
	head atomic.Pointer[Node]
	_    [56]byte
	tail *Node
	stub Node
	idle Node // head while idle: stands for tail, unscheduled
}

// NewSwap returns an idle mailbox.
func NewSwap() *Swap {
	q := new(Swap)
	q.tail = &q.stub
	q.head.Store(&q.idle)
	return q
}

// Push implements Box.
func (q *Swap) Push(n *Node) bool {
	n.next.Store(nil)
	prev := q.head.Swap(n)
	woke := prev == &q.idle
	if woke {
		prev = q.tail // exclusive: the actor is idle and this push wakes it
	}
	prev.next.Store(n)
	return woke
}

// Drain implements Box.
func (q *Swap) Drain(f func(*Node)) bool {
	for n := q.tail.next.Load(); n != nil; n = q.tail.next.Load() {
		q.tail = n
		f(n)
	}
	return q.head.CompareAndSwap(q.tail, &q.idle)
}
