package sched

import (
	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// A local queue of a worker: bounded, with one owner, which pushes at one end and takes from
// either, and any number of thieves. A thief takes the oldest task, one at a time.
//
// Rejected: the ring of Go's runtime reads an entry before it claims it, which is
// a data race in user code. Tokio's ring packs two heads into one word so that a
// claimed entry stays reserved until it was read; a thief that loses its processor
// between the two shuts out every other thief. Atomic entries cost a locked
// instruction for every push.
//
// Chosen: claim, then read, with a receipt per entry. head and tail count tasks ever claimed and
// ever published. The goroutine that moves head from h to h+1 owns the task in entry h. It reads
// the entry with plain loads, and leaves a receipt: the owner in popped, a thief in stolen. The
// owner refills entry t only when one of the two receipts says that task t-size was read. A thief
// that sleeps between claim and receipt blocks the reuse of one entry (the owner overflows), and no
// other goroutine.
//
// The owner takes the newest task, in entry t, as in the deque of Chase and Lev (2005):
//
//	owner                                      thief
//	N1 tail ← t                                T1 read head: h
//	N2 read head: less than t? the task is     T2 read tail: not more than h? nothing
//	   the owner's, else the only one:         T3 head: h → h+1 (RMW)? task h is the thief's
//	N3 head: t → t+1 (RMW)? the owner's
//
// Suppose both take the task in entry t, the thief by h = t. T2 saw more than t, so it came before
// N1, or after a later push of another task to entry t. In the former case T1 came before N1 as
// well, and at N2 head was t already, since head never goes back. So the owner went on to N3, and
// only one of N3 and T3 succeeded. After N3 tail is one less than head, until the next push. So a
// look compares by difference, and not for equality.
//
// Indices are 64 bits wide and never wrap in practice. Only their differences count, so wrapping
// would be harmless.

const (
	ringSize    = 256
	newRingSize = 1024 // of new tasks: a path of a tree and its branches
)

// ringEntry is owned by the owner until tail passes it, then by the goroutine that claims it
// through head, then, after the receipt, by the owner again.
type ringEntry struct {
	_    nocmp.Field
	task *Task
	// Index+1 of the last task that the owner took from here. Owner only.
	popped uint64
	// Index+1 of the last task stolen from here. Written by thieves.
	stolen seam.Uint64
}

type ring struct {
	// Claimed by owner and thieves.
	head seam.Uint64
	_    cacheline.Pad
	// Written by the owner.
	// published tasks that the owner has not taken back; pairs with the load in steal
	tail    seam.Uint64
	next    uint64 // the owner's own copy of tail
	entries []ringEntry
	_       cacheline.Pad
}

// init makes the ring empty, with its first task at index start. size is a power
// of two.
//
//go:noinline
func (r *ring) init(size int, start uint64) {
	r.entries = make([]ringEntry, size)
	for i := range r.entries {
		idx := start + uint64(i)
		r.entries[idx&uint64(size-1)].popped = idx - uint64(size) + 1
	}
	// Zero is the receipt of task 2⁶⁴-1, whose entry is the last one. The other entries need no
	// store, which would be a locked instruction each at the start of a system.
	last := &r.entries[size-1]
	last.stolen.Store(last.popped)
	r.next = start
	r.head.Store(start)
	r.tail.Store(start)
}

// ownerEnd is the ring as its worker sees it. All methods: owner only.
type ownerEnd ring

// thiefEnd is the ring as thieves see it. All methods: any goroutine.
type thiefEnd ring

func (r *ring) owner() *ownerEnd { return (*ownerEnd)(r) }
func (r *ring) thief() *thiefEnd { return (*thiefEnd)(r) }

// push appends t and reports whether there was room. Owner only.
func (q *ownerEnd) push(t *Task) bool {
	if !q.hasRoom() {
		return false
	}
	i := q.next
	if invariant.On {
		verifyRingEntry(q, i, t)
	}
	q.entries[i&uint64(len(q.entries)-1)].task = t
	q.next = i + 1
	// Publishes the task to thieves (pairs with the load in steal), and is the fence before the
	// look at the idle word (W2).
	q.tail.Store(i + 1)
	return true
}

// hasRoom reports whether the next push will succeed. Owner only.
func (q *ownerEnd) hasRoom() bool {
	size := uint64(len(q.entries))
	s, last := &q.entries[q.next&(size-1)], q.next-size+1
	return s.popped == last || s.stolen.Load() == last // pairs with the receipt in steal
}

// pop takes the oldest task, or returns nil if there is none. Owner only.
func (q *ownerEnd) pop() *Task {
	for {
		h := q.head.Load()
		if h == q.next {
			return nil
		}
		if q.head.CompareAndSwap(h, h+1) {
			s := &q.entries[h&uint64(len(q.entries)-1)]
			t := s.task
			if invariant.On {
				verifyClaimed((*ring)(q), h, t)
			}
			s.task = nil
			s.popped = h + 1
			return t
		}
	}
}

// popNewest takes the newest task, or returns nil if there is none. Owner only. An entry whose task
// was not claimed through head gets no receipt: the next push fills it, with the same index.
func (q *ownerEnd) popNewest() *Task {
	if q.head.Load() == q.next {
		return nil
	}
	i := q.next - 1
	if invariant.On {
		verifyNewest(q, i)
	}
	s := &q.entries[i&uint64(len(q.entries)-1)]
	q.tail.Store(i)                 // N1, and the fence before N2
	if int64(i-q.head.Load()) > 0 { // N2
		q.next = i
	} else if q.head.CompareAndSwap(i, i+1) { // N3
		s.popped = i + 1
	} else {
		return nil
	}
	t := s.task
	if invariant.On {
		verifyClaimed((*ring)(q), i, t)
	}
	s.task = nil
	return t
}

// len returns the number of unclaimed tasks. Owner only; exact except for thieves.
func (q *ownerEnd) len() int { return int(q.next - q.head.Load()) }

// steal takes the oldest task. It returns nil if there is none, or if the owner is about to take
// the only one. Any goroutine.
func (q *thiefEnd) steal() *Task {
	for {
		h := q.head.Load()
		if int64(q.tail.Load()-h) <= 0 { // pairs with the store in push: entry h is filled
			return nil
		}
		if q.head.CompareAndSwap(h, h+1) {
			seam.Point() // the entry is this thief's until the receipt
			s := &q.entries[h&uint64(len(q.entries)-1)]
			t := s.task
			if invariant.On {
				verifyClaimed((*ring)(q), h, t)
			}
			s.task = nil
			s.stolen.Store(h + 1) // the receipt; pairs with the load in push
			return t
		}
	}
}

// empty reports whether the ring has no task to steal. Any goroutine. A task published before the
// call and not yet claimed is always seen, unless its owner is about to run it.
func (q *thiefEnd) empty() bool {
	h := q.head.Load()
	return int64(q.tail.Load()-h) <= 0
}

// len returns the number of tasks to steal; 0 or less: none. Any goroutine; advisory.
func (q *thiefEnd) len() int { return int(q.tail.Load() - q.head.Load()) }
