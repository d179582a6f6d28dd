package explore

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// PCT is probabilistic concurrency testing (Burckhardt and others, 2010) in n
// schedules: threads have random priorities, and the highest runs. At depth-1
// random decisions the priority of the highest thread falls below all others. A bug that
// needs depth ordering constraints is found with a probability of at least
// 1/(threads · decisions^(depth-1)) in each schedule. The number of decisions is taken from the
// longest schedule so far.
func PCT(depth int, seed uint64, n int) Strategy {
	return Strategy{fmt.Sprintf("pct(depth %d, seed %d)", depth, seed), func() picker {
		return &pct{counted: counted{n}, rng: newRand(seed, 2), falls: make([]int, max(depth-1, 0))}
	}}
}

type pct struct {
	counted
	rng      *rand.Rand
	longest  int   // decisions in the longest schedule so far
	decision int   // decisions in this schedule
	falls    []int // decisions at which a priority falls
	floor    uint64
	priority [maxThreads]uint64 // zero: not drawn yet
}

func (s *pct) begin() bool {
	s.decision, s.floor = 0, 1<<32
	clear(s.priority[:])
	for i := range s.falls {
		s.falls[i] = 1 + s.rng.IntN(max(s.longest, 1))
	}
	return s.counted.begin()
}

func (s *pct) end() { s.longest = max(s.longest, s.decision) }

func (s *pct) pick(c choice) int {
	s.decision++
	top := s.top(c.enabled)
	for _, at := range s.falls {
		if at == s.decision {
			s.floor--
			s.priority[top] = s.floor
			top = s.top(c.enabled)
		}
	}
	return top
}

// top is the enabled thread of highest priority.
func (s *pct) top(enabled set) int {
	best, at := -1, uint64(0)
	for ; enabled != 0; enabled &= enabled - 1 {
		if id := enabled.first(); s.of(id) > at {
			best, at = id, s.of(id)
		}
	}
	return best
}

// of is a thread's priority. The first call for a thread draws it. A drawn priority is
// above all floors.
func (s *pct) of(id int) uint64 {
	if s.priority[id] == 0 {
		s.priority[id] = 1<<32 + s.rng.Uint64N(math.MaxUint64-1<<32)
	}
	return s.priority[id]
}
