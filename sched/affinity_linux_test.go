package sched_test

import (
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gallop-go/gallop/sched"
)

// TestPinKeepsItsThread: all turns of a pin run on one OS thread, on which nothing
// else runs, those after a panic included.
func TestPinKeepsItsThread(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	first, second := newPin(t, s), newPin(t, s)
	g := newGraph(s)
	g.inject(g.pinned(first, nil), g.pinned(second, nil))
	quiet(t, s) // from here on the two threads are taken
	var mu sync.Mutex
	threads := map[*sched.Pin]map[int]bool{nil: {}, first: {}, second: {}}
	for i := range 300 {
		pin := []*sched.Pin{nil, first, second}[i%3]
		g.inject(g.pinned(pin, func(*sched.Worker) {
			mu.Lock()
			defer mu.Unlock()
			threads[pin][unix.Gettid()] = true
			if i%10 == 0 {
				panic("the thread goes on")
			}
		}))
	}
	quiet(t, s)
	g.checkEnded(t)
	if len(threads[first]) != 1 || len(threads[second]) != 1 {
		t.Fatalf("threads of the pins: %v, %v", threads[first], threads[second])
	}
	for id := range threads[first] {
		if threads[nil][id] || threads[second][id] {
			t.Errorf("thread %d has others on it", id)
		}
	}
}

// TestBindCPUs: each worker stays on one thread, and that on one processor.
func TestBindCPUs(t *testing.T) {
	s := start(t, sched.Config{Workers: 2, BindCPUs: true})
	meet := make(chan struct{})
	var threads [2][2]int
	for round := range 2 {
		g := newGraph(s)
		for range 2 {
			g.inject(g.node(func(w *sched.Worker) {
				var set unix.CPUSet
				if err := unix.SchedGetaffinity(0, &set); err != nil || set.Count() != 1 {
					t.Errorf("worker %d may run on %d processors: %v", w.ID(), set.Count(), err)
				}
				threads[round][w.ID()] = unix.Gettid()
				select { // so that both workers have one
				case meet <- struct{}{}:
				case <-meet:
				}
			}))
		}
		quiet(t, s)
		g.check(t)
	}
	if threads[0] != threads[1] {
		t.Errorf("workers have changed threads: %v", threads)
	}
}
