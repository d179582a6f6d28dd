package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// onBoth runs a test with two workers and then deterministically, in the orders of some seeds.
func onBoth(t *testing.T, f func(t *testing.T, s *System)) {
	t.Helper()
	run := func(name string, cfg Config) {
		t.Run(name, func(t *testing.T) {
			s := Start(cfg)
			defer s.Stop()
			f(t, s)
		})
	}
	run("workers", Config{Workers: 2})
	for seed := uint64(1); seed <= 5; seed++ {
		run(fmt.Sprint("seed", seed), Config{Workers: 2, Seed: seed})
	}
}

// hangTimeout is how long nothing may happen before that is a hang: long, because a busy
// machine may halt a whole process for a minute; but mutants have 90 seconds.
const hangTimeout = 80 * time.Second

// quiet waits until the system is quiet.
func quiet(t *testing.T, s *System) {
	t.Helper()
	ctx, end := context.WithTimeout(context.Background(), hangTimeout)
	defer end()
	if err := s.Wait(ctx); err != nil {
		t.Fatalf("not quiet: %v; blocked: %v", err, s.Blocked())
	}
}

// result is why a process has ended, once the system is quiet.
func result(t *testing.T, s *System, p Process) error {
	t.Helper()
	quiet(t, s)
	reason, ok := p.Result()
	if !ok {
		t.Fatalf("%v has not ended: %v", p, s.Blocked())
	}
	return reason
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, not %v", what, got, want)
	}
}

func TestProcessRunsAndEnds(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		ran := false
		p := Go(s, func(*Proc) { ran = true })
		equal(t, "reason", result(t, s, p), nil)
		equal(t, "ran", ran, true)
		equal(t, "status", p.Status(), Ended)
	})
}

// TestYieldLetsOthersRun: on a busy machine another thread may stand in for the worker while it
// begins the second one, so that the first has run by then; hence the tries.
func TestYieldLetsOthersRun(t *testing.T) {
	var order []int
	for range 10 {
		if order = yieldInTurns(t); order[0] != order[1] || order[1] != order[2] {
			return
		}
	}
	t.Errorf("in a row: %v", order)
}

// yieldInTurns returns the order in which two processes ran that yielded three times each.
func yieldInTurns(t *testing.T) (order []int) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	Go(s, func(p *Proc) {
		for i := range 2 {
			Go(p, func(p *Proc) {
				for range 3 {
					order = append(order, i)
					p.Yield()
				}
			})
		}
	})
	quiet(t, s)
	return order
}

func TestGasYields(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	var other atomic.Bool // the monitor may relieve the worker
	p := Go(s, func(p *Proc) {
		Go(p, func(*Proc) { other.Store(true) })
		for !other.Load() {
			p.Gas(10)
		}
	})
	equal(t, "reason", result(t, s, p), nil)
}

// TestOperationsYield: a process that always finds its operations ready does not keep others from
// running.
func TestOperationsYield(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	var other atomic.Bool // the monitor may relieve the worker
	p := Go(s, func(p *Proc) {
		c := NewChan[int](1)
		Go(p, func(*Proc) { other.Store(true) })
		for !other.Load() {
			c.Send(p, 1)
			c.Recv(p)
		}
	})
	equal(t, "reason", result(t, s, p), nil)
}

func TestPanicIsTheReason(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		p := Go(s, func(*Proc) { panic("boom") })
		v, ok := Panicked(result(t, s, p))
		equal(t, "panicked", ok, true)
		equal(t, "value", v, any("boom"))
	})
}

func TestGoexitEndsTheProcessAlone(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		deferred := false
		p := Go(s, func(*Proc) {
			defer func() { deferred = true }()
			runtime.Goexit()
		})
		if result(t, s, p) == nil {
			t.Error("a Goexit counts as a normal end")
		}
		equal(t, "deferred", deferred, true)
		equal(t, "reason of a later one", result(t, s, Go(s, func(p *Proc) { p.Yield() })), nil)
	})
}

