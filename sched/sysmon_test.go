package sched

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// bare is a task that runs a function once.
type bare struct {
	Task
	do   func(*Worker)
	idle atomic.Int32
}

func newBare(do func(*Worker)) *bare {
	b := &bare{do: do}
	b.Init(b, nil)
	return b
}

// RunTask implements Runner.
func (b *bare) RunTask(w *Worker) bool {
	b.do(w)
	w.PrepareNext()
	b.idle.Add(1)
	return false
}

// TaskTerminated implements Runner.
func (b *bare) TaskTerminated(*Worker, error) { b.idle.Add(1000) }

// TestBug_K39_RevokedTaskKeepsSystemAwake: a turn ends at the very moment when the
// monitor has revoked its worker's next-slot and has not injected the task yet. The
// worker then sleeps, and the scheduler used to be quiescent with a task unrun.
func TestBug_K39_RevokedTaskKeepsSystemAwake(t *testing.T) {
	for range scaled(50) {
		s, err := New(Config{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		var ran atomic.Bool
		last := newBare(func(*Worker) { ran.Store(true) })
		first := newBare(func(w *Worker) {
			w.Schedule(&last.Task)
			for w.next.revocation.Load() != revokeTaken {
				runtime.Gosched()
			}
		})
		s.Inject(&first.Task)
		if err := s.WaitQuiet(context.Background(), true); err != nil {
			t.Fatal(err)
		}
		if !ran.Load() || first.idle.Load() != 1 || last.idle.Load() != 1 {
			t.Fatal("quiescent before the task in the monitor's hand ran")
		}
		<-s.Stop()
	}
}

// TestMonitorDisarms: with all workers asleep the monitor's timer does not run on,
// and work arms it again.
func TestMonitorDisarms(t *testing.T) {
	s, err := New(Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { <-s.Stop() }()
	if s.monitor.armed.Load() {
		t.Error("armed before there is work")
	}
	for range 3 {
		var armed bool
		next := newBare(func(*Worker) {})
		b := newBare(func(w *Worker) {
			w.Schedule(&next.Task) // into the next-slot, which the monitor watches
			armed = s.monitor.armed.Load()
		})
		s.Inject(&b.Task)
		if err := s.WaitQuiet(context.Background(), false); err != nil {
			t.Fatal(err)
		}
		if !armed {
			t.Error("not armed although a next-slot is filled")
		}
		for s.monitor.armed.Load() { // it looks within a period
			runtime.Gosched()
		}
	}
}

// TestAtMostHalfSearch: under a load that starts and stops, sampled in every turn.
func TestAtMostHalfSearch(t *testing.T) {
	const workers = 4
	s, err := New(Config{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { <-s.Stop() }()
	most := new(atomic.Int64)
	sample := func(*Worker) {
		if n := int64(searching(s.idle.v.Load())); n > most.Load() {
			most.Store(n)
		}
	}
	for range scaled(2000) {
		root := newBare(func(w *Worker) {
			for range 8 {
				w.Schedule(&newBare(sample).Task)
			}
		})
		s.Inject(&root.Task)
		if err := s.WaitQuiet(context.Background(), false); err != nil {
			t.Fatal(err)
		}
	}
	if n := most.Load(); n > workers/2 {
		t.Errorf("%d of %d workers searched at once", n, workers)
	}
}

// TestBug_K8_DisarmedMonitorLimitsNone: the governor has kept all workers but one
// asleep when the last worker slept and the monitor was disarmed. The next task
// waits for the task after it, and no look would find that it is stuck.
func TestBug_K8_DisarmedMonitorLimitsNone(t *testing.T) {
	s, err := New(Config{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { <-s.Stop() }()
	s.monitor.mu.Lock()
	s.monitor.governor.limit, s.monitor.governor.kept = 1, 1
	s.limitAwake(1)
	s.monitor.mu.Unlock()
	first := newBare(func(w *Worker) { w.Schedule(&newBare(func(*Worker) {}).Task) })
	s.Inject(&first.Task) // arms the monitor
	if err := s.WaitQuiet(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	for s.monitor.armed.Load() {
		runtime.Gosched()
	}
	ran := make(chan struct{})
	waits := newBare(func(*Worker) { <-ran })
	s.Inject(&waits.Task)
	s.Inject(&newBare(func(*Worker) { close(ran) }).Task)
	if err := s.WaitQuiet(context.Background(), false); err != nil {
		t.Fatal(err)
	}
}

// stoppedClock always shows the same time.
type stoppedClock struct{ seam.SystemClock }

// Nanos implements Clock.
func (stoppedClock) Nanos() int64 { return 1 }

// TestMonitorDisarms_WhileTurnsBlock: turns in Blocking need no armed monitor. The monitor used to
// look every three milliseconds meanwhile, which took 3.6 % of a processor.
func TestMonitorDisarms_WhileTurnsBlock(t *testing.T) {
	s := startBare(t, Config{Workers: 1, Clock: stoppedClock{}, LongTurn: time.Hour,
		OnLongTurn: func(*Worker, time.Duration) {}})
	rests := func() {
		for !s.idle.quiet() {
			runtime.Gosched()
		}
		if s.monitor.tick(); s.monitor.armed.Load() {
			t.Error("the monitor looks on although all sleep or are away")
		}
	}
	inject(s, func(w *Worker) {
		w.Blocking(rests)
		if !s.monitor.armed.Load() {
			t.Error("nobody would see that a turn which has its slot again lasts for long")
		}
	})
	waitQuiet(t, s)
	inject(s, func(w *Worker) {
		w.Blocking(func() {
			inject(s, func(*Worker) {}) // for an idle worker, which keeps the slot
			rests()
		})
	})
	waitQuiet(t, s)
	// It never waits for long, by that clock.
	if len(s.idleWorkers.hot) != 1 || !s.monitor.armed.Load() {
		t.Errorf("%d idle workers wait, monitor armed: %v", len(s.idleWorkers.hot),
			s.monitor.armed.Load())
	}
}

// TestMonitorDisarms_NotForDetached: a worker that does not know that it has lost its slot uses its
// queues, where only the monitor looks.
func TestMonitorDisarms_NotForDetached(t *testing.T) {
	s := startBare(t, Config{Workers: 1, Clock: stoppedClock{}})
	w := s.workers[0]
	w.turn.begin(1)
	s.idleWorkers.addDetached(w)
	s.monitor.arm()
	if s.monitor.tick(); !s.monitor.armed.Load() {
		t.Error("the monitor rests beside a detached worker")
	}
	s.idleWorkers.dropDetached(w)
	if s.monitor.tick(); s.monitor.armed.Load() {
		t.Error("the monitor looks on behind the last detached worker")
	}
}

// TestMonitor_BesideOverdue: a turn that has lasted too long is looked at often until it may be
// detached, and then less and less often, if no task waits. Other workers in a turn are
// asked, and looked at, as early as usual.
func TestMonitor_BesideOverdue(t *testing.T) {
	s := startBare(t, Config{Workers: 2, Clock: stoppedClock{}})
	m := &s.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	// It wants to look at nothing.
	m.governor.phase, m.governor.pause, m.governor.until = steady, maxPause, math.MaxInt64
	const asks = 1000 * ms
	other := s.holder(1)
	if s.holder(0).state.resume(); m.look(asks) != lookAsked {
		t.Error("nobody is asked")
	}
	for _, c := range []struct {
		at   int64
		want time.Duration
	}{{overdueAfter, lookSoon}, {retakeAfter, 750 * time.Microsecond}, {10 * ms,
		2500 * time.Microsecond}, {12 * ms, lookCalm}, {1000 * ms, lookCalm}} {
		m.slots.asking = true // or the worker that is stuck would be asked again
		if got := m.look(asks + c.at); got != c.want {
			t.Errorf("%d ns after it was asked: the next look in %v, want %v", c.at, got, c.want)
		}
	}
	other.state.resume()
	if got := m.look(asks + 1001*ms); got != lookAsked {
		t.Errorf("another one was asked: the next look in %v", got)
	}
	if got := m.look(asks + 1002*ms); got != lookSoon {
		t.Errorf("another one is late: the next look in %v", got)
	}
	for i := range m.s.slots {
		s.holder(i).state.becomeIdle()
	}
}
