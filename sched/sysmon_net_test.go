//go:build unix && !race && !gallop_explore

package sched

import (
	"runtime"
	"testing"
)

// TestNetwork_OneAtATime: one worker in a while, and none where it cannot be done.
func TestNetwork_OneAtATime(t *testing.T) {
	s := startBare(t, Config{Workers: 1})
	n := &s.network
	if n.nextLook.Store(10); n.yield(9) || n.nextLook.Load() != 10 {
		t.Error("a worker looks before it is time")
	}
	if n.yield(10); n.nextLook.Load() != 10+lookEvery {
		t.Errorf("the next look is due at %d ns", n.nextLook.Load())
	}
	if n.nextLook.Store(never); n.yield(never-1) || n.nextLook.Load() != never {
		t.Error("a worker looks beside another one")
	}
	if n.look = openNetwork(); !n.look(false) || !n.look(false) {
		t.Fatal("it cannot be done")
	}
	if <-s.Stop(); n.look(false) {
		t.Error("a scheduler that has stopped keeps its pipe")
	}
}

// TestNetwork_NotBesideOtherGoroutines: a worker whose processor others wait for yields to them,
// and lets the network be.
func TestNetwork_NotBesideOtherGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := startBare(t, Config{Workers: 1})
	// Go may take the processor away in between, so that the other one has run by then
	for range 100 {
		ran := make(chan struct{})
		go close(ran)
		s.network.nextLook.Store(0)
		looked := s.network.yield(1)
		if <-ran; !looked {
			return
		}
	}
	t.Error("a worker waits for the network beside a goroutine that waits for a processor")
}

// TestNetwork_ByWorkers: workers that yield because they have worked for long look at it.
func TestNetwork_ByWorkers(t *testing.T) {
	s := startBare(t, Config{Workers: 1})
	s.network.nextLook.Store(0)
	inject(s, func(w *Worker) {
		w.timeslice.yielded -= 2 * yieldEveryRoomy
		w.refillBudget()
	})
	waitQuiet(t, s)
	if s.network.nextLook.Load() == 0 {
		t.Error("no worker looks at the network")
	}
}
