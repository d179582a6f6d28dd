package actor

import "sync"

// errandKind says what an actor has under way outside of its turns.
type errandKind string

const (
	aPipe     errandKind = "Pipe"
	aFromChan errandKind = "FromChan"
	aToChan   errandKind = "ToChan"
)

// errands are the goroutines of actors that hold the system: those of Pipe and of the bridges to
// channels. They are listed only to be named when somebody asks what the system waits for. A
// goroutine costs a microsecond, so a lock and an entry more do not matter.
type errands struct {
	mu  sync.Mutex
	all indexedSet[errand] // guarded by mu
}

type errand struct {
	kind  errandKind
	of    *cell
	place int // guarded by mu
}

// holdFor holds the system for an errand of an actor, whose turn runs, so that it cannot be too
// late. release is to be called once.
func (s *System) holdFor(kind errandKind, of *cell) (release func()) {
	s.sched.Hold()
	e := &errand{kind: kind, of: of}
	s.errands.mu.Lock()
	s.errands.all.add(e, &e.place)
	s.errands.mu.Unlock()
	return func() {
		s.errands.mu.Lock()
		s.errands.all.remove(&e.place)
		s.errands.mu.Unlock()
		s.sched.Release()
	}
}

// each calls f for each errand. Any goroutine.
func (l *errands) each(f func(kind errandKind, of *cell)) {
	l.mu.Lock()
	all := append([]entry[errand](nil), l.all.entries...)
	l.mu.Unlock()
	for _, e := range all {
		f(e.who.kind, e.who.of)
	}
}
