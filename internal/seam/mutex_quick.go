//go:build !gallop_explore && (!gallop_invariants || race)

package seam

import "sync"

// QuickMutex is a Mutex that is taken so often that its methods are inlined: with each timer and
// each message from outside to a receiver that is behind.
type QuickMutex = sync.Mutex

// HeldLock returns where the calling goroutine has taken a lock of this package that it holds, or
// "". It knows that in builds that check invariants, without the race detector: its own lock would
// hide races.
func HeldLock() (place string) { return "" }
