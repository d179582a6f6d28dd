//go:build gallop_explore

package explore_test

import (
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// counting is a scenario of two threads with a few accesses each.
func counting(p *explore.Program) {
	var n seam.Uint32
	for range 2 {
		p.Go(func() {
			for range 4 {
				n.Add(1)
			}
		})
	}
}

// TestStrangers: a goroutine that is no thread goes on as in a plain build, although it touches
// seam, spins and takes locks. It changes no schedule.
func TestStrangers(t *testing.T) {
	alone := explore.Explore(config(explore.Bounded(-1, 0)), counting)
	var over seam.Bool
	ended := make(chan struct{})
	begun := make(chan struct{})
	go func() {
		defer close(ended)
		var mu seam.Mutex
		for first := true; !over.Load(); first = false {
			mu.Lock()
			seam.Spin()
			mu.Unlock()
			if first {
				close(begun)
			}
		}
	}()
	<-begun
	beside := explore.Result{}
	for range 1000 {
		res := explore.Explore(config(explore.Bounded(-1, 0)), counting)
		if beside.Strangers += res.Strangers; res.Failure != nil || !res.Exhausted ||
			res.Steps != alone.Steps {
			t.Errorf("%v; alone %v: %v", res, alone, res.Failure)
			break
		}
	}
	over.Store(true)
	<-ended
	if beside.Strangers == 0 {
		t.Error("the stranger never came while a thread had its turn, so nothing was shown")
	}
}

// TestExcludedBefore: memory that was excluded before an exploration is not excluded in it.
func TestExcludedBefore(t *testing.T) {
	var n seam.Uint32
	seam.Exclude(&n)
	res := explore.Explore(config(explore.Bounded(-1, 0)), func(p *explore.Program) {
		for range 2 {
			p.Go(func() { n.Add(1); n.Add(1) })
		}
	})
	if res.Schedules != 6 {
		t.Errorf("two threads with two accesses each: %v", res)
	}
}
