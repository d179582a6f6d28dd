package sched_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/sched"
)

// TestStopDiscardsEverythingOnce: Stop comes at any moment while goroutines inject
// tasks that make others runnable; each task that was ever made runnable ran or
// died, once, and died of ErrStopped.
func TestStopDiscardsEverythingOnce(t *testing.T) {
	for round := range scaled(400) {
		s := start(t, sched.Config{Workers: 1 + round%3})
		var graphs [2]*graph
		var wg sync.WaitGroup
		for i := range graphs {
			g := newGraph(s)
			graphs[i] = g
			wg.Go(func() {
				for range 20 {
					n := g.node(nil)
					g.node(nil, n)
					g.node(nil, n)
					g.inject(n)
				}
			})
		}
		for range round % 50 {
			runtime.Gosched()
		}
		<-s.Stop()
		wg.Wait()
		for _, g := range graphs {
			checkDiscarded(t, g)
		}
	}
}

// checkDiscarded is checkEnded for a graph whose nodes make others runnable: those of
// a node that died were never runnable.
func checkDiscarded(t *testing.T, g *graph) {
	t.Helper()
	for _, n := range g.nodes {
		if n.terminated.Load() > 0 && !errors.Is(n.cause, sched.ErrStopped) {
			t.Fatalf("died of %v", n.cause)
		}
		if n.missing.Load() > 0 {
			n.terminated.Add(1)
		}
	}
	g.checkEnded(t)
}

// TestStopWaitsForTurns: a running turn finishes before the stop is complete, and the tasks that it
// makes runnable are terminated. Stop itself does not block.
func TestStopWaitsForTurns(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	g := newGraph(s)
	running, finish := make(chan struct{}), make(chan struct{})
	n := g.node(func(w *sched.Worker) {
		close(running)
		<-finish
		if !w.Stopping() {
			t.Error("the turn is not told that the scheduler stops")
		}
	})
	m := g.node(nil, n)
	g.inject(n)
	<-running
	done := s.Stop()
	if s.Stop() != done || !s.Stopping() {
		t.Error("stopping twice is not the same as once")
	}
	select {
	case <-done:
		t.Error("stopped in the middle of a turn")
	default:
	}
	close(finish)
	<-done
	if n.ran.Load() != 1 || m.terminated.Load() != 1 {
		t.Errorf("the turn ran %d times, what it made died %d times", n.ran.Load(), m.terminated.Load())
	}
}

// TestStopWaitsForWhatIsBeside: a function that a turn has passed to Beside has returned before the
// stop is complete.
func TestStopWaitsForWhatIsBeside(t *testing.T) {
	for range scaled(20) {
		s := start(t, sched.Config{Workers: 1})
		g := newGraph(s)
		returned := false
		began := make(chan struct{})
		g.inject(g.node(func(w *sched.Worker) {
			if !w.KeepsWork() {
				t.Error("a worker with a slot does not keep what it makes runnable")
			}
			w.Beside(func() {
				close(began)
				for n := 0; n < 1000; runtime.Gosched() {
					if s.Stopping() {
						n++
					}
				}
				returned = true
			})
		}))
		<-began
		if <-s.Stop(); !returned {
			t.Fatal("stopped, and something still runs")
		}
		g.checkEnded(t)
	}
}

// TestStopWaitsForWhatIsBeside_Goexit: a function that runs beside a turn may end its goroutine.
func TestStopWaitsForWhatIsBeside_Goexit(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	g := newGraph(s)
	began := make(chan struct{})
	g.inject(g.node(func(w *sched.Worker) {
		w.Beside(func() { close(began); runtime.Goexit() })
	}))
	<-began
	<-s.Stop()
	g.checkEnded(t)
}

// TestStopFromATurn: a task may stop its own scheduler.
func TestStopFromATurn(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	g := newGraph(s)
	g.inject(g.node(func(*sched.Worker) { s.Stop() }))
	<-s.Stop()
	g.checkEnded(t)
}

