package sched_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/sched"
)

// TestQuietNeverEarly: random graphs come in from several goroutines, each of which
// then waits: its own graph has run by then.
func TestQuietNeverEarly(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	var wg sync.WaitGroup
	for seed := range uint64(3) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 0))
			for range scaled(500) {
				g := newGraph(s)
				g.inject(grow(g, rng)...)
				quiet(t, s)
				g.check(t)
			}
		})
	}
	wg.Wait()
}

// TestQuietSynchronizes: a caller that has waited sees the writes of turns, without any lock.
// (For the race detector.)
func TestQuietSynchronizes(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	g := newGraph(s)
	var plain [100]int
	for i := range plain {
		g.inject(g.node(func(*sched.Worker) { plain[i] = i + 1 }))
	}
	quiet(t, s)
	for i, v := range plain {
		if v != i+1 {
			t.Fatalf("node %d wrote %d", i, v)
		}
	}
}

// TestQuietWaitsForHold: a hold keeps quiescence away, and its release brings it.
func TestQuietWaitsForHold(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	var released atomic.Bool
	s.Hold()
	s.Hold()
	seen := make(chan bool)
	go func() {
		quiet(t, s)
		seen <- released.Load()
	}()
	g := newGraph(s)
	g.inject(g.node(func(*sched.Worker) { s.Release() }))
	for total(s).Turns == 0 { // until a worker has been through it
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := s.WaitQuiet(ctx, false); !errors.Is(err, context.Canceled) {
			t.Fatalf("held, and yet: %v", err)
		}
	}
	released.Store(true)
	s.Release()
	if !<-seen {
		t.Error("quiet with a hold left")
	}
}

// TestReleaseWithoutHold is a mistake of the caller's.
func TestReleaseWithoutHold(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	defer s.Hold() // evens it out
	defer func() {
		if v := recover(); v != "gallop: sched: Release without Hold" {
			t.Errorf("recovered %v", v)
		}
	}()
	s.Release()
}

// TestWaitQuietContext: a waiter whose context ends gets its error, and the others
// still see quiescence.
func TestWaitQuietContext(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	s.Hold()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan error, 2)
	go func() { got <- s.WaitQuiet(ctx, true) }()
	cancel(cause)
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	go func() { got <- s.WaitQuiet(context.Background(), false) }()
	s.Release()
	if err := <-got; err != nil {
		t.Errorf("quiet: %v", err)
	}
	// The cancelled waiter wanted the end; that is forgotten.
	g := newGraph(s)
	g.inject(g.node(nil))
	quiet(t, s)
	g.check(t)
}

// TestWaitQuietRacesWithItsContext: quiescence that has happened wins.
func TestWaitQuietRacesWithItsContext(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	for range scaled(2000) {
		g := newGraph(s)
		g.inject(g.node(nil))
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		if err := s.WaitQuiet(ctx, false); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		} else if err == nil {
			g.check(t)
		}
		quiet(t, s)
		g.check(t)
	}
}

// TestQuietForGood: after a wait for the end nothing runs any more: tasks die, admissions and holds
// are refused, and waiters are told at once.
func TestQuietForGood(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	g := newGraph(s)
	g.inject(g.node(nil))
	for range 2 {
		if err := s.WaitQuiet(context.Background(), true); err != nil {
			t.Fatal(err)
		}
	}
	g.check(t)
	if s.Hold() {
		t.Error("held after the end")
	}
	if _, ok := s.Admit(); ok {
		t.Error("admitted after the end")
	}
	late := g.node(nil)
	g.inject(late)
	if late.terminated.Load() != 1 || !errors.Is(late.cause, sched.ErrStopped) {
		t.Errorf("a late task died %d times: %v", late.terminated.Load(), late.cause)
	}
	<-s.Stop()
	if err := s.WaitQuiet(context.Background(), false); !errors.Is(err, sched.ErrStopped) {
		t.Errorf("after Stop: %v", err)
	}
}

// TestAdmission: an admission with a task runs it, and one without a task holds nothing afterwards,
// whether workers sleep or not.
func TestAdmission(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	g := newGraph(s)
	var wg sync.WaitGroup
	for i := range 4 {
		nodes := make([]*node, scaled(1000))
		for j := range nodes {
			nodes[j] = g.node(nil)
		}
		wg.Go(func() {
			for j, n := range nodes {
				a, ok := s.Admit()
				if !ok {
					t.Error("not admitted")
					return
				}
				if (i+j)%3 == 0 {
					a.Leave()
					if a, ok = s.Admit(); !ok {
						t.Error("not admitted")
						return
					}
				}
				a.Inject(&n.Task)
			}
		})
	}
	wg.Wait()
	quiet(t, s)
	g.check(t)
}