func TestRecoverGoesOn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		c := NewChan[int](0)
		got := 0
		p := Go(s, func(p *Proc) {
			func() {
				defer func() { recover() }()
				panic(1)
			}()
			got, _ = c.Recv(p)
		})
		Go(s, func(p *Proc) { c.Send(p, 7) })
		equal(t, "reason", result(t, s, p), nil)
		equal(t, "got", got, 7)
	})
}

func TestNestedDefersThatPanic(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		var order []int
		p := Go(s, func(p *Proc) {
			defer func() { order = append(order, 1); p.Yield() }()
			defer func() {
				order = append(order, 2)
				defer func() { order = append(order, 3); panic("third") }()
				panic("second")
			}()
			panic("first")
		})
		v, _ := Panicked(result(t, s, p))
		equal(t, "value", v, any("third"))
		equal(t, "order", fmt.Sprint(order), "[2 3 1]")
	})
}

// TestWaitInDeferDuringPanic: a deferred function may wait while a panic unwinds the process.
func TestWaitInDeferDuringPanic(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		c := NewChan[int](0)
		got := 0
		p := Go(s, func(p *Proc) {
			defer func() { got, _ = c.Recv(p) }()
			panic("boom")
		})
		Go(s, func(p *Proc) { p.Yield(); c.Send(p, 3) })
		if _, ok := Panicked(result(t, s, p)); !ok {
			t.Error("the panic is lost")
		}
		equal(t, "got", got, 3)
	})
}

func TestExitUnwinds(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		why := errors.New("why")
		after, deferred := false, false
		p := Go(s, func(p *Proc) {
			defer func() { deferred = recover() == nil }()
			p.Exit(why)
			after = true
		})
		equal(t, "reason", result(t, s, p), why)
		equal(t, "after", after, false)
		equal(t, "deferred", deferred, true)
	})
}

func TestCancelUnwindsAWait(t *testing.T) {
	why := errors.New("why")
	waits := map[string]func(p *Proc){
		"receive from a channel": func(p *Proc) { NewChan[int](0).Recv(p) },
		"send to a channel":      func(p *Proc) { NewChan[int](0).Send(p, 1) },
		"nil channel":            func(p *Proc) { (*Chan[int])(nil).Recv(p) },
		"select":                 func(p *Proc) { Select(p, RecvFrom[int](NewChan[int](0), nil, nil)) },
		"empty select":           func(p *Proc) { Select(p) },
		"mutex":                  func(p *Proc) { var m Mutex; m.Lock(p); m.Lock(p) },
		"wait group":             func(p *Proc) { var g WaitGroup; g.Add(p, 1); g.Wait(p) },
		"sleep":                  func(p *Proc) { p.Sleep(time.Hour) },
		"context":                func(p *Proc) { _ = p.Wait(context.Background()) },
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, s *System) {
				deferred := false
				p := Go(s, func(p *Proc) {
					defer func() { deferred = true }()
					wait(p)
					t.Error("went on")
				})
				Go(s, func(o *Proc) { o.Yield(); p.Cancel(o, why) })
				equal(t, "reason", result(t, s, p), why)
				equal(t, "deferred", deferred, true)
			})
		})
	}
}

// TestDefersMayWaitAfterCancel: the deferred functions of a cancelled process may wait.
func TestDefersMayWaitAfterCancel(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		c, quit := NewChan[int](0), NewChan[int](0)
		p := Go(s, func(p *Proc) {
			defer func() { quit.Send(p, 1) }()
			c.Recv(p)
		})
		got := 0
		Go(s, func(o *Proc) { p.Cancel(o, nil); got, _ = quit.Recv(o) })
		equal(t, "reason", result(t, s, p), ErrStopped)
		equal(t, "got", got, 1)
	})
}

func TestKillDoesNotWait(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		order := ""
		p := Go(s, func(p *Proc) {
			defer func() { order += "1" }()
			defer func() { NewChan[int](0).Recv(p); order += "never" }()
			NewChan[int](0).Recv(p)
		})
		Go(s, func(o *Proc) { p.Kill(o) })
		equal(t, "reason", result(t, s, p), ErrKilled)
		equal(t, "order", order, "1")
	})
}

