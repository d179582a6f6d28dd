package flightlog

import (
	"slices"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// mostRings is the maximum number of workers with a ring. There may be thousands of workers, as
// further workers replace those with blocked turns.
const mostRings = 256

// mostEvents bounds the events of all rings together, beside the first ones of the workers: 64 MiB.
const mostEvents = 64 << 20 / EventSize

// growth is how many times larger a ring is than the one before it.
const growth = 4

// Log has the rings of a system.
type Log struct {
	size, most int   // of a ring, in events: at first, and at most
	sparse     int   // see New
	reach      int64 // see New
	clock      func() int64
	full       seam.Bool // a worker got no ring

	mu     sync.Mutex
	rings  []*Ring       // guarded by mu
	next   map[int]*Ring // guarded by mu: rings that wait for their workers to ask for them
	grown  int           // guarded by mu: the events of the rings that are not first ones
	closed bool          // guarded by mu

	outMu   sync.Mutex
	outside *Ring // its owner holds outMu
}

// Reach is how far back rings reach that may grow, in nanoseconds. A stall shows after some ten
// milliseconds (see Tick), and then the events of the 50 ms before it must be there.
const Reach = int64(128 * time.Millisecond)

// New makes a log with rings of SmallestRing, or of bytes if that is less. A ring that is full in less
// than reach nanoseconds is replaced by one that is four times as large, up to bytes, rounded down to a
// power of two: see sizeFor for exceptions. If reach is 0, rings have that size at once. clock returns
// the time of events. For frequent events it is called at least once in sparse events.
func New(bytes, sparse int, reach int64, clock func() int64) *Log {
	most := 1
	for most*2*EventSize <= bytes {
		most *= 2
	}
	size := most
	if reach > 0 {
		size = min(most, SmallestRing/EventSize)
	}
	return &Log{size: size, most: most, sparse: sparse, reach: reach, clock: clock,
		outside: newRing(Outside, size, firstLap, sparse, clock)}
}

// Ring makes a ring for a worker. The caller is its owner. Ring returns nil if there are mostRings
// already, or the log is closed.
func (l *Log) Ring(worker int) *Ring {
	if r := l.takeNext(worker); r != nil || l.full.Load() {
		return r
	}
	r := newRing(worker, l.size, firstLap, l.sparse, l.clock)
	r.log = l
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	if len(l.rings) == mostRings {
		l.full.Store(true)
		return nil
	}
	l.rings = append(l.rings, r)
	return r
}

// takeNext returns the ring that waits for a worker; nil: there is none. The caller owns it.
func (l *Log) takeNext(worker int) *Ring {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	r := l.next[worker]
	delete(l.next, worker)
	return r
}

// sizeFor returns the best size of a ring, in events, of which a lap took some time. It grows while it
// reaches back for less than reach.
//
// Events that come so fast that even the largest ring reaches back for a small part of that get the
// smallest ring: it stays in the processor's cache. A large one would cost a message of 30 ns another
// 10 to 15 ns. Between the rate from which a ring does not grow and the one from which it shrinks lies
// a factor of two.
func (l *Log) sizeFor(size int, took int64) int {
	needed := int64(size) * l.reach / max(took, 1)
	switch most := int64(l.most); {
	case needed > 4*most:
		return l.size
	case needed > int64(size) && needed <= 2*most:
		return min(growth*size, l.most)
	}
	return size
}

// replace replaces a full ring by one of another size, for which its owner is to ask by Ring. It reports
// false if there is to be none. Owner of r only.
func (l *Log) replace(r *Ring, size int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, grown := slices.Index(l.rings, r), l.grown+l.extra(size)-l.extra(len(r.events))
	if l.closed || i < 0 || grown > mostEvents {
		return false
	}
	next := newRing(r.worker, size, firstLap, l.sparse, l.clock)
	next.log, next.before = l, r.before+r.written()
	next.older.Store(r)
	l.grown, l.rings = grown, slices.Clone(l.rings) // others read the old list: see all
	l.rings[i] = next
	if l.next == nil {
		l.next = map[int]*Ring{}
	}
	l.next[r.worker] = next
	r.closed.Store(true)
	return true
}

// extra returns the part of a ring's size that counts for mostEvents.
func (l *Log) extra(size int) int {
	if size == l.size {
		return 0
	}
	return size
}

// Outside adds an event that happened outside of the workers. Any goroutine.
func (l *Log) Outside(k What, name uint16, actor, other uint64) {
	l.outMu.Lock()
	defer l.outMu.Unlock()
	l.outside.WriteExact(HeadOf(k, name), actor, other)
}

// all returns the rings of the workers.
func (l *Log) all() []*Ring {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rings[:len(l.rings):len(l.rings)]
}

// Tails reads all rings. Workers that write events do not wait for it. Full reports whether there
// were workers without a ring. Any goroutine.
func (l *Log) Tails() (all []Tail, full bool) {
	for _, r := range l.all() {
		all = append(all, r.tail())
	}
	return append(all, l.outside.tail()), l.full.Load()
}

// Tick makes each worker read the clock for its next event, and returns the number of events so
// far. It bounds the error of time stamps. stalls reports whether a worker has begun to stand still in
// the middle of its work: it has written nothing since the last Tick, and did before, and its last
// event does not say that it sleeps. One goroutine at a time.
func (l *Log) Tick() (events uint64, stalls bool) {
	for _, r := range l.all() {
		n := r.before + r.written()
		events += n
		stands := n == r.ticked && n > 0
		if stands && !r.stood {
			e, ok := r.read(r.head.Load() - 1)
			stalls = stalls || !ok || e.What != Park
		}
		r.ticked, r.stood = n, stands
		r.askForStamp()
	}
	return events, stalls
}

// Close tells all owners to leave their rings: see [Ring.Write]. The recorded events stay. Any
// goroutine.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, r := range l.rings {
		r.close()
	}
}
