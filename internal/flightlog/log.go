package flightlog

import (
	"sync"

	"github.com/gallop-go/gallop/internal/seam"
)

// mostRings is the maximum number of workers with a ring. There may be thousands of workers, as
// further workers replace those with blocked turns.
const mostRings = 256

// Log has the rings of a system.
type Log struct {
	size   int // of a ring, in events
	sparse int // see New
	clock  func() int64
	full   seam.Bool // a worker got no ring

	mu     sync.Mutex
	rings  []*Ring // guarded by mu
	closed bool    // guarded by mu

	outMu   sync.Mutex
	outside *Ring // its owner holds outMu
}

// New makes a log with rings of the given size in bytes, rounded down to a power of two. clock
// returns the time of events. For frequent events it is called at least once in sparse events.
func New(bytes, sparse int, clock func() int64) *Log {
	size := 1
	for size*2*EventSize <= bytes {
		size *= 2
	}
	return &Log{size: size, sparse: sparse, clock: clock,
		outside: newRing(Outside, size, 1, sparse, clock)}
}

// Ring makes a ring for a worker. The caller is its owner. Ring returns nil if there are mostRings
// already, or the log is closed.
func (l *Log) Ring(worker int) *Ring {
	if l.full.Load() {
		return nil
	}
	r := newRing(worker, l.size, 1, l.sparse, l.clock)
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
// far. It bounds the error of time stamps. Any goroutine.
func (l *Log) Tick() (events uint64) {
	for _, r := range l.all() {
		events += r.head.Load()
		r.askForStamp()
	}
	return events
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
