package sched

import (
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// crowding estimates whether a goroutine that yields gets its processor back soon. A yielding
// goroutine goes to the end of the queue that all of Go's threads share. If the other goroutines
// there also wait for workers, yielding is the fastest way to an answer and to the next question:
// neither side parks. In a server whose processors are busy, each yield waits for other requests.
// There a goroutine should park at once; it resumes as soon as its answer is there.
//
// No cheap figure tells how many goroutines wait for a processor, or why. So callers measure one
// yield in many, and callers and workers use the result.
type crowding struct {
	_ nocmp.Field
	// late rises by two with a late yield and falls by one with any other. Writers may lose each
	// other's changes, which costs a sample.
	late    seam.Uint32
	sampled seam.Int64 // when the last sample began, ns
	fastest seam.Int64 // shortest yield of all samples, ns; 0: none yet
	calls   seam.Count // calls of SampleYield
}

const (
	// A yield is late if it lasts at least lateYield (ns) and lateTimes as long as the fastest, and
	// if the time for each call since the last sample is at least lateYield too.
	lateYield      = 4_000
	lateTimes      = 8
	callsPerSample = 32
	crowdedFrom    = 4
	mostCrowded    = 8
)

// Crowded reports whether a goroutine should park at once because a yield would probably be late.
// It is advice for the sake of speed, and orders nothing. It costs a load. Any goroutine.
func (s *Scheduler) Crowded() bool { return s.crowd.late.Load() >= crowdedFrom }

// SampleYield yields and measures the yield in one call of 32. A goroutine calls it before it waits
// for a worker. It costs an addition to a word that all callers share, and in the measured call a
// yield and two readings of the clock. Any goroutine.
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

// yielded records the length of a yield, took, and the time for each call since the last sample,
// each; both in nanoseconds.
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
