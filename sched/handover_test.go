package sched

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/invariant"
)

// startBare makes a scheduler that ends with the test.
func startBare(t testing.TB, cfg Config) *Scheduler {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { <-s.Stop() })
	return s
}

func inject(s *Scheduler, do func(*Worker)) *bare {
	b := newBare(do)
	s.Inject(&b.Task)
	return b
}

func waitQuiet(t testing.TB, s *Scheduler) {
	t.Helper()
	if err := s.WaitQuiet(context.Background(), false); err != nil {
		t.Fatal(err)
	}
}

// ways are how a turn can keep its worker until released is set and then closed.
func ways(released *atomic.Bool, release chan struct{}) map[string]func(*Worker) {
	return map[string]func(*Worker){
		"waits":    func(*Worker) { <-release },
		"declared": func(w *Worker) { w.Blocking(func() { <-release }) },
		"spins": func(*Worker) {
			for !released.Load() {
			}
		},
	}
}

// TestHandover_OtherTasksRun: "A behaviour that blocks does not take its worker's other
// actors with it": turns block or spin until a task that waits
// after them has run, and no task is lost.
func TestHandover_OtherTasksRun(t *testing.T) {
	for name := range ways(nil, nil) {
		t.Run(name, func(t *testing.T) {
			few := []int{1, 2, 4}
			// Several times: a turn that is not held is not always missed.
			for _, blocked := range append(slices.Repeat(few, 8), scaled(200)) {
				if name == "spins" && blocked > 4 {
					continue // nothing helps against a thousand of these
				}
				s := startBare(t, Config{Workers: 2})
				var released atomic.Bool
				release := make(chan struct{})
				block := ways(&released, release)[name]
				var done atomic.Int32
				for range blocked {
					inject(s, func(w *Worker) { block(w); done.Add(1) })
				}
				inject(s, func(*Worker) { released.Store(true); close(release) })
				waitQuiet(t, s)
				if n := done.Load(); int(n) != blocked {
					t.Fatalf("%d of %d turns ended", n, blocked)
				}
			}
		})
	}
}

// TestHandover_WorkOfTheTurn: tasks that a turn makes runnable before, while and after its
// worker loses its slot run while the turn goes on.
func TestHandover_WorkOfTheTurn(t *testing.T) {
	for name, enter := range map[string]func(*Worker, func()){
		"declared":   func(w *Worker, f func()) { w.Blocking(f) },
		"undeclared": func(_ *Worker, f func()) { f() },
	} {
		t.Run(name, func(t *testing.T) {
			s := startBare(t, Config{Workers: 1})
			inject(s, func(w *Worker) {
				for range 3 { // the second time it has no slot any more
					ran := make(chan struct{})
					var others sync.WaitGroup
					for range 5 { // one in the next-slot, four in the ring
						others.Add(1)
						w.Schedule(&newBare(func(*Worker) { others.Done() }).Task)
					}
					w.Schedule(&newBare(func(*Worker) { close(ran) }).Task)
					enter(w, func() { <-ran; others.Wait() })
				}
			})
			waitQuiet(t, s)
		})
	}
}

// TestHandover_CountsReturn: "the worker count is restored afterwards": when all turns
// are over no worker is detached, every slot has its holder, and the goroutines of the idle workers
// end.
func TestHandover_CountsReturn(t *testing.T) {
	s := startBare(t, Config{Workers: 2})
	inject(s, func(*Worker) {})
	waitQuiet(t, s)
	for range 3 {
		release := make(chan struct{})
		for i := range 20 {
			inject(s, func(w *Worker) {
				if i%2 == 0 {
					w.Blocking(func() { <-release })
				} else {
					<-release
				}
			})
		}
		inject(s, func(*Worker) { close(release) })
		waitQuiet(t, s)
		if n := s.idleWorkers.detachedNow.Load(); n != 0 {
			t.Errorf("%d workers away", n)
		}
		if n := len(s.idleWorkers.allDetached()); n != 0 {
			t.Errorf("%d detached workers", n)
		}
	}
	for s.stop.left.Load() != 3 { // counted: two slots and the monitor
		runtime.Gosched()
	}
	for s.monitor.armed.Load() {
		runtime.Gosched()
	}
}

// TestHandover_Bound: with all idle workers in use no more turns lose their slots, and
// nothing is lost but time.
func TestHandover_Bound(t *testing.T) {
	began := time.Now()
	reports := make(chan struct{}, 100)
	s := startBare(t, Config{Workers: 1, MaxDetached: 2,
		OnDetachLimit: func(uint64) { reports <- struct{}{} }})
	release := make(chan struct{})
	var done atomic.Int32
	for i := range 6 {
		inject(s, func(w *Worker) {
			if i%2 == 0 {
				<-release
			} else {
				w.Blocking(func() { <-release })
			}
			done.Add(1)
		})
	}
	for s.DetachedStats().Refused == 0 {
		runtime.Gosched()
	}
	if st := s.DetachedStats(); st.Detached > 2 || st.Goroutines > 2 {
		t.Errorf("%+v with 2 idle workers", st)
	}
	<-reports
	inject(s, func(w *Worker) {
		for range 100 {
			w.Blocking(func() {})
		}
	})
	close(release)
	waitQuiet(t, s)
	if most := int(time.Since(began) / time.Second); len(reports) > most {
		t.Errorf("told %d times more, want at most %d", len(reports), most)
	}
	if n := done.Load(); n != 6 {
		t.Errorf("%d of 6 turns ended", n)
	}
}

