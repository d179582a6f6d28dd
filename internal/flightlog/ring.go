package flightlog

import (
	"math/bits"
	"time"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/seam"
)

// A worker records its events in a nanosecond or two, for readers that may come at any time and
// must not stop it.
//
// Rejected: a lock, or an atomic store for each word, which is a locked instruction of 5 to 10 ns
// on amd64. Rejected as well: a version before and after the words, which needs stores in order:
// free on amd64, not on arm64. Rejected: blocks that are handed to the reader when they are full.
// The last events matter most, and they are in the block that is not yet full.
//
// Chosen: each of the four words of an event identifies its event by itself. The first has the
// sequence number. The others have the lap, which counts the times that the ring was filled. The
// owner stores them plainly and in any order:
//
//	R1 the owner stores the four words of event s into place s modulo size, in any order
//	R2 the owner stores head = s+1
//	R3 a reader loads head, and so knows which events may be there
//	R4 a reader loads the four words of each event s, in any order: if the sequence number is s
//	   and the laps are those of s, then all four belong to event s; if not, s is left out, and
//	   counted
//
// Proof: a word of place p with lap l belongs to event l*size+p, or to an event 65,536 laps earlier
// or later. For a reader to mix two such events, the owner must write 65,536 laps, which takes
// seconds even with the smallest ring, between two loads of one event. The first word, which has 40
// bits of the number, must still be that of event s. The laps begin with 1, and so a place whose
// first write is not visible yet has a lap that no reader expects.

// Sizes of a ring, in bytes.
const (
	EventSize    = 32
	SmallestRing = 64 << 10
	LargestRing  = 1 << 20
)

const (
	sequenceBits = 40
	sequenceMask = 1<<sequenceBits - 1
	lapMask      = 1<<16 - 1
	timeShift    = 8 // low bits of the time that a stamp does not store
	// Sparse is the largest number of frequent events for one reading of the clock.
	Sparse = 256
	// An event that comes stampGap or more after the last reading of the clock makes the next event
	// read it too.
	stampGap = int64(16 * time.Microsecond)
)

// event is an event in memory.
type event [4]seam.Relaxed

// Ring has the last events of one writer, its owner. The fields used for each message are in one
// cache line.
type Ring struct {
	_      cacheline.Pad
	events []event // a power of two; read-only
	// Owner only: parts of the words of an event.
	time uint64 // the last stamp and the lap, as in the fourth word
	lap  uint64
	// The number of the next event. Written by the owner.
	head seam.Relaxed
	// The number of the next event for which the owner calls look. Written by the owner in look. In
	// askForStamp and close others write 0, so that the owner calls look for its next event. Look
	// may overwrite that 0 at the same time. Then the owner calls it later: at the latest at the
	// end of the lap.
	limit seam.Relaxed
	_     cacheline.Pad

	// Read-only.
	shift  uint8 // the number of places is 1<<shift
	clock  func() int64
	worker int
	sparse int // the maximum of every

	// Owner only.
	at    int64  // the time of the last stamp
	every uint64 // events for which one stamp is used

	closed seam.Bool // the owner must leave; written by others
}

// newRing makes a ring of size events, a power of two, that begins with lap.
func newRing(worker, size int, lap uint64, sparse int, clock func() int64) *Ring {
	r := &Ring{events: make([]event, size), worker: worker, clock: clock, sparse: sparse,
		shift: uint8(bits.TrailingZeros(uint(size))), every: 1}
	r.head.Store(lap << r.shift)
	r.limit.Store(lap << r.shift)
	return r
}

// Head is the first word of an event, without its number.
type Head uint64

// HeadOf returns the head of an event.
func HeadOf(k What, name uint16) Head { return Head(name)<<8 | Head(k) }

// Write adds an event. It returns false if the ring is closed: the owner must not use it any more.
// Owner only.
func (r *Ring) Write(h Head, actor, other uint64) bool {
	s, ok := r.Next()
	if !ok && !r.look(s) {
		return false
	}
	r.Put(r.Place(s, h), actor, other)
	return true
}

