package mailbox

import "sync/atomic"

// Top is the mailbox of package actor: a stack whose top node stays in place when the consumer has
// walked down to the last one it took. A push is one locked instruction, a drain none, going idle
// one.
type Top struct {
	head atomic.Pointer[Node]
	_    [56]byte
	last *Node
}

// NewTop returns an idle mailbox.
func NewTop() *Top { return new(Top) }

// Push implements Box.
func (q *Top) Push(n *Node) bool { return q.PushChain(n, n) }

// PushChain pushes a chain from the newest node down to the oldest with one locked
// instruction: the idea of collecting a behaviour's sends to one receiver.
func (q *Top) PushChain(newest, oldest *Node) bool {
	for {
		h := q.head.Load()
		oldest.below = h
		if q.head.CompareAndSwap(h, newest) {
			return h == nil
		}
	}
}

// Drain implements Box.
func (q *Top) Drain(f func(*Node)) bool {
	for h := q.head.Load(); h != q.last; h = q.head.Load() {
		var first *Node
		for n := h; n != q.last; {
			n.below, first, n = first, n, n.below
		}
		q.last = h
		for n := first; n != nil; {
			next := n.below
			f(n)
			n = next
		}
	}
	last := q.last
	q.last = nil
	if q.head.CompareAndSwap(last, nil) {
		return true
	}
	q.last = last
	return false
}
