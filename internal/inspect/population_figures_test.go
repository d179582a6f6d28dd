//go:build gallop_figures

package inspect_test

import (
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// TestPopulation_KeepsNone: the sample keeps no actor alive, and does not grow with actors that
// have ended.
func TestPopulation_KeepsNone(t *testing.T) {
	sys := start(t)
	inspect.Begin(sys)
	spawner := dollType.Spawn(sys, doll{})
	churn := func() {
		in(t, spawner, func(_ *doll, c *actor.Context) {
			for range nightly(300_000, 10_000_000) {
				crowdType.Spawn(c, [2]uint64{})
			}
		})
	}
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	churn()
	before := heap()
	churn()
	if more := int64(heap()) - int64(before); more > 1<<19 {
		t.Errorf("the heap has grown by %d bytes", more)
	}
	if seen := inspect.Population(sys).Total.Seen; seen > 2 { // an actor that a worker still refers to
		t.Errorf("%d actors of the sample are left", seen)
	}
}
