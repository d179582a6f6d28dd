package seam_test

import (
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// The benchmarks are pairs of the same code, once on the seam and once on sync/atomic.
// In a plain build the times of a pair must not differ. Under gallop_explore the difference is the
// cost of an explored access.

type seamNode struct {
	next  seam.Pointer[seamNode]
	value int
}

type seamQueue struct {
	head seam.Pointer[seamNode]
	tail *seamNode
}

func (q *seamQueue) push(n *seamNode) {
	n.next.Store(nil)
	q.head.Swap(n).next.Store(n)
}

func (q *seamQueue) pop() *seamNode {
	old, next := q.tail, q.tail.next.Load()
	if next == nil {
		return nil
	}
	q.tail, old.value = next, next.value
	return old
}

type rawNode struct {
	next  atomic.Pointer[rawNode]
	value int
}

type rawQueue struct {
	head atomic.Pointer[rawNode]
	tail *rawNode
}

func (q *rawQueue) push(n *rawNode) {
	n.next.Store(nil)
	q.head.Swap(n).next.Store(n)
}

func (q *rawQueue) pop() *rawNode {
	old, next := q.tail, q.tail.next.Load()
	if next == nil {
		return nil
	}
	q.tail, old.value = next, next.value
	return old
}

// BenchmarkSeam compares the seam with sync/atomic.
func BenchmarkSeam(b *testing.B) {
	b.Run("queue/seam", benchSeamQueue)
	b.Run("queue/raw", benchRawQueue)
	b.Run("word/seam", func(b *testing.B) {
		var w seam.Uint32
		for b.Loop() {
			w.CompareAndSwap(w.Load(), w.Add(1))
		}
	})
	b.Run("word/raw", func(b *testing.B) {
		var w atomic.Uint32
		for b.Loop() {
			w.CompareAndSwap(w.Load(), w.Add(1))
		}
	})
	b.Run("word64/seam", func(b *testing.B) {
		var w seam.Uint64
		for b.Loop() {
			w.CompareAndSwap(w.Load(), w.Add(1))
		}
	})
	b.Run("word64/raw", func(b *testing.B) {
		var w atomic.Uint64
		for b.Loop() {
			w.CompareAndSwap(w.Load(), w.Add(1))
		}
	})
	b.Run("point", func(b *testing.B) {
		for b.Loop() {
			seam.Point()
		}
	})
}

func benchSeamQueue(b *testing.B) {
	q, n := &seamQueue{tail: &seamNode{}}, &seamNode{}
	q.head.Store(q.tail)
	for b.Loop() {
		q.push(n)
		n = q.pop()
	}
}

func benchRawQueue(b *testing.B) {
	q, n := &rawQueue{tail: &rawNode{}}, &rawNode{}
	q.head.Store(q.tail)
	for b.Loop() {
		q.push(n)
		n = q.pop()
	}
}
