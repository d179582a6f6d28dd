package sched

import (
	"runtime"
	"testing"
)

// TestIdleWorkers_CrashOfTheNext: "from here on w belongs to take". A goroutine that had given its
// worker back used to look whether the worker had crashed. It saw the crash of the next goroutine,
// and started a third.
func TestIdleWorkers_CrashOfTheNext(t *testing.T) {
	w := startBare(t, Config{Workers: 1}).workers[0]
	w.live(func() (more bool) {
		w.crashed = true // by the goroutine that has it next
		return false
	}, func() { t.Error("a goroutine was started for a worker that has one") })
	if !w.crashed {
		t.Error("a worker was touched after it was given back")
	}
	w.crashed = false
}

// TestIdleWorkers_CrashOfTheNextRaces is for the race detector: an idle worker's goroutine ends
// because it was not needed for long, and the first turn of the next one crashes. The detector soon
// forgets an access, so the test has many rounds: with 50 rounds it failed 7 times of 10,
// with 300 always.
func TestIdleWorkers_CrashOfTheNextRaces(t *testing.T) {
	s := startBare(t, Config{Workers: 1})
	for range 300 { // not scaled
		inject(s, func(w *Worker) {
			ran := make(chan struct{})
			w.Schedule(&newBare(func(*Worker) { close(ran); panic(errCrash) }).Task) // on the idle worker
			w.Blocking(func() { <-ran })
		})
		waitQuiet(t, s)
		s.idleWorkers.cool(true)
		for !allCold(s) {
			runtime.Gosched()
		}
	}
	if st := s.DetachedStats(); st.Made != 1 {
		t.Errorf("%+v, want one idle worker that is used again", st)
	}
}

// allCold reports whether all workers without a slot are without a goroutine, or nearly: one may
// still be about to end.
func allCold(s *Scheduler) bool {
	p := &s.idleWorkers
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.cold) == len(p.made)
}