// Next, Place and Put are the parts of Write. A caller that inlines them saves a nanosecond. Next
// returns the number of the next event, and reports whether Place may follow. If not, the owner
// calls Write. Owner only.
func (r *Ring) Next() (s uint64, ok bool) {
	s = r.head.Load()
	return s, s < r.limit.Load()
}

// Place begins event s. Owner only, after Next.
func (r *Ring) Place(s uint64, h Head) Place {
	e := &r.events[s&uint64(len(r.events)-1)]
	e[0].Store(s<<(64-sequenceBits) | uint64(h)) // R1
	return Place{e, s}
}

// Put completes the event. Owner only.
func (r *Ring) Put(p Place, actor, other uint64) {
	p.e[1].Store(actor<<16 | r.lap)
	p.e[2].Store(other<<16 | r.lap)
	p.e[3].Store(r.time)
	r.head.Store(p.s + 1) // R2
}

// Place is the place of an event that is being written.
type Place struct {
	e *event
	s uint64
}

// WriteExact is Write with a time stamp. Owner only.
func (r *Ring) WriteExact(h Head, actor, other uint64) bool {
	r.limit.Store(0)
	return r.Write(h, actor, other)
}

// Note is WriteExact for an event of a rare kind, and Write for others. Owner only.
func (r *Ring) Note(k What, name uint16, actor, other uint64) bool {
	if k.exact() {
		return r.WriteExact(HeadOf(k, name), actor, other)
	}
	return r.Write(HeadOf(k, name), actor, other)
}

// look reads the clock before event s, and sets limit: the reading serves for at most every events,
// and not beyond the end of the lap. It returns false if the ring is closed. Owner only.
func (r *Ring) look(s uint64) bool {
	if r.closed.Load() {
		return false
	}
	now := r.clock()
	if now-r.at >= stampGap {
		r.every = 1
	} else {
		r.every = min(2*r.every, uint64(r.sparse))
	}
	r.at, r.lap = now, s>>(r.shift&63)&lapMask
	r.time = uint64(now)>>timeShift<<16 | r.lap
	r.limit.Store(min(s+r.every, (s>>(r.shift&63)+1)<<(r.shift&63)))
	return true
}

// askForStamp asks the owner to read the clock before its next event: see limit. Any goroutine.
func (r *Ring) askForStamp() { r.limit.Store(0) }

// close tells the owner to leave the ring: its next call of look returns false. Any goroutine.
func (r *Ring) close() {
	r.closed.Store(true)
	r.limit.Store(0)
}

// Tail is the result of a read of a ring.
type Tail struct {
	// Worker is the number of the worker; Outside for events outside of workers.
	Worker int
	Events []Event // the oldest first
	// Before is the number of older events, which were overwritten. Torn is the number of events
	// that were overwritten while they were read.
	Before, Torn uint64
}

// Outside stands for a worker where there is none.
const Outside = -1

// tail reads the events. Any goroutine.
func (r *Ring) tail() Tail {
	size := uint64(len(r.events))
	end := r.head.Load() // R3
	begin := max(end-size, size)
	t := Tail{Worker: r.worker, Before: begin - size, Events: make([]Event, 0, end-begin)}
	for s := begin; s != end; s++ {
		if e, ok := r.read(s); ok {
			t.Events = append(t.Events, e)
		} else {
			t.Torn++
		}
	}
	return t
}

// read reads event s (R4). Any goroutine.
func (r *Ring) read(s uint64) (e Event, ok bool) {
	at := &r.events[s&uint64(len(r.events)-1)]
	w, lap := [4]uint64{}, s>>(r.shift&63)&lapMask
	for i := range at {
		w[i] = at[i].Load()
	}
	if w[0]>>(64-sequenceBits) != s&sequenceMask || w[1]&lapMask != lap || w[2]&lapMask != lap ||
		w[3]&lapMask != lap {
		return Event{}, false
	}
	return Event{
		Sequence: (s - uint64(len(r.events))) & sequenceMask, What: What(w[0]), Index: uint16(w[0] >> 8),
		Actor: w[1] >> 16, Other: w[2] >> 16, At: int64(w[3] >> 16 << timeShift),
	}, true
}
