package explore_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// TestNothingLeft proves "no goroutine is left behind", failed schedules included.
func TestNothingLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 10 {
		explore.Explore(config(explore.Bounded(1, 0)), crossed)
		explore.Explore(config(explore.Random(1, 10)), points(ignore, 2, 2))
		explore.Explore(config(explore.Random(1, 10)), func(*explore.Program) { panic("here") })
	}
	for runtime.NumGoroutine() > before { // the last goroutine may be about to end
		runtime.Gosched()
	}
}

// These tests use Program's own points, so they run in every build. Tests of the toys, which go
// through seam, need the tag gallop_explore.

// points is a scenario with a thread for each element of accesses, which is the number of accesses
// that the thread makes. seen is called with the order in which they were made.
func points(seen func(order string), accesses ...int) func(*explore.Program) {
	return func(p *explore.Program) {
		var order strings.Builder
		for id, n := range accesses {
			p.Go(func() {
				for range n {
					p.Point()
					order.WriteByte('a' + byte(id))
				}
			})
		}
		p.After(func() error { seen(order.String()); return nil })
	}
}

func ignore(string) {}

func config(s explore.Strategy) explore.Config { return explore.Config{Strategy: s, Name: "x"} }

// unlucky fails on exactly one of the interleavings of two threads.
func unlucky(p *explore.Program) {
	points(func(o string) {
		if o == "abbaab" {
			p.Errorf("unlucky: %s", o)
		}
	}, 3, 3)(p)
}

// TestReplay proves that a failure's string runs exactly the same schedule.
func TestReplay(t *testing.T) {
	for _, s := range []explore.Strategy{explore.Bounded(-1, 0), explore.Random(1, 5000),
		explore.PCT(5, 1, 5000)} {
		f := explore.Explore(config(s), unlucky).Failure
		if f == nil || !f.Reproduced || f.Trace != "ab2a2b" || f.Replay() != "x:ab2a2b" {
			t.Fatalf("%v: %v", s, f)
		}
		again := explore.Explore(config(explore.Replay(f.Replay())), unlucky)
		if again.Failure == nil || again.Failure.Err.Error() != f.Err.Error() || again.Schedules != 1 {
			t.Errorf("%v: replayed to %v", s, again.Failure)
		}
	}
	if f := explore.Explore(config(explore.Replay("a3b3")), unlucky).Failure; f != nil {
		t.Errorf("another schedule: %v", f)
	}
}

