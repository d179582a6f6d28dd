package sched_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/sched"
)

func newPin(t testing.TB, s *sched.Scheduler) *sched.Pin {
	t.Helper()
	p, err := s.NewPin()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPinOrder: pinned tasks run one at a time, in the order in which they became
// runnable, on a worker of their own whose number is greater than those of New's workers.
func TestPinOrder(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	first, second := newPin(t, s), newPin(t, s)
	g := newGraph(s)
	inside := map[*sched.Pin]*int{first: new(int), second: new(int)}
	for i := range 200 {
		pin := []*sched.Pin{first, second}[i%2]
		g.inject(g.pinned(pin, func(w *sched.Worker) {
			if *inside[pin]++; *inside[pin] != 1 {
				t.Error("two turns at once on one pin")
			}
			*inside[pin]--
		}))
	}
	quiet(t, s)
	g.check(t)
	var last [2]int64
	for i, n := range g.nodes {
		if n.at < last[i%2] || n.worker != 2+i%2 {
			t.Fatalf("node %d ran as number %d, after %d, on worker %d", i, n.at, last[i%2], n.worker)
		}
		last[i%2] = n.at
	}
}

// TestPinMustYield: a pin has no slot that another worker wants, so that its turns need not end for
// others; but they must when the scheduler stops.
func TestPinMustYield(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	g := newGraph(s)
	begun := make(chan struct{})
	g.inject(g.pinned(newPin(t, s), func(w *sched.Worker) {
		if w.MustYield() || w.Detached() {
			t.Error("a turn on a pin must end, or its worker is about to become an idle worker")
		}
		close(begun)
		for !w.MustYield() {
			runtime.Gosched()
		}
	}))
	<-begun
	<-s.Stop()
}

// TestPinAndWorkers make each other's tasks runnable.
func TestPinAndWorkers(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	pin := newPin(t, s)
	g := newGraph(s)
	last := g.node(nil)
	for i := range 300 {
		if i%2 == 0 {
			last = g.pinned(pin, nil, last)
		} else {
			last = g.node(nil, last)
		}
	}
	g.inject(g.nodes[0])
	quiet(t, s)
	g.check(t)
}

// TestPinHoldsQuiescence: a pinned task that waits or runs keeps quiescence away.
func TestPinHoldsQuiescence(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	pin := newPin(t, s)
	for range scaled(500) {
		g := newGraph(s)
		var wg sync.WaitGroup
		for range 2 {
			n, m := g.pinned(pin, nil), g.pinned(pin, nil)
			n.next = append(n.next, m)
			m.missing.Store(1)
			wg.Go(func() { g.inject(n) })
		}
		wg.Wait()
		quiet(t, s)
		g.check(t)
	}
}

// TestPinCountersAreExactWhenQuiet: as those of workers are.
func TestPinCountersAreExactWhenQuiet(t *testing.T) {
	published := 0
	s := start(t, sched.Config{Workers: 1, Publish: func(w *sched.Worker) {
		if w.ID() == 1 {
			published++
		}
	}})
	pin := newPin(t, s)
	turns := uint64(0)
	for round := range scaled(1000) {
		g := newGraph(s)
		for range 1 + round%3 {
			turns++
			g.inject(g.pinned(pin, nil))
		}
		quiet(t, s)
		if c := s.Counters(); len(c) != 2 || c[1].Turns != turns {
			t.Fatalf("round %d: %d turns published of %d", round, c[1].Turns, turns)
		}
	}
	if published == 0 {
		t.Error("Publish was never called for the pin")
	}
}

// TestPinStop: Stop lets the pinned turn finish and discards the tasks queued after it.
func TestPinStop(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	pin := newPin(t, s)
	g := newGraph(s)
	running, finish := make(chan struct{}), make(chan struct{})
	n := g.pinned(pin, func(*sched.Worker) { close(running); <-finish })
	g.inject(n)
	<-running
	for range 10 {
		g.inject(g.pinned(pin, nil))
	}
	done := s.Stop()
	close(finish)
	<-done
	g.checkEnded(t)
	if n.ran.Load() != 1 {
		t.Error("the turn that ran did not finish")
	}
	late := g.pinned(pin, nil)
	g.inject(late)
	if late.terminated.Load() != 1 || !errors.Is(late.cause, sched.ErrStopped) {
		t.Errorf("a late one died %d times of %v", late.terminated.Load(), late.cause)
	}
}

// TestPinStopAtAnyMoment: pinned tasks come in while the scheduler stops.
func TestPinStopAtAnyMoment(t *testing.T) {
	for range scaled(300) {
		s := start(t, sched.Config{Workers: 1})
		pin := newPin(t, s)
		g := newGraph(s)
		for range 20 {
			g.pinned(pin, nil)
		}
		var wg sync.WaitGroup
		wg.Go(func() { g.inject(g.nodes...) })
		<-s.Stop()
		wg.Wait()
		g.checkEnded(t)
	}
}

// TestPinAgain: a pinned task that has more to do is queued after the others.
func TestPinAgain(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	pin := newPin(t, s)
	var order []int // written by the pin alone
	open := make(chan struct{})
	g := newGraph(s)
	g.inject(g.pinned(pin, func(*sched.Worker) { <-open })) // until both wait
	for i := range 2 {
		p := &persistent{no: i, left: 3, order: &order}
		p.Init(p, pin)
		s.Inject(&p.Task)
	}
	close(open)
	quiet(t, s)
	if want := []int{0, 1, 0, 1, 0, 1}; !slices.Equal(order, want) {
		t.Errorf("turns %v, want %v", order, want)
	}
}

// persistent is a task of several turns.
type persistent struct {
	sched.Task
	no, left int
	order    *[]int
	idle     atomic.Uint32
}

// RunTask implements sched.Runner.
func (p *persistent) RunTask(w *sched.Worker) (again bool) {
	*p.order = append(*p.order, p.no)
	if p.left--; p.left > 0 {
		return true
	}
	w.PrepareNext()
	p.idle.Add(1)
	return false
}

// TaskTerminated implements sched.Runner.
func (p *persistent) TaskTerminated(*sched.Worker, error) {}

// TestPin_AttachAsks: Config.Attach may ask the scheduler for all workers when it is called for a
// pin.
func TestPin_AttachAsks(t *testing.T) {
	var s *sched.Scheduler
	s = start(t, sched.Config{Workers: 1, Attach: func(*sched.Worker) any {
		if s != nil {
			s.AllWorkers()
			s.Current()
		}
		return nil
	}})
	newPin(t, s)
}
