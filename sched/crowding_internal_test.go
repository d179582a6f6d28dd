package sched

import (
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// TestCrowd_Yielded: the scheduler is crowded once a few yields in a row were late, where late says
// that the processors had other things to do, and no more once some were not.
func TestCrowd_Yielded(t *testing.T) {
	s := &Scheduler{}
	for _, step := range []struct {
		what       string
		took, each int64
		times      int
		want       bool
	}{
		{"the first", 10 * lateYield, lateYield, 100, false},
		{"a fast one", lateYield / lateTimes, lateYield, 1, false},
		{"a late one", lateYield, lateYield, 1, false},
		{"and another", lateYield, lateYield, 1, true},
		{"one that was not", lateYield - 1, lateYield, 1, false},
		{"many", 50_000, 50_000, 100, true},
		{"some that were not", 300, 50_000, mostCrowded - crowdedFrom, true},
		{"and another", 300, 50_000, 1, false},
		{"late behind callers", 50_000, 500, 100, false},
	} {
		for range step.times {
			s.crowd.yielded(step.took, step.each)
		}
		if w := (&Worker{sched: s}); !seam.Explored && w.maySpin() == step.want {
			t.Errorf("%s: a worker that falls asleep may spin: %v", step.what, w.maySpin())
		}
		if got := s.Crowded(); got != step.want {
			t.Errorf("%s: crowded %v, want %v", step.what, got, step.want)
		}
	}
}
