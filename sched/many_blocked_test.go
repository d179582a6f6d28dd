package sched

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// Ten thousand turns that block at the same time: their cost, and their memory afterwards.

// blockAll has n turns block, declared, and returns when all do.
func blockAll(t testing.TB, s *Scheduler, n int, release <-chan struct{}) {
	t.Helper()
	var in atomic.Int64
	for range n {
		inject(s, func(w *Worker) { w.Blocking(func() { in.Add(1); <-release }) })
	}
	for in.Load() < int64(n) {
		runtime.Gosched()
	}
}

// TestTryBlocking: "when Config.MaxDetached turns are detached … it does not call f". It calls f
// where the limit does not matter: on a worker that has no slot to lose, and in a Blocking that has
// left the slot.
func TestTryBlocking(t *testing.T) {
	s := startBare(t, Config{Workers: 1, MaxDetached: 1})
	release, asked := make(chan struct{}), make(chan struct{})
	tries := make(chan bool, 4)
	inject(s, func(w *Worker) {
		w.Blocking(func() {
			tries <- w.TryBlocking(func() { <-asked })
			<-release
		})
	})
	for s.DetachedStats().Detached < 1 {
		runtime.Gosched()
	}
	inject(s, func(w *Worker) { // on the idle worker
		tries <- w.TryBlocking(func() { t.Error("it blocks, and there is no idle worker") })
		w.Blocking(func() {
			tries <- w.TryBlocking(func() { t.Error("it blocks within Blocking, without an idle worker") })
		})
		close(asked)
	})
	got := [...]bool{<-tries, <-tries, <-tries}
	if got != [...]bool{false, false, true} {
		t.Errorf("called: %v, want only that of the one that is away", got)
	}
	if n := s.DetachedStats().Refused; n != 3 {
		t.Errorf("%d were refused, want TryBlocking twice and Blocking once", n)
	}
	close(release)
	waitQuiet(t, s)
	inject(s, func(w *Worker) {
		tries <- w.TryBlocking(func() {})
		if w.InBlocking() {
			t.Error("it is in Blocking afterwards")
		}
	})
	waitQuiet(t, s)
	if !<-tries {
		t.Error("refused, and all idle workers are free")
	}
}

// TestIdleWorkers_AreForgotten: "when many workers are cold, some of them are forgotten", and their
// turns are still counted. Their goroutines do not lead to them either.
func TestIdleWorkers_AreForgotten(t *testing.T) {
	s := startBare(t, Config{Workers: 2, MaxDetached: 10_000})
	n, total := scaled(3000), uint64(0)
	for range 3 {
		release := make(chan struct{})
		blockAll(t, s, n, release)
		close(release)
		waitQuiet(t, s)
		total += uint64(n)
		// Two slots and the monitor.
		for s.idleWorkers.cool(true); s.stop.left.Load() != 3; runtime.Gosched() {
		}
		if left := len(s.idleWorkers.all()); left > max(n/2, 4*keepCold) {
			t.Errorf("%d of %d workers are kept that nobody needs", left, n)
		}
	}
	turns := uint64(0)
	for _, c := range s.Counters() {
		turns += c.Turns
	}
	if turns != total {
		t.Errorf("%d turns are counted, and %d have run", turns, total)
	}
	if made := s.DetachedStats().Made; made < n-2 {
		t.Errorf("%d idle workers were made by the count, want %d or more", made, n-2)
	}
	known := 0
	for i := range byGoroutine.shards {
		p := &byGoroutine.shards[i]
		p.mu.Lock()
		for _, w := range p.by {
			if w.sched == s {
				known++
			}
		}
		p.mu.Unlock()
	}
	if known > 2 {
		t.Errorf("%d goroutines are known, and there are at most two workers", known)
	}
}

// TestIdleWorkers_AreTrimmed: hot idle workers that were too many for 0.1 s end their goroutines
// although others work, "one for each slot stays".
func TestIdleWorkers_AreTrimmed(t *testing.T) {
	clock := seam.NewVirtualClock(time.Unix(0, 0), 1)
	s := startBare(t, Config{Workers: 2, Clock: clock})
	release := make(chan struct{})
	blockAll(t, s, 20, release)
	close(release)
	waitQuiet(t, s)
	p := &s.idleWorkers
	p.trim(clock.Nanos() + keepHot) // begins the count
	hot := s.DetachedStats().Goroutines
	p.trim(clock.Nanos() + 2*keepHot - 1)
	if n := s.DetachedStats().Goroutines; n != hot || n < 18 {
		t.Errorf("%d idle workers wait before the time is over, want all %d", n, hot)
	}
	p.trim(clock.Nanos() + 2*keepHot)
	if n := s.DetachedStats().Goroutines; n != 2 {
		t.Errorf("%d idle workers wait afterwards, want one for each slot", n)
	}
}

// TestDetached_InParts: each look goes over a part of the detached workers, another one each time,
// until all have had their turn.
func TestDetached_InParts(t *testing.T) {
	s, _ := bench(t, 1)
	p := &s.idleWorkers
	seen := make(map[*Worker]int)
	for range 10 {
		p.addDetached(newWorker(s, p.nextID(), 2, 2))
	}
	for range 5 {
		for _, w := range p.someDetached(nil, 4) {
			seen[w]++
		}
	}
	for _, w := range p.allDetached() {
		if seen[w] != 2 {
			t.Errorf("detached worker %d was looked at %d times in 20 looks at 10", w.id, seen[w])
		}
	}
	for i, w := range p.allDetached() {
		if p.dropDetached(w); p.isDetached(w) || p.detachedCount() != 9-i {
			t.Errorf("detached worker %d is booked still, as one of %d", w.id, p.detachedCount())
		}
	}
	if some := p.someDetached(nil, 4); len(some) != 0 {
		t.Errorf("%d detached workers of none", len(some))
	}
}