// TestSecondCancel: a process that is told again while it unwinds ends where it waits.
func TestSecondCancel(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		first, second := errors.New("first"), errors.New("second")
		at := NewChan[int](1)
		p := Go(s, func(p *Proc) {
			defer func() { at.Send(p, 1); (*Chan[int])(nil).Recv(p) }()
			(*Chan[int])(nil).Recv(p)
		})
		Go(s, func(o *Proc) { p.Cancel(o, first); at.Recv(o); p.Cancel(o, second) })
		equal(t, "reason", result(t, s, p), first)
	})
}

func TestPanicWhileCancelled(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		p := Go(s, func(p *Proc) {
			defer func() { panic("in defer") }()
			(*Chan[int])(nil).Recv(p)
		})
		Go(s, func(o *Proc) { p.Cancel(o, nil) })
		v, _ := Panicked(result(t, s, p))
		equal(t, "value", v, any("in defer"))
	})
}

func TestStopUnwindsAll(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		var deferred []int
		var all []Process
		for i := range 20 {
			p := Go(s, func(p *Proc) {
				defer func() { deferred = append(deferred, i) }()
				defer func() { NewChan[int](0).Recv(p) }()
				switch i % 4 {
				case 0:
					NewChan[int](0).Recv(p)
				case 1:
					p.Sleep(0)
					Select(p)
				case 2:
					var m Mutex
					m.Lock(p)
					m.Lock(p)
				case 3:
					Spawn(p, func(s *Self[int]) { s.Receive() })
					(*Chan[int])(nil).Send(p, 1)
				}
			})
			all = append(all, p)
		}
		quiet(t, s)
		equal(t, "blocked", len(s.Blocked()), 25)
		s.Stop()
		equal(t, "unwound", len(deferred), 20)
		for _, p := range all {
			reason, _ := p.Result()
			equal(t, "reason", reason, ErrStopped)
		}
		late := Go(s, func(*Proc) { t.Error("ran after the end") })
		reason, ok := late.Result()
		equal(t, "ended", ok, true)
		equal(t, "reason", reason, ErrStopped)
	})
}

// TestStopWhileRunning: processes that run and are queued are unwound as well.
func TestStopWhileRunning(t *testing.T) {
	for range 50 {
		s := Start(Config{Workers: 2})
		begun := make(chan int, 100)
		for range 20 {
			Go(s, func(p *Proc) {
				begun <- 1
				for {
					p.Yield()
				}
			})
		}
		<-begun
		s.Stop()
		equal(t, "left", len(s.Blocked()), 0)
	}
}

func TestCoroutinesAreReused(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	seen := map[*coroutine]bool{}
	p := Go(s, func(p *Proc) {
		for range 100 {
			q := Go(p, func(p *Proc) { seen[p.co] = true })
			q.Join(p)
		}
	})
	equal(t, "reason", result(t, s, p), nil)
	// A worker that has lost its processor has another one go on with a coroutine of its own.
	if len(seen) > 10 {
		t.Errorf("%d coroutines for processes one after the other", len(seen))
	}
}

func TestBlockingHandsOver(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	c := make(chan int)
	p := Go(s, func(p *Proc) {
		Go(p, func(*Proc) { c <- 1 })
		p.Blocking(func() { <-c })
	})
	equal(t, "reason", result(t, s, p), nil)
}

// TestBlockedThreadHandsOver: the same without a declaration.
func TestBlockedThreadHandsOver(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	c := make(chan int)
	p := Go(s, func(p *Proc) {
		Go(p, func(*Proc) {})
		Go(p, func(*Proc) { c <- 1 })
		<-c
	})
	equal(t, "reason", result(t, s, p), nil)
}

