package mailbox

import "sync/atomic"

// Ring is an array of cells that producers claim by fetch-and-add, in segments that
// are linked when one is full: no node is touched by two producers, and the consumer
// reads memory in order. A push is a fetch-and-add and a publishing store. A third locked
// instruction counts the queued messages: the push that makes the count 1 wakes the
// consumer. An idle mailbox keeps a segment.
type Ring struct {
	tail    atomic.Pointer[segment]
	pending atomic.Int64
	_       [48]byte
	head    *segment
	at      int
}

const cells = 32

type segment struct {
	claimed atomic.Int64
	next    atomic.Pointer[segment]
	cell    [cells]atomic.Pointer[Node]
}

// NewRing returns an idle mailbox.
func NewRing() *Ring {
	q := &Ring{head: new(segment)}
	q.tail.Store(q.head)
	return q
}

// Push implements Box.
func (q *Ring) Push(n *Node) bool {
	for {
		s := q.tail.Load()
		if i := s.claimed.Add(1) - 1; i < cells {
			s.cell[i].Store(n)
			return q.pending.Add(1) == 1
		}
		if s.next.Load() == nil {
			s.next.CompareAndSwap(nil, new(segment))
		}
		q.tail.CompareAndSwap(s, s.next.Load())
	}
}

// Drain implements Box.
func (q *Ring) Drain(f func(*Node)) bool {
	for {
		done := int64(0)
		for n := q.pop(); n != nil; n = q.pop() {
			f(n)
			done++
		}
		if q.pending.Add(-done) == 0 {
			return true
		}
	}
}

func (q *Ring) pop() *Node {
	if q.at == cells {
		next := q.head.next.Load()
		if next == nil {
			return nil
		}
		q.head, q.at = next, 0
	}
	n := q.head.cell[q.at].Load()
	if n != nil {
		q.at++
	}
	return n
}
