package sched

import "testing"

// crowd is a scheduler's monitor on two processors, for which so many goroutines wait.
func crowd(t *testing.T, workers int, runnable uint64) *monitor {
	t.Helper()
	s, _ := bench(t, workers)
	m := &s.monitor
	m.slots.procs.n, m.slots.procs.runnable, m.slots.procs.running = 2, runnable, 2
	return m
}

// "The worker is detached after 3 ms if a processor is idle. It is detached after 6 ms if no
// processor is idle." "Where a queue of goroutines waits for processors, the worker is detached
// after 6 ms and the time in which all of them have had one; only the first few turns do not wait
// for that."
func TestTurns_WhoIsStuck(t *testing.T) {
	for _, c := range []struct {
		runnable, running uint64
		detached          int
		after             int64 // ns
	}{
		{0, 1, 0, retakeAfter},
		{0, 2, 0, retakeAfterBusy},
		{1, 2, 9, retakeAfterBusy},
		{2, 2, 1, retakeAfterBusy}, // one of the first
		{2, 2, 2, retakeAfterBusy + goTimeslice},
		{5, 2, 9, retakeAfterBusy + 25*ms},
		{10_000, 2, 9, retakeAfterBusy + maxRound}, // blocked all the same, some day
	} {
		m := crowd(t, 1, c.runnable)
		m.slots.procs.running = c.running
		for range c.detached {
			m.s.idleWorkers.addDetached(m.s.workers[0])
		}
		if m.isStuck(c.after-1) || !m.isStuck(c.after) {
			t.Errorf("%+v: stuck 1 ns before that: %v, then: %v", c, m.isStuck(c.after-1),
				m.isStuck(c.after))
		}
	}
}

// "A round is not judged until all goroutines that wait for a processor have had one": no worker is
// added until then, and the burst is not over either.
func TestBurst_WaitsForProcessors(t *testing.T) {
	const round = 40 * ms
	for _, c := range []struct {
		runnable uint64
		out      int   // of four surplus workers
		since    int64 // the last were added, ns
		grows    bool
	}{
		{0, 4, ms, true},
		{0, 1, ms, false},
		{1, 2, ms, true},
		{8, 4, round - 1, false},
		{8, 4, round, true},
		{8, 1, round, false},
	} {
		m := crowd(t, 4, c.runnable)
		g := &m.burst
		g.rounds, g.last, g.grown = 2, 1, 1
		g.surplus = append(g.surplus, m.s.workers...)
		for _, w := range m.s.workers[:c.out] {
			w.state.word.StoreRelease(stateDetached)
		}
		m.growBurst(1+c.since, 1) // no task waits, so no worker is started
		if grows := len(g.surplus) == 0; grows != c.grows || g.rounds != 3 {
			t.Errorf("%+v: %v, in round %d", c, grows, g.rounds)
		}
	}
	m := crowd(t, 4, 8)
	m.burst.rounds, m.burst.last = 1, 1
	if m.growBurst(1+burstCalmAfter+2*round, 0); m.burst.rounds != 1 {
		t.Error("the burst is over before the next slot could be lost")
	}
	if m.growBurst(2+burstCalmAfter+2*round, 0); m.burst.rounds != 0 {
		t.Error("the burst is never over")
	}
}
