//go:build !gallop_explore && (!gallop_invariants || race)

package seam

import "sync"

// QuickMutex is a Mutex whose methods are inlined, for locks that are taken often: for each timer,
// and for each message from outside to a receiver that does not keep up.
type QuickMutex = sync.Mutex

// HeldLock returns "". In builds that check invariants, without the race detector, it returns the
// place where the calling goroutine has taken a lock of this package. With the race detector it
// does not: its own lock would hide races.
func HeldLock() (place string) { return "" }
