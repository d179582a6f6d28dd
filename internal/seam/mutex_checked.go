//go:build gallop_invariants && !gallop_explore && !race

package seam

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// QuickMutex is a Mutex. In this build it knows which goroutine holds it.
type QuickMutex struct {
	mu sync.Mutex
	by uint64 // guarded by mu: the goroutine that holds it
}

// Lock locks m.
func (m *QuickMutex) Lock() {
	m.mu.Lock()
	m.taken()
}

// TryLock locks m if it is free, and reports whether it was.
func (m *QuickMutex) TryLock() bool {
	ok := m.mu.TryLock()
	if ok {
		m.taken()
	}
	return ok
}

func (m *QuickMutex) taken() {
	m.by = Goroutine()
	h := heldLock{by: m.by}
	runtime.Callers(3, h.at[:])
	s := heldBy(m.by)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places == nil {
		s.places = map[*QuickMutex]heldLock{}
	}
	s.places[m] = h
}

// Unlock unlocks m. A goroutine may unlock a lock that another goroutine has locked.
func (m *QuickMutex) Unlock() {
	s := heldBy(m.by)
	s.mu.Lock()
	delete(s.places, m)
	s.mu.Unlock()
	m.mu.Unlock()
}

// heldLock says which goroutine holds a lock, and where it has taken it.
type heldLock struct {
	by uint64
	at [2]uintptr // the caller of Lock; for a Mutex, Mutex.Lock and its caller
}

// heldLocks has the locks that are held, in shards by their goroutines.
var heldLocks [64]heldShard

type heldShard struct {
	mu     sync.Mutex
	places map[*QuickMutex]heldLock // guarded by mu
}

func heldBy(goroutine uint64) *heldShard {
	return &heldLocks[goroutine*0x9e3779b97f4a7c15>>32%uint64(len(heldLocks))]
}

// HeldLock returns the place where the calling goroutine has taken a lock of this package, if it
// holds one, and otherwise "".
func HeldLock() (place string) {
	me := Goroutine()
	s := heldBy(me)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.places {
		if h.by == me {
			frames := runtime.CallersFrames(h.at[:])
			f, _ := frames.Next()
			if strings.HasSuffix(f.Function, "seam.(*Mutex).Lock") {
				f, _ = frames.Next()
			}
			return fmt.Sprintf("%s (%s:%d)", f.Function, f.File, f.Line)
		}
	}
	return ""
}
