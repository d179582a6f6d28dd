//go:build gallop_figures

package sched

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestBurst_ShortTurns: a thousand turns that block for a millisecond each, undeclared, never cost
// their workers the slots. "They show in unused processors", and many run at a time.
func TestBurst_ShortTurns(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("a single processor is the monitor's when it looks") // so it sees no idle processor
	}
	s := startBare(t, Config{Workers: 2})
	var now, most atomic.Int64
	for range 1000 {
		inject(s, func(*Worker) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			// A turn that blocks for a short time is the subject of this test.
			time.Sleep(time.Millisecond)
			now.Add(-1)
		})
	}
	waitQuiet(t, s)
	if n := most.Load(); n < 16 {
		t.Errorf("at most %d turns blocked at a time, on two workers: the thousandth has waited for "+
			"half a second", n)
	}
}
