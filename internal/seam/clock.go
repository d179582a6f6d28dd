package seam

import "time"

// Clock tells the time to the scheduler and to behaviours. Production uses
// SystemClock; a deterministic run puts a virtual clock here.
type Clock interface {
	// Now is the wall-clock time.
	Now() time.Time
	// Nanos is a monotonic reading in nanoseconds from an arbitrary origin.
	Nanos() int64
}

// SystemClock is the machine's clock.
type SystemClock struct{}

var origin = time.Now()

// Now is time.Now.
func (SystemClock) Now() time.Time { return time.Now() }

// Nanos is the time since the program started. About 25–40 ns.
func (SystemClock) Nanos() int64 { return int64(time.Since(origin)) }