// again is a task that runs so many turns, each of which is long enough to lose its
// slot.
type again struct {
	Task
	turns   int
	running atomic.Int32
	t       *testing.T
	long    func(*Worker)
}

// RunTask implements Runner.
func (a *again) RunTask(w *Worker) bool {
	if a.running.Add(1) != 1 {
		a.t.Error("two turns of one task at once")
	}
	a.long(w)
	a.running.Add(-1)
	if a.turns--; a.turns > 0 {
		return true
	}
	w.PrepareNext()
	return false
}

// TaskTerminated implements Runner.
func (a *again) TaskTerminated(*Worker, error) { a.t.Error("died") }

// TestHandover_OneTurnAtATime: "order, no two turns at once": a task that wants to go on
// after it has lost its worker's slot does so elsewhere, once.
func TestHandover_OneTurnAtATime(t *testing.T) {
	s := startBare(t, Config{Workers: 2})
	var tasks []*again
	for range 4 {
		ask := make(chan chan struct{})
		a := &again{t: t, turns: 5, long: func(*Worker) {
			answer := make(chan struct{})
			ask <- answer
			<-answer
		}}
		a.Init(a, nil)
		tasks = append(tasks, a)
		go func() { // each turn needs another one to end
			for range 5 {
				answer := <-ask
				inject(s, func(*Worker) { close(answer) })
			}
		}()
	}
	for _, a := range tasks {
		s.Inject(&a.Task)
	}
	waitQuiet(t, s)
	for _, a := range tasks {
		if a.turns != 0 {
			t.Errorf("%d turns left", a.turns)
		}
	}
}

// TestHandover_Crash: a panic and a Goexit, inside of Blocking and after it, with the
// slot taken by another worker meanwhile and without, end the task and cost no other
// anything.
func TestHandover_Crash(t *testing.T) {
	for name, crash := range map[string]func(){"panic": func() { panic(errCrash) },
		"Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			s := startBare(t, Config{Workers: 1})
			for i := range 8 {
				b := inject(s, func(w *Worker) {
					met := make(chan struct{})
					if i&1 != 0 {
						w.Schedule(&newBare(func(*Worker) { close(met) }).Task)
					} else {
						close(met)
					}
					w.Blocking(func() {
						<-met
						if i&2 != 0 {
							crash()
						}
					})
					crash()
				})
				waitQuiet(t, s)
				if b.idle.Load() != 1000 {
					t.Errorf("case %d: its task did not die", i)
				}
			}
			if n := s.idleWorkers.detachedNow.Load(); n != 0 {
				t.Errorf("%d workers away", n)
			}
		})
	}
}

const errCrash = crashError("crash")

type crashError string

func (e crashError) Error() string { return string(e) }

// TestHandover_Stop: Stop waits for turns that are blocked, leaves no goroutine, and
// the tasks that waited for them die.
func TestHandover_Stop(t *testing.T) {
	for range scaled(50) {
		s, err := New(Config{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan struct{})
		var in sync.WaitGroup
		for i := range 6 {
			in.Add(1)
			inject(s, func(w *Worker) {
				in.Done()
				if i%2 == 0 {
					w.Blocking(func() { <-release })
				} else {
					<-release
				}
			})
		}
		in.Wait()
		done := s.Stop()
		late := inject(s, func(*Worker) {})
		close(release)
		<-done
		if n := late.idle.Load(); n != 1 && n != 1000 {
			t.Errorf("what came after Stop ended in the state %d, neither run nor died once", n)
		}
		if n := s.stop.left.Load(); n != 0 {
			t.Errorf("%d goroutines left", n)
		}
	}
}

// BenchmarkBlocking measures the cost of Blocking: without a waiting task, and with a
// waiting task that an idle worker takes.
func BenchmarkBlocking(b *testing.B) {
	if invariant.On {
		b.Skip("invariants are on, and cost more") // a figure with them says nothing
	}
	b.Run("nothing waits", func(b *testing.B) {
		b.ReportAllocs()
		s := startBare(b, Config{Workers: 2})
		inject(s, func(w *Worker) {
			for range b.N {
				w.Blocking(func() {})
			}
		})
		waitQuiet(b, s)
	})
	b.Run("hot idle worker", func(b *testing.B) {
		s := startBare(b, Config{Workers: 1})
		var entry time.Duration
		inject(s, func(w *Worker) {
			for range b.N {
				ran := make(chan struct{})
				w.Schedule(&newBare(func(*Worker) { close(ran) }).Task)
				begin := time.Now()
				w.Blocking(func() {
					entry += time.Since(begin)
					<-ran
				})
			}
		})
		waitQuiet(b, s)
		b.ReportMetric(float64(entry.Nanoseconds())/float64(b.N), "ns-until-f")
	})
	b.Run("no idle worker yet", func(b *testing.B) {
		all := make([]time.Duration, 0, b.N)
		for range b.N {
			s := startBare(b, Config{Workers: 1})
			inject(s, func(w *Worker) {
				w.Schedule(&newBare(func(*Worker) {}).Task)
				begin := time.Now()
				w.Blocking(func() {})
				all = append(all, time.Since(begin))
			})
			waitQuiet(b, s)
			<-s.Stop()
		}
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Nanoseconds()), "ns-median")
		b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds()), "ns-p99")
	})
}