// TestReport: a failure shows its steps with their places and one replay string.
func TestReport(t *testing.T) {
	text := explore.Explore(config(explore.Bounded(-1, 0)), unlucky).Failure.Error()
	for _, want := range []string{"unlucky: abbaab", "0 a engine_test.go:", "5 b engine_test.go:",
		"-run '^x$'"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Count(text, "GALLOP_REPLAY='x:ab2a2b'") != 1 {
		t.Errorf("not one replay string in\n%s", text)
	}
}

func TestBadReplayString(t *testing.T) {
	for _, s := range []string{"a-", "3a", "a99999999999999999999", "a99999999", "é"} {
		if !panics(func() { explore.Replay(s) }) {
			t.Errorf("%q was taken", s)
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// TestReplayDiverged: a string of another scenario is reported.
func TestReplayDiverged(t *testing.T) {
	f := explore.Explore(config(explore.Replay("c9")), points(ignore, 2, 2)).Failure
	if f == nil || !strings.Contains(f.Error(), "diverged") {
		t.Error(f)
	}
}

// TestIndeterminate: a scenario that does not repeat itself is reported.
func TestIndeterminate(t *testing.T) {
	runs := 0
	f := explore.Explore(config(explore.Bounded(-1, 0)), func(p *explore.Program) {
		runs++
		points(ignore, 2, 1+runs%2, 2)(p)
	}).Failure
	if f == nil || !strings.Contains(f.Error(), "diverged") {
		t.Error(f)
	}
	first := true
	f = explore.Explore(config(explore.Bounded(-1, 0)), func(p *explore.Program) {
		points(ignore, 2, 2)(p)
		if !first {
			p.Go(p.Point) // every pick stays possible, yet the tree is another one
		}
		first = false
	}).Failure
	if f == nil || !strings.Contains(f.Error(), "diverged") {
		t.Error("one thread more:", f)
	}
	once := 0
	f = explore.Explore(config(explore.Random(1, 1)), func(p *explore.Program) {
		p.After(func() error { once++; return fmt.Errorf("run %d", once) })
	}).Failure
	if f == nil || f.Reproduced || !strings.Contains(f.Error(), "NOT") {
		t.Error(f)
	}
}

// expect explores, and demands a failure whose text contains want.
func expect(t *testing.T, cfg explore.Config, want string, scenario func(*explore.Program)) {
	t.Helper()
	f := explore.Explore(cfg, scenario).Failure
	if f == nil || !f.Reproduced || !strings.Contains(f.Err.Error(), want) {
		t.Errorf("want %q, got %v", want, f)
	}
}

// crossed takes two locks in opposite orders.
func crossed(p *explore.Program) {
	var held [2]bool
	take := func(i int) {
		p.Await(func() bool { return !held[i] })
		held[i] = true
	}
	for i := range held {
		p.Go(func() { take(i); take(1 - i); held[0], held[1] = false, false })
	}
}

func TestDeadlock(t *testing.T) {
	expect(t, config(explore.Bounded(1, 0)), "deadlock: threads ab wait", crossed)
	expect(t, config(explore.Random(1, 100)), "deadlock", crossed)
	expect(t, config(explore.PCT(2, 1, 100)), "deadlock", crossed)
	if res := explore.Explore(config(explore.Bounded(0, 0)), crossed); res.Failure != nil {
		t.Errorf("without preemptions: %v", res.Failure)
	}
	f := explore.Explore(config(explore.Bounded(1, 0)), crossed).Failure
	for _, who := range []string{" left a engine_test.go:", " left b engine_test.go:"} {
		if !strings.Contains(f.Error(), who) {
			t.Errorf("%q is missing in\n%v", who, f)
		}
	}
}

func TestStepBound(t *testing.T) {
	cfg := config(explore.Bounded(1, 0))
	cfg.MaxSteps = 50
	expect(t, cfg, "step bound: threads a still run after 50 steps", func(p *explore.Program) {
		p.Go(func() {
			for {
				p.Point()
			}
		})
	})
	expect(t, cfg, "step bound", func(p *explore.Program) {
		p.Go(func() {
			for {
				p.Spin()
			}
		})
	})
}

func TestPanics(t *testing.T) {
	cause := errors.New("cause")
	cfg := config(explore.Bounded(1, 0))
	expect(t, cfg, "thread b panicked: cause", func(p *explore.Program) {
		p.Go(p.Point)
		p.Go(func() { p.Point(); panic(cause) })
	})
	expect(t, cfg, "thread a panicked: cause",
		func(p *explore.Program) { p.Go(func() { panic(cause) }) })
	expect(t, cfg, "the scenario panicked: cause", func(*explore.Program) { panic(cause) })
	expect(t, cfg, "the scenario panicked: cause",
		func(p *explore.Program) { p.After(func() error { panic(cause) }) })
	expect(t, cfg, "outside of threads",
		func(p *explore.Program) { p.Await(func() bool { return false }) })
	expect(t, cfg, "more than 52 threads", func(p *explore.Program) {
		for range 53 {
			p.Go(p.Point)
		}
	})
	if !panics(func() { explore.Explore(explore.Config{}, func(*explore.Program) {}) }) {
		t.Error("a config without a strategy was taken")
	}
}

// TestUnwinding: abandoned threads run their deferred calls, even if one of them is a point.
func TestUnwinding(t *testing.T) {
	deferred := 0
	expect(t, config(explore.Random(1, 1)), "enough", func(p *explore.Program) {
		deferred = 0
		p.Go(func() {
			defer func() { deferred++ }()
			defer p.Point()
			p.Await(func() bool { return false })
		})
		p.Go(func() { p.Point(); p.Errorf("enough") })
	})
	if deferred != 1 {
		t.Errorf("%d deferred calls", deferred)
	}
}

// stubborn recovers from every panic, for ever.
func stubborn(p *explore.Program) {
	for {
		func() {
			defer func() { _ = recover() }()
			p.Await(func() bool { return false })
		}()
	}
}

// TestStubborn: a thread that recovers from every panic is abandoned, and reported.
func TestStubborn(t *testing.T) {
	expect(t, config(explore.Random(1, 1)), "thread a recovers from every panic",
		func(p *explore.Program) {
			p.Daemon(func() { stubborn(p) })
		})
}

// TestGoexit: t.FailNow in a thread ends the exploration. A later exploration is not affected.
func TestGoexit(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		explore.Explore(config(explore.Random(1, 1)), func(p *explore.Program) {
			p.Go(p.Point)
			p.Go(func() { p.Point(); runtime.Goexit() })
			p.Go(p.Point)
		})
		t.Error("the explorer came back")
	}()
	<-done
	if res := explore.Explore(config(explore.Bounded(-1, 0)),
		points(ignore, 2, 2)); res.Schedules != 6 {
		t.Errorf("afterwards: %v", res)
	}
}

// TestDaemons: a daemon may be left waiting. Checks run after it has come to its wait.
func TestDaemons(t *testing.T) {
	res := explore.Explore(config(explore.Bounded(-1, 0)), func(p *explore.Program) {
		jobs, ran := 0, 0
		p.Daemon(func() {
			for {
				p.Await(func() bool { return jobs > 0 })
				jobs--
				p.Point()
				ran++
			}
		})
		for range 2 {
			p.Go(func() { p.Point(); jobs++ })
		}
		p.After(func() error {
			if ran != 2 {
				return fmt.Errorf("ran %d", ran)
			}
			return nil
		})
	})
	if res.Failure != nil || !res.Exhausted || res.Schedules < 4 {
		t.Error(res, res.Failure)
	}
}

// TestSpawnWhileRunning: a thread may create threads.
func TestSpawnWhileRunning(t *testing.T) {
	orders := map[string]bool{}
	res := explore.Explore(config(explore.Bounded(-1, 0)), func(p *explore.Program) {
		order := ""
		p.Go(func() {
			p.Point()
			order += "a"
			for _, name := range []string{"b", "c"} {
				p.Go(func() { p.Point(); order += name })
			}
			p.Point()
			order += "A"
		})
		p.After(func() error { orders[order] = true; return nil })
	})
	if res.Failure != nil || len(orders) != 6 || res.Schedules != 6 {
		t.Error(res, orders)
	}
}