func TestSleepByTheClock(t *testing.T) {
	s := Start(Config{Seed: 1})
	defer s.Stop()
	var order []int
	begin := s.Now()
	for _, d := range []int{3, 1, 2} {
		Go(s, func(p *Proc) {
			p.Sleep(time.Duration(d) * time.Hour)
			order = append(order, d)
		})
	}
	quiet(t, s)
	equal(t, "order", fmt.Sprint(order), "[1 2 3]")
	equal(t, "time", s.Now().Sub(begin), 3*time.Hour)
}

func TestMisuse(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	var leaked *Proc
	Go(s, func(p *Proc) { leaked = p; (*Chan[int])(nil).Recv(p) })
	quiet(t, s)
	closed := NewChan[int](0)
	closed.Close(s)
	g := s.Goroutine()
	one := RecvFrom[int](NewChan[int](0), nil, nil)
	for name, f := range map[string]func(){
		"a leaked Proc":        func() { closed.Recv(leaked) },
		"a leaked Proc sends":  func() { NewChan[int](1).TrySend(leaked, 1) },
		"a leaked Proc yields": func() { leaked.Yield() },
		"send when closed":     func() { closed.Send(g, 1) },
		"try send when closed": func() { closed.TrySend(g, 1) },
		"select when closed":   func() { v := 1; Select(g, SendTo(closed, &v)) },
		"close when closed":    func() { closed.Close(g) },
		"close nil":            func() { (*Chan[int])(nil).Close(g) },
		"negative size":        func() { NewChan[int](-1) },
		"unlock":               func() { new(Mutex).Unlock(g) },
		"negative wait group":  func() { new(WaitGroup).Done(g) },
		"a case twice":         func() { Select(g, one, one) },
		"too many workers":     func() { Start(Config{Workers: 1 << 20}) },
		"receive of another":   func() { m := 0; Select(g, (&Self[int]{}).Receives(&m, nil)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if v, ok := recover().(string); !ok || len(v) < 16 || v[:16] != "gallop: process:" {
					t.Errorf("panic is %q", v)
				}
			}()
			f()
		})
	}
}

func TestBlockedReport(t *testing.T) {
	s := Start(Config{Workers: 1})
	r := Spawn(s, func(s *Self[int]) { s.Receive() })
	if err := Register("waiter", r); err != nil {
		t.Error(err)
	}
	Go(s, func(p *Proc) { NewChan[int](0).Send(p, 1) })
	got := s.Run()
	equal(t, "number", len(got), 2)
	equal(t, "first", got[0].String(), fmt.Sprintf("%v [\"waiter\"] waits: receive", r))
	equal(t, "second", got[1].On, "channel send")
}

// TestSameSeedSameOrder: the order of a deterministic run follows from its seed.
func TestSameSeedSameOrder(t *testing.T) {
	run := func(seed uint64) string {
		s := Start(Config{Workers: 3, Seed: seed})
		defer s.Stop()
		c := NewChan[int](0)
		var got []int
		for i := range 6 {
			Go(s, func(p *Proc) {
				for j := range 3 {
					c.Send(p, 10*i+j)
				}
			})
		}
		Go(s, func(p *Proc) {
			for range 18 {
				v, _ := c.Recv(p)
				got = append(got, v)
			}
		})
		quiet(t, s)
		return fmt.Sprint(got)
	}
	orders := map[string]bool{}
	for seed := uint64(1); seed <= 8; seed++ {
		order := run(seed)
		equal(t, "second run", run(seed), order)
		orders[order] = true
	}
	if len(orders) < 2 {
		t.Error("all seeds have the same order")
	}
}

// TestStartStopLeavesNothing: many systems with processes that wait. The package's TestMain looks
// for goroutines.
func TestStartStopLeavesNothing(t *testing.T) {
	n := 2000
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		n = 100_000
	}
	before := byGoroutine.len()
	for range n {
		s := Start(Config{Workers: 1})
		Go(s, func(p *Proc) { (*Chan[int])(nil).Recv(p) })
		s.Stop()
	}
	equal(t, "coroutines", byGoroutine.len(), before)
}
