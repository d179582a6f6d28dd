package sched_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/sched"
)

// mortal is a task that does something when it dies, and not before.
type mortal struct {
	sched.Task
	terminated func()
}

func (m *mortal) RunTask(w *sched.Worker) bool            { w.Spend(1); return true }
func (m *mortal) TaskTerminated(_ *sched.Worker, _ error) { m.terminated() }

// stopsFromWithin are places, in a deterministic run, from which it is stopped; again calls Stop.
var stopsFromWithin = map[string]func(s *sched.Scheduler, g *graph, again func()){
	"a turn": func(_ *sched.Scheduler, g *graph,
		again func()) {
		g.inject(g.node(func(*sched.Worker) { again() }))
	},
	"two threads": func(s *sched.Scheduler, _ *graph, again func()) { s.Go(again); s.Go(again) },
	"a death": func(s *sched.Scheduler, g *graph, again func()) {
		m := &mortal{terminated: again}
		m.Init(m, nil)
		s.Inject(&m.Task)
		g.inject(g.node(func(*sched.Worker) { again() }))
	},
	"a turn that waits": func(s *sched.Scheduler, g *graph, again func()) {
		g.inject(g.node(func(*sched.Worker) {
			again()
			s.Await(context.Background(), func() bool { return false })
		}))
	},
}

// TestDriver_StopFromWithin: "Stop does not block", and the goroutine that drives sees it to its
// end.
func TestDriver_StopFromWithin(t *testing.T) {
	for name, f := range stopsFromWithin {
		for seed := range uint64(10) {
			stopped := 0
			cfg := sched.Config{Workers: 2, Driver: byChance(seed)}
			var s *sched.Scheduler
			again := func() { s.Stop(); stopped++ }
			cfg.Stopped = func() { again() }
			s = start(t, cfg)
			g := newGraph(s)
			f(s, g, again)
			if err := s.WaitQuiet(context.Background(), false); err != nil &&
				!errors.Is(err, sched.ErrStopped) {
				t.Errorf("%s: %v", name, err)
			}
			<-s.Stop()
			s.WaitStopped()
			g.checkEnded(t)
			if stopped < 2 {
				t.Errorf("%s, seed %d: stopped %d times", name, seed, stopped)
			}
		}
	}
}

// TestDriver_WaitStopped: a thread that takes part can wait for the end, although others wait too.
func TestDriver_WaitStopped(t *testing.T) {
	for seed := range uint64(10) {
		s := start(t, sched.Config{Workers: 1, Driver: byChance(seed)})
		g := newGraph(s)
		g.inject(g.node(func(*sched.Worker) {
			s.Await(context.Background(),
				func() bool { return false })
		}))
		over := false
		s.Go(func() {
			s.Stop()
			s.WaitStopped()
			over = true
		})
		if err := s.WaitQuiet(context.Background(), false); !errors.Is(err, sched.ErrStopped) {
			t.Fatal(err)
		}
		if <-s.Stop(); !over {
			t.Fatalf("seed %d: the thread has not seen the end", seed)
		}
		g.checkEnded(t)
	}
}

// TestDriver_StopBesideAWait: a goroutine stops a run for which another one waits in vain.
func TestDriver_StopBesideAWait(t *testing.T) {
	for seed := range uint64(20) {
		s := start(t, sched.Config{Workers: 2, Driver: byChance(seed)})
		s.Hold()
		waited := make(chan error)
		go func() { waited <- s.WaitQuiet(context.Background(), false) }()
		<-s.Stop()
		if err := <-waited; !errors.Is(err, sched.ErrStopped) {
			t.Fatal(err)
		}
	}
}

// waitsOutside makes a goroutine from outside wait until over is true. It returns when the
// goroutine is in a lull, or was. gone is closed when the goroutine has gone on.
func waitsOutside(s *sched.Scheduler, over *atomic.Bool) (gone chan struct{}) {
	asked, gone := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(gone)
		s.Await(context.Background(), func() bool {
			select {
			case asked <- struct{}{}:
			default:
			}
			return over.Load()
		})
	}()
	// When it comes, before it drives, as a thread, when it drives no more, and in the lull.
	for range 5 {
		<-asked
	}
	return gone
}

// TestDriver_SeveralOutside: a goroutine from outside that waits while another one does goes by its
// context and its condition, and so does the other one.
func TestDriver_SeveralOutside(t *testing.T) {
	s := start(t, sched.Config{Workers: 2, Driver: byChance(1)})
	var over atomic.Bool
	gone := waitsOutside(s, &over)
	ctx, cancel := context.WithCancel(context.Background())
	asked := 0
	if s.Await(ctx, func() bool {
		if asked++; asked == 3 {
			cancel()
		}
		return false
	}) {
		t.Error("what never comes has come")
	}
	asked = 0
	if !s.Await(context.Background(), func() bool { asked++; return asked > 3 }) {
		t.Error("what comes by itself has not come")
	}
	over.Store(true)
	<-gone
}

// TestDriver_Stuck: "Stuck is called in the goroutine that made the driver, when that waits for the
// scheduler, with a context that has neither ended nor a deadline, and nothing can happen any
// more."
func TestDriver_Stuck(t *testing.T) {
	type gone struct{}
	turns := byTurns(1)
	stuck := 0
	turns.Stuck = func() { stuck++; panic(gone{}) }
	s := start(t, sched.Config{Workers: 2, Driver: sched.NewDriver(turns)})
	s.Hold()
	await := func(ctx context.Context) (v any) {
		defer func() { v = recover() }()
		s.Await(ctx, func() bool { return false })
		return nil
	}
	for range 3 {
		if v := await(context.Background()); v != (gone{}) {
			t.Errorf("it panicked with %v", v)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	limited, free := context.WithTimeout(context.Background(), time.Millisecond)
	defer free()
	for _, ctx := range []context.Context{ended, limited} {
		if v := await(ctx); v != nil {
			t.Errorf("it panicked with %v", v)
		}
	}
	if stuck != 3 {
		t.Errorf("stuck %d times", stuck)
	}
	s.Release()
}

// TestRunOf: "returns Turns.Of of the deterministic run in which the calling goroutine takes its
// turns …; nil for any other goroutine".
func TestRunOf(t *testing.T) {
	turns := byTurns(1)
	turns.Of = "me"
	s := start(t, sched.Config{Workers: 2, Driver: sched.NewDriver(turns)})
	g := newGraph(s)
	var seen []any
	s.Hold()
	s.Go(func() { seen = append(seen, sched.RunOf()); s.Release() })
	g.inject(g.node(func(*sched.Worker) { seen = append(seen, sched.RunOf()) }))
	if err := s.WaitQuiet(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 || seen[0] != "me" || seen[1] != "me" || sched.RunOf() != nil {
		t.Errorf("%v", seen)
	}
	g.check(t)
}

// TestDriver_SeesWhatIsNotSignalled: the event for which a turn waits comes outside, without a
// signal.
func TestDriver_SeesWhatIsNotSignalled(t *testing.T) {
	s := start(t, sched.Config{Workers: 1, Driver: byChance(1)})
	var over atomic.Bool
	gone := waitsOutside(s, &over)
	ctx, cancel := context.WithCancel(context.Background())
	waits := make(chan struct{}, 1)
	g := newGraph(s)
	g.inject(g.node(func(*sched.Worker) {
		waits <- struct{}{}
		s.Await(ctx, func() bool { return false })
		over.Store(true)
	}))
	<-waits
	cancel()
	<-gone
	if err := s.WaitQuiet(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	g.check(t)
}
