package sched

import (
	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// The inject queue: an unbounded FIFO of tasks, any number of producers and
// consumers, lock-free.
//
// Rejected: the Pony runtime's linked queue allocates a node for every push and
// needs a double-width compare-and-swap against reuse; a Michael-Scott queue
// costs two compare-and-swaps and a node per push; a mutex stalls every worker
// when its holder loses its processor.
//
// Chosen: a linked list of segments, each an array of cells that are claimed by
// fetch-and-add and used once (after Ramalhete's FAAArrayQueue, 2016). A pusher
// claims a cell and swings it from nil to its task; a popper claims a cell and
// swaps it for a mark. A popper that overtakes the pusher of its cell spoils the
// cell, and the pusher claims another. Cells are never reused and segments belong
// to Go's collector, so there is no ABA; a push costs 1/64 of an allocation.
//
// Empty means empty: pop reads deq, then enq, then next. If deq had reached enq
// and no segment followed, then at the moment enq was read every task that had
// been pushed was claimed by a popper.

const segmentCells = 64

// takenMark fills a cell that a popper has claimed.
var takenMark Task

type segment struct {
	deq seam.Uint64 // cells claimed by poppers; may run past the end
	_   cacheline.Pad
	enq seam.Uint64 // cells claimed by pushers; may run past the end
	_   cacheline.Pad

	next  seam.Pointer[segment]
	cells []seam.Pointer[Task]
}

func newSegment(size int) *segment {
	return &segment{cells: make([]seam.Pointer[Task], size)}
}

// mpmcq is the inject queue. The zero value is not ready: use init.
type mpmcq struct {
	head seam.Pointer[segment] // where poppers look; never ahead of a task
	_    cacheline.Pad
	tail seam.Pointer[segment] // where pushers look; at most one behind
	_    cacheline.Pad
	size int
}

func (q *mpmcq) init(size int) {
	s := newSegment(size)
	q.size = size
	q.head.Store(s)
	q.tail.Store(s)
}

// push appends t. Any goroutine.
func (q *mpmcq) push(t *Task) {
	if invariant.On {
		verifyTask(q, t)
	}
	for {
		s := q.tail.Load()
		i := s.enq.Add(1) - 1
		if i >= uint64(len(s.cells)) {
			if q.extend(s, t) {
				return
			}
			continue
		}
		if s.cells[i].CompareAndSwap(nil, t) { // pairs with the swap in pop
			return
		}
	}
}

// extend appends a segment that starts with t, or helps the pusher that was faster.
func (q *mpmcq) extend(s *segment, t *Task) bool {
	if invariant.On {
		verifyFull(s)
	}
	next := s.next.Load()
	if next == nil {
		n := newSegment(q.size)
		n.cells[0].Store(t)
		n.enq.Store(1)
		if s.next.CompareAndSwap(nil, n) { // publishes t
			q.tail.CompareAndSwap(s, n)
			return true
		}
		next = s.next.Load()
	}
	q.tail.CompareAndSwap(s, next)
	return false
}

// pop takes the oldest task, or returns nil if the queue was empty. Any goroutine.
func (q *mpmcq) pop() *Task {
	for {
		s := q.head.Load()
		if s.drained() {
			return nil
		}
		i := s.deq.Add(1) - 1
		if i >= uint64(len(s.cells)) {
			next := s.next.Load()
			if next == nil {
				return nil
			}
			if invariant.On {
				verifyPassed(s)
			}
			q.head.CompareAndSwap(s, next)
			continue
		}
		if t := s.cells[i].Swap(&takenMark); t != nil { // nil: overtook the pusher, who will take another cell
			if invariant.On {
				verifyTask(q, t)
			}
			return t
		}
	}
}

// empty tells whether nothing is queued. Any goroutine. A task whose push has
// returned and that nobody has claimed is always seen.
func (q *mpmcq) empty() bool {
	for {
		s := q.head.Load()
		if s.drained() {
			return true
		}
		if s.deq.Load() < uint64(len(s.cells)) {
			return false
		}
		next := s.next.Load()
		if next == nil {
			return true
		}
		if invariant.On {
			verifyPassed(s)
		}
		q.head.CompareAndSwap(s, next)
	}
}

// drained tells whether every cell that was claimed for a push was claimed for a
// pop as well and no segment follows. The order of the three loads matters.
func (s *segment) drained() bool {
	return s.deq.Load() >= s.enq.Load() && s.next.Load() == nil
}

// len estimates how many tasks are queued, for fair shares only. Any goroutine.
func (q *mpmcq) len() int {
	s := q.head.Load()
	n := int(min(s.enq.Load(), uint64(len(s.cells)))) - int(min(s.deq.Load(), uint64(len(s.cells))))
	if s.next.Load() != nil {
		n += q.size
	}
	return max(n, 0)
}
