package sched

import "testing"

// TestBug_K5_FailedCheckThaws: a check that finds the scheduler not quiescent lets the
// idle word go again, for either reason: a hold, or a task in the queue.
func TestBug_K5_FailedCheckThaws(t *testing.T) {
	s := startBare(t, Config{Workers: 2})
	w := &quietWaiter{done: make(chan struct{})}
	s.quiet.add(w)
	thawed := func(why string) {
		t.Helper()
		if v := s.idle.v.Load(); v&frozenBit != 0 {
			t.Errorf("%s: the idle word is still frozen: %x", why, v)
		}
	}
	s.Hold()
	s.quiet.check(s)
	thawed("held")
	ran := make(chan struct{})
	s.inject.push(entered(&newBare(func(*Worker) { close(ran) }).Task)) // no worker was told
	s.holds.Add(-1)                                                     // Release, but for its check
	s.quiet.check(s)                                                    // wakes a worker for the task
	<-ran
	<-w.done
	thawed("quiescent")
}
