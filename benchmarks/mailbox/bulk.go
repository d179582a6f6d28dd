package mailbox

import "sync/atomic"

// Bulk is a stack that the consumer empties with a swap and reverses. A push is one locked
// instruction, a drain another, going idle a third.
type Bulk struct {
	head  atomic.Pointer[Node]
	_     [56]byte
	taken *Node
}

// bottom ends the stack of a scheduled actor; nil is idle.
var bottom Node

// NewBulk returns an idle mailbox.
func NewBulk() *Bulk { return new(Bulk) }

// Push implements Box.
func (q *Bulk) Push(n *Node) bool {
	for {
		h := q.head.Load()
		n.below = h
		if q.head.CompareAndSwap(h, n) {
			return h == nil
		}
	}
}

// Drain implements Box.
func (q *Bulk) Drain(f func(*Node)) bool {
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
