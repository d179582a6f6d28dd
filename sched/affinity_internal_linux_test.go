package sched

import (
	"math/bits"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestBindCPUs_EverySlot: "BindCPUs binds worker i to the i-th processor that this process may
// use". The same holds for an idle worker that gets the slot of a blocked worker. An idle worker
// that had had another slot stayed on the processor of that slot: it read the processors of the
// process when its thread might use only one.
func TestBindCPUs_EverySlot(t *testing.T) {
	allowed := processorsOfThread(t)
	s := startBare(t, Config{Workers: 2, BindCPUs: true})
	meet := make(chan struct{})
	onBoth := func(do func(w *Worker)) {
		for range 2 {
			inject(s, func(w *Worker) {
				select { // so that each has a slot of its own
				case meet <- struct{}{}:
				case <-meet:
				}
				do(w)
			})
		}
	}
	blocked := []chan struct{}{make(chan struct{}), make(chan struct{})}
	onBoth(func(w *Worker) {
		slot := w.slot
		w.Blocking(func() { <-blocked[slot] })
	})
	allAsleep(s) // both slots are vacant
	isBoundWell := func(w *Worker) {
		if set := processorsOfThread(t); w.detached || len(set) != 1 ||
			set[0] != allowed[w.slot%len(allowed)] {
			t.Errorf("worker %d on slot %d of processors %v may use %v", w.ID(), w.slot, allowed, set)
		}
	}
	inject(s, isBoundWell) // an idle worker, on the slot of the first
	allAsleep(s)
	close(blocked[0]) // who finds it taken, and is an idle worker from now on
	for s.DetachedStats().Detached != 1 {
		runtime.Gosched()
	}
	onBoth(isBoundWell) // which has the other slot now
	close(blocked[1])
	waitQuiet(t, s)
}

// allAsleep waits until all have nothing to do, or are detached.
func allAsleep(s *Scheduler) {
	for !s.idle.quiet() {
		runtime.Gosched()
	}
}

// processorsOfThread returns the processors that the calling thread may use.
func processorsOfThread(t *testing.T) (list []int) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Error(err)
	}
	for cpu := range len(set) * bits.UintSize {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return list
}
