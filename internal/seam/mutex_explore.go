//go:build gallop_explore

package seam

import (
	"sync"
	"sync/atomic"
)

// Mutex is a lock; see the plain build's. A virtual thread waits for it in
// HookAwait, so that the explorer sees a deadlock and is not caught in it.
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

// Unlock gives the lock back. It is no step of its own: until the next step the others cannot tell
// it from the step before.
func (m *Mutex) Unlock() {
	m.held.Store(false)
	m.mu.Unlock()
}

// QuickMutex is a Mutex.
type QuickMutex = Mutex

// HeldLock returns "": in explorations no driver chooses.
func HeldLock() (place string) { return "" }
