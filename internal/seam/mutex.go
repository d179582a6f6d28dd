//go:build !gallop_explore

package seam

import "sync"

// Mutex is a lock for the rare paths of a protocol whose fast paths are atomics.
type Mutex = sync.Mutex
