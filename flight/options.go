package flight

import (
	"fmt"
	"io"
	"runtime/trace"
	"time"

	"github.com/gallop-go/gallop/internal/flightlog"
)

// Option sets a property of a [Recorder].
type Option func(*settings)

type settings struct {
	ring  int
	dir   string
	to    io.Writer
	goRec *trace.FlightRecorder
	gap   time.Duration
}

// Sizes of a ring, in bytes. An event takes 32.
const (
	SmallestRing = flightlog.SmallestRing
	LargestRing  = flightlog.LargestRing

	defaultRing = 4 << 20
)

const (
	gap  = time.Minute // between two automatic recordings
	kept = 10          // recordings in a directory
)

// WithRing sets how large each worker's ring may become: 4 MiB by default, and at most LargestRing. A
// ring begins with SmallestRing, or 2,048 events, and grows while it reaches back for less than 128 ms:
// so 4 MiB, or 131,072 events, are for a million messages a second and worker, LargestRing for two. The
// ring of a worker with more than twice as many does not grow: it stays in the processor's cache. All
// rings together take at most 64 MiB, besides the SmallestRing of each worker. Sizes are rounded down to
// a power of two. WithRing panics if bytes is out of this range.
func WithRing(bytes int) Option {
	if bytes < SmallestRing || bytes > LargestRing {
		panic(fmt.Sprintf("gallop: flight.WithRing(%d): want %d to %d", bytes, SmallestRing,
			LargestRing))
	}
	return func(s *settings) { s.ring = bytes }
}

// WithDir writes recordings to files in a directory, which is made if it does not exist. Each
// recording is written as JSON and as text, with the trace of Go's recorder if there is one
// ([WithGoRecorder]). The last ten recordings in the directory are kept, whichever recorder has
// written them. WithDir panics if dir is empty.
func WithDir(dir string) Option {
	if dir == "" {
		panic("gallop: flight.WithDir with an empty name")
	}
	return func(s *settings) { s.dir = dir }
}

// WithWriter writes recordings to w as text, one after the other, by one goroutine at a time. It
// panics if w is nil.
func WithWriter(w io.Writer) Option {
	if w == nil {
		panic("gallop: flight.WithWriter with a nil Writer")
	}
	return func(s *settings) { s.to = w }
}

// WithGoRecorder adds a trace of Go's own flight recorder to each recording in a directory. The
// trace shows goroutines, the GC and the processors at the same time. The program starts and stops
// r, since only one may run in a process. If the trace cannot be written, the recording gives the
// reason. WithGoRecorder panics if r is nil.
func WithGoRecorder(r *trace.FlightRecorder) Option {
	if r == nil {
		panic("gallop: flight.WithGoRecorder with a nil FlightRecorder")
	}
	return func(s *settings) { s.goRec = r }
}
