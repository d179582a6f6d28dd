//go:build gallop_figures

package actor_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/invariant"
)

// TestBlocking_Costs: "A behaviour that blocks costs its goroutine, … and a worker of about 3 KiB".
func TestBlocking_Costs(t *testing.T) {
	if raceDetector || invariant.On {
		t.Skip("instrumented") // it takes more memory then
	}
	const n, most = 2000, 12 << 10
	sys := start(t, actor.WithWorkers(2))
	release := make(chan struct{})
	var before, during runtime.MemStats
	quiet(t, sys)
	runtime.GC()
	runtime.ReadMemStats(&before)
	var in atomic.Int64
	for range n {
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			c.Blocking(func() { in.Add(1); <-release })
		})
	}
	eventually(t, "all block", func() bool { return in.Load() == n })
	runtime.GC()
	runtime.ReadMemStats(&during)
	close(release)
	quiet(t, sys)
	heap, stack := int64(during.HeapAlloc)-int64(before.HeapAlloc), int64(during.StackInuse)-int64(
		before.StackInuse)
	t.Logf("each takes %d bytes of heap, its actor and message included, and %d of stacks", heap/n,
		stack/n)
	if heap+stack > n*most {
		t.Errorf("%d bytes for %d, want at most %d each", heap+stack, n, most)
	}
}

// TestShouldYield_OneProcessor: the slice of time "is 1 to 5 ms, usually 1, and does not depend on
// the load of the processors".
// With one processor, the monitor cannot run in time to tell a turn that spins: it runs only after
// Go has preempted the turn, after 10 ms or more. So ShouldYield has to notice by itself.
func TestShouldYield_OneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	sys := start(t, actor.WithWorkers(1))
	const turns = 30
	var short, sum atomic.Int64
	var part deed
	left := turns
	part = func(_ *puppet, c *actor.Context) {
		for began := time.Now(); ; {
			if !c.ShouldYield() {
				sum.Add(1)
				continue
			}
			if time.Since(began) < 8*time.Millisecond { // now and then the machine runs something else
				short.Add(1)
			}
			break
		}
		if left--; left > 0 {
			actor.Yield(c, do, part)
		}
	}
	do.Send(sys, puppetType.Spawn(sys, puppet{}), part)
	do.Send(sys, puppetType.Spawn(sys, puppet{}), noop)
	must(t, sys.Wait(context.Background()))
	if n := short.Load(); n < turns/2 {
		t.Errorf("%d of %d turns have ended within 8 ms", n, turns)
	}
}
