package sched

import (
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// crowding says whether a goroutine that yields comes back soon. It goes to the end of the queue
// that all of Go's threads share. Where the others that are in it wait for answers of workers as
// well, that is the shortest way for a caller to be answered, and for a worker to have the next
// question: neither parks. In a server whose processors are busy with other things, each yield
// waits for the requests of others as long as these run. There a goroutine that waits parks at
// once, and goes on as soon as it has what it waits for.
//
// No figure that can be had for little says how many goroutines wait for a processor, or why. So
// callers measure one yield in many. Both parties go by what they find.
type crowding struct {
	_ nocmp.Field
	// A late yield adds two to it, and any other takes one away. Its writers may lose each other's
	// changes, which costs a sample.
	late    seam.Uint32
	sampled seam.Int64 // when the last sample began, ns
	fastest seam.Int64 // yield of all samples, ns; 0: none yet
	calls   seam.Count // that could have been samples
}

const (
	// A yield is late if it lasts longer than this, in ns, and so many times longer than the fastest,
	// while the processors have as much to do for each call.
	lateYield      = 4_000
	lateTimes      = 8
	callsPerSample = 32
	crowdedFrom    = 4
	mostCrowded    = 8
)

// Crowded reports whether a goroutine that yields probably comes back late, so that it should park
// at once. It is advice for the sake of speed, and orders nothing. It costs a load. Any goroutine.
func (s *Scheduler) Crowded() bool { return s.crowd.late.Load() >= crowdedFrom }

// SampleYield has one call in many let other goroutines run, and takes in how long that lasts. A
// goroutine that waits for a worker calls it first. It costs an addition to a word that all callers
// share, and in the one call in 32 a yield and two readings of the clock. Any goroutine.
func (s *Scheduler) SampleYield() {
	c := &s.crowd
	if c.calls.Add(1)%callsPerSample != 0 {
		return
	}
	begun := s.cfg.Clock.Nanos()
	seam.Spin()
	took := s.cfg.Clock.Nanos() - begun
	c.yielded(took, (begun-c.sampled.Swap(begun))/callsPerSample)
}

// yielded takes in how long a yield has lasted, and how much time there was for each call since the
// last sample, in nanoseconds.
func (c *crowding) yielded(took, each int64) {
	late, fastest := c.late.Load(), c.fastest.Load()
	if fastest == 0 || took < fastest {
		fastest = max(took, 1)
		c.fastest.Store(fastest)
	}
	switch {
	case min(took, each) >= lateYield && took >= lateTimes*fastest:
		c.late.Store(min(late+2, mostCrowded))
	case late > 0:
		c.late.Store(late - 1)
	}
}
