//go:build gallop_explore

package seam

import (
	"sync"
	"sync/atomic"
)

// Mutex is a lock; see the Mutex of the plain build. A virtual thread waits for it in
// HookAwait, so that the explorer reports a deadlock and does not block itself.
type Mutex struct {
	mu   sync.Mutex
	held atomic.Bool
}

// Lock takes the lock.
func (m *Mutex) Lock() {
	HookAwait(m.free)
	m.mu.Lock()
	m.held.Store(true)
}

func (m *Mutex) free() bool { return !m.held.Load() }

// Unlock releases the lock. It is no step of its own, but part of the step before it: other threads
// cannot tell the difference.
func (m *Mutex) Unlock() {
	m.held.Store(false)
	m.mu.Unlock()
}

// QuickMutex is a Mutex.
type QuickMutex = Mutex

// HeldLock returns "": its callers are deterministic runs, and explorations have none.
func HeldLock() (place string) { return "" }
