package sched_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

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

// TestBug_K48_IdleCostsNothing: a scheduler that is quiescent, or merely held, uses
// no processor time, and neither does a worker that waits inside of a turn.
func TestBug_K48_IdleCostsNothing(t *testing.T) {
	s := start(t, sched.Config{Workers: 8})
	g := newGraph(s)
	root := g.node(nil)
	for range 200 {
		g.node(nil, root)
	}
	g.inject(root)
	quiet(t, s)
	stuck := start(t, sched.Config{Workers: 2})
	leave := make(chan struct{})
	h := newGraph(stuck)
	h.inject(h.node(func(*sched.Worker) { <-leave }))
	s.Hold()
	const wait = 150 * time.Millisecond
	runtime.GC() // of the tests before
	before := processorTime(t)
	// Idling is what is measured: nothing happens that could be waited for.
	time.Sleep(wait)
	used := processorTime(t) - before
	s.Release()
	close(leave)
	quiet(t, stuck)
	if limit := wait / 10; used > limit {
		t.Errorf("%v of processor time in %v of idling", used, wait)
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
