package process

import "testing"

// TestDeterministicRuns: a deterministic system that has ended is not counted any more. Each operation
// without an Env would look for its process as long as it is.
func TestDeterministicRuns(t *testing.T) {
	before := deterministicRuns.Load()
	s := Start(Config{Seed: 1})
	equal(t, "one more", deterministicRuns.Load(), before+1)
	Go(s, func(p *Proc) { Select(p) })
	quiet(t, s)
	s.Stop()
	s.Stop()
	equal(t, "afterwards", deterministicRuns.Load(), before)
}
