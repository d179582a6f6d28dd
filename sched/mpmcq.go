package sched

import (
	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// The inject queue: an unbounded FIFO of tasks, any number of producers and consumers, lock-free.
//
// Rejected: the Pony runtime's linked queue allocates a node for every push and needs a
// double-width compare-and-swap against reuse; a Michael-Scott queue costs two compare-and-swaps
// and a node per push; a mutex holds up every worker when its holder loses its processor.
//
// Chosen: a linked list of segments, each an array of cells that are claimed by fetch-and-add and
// used once (after Ramalhete's FAAArrayQueue, 2016). A pusher claims a cell and swings it from nil
// to its task; a popper claims a cell and swaps it for a mark. A popper that overtakes the pusher
// of its cell spoils the cell, and the pusher claims another.
//
// Ownership: a cell belongs to the pusher and the popper that have claimed it, and to no other
// goroutine. Of their two read-modify-writes the first decides: the pusher's compare-and-swap from
// nil succeeds, and the popper's swap returns the task; or the popper's swap leaves the mark, and
// the compare-and-swap fails. Cells are never reused, and the GC frees segments, so there is no
// ABA; a push costs 1/64 of an allocation.
//
// Empty means empty: pop reads deq, then enq, then next. Suppose that deq had reached enq and no
// segment followed. Then, when enq was read, poppers had claimed every pushed task.

// Costs: an uncontended push or pop is two read-modify-writes on lines that other workers write. So
// tasks go through a worker's own queue where possible, and a worker fetches several tasks at once
// (Worker.poll).

// segmentCells is the length of a segment. With 64 cells the cost of its allocation is not
// measurable, and an empty queue needs little memory.
const segmentCells = 64

// takenMark fills a cell that a popper has claimed.
var takenMark Task

// segment is a part of the queue. Its cells are claimed in ascending order.
type segment struct {
	// Written by poppers.
	deq seam.Uint64 // cells claimed by poppers; may run past the end
	_   cacheline.Pad
	// Written by pushers.
	enq seam.Uint64 // cells claimed by pushers; may run past the end
	_   cacheline.Pad

	// next is nil until a pusher has found the segment full. Set once.
	next  seam.Pointer[segment]
	cells []seam.Pointer[Task]
}

// newSegment returns a segment with no cell claimed.
func newSegment(size int) *segment {
	return &segment{cells: make([]seam.Pointer[Task], size)}
}

// mpmcq is the inject queue. The zero value is not ready: use init.
type mpmcq struct {
	// Moved on by poppers that find a segment used up, and by looks at emptiness.
	head seam.Pointer[segment] // where poppers look; never ahead of a task
	_    cacheline.Pad
	// Moved on by pushers.
	tail seam.Pointer[segment] // where pushers look; the last segment, or the one before it
	_    cacheline.Pad
	size int
}

// init makes the queue empty, with segments of size cells.
func (q *mpmcq) init(size int) {
	s := newSegment(size)
	q.size = size
	q.head.Store(s)
	q.tail.Store(s)
}

// push appends t. The fetch-and-add fixes the place of t in the order; the compare-and-swap
// publishes t to the popper of that cell. Both are read-modify-writes, so a look at the idle word
// after push is ordered after them (W1 and W2 of README.md). Any goroutine.
func (q *mpmcq) push(t *Task) {
	if invariant.On {
		verifyTask(q, t)
	}
	for {
		s := q.tail.Load()
		// A claim past the end means that the segment is full: another one follows.
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

// extend appends a segment that starts with t, and reports whether it did. If another pusher was
// faster, extend moves tail on for it, so that no pusher waits for a pusher that has lost its
// processor.
func (q *mpmcq) extend(s *segment, t *Task) bool {
	if invariant.On {
		verifyFull(s)
	}
	next := s.next.Load()
	if next == nil {
		n := newSegment(q.size)
		n.cells[0].Store(t)
		n.enq.Store(1)
		if s.next.CompareAndSwap(nil, n) { // publishes t; pairs with next.Load in pop
			q.tail.CompareAndSwap(s, n)
			return true
		}
		next = s.next.Load()
	}
	q.tail.CompareAndSwap(s, next)
	return false
}

// pop takes the oldest task, or returns nil if the queue was empty. The swap pairs with the
// compare-and-swap in push: the pusher's writes to the task are visible. Any goroutine.
func (q *mpmcq) pop() *Task {
	for {
		s := q.head.Load()
		if s.drained() {
			return nil
		}
		// The claim is final: a popper that finds no task in its cell leaves the mark there.
		i := s.deq.Add(1) - 1
		if i >= uint64(len(s.cells)) {
			// All cells were claimed by poppers. next is set, or no push has gone further.
			next := s.next.Load()
			if next == nil {
				return nil
			}
			if invariant.On {
				verifyPassed(s)
			}
			q.head.CompareAndSwap(s, next) // fails if another popper was faster
			continue
		}
		// A nil means that this popper has overtaken the pusher, which will claim another cell.
		if t := s.cells[i].Swap(&takenMark); t != nil {
			if invariant.On {
				verifyTask(q, t)
			}
			return t
		}
	}
}

// empty reports whether the queue is empty. It always sees a task whose push has returned and that
// no popper has claimed: S2 of README.md depends on that. Like pop it moves head past used
// segments, since a worker may look for a long time without a pop. Any goroutine.
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

// drained reports whether every cell claimed for a push was also claimed for a pop, and no segment
// follows. The order of the three loads matters. deq and enq only grow, so deq ≥ enq in this order
// means that at the load of enq no claimed task was left. In the other order a push and a pop
// between the two loads would make a full queue look empty.
func (s *segment) drained() bool {
	return s.deq.Load() >= s.enq.Load() && s.next.Load() == nil
}

// len estimates the number of queued tasks. A wrong figure costs an uneven share of the queue,
// never a task. Any goroutine; advisory.
func (q *mpmcq) len() int {
	s := q.head.Load()
	n := int(min(s.enq.Load(), uint64(len(s.cells)))) - int(min(s.deq.Load(), uint64(len(s.cells))))
	if s.next.Load() != nil {
		n += q.size
	}
	return max(n, 0)
}
