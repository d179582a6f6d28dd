package flight

import (
	"fmt"
	"io"
	"runtime/trace"
	"time"

	"github.com/gallop-go/gallop/internal/flightlog"
)

// Option says how a [Recorder] records.
type Option func(*settings)

type settings struct {
	ring  int
	dir   string
	to    io.Writer
	goRec *trace.FlightRecorder
	gap   time.Duration
}

// Sizes of a ring, in bytes. An event has 32.
const (
	SmallestRing = flightlog.SmallestRing // the default
	LargestRing  = flightlog.LargestRing
)

const (
	gap  = time.Minute // between two recordings that are written by themselves
	kept = 10          // recordings in a directory
)

// WithRing sets how much each worker keeps: SmallestRing by default, and at most LargestRing,
// which are 2,048 and 32,768 events. A size in between is rounded down to a power of two. WithRing
// panics if bytes is out of this range.
func WithRing(bytes int) Option {
	if bytes < SmallestRing || bytes > LargestRing {
		panic(fmt.Sprintf("gallop: flight.WithRing(%d): want %d to %d", bytes, SmallestRing,
			LargestRing))
	}
	return func(s *settings) { s.ring = bytes }
}

// WithDir has recordings written to files of a directory, which is made if need be: as JSON, as
// text, and what Go's recorder has ([WithGoRecorder]). The last ten are kept, of all recorders that
// write there. WithDir panics if dir is empty.
func WithDir(dir string) Option {
	if dir == "" {
		panic("gallop: flight.WithDir with an empty name")
	}
	return func(s *settings) { s.dir = dir }
}

// WithWriter has recordings written to w as text, one after the other, by one goroutine at a time.
// It panics if w is nil.
func WithWriter(w io.Writer) Option {
	if w == nil {
		panic("gallop: flight.WithWriter with a nil Writer")
	}
	return func(s *settings) { s.to = w }
}

// WithGoRecorder has each recording in a directory come with that of Go's own recorder, which
// shows goroutines, the GC and the processors at the same time. The program starts and stops r,
// since only one may run in a process. If it cannot be written, the recording says why.
// WithGoRecorder panics if r is nil.
func WithGoRecorder(r *trace.FlightRecorder) Option {
	if r == nil {
		panic("gallop: flight.WithGoRecorder with a nil FlightRecorder")
	}
	return func(s *settings) { s.goRec = r }
}
