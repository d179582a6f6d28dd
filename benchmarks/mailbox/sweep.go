package mailbox

import "sync/atomic"

// Sweep is a stack that the consumer empties with a swap and reverses. A push is one locked
// instruction, a drain another, going idle a third.
type Sweep struct {
	head atomic.Pointer[Node]
	_    [56]byte
	fifo *Node
}

// bottom ends the stack of a scheduled actor; nil is idle.
var bottom Node

// NewSweep returns an idle mailbox.
func NewSweep() *Sweep { return new(Sweep) }

// Push implements Box.
func (q *Sweep) Push(n *Node) bool {
	for {
		h := q.head.Load()
		n.below = h
		if q.head.CompareAndSwap(h, n) {
			return h == nil
		}
	}
}

// Drain implements Box.
func (q *Sweep) Drain(f func(*Node)) bool {
	for q.head.Load() != &bottom {
		var first *Node
		for h := q.head.Swap(&bottom); h != nil && h != &bottom; {
			h.below, first, h = first, h, h.below
		}
		for n := first; n != nil; {
			next := n.below
			f(n)
			n = next
		}
	}
	return q.head.CompareAndSwap(&bottom, nil)
}
