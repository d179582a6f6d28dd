//go:build gallop_figures

package actor_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestAsk_UnawaitedLeaveNothing: 100,000 asks whose callers have given up keep no memory.
func TestAsk_UnawaitedLeaveNothing(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := mortalType.Spawn(sys, mortal{})
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	ask := func(n int) {
		for range n {
			_, _ = fetch.Ask(gone, r, func(*mortal) int { return 1 })
		}
		quiet(t, sys)
	}
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	n := scaled(100_000)
	ask(n / 10)
	before := heap()
	ask(n)
	if left := heap() - before; left > 64<<10 { // memory of the runtime itself, for any n
		t.Errorf("%d bytes are left of %d asks", left, n)
	}
}
