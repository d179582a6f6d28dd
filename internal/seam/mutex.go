//go:build !gallop_explore

package seam

import "github.com/gallop-go/gallop/internal/nocmp"

// Mutex is a lock for the rare paths of a protocol whose fast paths are atomics.
// Its methods are not inlined: inlined they made a small program some kilobytes larger.
type Mutex struct {
	_  nocmp.Field
	mu QuickMutex
}

// Lock locks m.
//
//go:noinline
func (m *Mutex) Lock() { m.mu.Lock() }

// Unlock unlocks m.
//
//go:noinline
func (m *Mutex) Unlock() { m.mu.Unlock() }
