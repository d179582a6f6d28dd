package permits

import (
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// shut is a receiver that is open unless it is set.
type shut struct{ atomic.Bool }

func (r *shut) Open(Entrance) bool { return !r.Load() }

// TestSemaphore_Twin: waiting goroutines get permits in order, and never more than there are.
// Exceed, for a mailbox with a bound, may take more. Then no waiting goroutine gets a permit until
// the excess was returned.
//
// Mutants: bound/debt-forgotten of internal/mutants/muting.json.
func TestSemaphore_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Semaphore
		var r shut
		const all = 3
		bounded := rapid.Bool().Draw(t, "bounded")
		if s.Init(all); bounded {
			s.InitBounded(all)
		}
		taken := 0
		var line []*Waiter
		woken := func() { // each waiter wakes the next, in order
			for len(line) > 0 && line[0].Woken() {
				if taken >= all {
					t.Fatalf("a waiter is let in, and %d of %d are taken", taken, all)
				}
				<-line[0].Token()
				s.WakeNext()
				line, taken = line[1:], taken+1
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"acquire": func(*rapid.T) {
				if w := s.Acquire(&r); w != nil {
					line = append(line, w)
				} else {
					taken++
				}
			},
			"try": func(t *rapid.T) {
				want := len(line) == 0 && taken < all && !r.Load()
				if got := s.TryAcquire(&r); got != want {
					t.Fatalf("TryAcquire: %v; %d wait, %d of %d are taken", got, len(line), taken, all)
				} else if got {
					taken++
				}
			},
			"exceed": func(t *rapid.T) {
				if !bounded {
					t.Skip("there is no bound") // rapid draws another action
				}
				over := rapid.IntRange(0, 2).Draw(t, "over")
				want := all-taken > -over
				free, ok := s.Exceed(over)
				if len(line) == 0 && ok != want || ok && len(line) == 0 && free != all-taken-1 {
					t.Fatalf("Exceed(%d): %d, %v; %d of %d are taken", over, free, ok, taken, all)
				}
				if ok {
					taken++
				}
			},
			"release": func(t *rapid.T) {
				if taken == 0 {
					t.Skip("none is taken") // rapid draws another action
				}
				taken--
				s.Release(1, &r)
				woken()
			},
			"cancel": func(t *rapid.T) {
				if len(line) == 0 {
					t.Skip("none waits")
				}
				i := rapid.IntRange(0, len(line)-1).Draw(t, "waiter")
				s.Cancel(line[i], &r)
				line = append(line[:i:i], line[i+1:]...)
				woken()
			},
			"shut": func(*rapid.T) { r.Store(true) },
			"open": func(*rapid.T) { r.Store(false); s.Release(0, &r); woken() },
			"": func(t *rapid.T) {
				if taken > all && !bounded || s.Waiting() != len(line) || s.Count() != all-taken {
					t.Fatalf("%d taken, %d left of %d; %d wait, want %d",
						taken, s.Count(), all, s.Waiting(), len(line))
				}
				if len(line) > 0 && taken < all && !r.Load() {
					t.Fatalf("%d wait, and %d of %d are taken", len(line), taken, all)
				}
			},
		})
		s.Close()
		for _, w := range line {
			<-w.Token()
		}
		if !s.TryAcquire(&r) {
			t.Fatal("the actor has ended, and the push cannot say so")
		}
	})
}

// TestSemaphore_Bound: "At most Max messages wait": several goroutines push, and a permit return
// follows each Step-th push.
func TestSemaphore_Bound(t *testing.T) {
	var s Semaphore
	var r shut
	s.Init(Max)
	var sent, ran atomic.Int64
	returns := make(chan int64, 8) // the permits of each permit return
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2 * Max {
				if w := s.Acquire(&r); w != nil {
					<-w.Token()
					s.WakeNext()
				}
				if n := sent.Add(1) - ran.Load(); n > Max {
					t.Errorf("%d messages wait", n)
				}
				if s.Pushed() {
					returns <- Step
				}
			}
		})
	}
	go func() { wg.Wait(); close(returns) }()
	for n := range returns {
		ran.Add(n)
		s.Release(int(n), &r)
	}
	if sent.Load() != 8*Max || s.Count() != Max {
		t.Errorf("%d sent, %d permits are left", sent.Load(), s.Count())
	}
}