// TestBug_K40_StartStopCycles: a scheduler that starts, runs, quiesces and stops
// never hangs; by turns the four of them, one more waiter for the end, or a Stop
// that comes before quiescence. A million times in the nightly form.
func TestBug_K40_StartStopCycles(t *testing.T) {
	for i := range nightly(100_000, 1_000_000) {
		s, err := sched.New(sched.Config{Workers: 1 + i%3})
		if err != nil {
			t.Fatal(err)
		}
		g := newGraph(s)
		n := g.node(nil)
		m := g.node(nil, n)
		g.inject(n)
		switch i % 4 {
		case 0:
			quiet(t, s)
			g.check(t)
		case 1:
			if err := s.WaitQuiet(context.Background(), true); err != nil {
				t.Fatal(err)
			}
			g.check(t)
		case 2:
			go s.WaitQuiet(context.Background(), true)
		}
		<-s.Stop()
		if n.ran.Load() == 0 {
			m.terminated.Add(1) // it was never made runnable
		}
		g.checkEnded(t)
	}
}

// TestParked: "Parked is called when only n holds by HoldParked are left"; and again whenever that
// may have changed.
func TestParked(t *testing.T) {
	var asked []int
	s := start(t, sched.Config{Workers: 2, Parked: func(n int) bool {
		asked = append(asked,
			n)
		return n == 1
	}})
	s.HoldParked()
	s.HoldParked()
	s.Hold()
	ended := make(chan error)
	go func() { ended <- s.WaitQuiet(context.Background(), true) }()
	g := newGraph(s)
	g.inject(g.node(func(*sched.Worker) { s.Release() }))
	if err := s.WaitParked(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.Hold()
	g.inject(g.node(func(*sched.Worker) { s.ReleaseParked(); s.Release() }))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if len(asked) < 2 || asked[0] != 2 || asked[len(asked)-1] != 1 {
		t.Errorf("asked about %v", asked)
	}
	s.ReleaseParked()
	if s.Hold() {
		t.Error("it has ended, and can be held")
	}
}

// TestWaitParked: "WaitQuiet without regard to holds by HoldParked". Other holds count, and callers
// that wait for quiescence wait for both.
func TestWaitParked(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	over, cancel := context.WithCancel(context.Background())
	cancel()
	wants := func(what string, got, want error) {
		t.Helper()
		if !errors.Is(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	s.HoldParked()
	s.HoldParked()
	wants("still", s.WaitParked(over), nil)
	wants("quiet", s.WaitQuiet(over, false), context.Canceled)
	s.Hold()
	wants("still, held", s.WaitParked(over), context.Canceled)
	if n, ok := s.OnlyHolds(); n != 3 || !ok {
		t.Errorf("%d holds, idle: %v", n, ok)
	}
	got, quiets := make(chan error), make(chan error)
	go func() { got <- s.WaitParked(context.Background()) }()
	go func() { quiets <- s.WaitQuiet(context.Background(), true) }()
	g := newGraph(s)
	g.inject(g.node(func(*sched.Worker) { s.Release() }))
	wants("still, released", <-got, nil)
	g.check(t)
	s.ReleaseParked()
	wants("one left", s.WaitQuiet(over, false), context.Canceled)
	s.ReleaseParked()
	wants("quiet, released", <-quiets, nil)
	wants("quiet for good", s.WaitParked(over), nil)
}

// TestReleaseParkedWithoutHold is a mistake of the caller's, as is another kind of release.
func TestReleaseParkedWithoutHold(t *testing.T) {
	for want, release := range map[string]func(s *sched.Scheduler){
		"gallop: sched: ReleaseParked without HoldParked": func(s *sched.Scheduler) {
			defer s.HoldParked() // evens it out
			s.ReleaseParked()
		},
		"gallop: sched: Release without Hold": func(s *sched.Scheduler) {
			s.HoldParked()
			defer func() { s.Hold(); s.ReleaseParked() }()
			s.Release()
		},
	} {
		s := start(t, sched.Config{Workers: 1})
		func() {
			defer func() {
				if v := recover(); v != want {
					t.Errorf("recovered %v, want %q", v, want)
				}
			}()
			release(s)
		}()
	}
}

// TestWaitParked_Deterministic: there it is "when no thread can go on, turns that wait included",
// and a release from outside is waited for by WaitQuiet only.
func TestWaitParked_Deterministic(t *testing.T) {
	for seed := range uint64(20) {
		s := start(t, sched.Config{Workers: 1, Driver: byChance(seed)})
		g := newGraph(s)
		free := false
		waits := g.node(func(*sched.Worker) {
			s.Await(context.Background(),
				func() bool { return free })
		})
		other := g.node(nil)
		g.inject(waits, other)
		if err := s.WaitParked(context.Background()); err != nil || other.ran.Load() != 1 {
			t.Fatalf("seed %d: %v, ran %d times", seed, err, other.ran.Load())
		}
		free = true
		quiet(t, s)
		g.check(t)
	}
}