// TestStopFreesWaiters: callers that wait for quiescence get ErrStopped.
func TestStopFreesWaiters(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	s.Hold()
	got := make(chan error)
	for range 3 {
		go func() { got <- s.WaitQuiet(context.Background(), true) }()
	}
	s.Stop()
	for range 3 {
		if err := <-got; !errors.Is(err, sched.ErrStopped) {
			t.Errorf("%v", err)
		}
	}
}

// TestAfterStop: everything is refused or dies.
func TestAfterStop(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	<-s.Stop()
	if s.Hold() {
		t.Error("held")
	}
	if _, ok := s.Admit(); ok {
		t.Error("admitted")
	}
	if p, err := s.NewPin(); p != nil || !errors.Is(err, sched.ErrStopped) {
		t.Errorf("a pin: %v, %v", p, err)
	}
	g := newGraph(s)
	n := g.node(nil)
	g.inject(n)
	if n.terminated.Load() != 1 || !errors.Is(n.cause, sched.ErrStopped) {
		t.Errorf("died %d times of %v", n.terminated.Load(), n.cause)
	}
}

// TestDyingTasksTakePart: while it is discarded a task may use the scheduler.
func TestDyingTasksTakePart(t *testing.T) {
	for range scaled(200) {
		s := start(t, sched.Config{Workers: 1})
		g := newGraph(s)
		var m mourner
		m.s, m.heir = s, g.node(nil)
		m.Init(&m, nil)
		s.Hold()
		s.Inject(&m.Task)
		<-s.Stop()
		if m.ended.Load() != 1 {
			t.Fatalf("ended %d times", m.ended.Load())
		}
		if n := m.heir.terminated.Load(); n > 1 {
			t.Fatalf("its heir died %d times", n)
		}
	}
}

// mourner is a task that, when it dies, releases a hold and makes its heir runnable.
type mourner struct {
	sched.Task
	s     *sched.Scheduler
	heir  *node
	ended atomic.Int32
}

// RunTask implements sched.Runner.
func (m *mourner) RunTask(w *sched.Worker) bool {
	w.PrepareNext()
	m.ended.Add(1)
	return false
}

// TaskTerminated implements sched.Runner.
func (m *mourner) TaskTerminated(*sched.Worker, error) {
	m.ended.Add(1)
	m.s.Inject(&m.heir.Task)
	m.s.Release()
}

// mourned is a task whose death takes long.
type mourned struct {
	sched.Task
	begun, goOn chan struct{}
	over        atomic.Bool
}

// RunTask implements sched.Runner.
func (m *mourned) RunTask(*sched.Worker) (again bool) { panic("it was to die") }

// TaskTerminated implements sched.Runner.
func (m *mourned) TaskTerminated(*sched.Worker, error) {
	close(m.begun)
	<-m.goOn
	m.over.Store(true)
}

// TestStopWaitsForDiscards: a goroutine that comes too late discards its own task and the tasks
// that wait. The stop is complete only after that.
func TestStopWaitsForDiscards(t *testing.T) {
	for _, pinned := range []bool{false, true} {
		m := &mourned{begun: make(chan struct{}), goOn: make(chan struct{})}
		var s *sched.Scheduler
		s = start(t, sched.Config{Workers: 1, Stopped: func() {
			go s.Inject(&m.Task)
			<-m.begun // and so Stop is about to end
		}})
		var pin *sched.Pin
		if pinned {
			var err error
			if pin, err = s.NewPin(); err != nil {
				t.Fatal(err)
			}
		}
		m.Init(m, pin)
		go func() {
			<-m.begun
			for range 1000 {
				runtime.Gosched() // Stop could end meanwhile
			}
			close(m.goOn)
		}()
		if <-s.Stop(); !m.over.Load() {
			t.Errorf("pinned: %v: Stop has ended while a task died", pinned)
		}
	}
}