// TestBurst_Starves: "work waits, all slots are awake, and yet fewer goroutines want to run than
// there are slots and processors", at most looks.
func TestBurst_Starves(t *testing.T) {
	const blocked, busy = 1, 3 // goroutines that run, with the monitor's
	for _, c := range []struct {
		looks []uint64
		want  bool
	}{
		{[]uint64{blocked}, false},
		{[]uint64{blocked, blocked}, true},
		{[]uint64{blocked, busy, blocked}, true},
		{[]uint64{blocked, busy, busy, blocked}, false},
		{[]uint64{blocked, blocked, blocked, busy}, false}, // not now
	} {
		m := crowd(t, 2, 0)
		m.slots.procs.fixed = true
		m.s.idle.v.Store(0) // all are awake
		got := m.starves()
		if got || m.burst.starved != 0 {
			t.Error("it starves, and nothing waits")
		}
		m.s.inject.push(entered(&newBare(nil).Task))
		for _, running := range c.looks {
			m.slots.procs.running = running
			got = m.starves()
		}
		if got != c.want {
			t.Errorf("%v: starves: %v", c.looks, got)
		}
		m.s.network.nextLook.Store(never) // one of the two lets the monitor run
		if m.slots.procs.running = 2; m.starves() {
			t.Error("it starves, and one worker runs and the other looks at the network")
		}
		m.s.idle.v.Store(1)
		if m.slots.procs.running = blocked; m.starves() || m.burst.starved != 0 {
			t.Error("it starves, and a worker sleeps")
		}
	}
}

// TestSliceSpent: "a millisecond has gone by since the turn's second call of SliceSpent", for any
// time between two calls, and anew in the next turn. The turn finds that out itself: no monitor
// looks here.
func TestSliceSpent(t *testing.T) {
	for _, step := range []time.Duration{100, time.Microsecond, 15 * time.Microsecond,
		100 * time.Microsecond, 5 * time.Millisecond} {
		clock := seam.NewVirtualClock(time.Unix(0, 0), 1)
		s, _ := bench(t, 1)
		s.cfg.Clock = clock
		w := s.workers[0]
		w.state.resume()
		for turn := range 3 {
			w.count.turns++
			for range 2 {
				if w.SliceSpent() {
					t.Fatalf("every %v: spent at once", step)
				}
			}
			began := clock.Nanos()
			for !w.SliceSpent() {
				clock.MoveTo(clock.Nanos() + int64(step))
			}
			took := time.Duration(clock.Nanos() - began)
			if took < time.Millisecond || took > time.Millisecond+max(50*time.Microsecond, 2*step) {
				t.Errorf("every %v, turn %d: spent after %v", step, turn, took)
			}
			if !w.SliceSpent() || w.Budget() != 1 {
				t.Errorf("every %v: it is spent, and then is not, or with a budget of %d", step, w.Budget())
			}
		}
	}
	s, _ := bench(t, 1)
	w := s.workers[0]
	if w.state.word.StoreRelease(stateOverdue); !w.SliceSpent() {
		t.Error("the monitor has said so, and it is not spent")
	}
}

// TestSliceSpent_Slower: a turn whose questions are suddenly a thousand times further apart.
func TestSliceSpent_Slower(t *testing.T) {
	clock := seam.NewVirtualClock(time.Unix(0, 0), 1)
	s, _ := bench(t, 1)
	s.cfg.Clock = clock
	w := s.workers[0]
	w.state.resume()
	w.count.turns++
	began := clock.Nanos()
	for step := int64(100); !w.SliceSpent(); {
		if clock.Nanos()-began >= 500_000 {
			step = 100_000
		}
		clock.MoveTo(clock.Nanos() + step)
	}
	if took := time.Duration(clock.Nanos() - began); took > 100*time.Millisecond {
		t.Errorf("spent after %v", took)
	}
}

// TestStack_IsCheap: Stack "returns nil if there are more than 500" goroutines, and where "Go
// does not interrupt loops".
func TestStack_IsCheap(t *testing.T) {
	s := startBare(t, Config{Workers: 1})
	stacks, stop := make(chan []byte, 2), make(chan struct{})
	inject(s, func(w *Worker) {
		stacks <- w.Stack()
		for range mostGoroutines {
			go func() { <-stop }()
		}
		stacks <- w.Stack()
	})
	waitQuiet(t, s)
	close(stop)
	if few, many := <-stacks, <-stacks; len(few) == 0 || many != nil {
		t.Errorf("beside a few goroutines %d bytes, beside many %d", len(few), len(many))
	}
	for debug, want := range map[string]bool{
		"": false, "asyncpreemptoff=1": true, "asyncpreemptoff=0": false,
		"gctrace=1,asyncpreemptoff=1":         true,
		"asyncpreemptoff=1,asyncpreemptoff=0": false, "asyncpreemptoff=": false,
		"noasyncpreemptoff=1": false,
	} {
		if got := preemptionOff(debug); got != want {
			t.Errorf("%q: off %v", debug, got)
		}
	}
}
