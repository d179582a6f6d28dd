package flightlog

import (
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// scribe writes events of one worker, as package actor does.
type scribe struct {
	l      *Log
	r      *Ring
	worker int
	n      uint64
	rings  int
}

func (s *scribe) write(t *testing.T, k What) {
	t.Helper()
	for s.r == nil || !s.r.Note(k, 0, s.n, 0) {
		if s.r = s.l.Ring(s.worker); s.r == nil {
			t.Fatal("the worker has no ring")
		}
		s.rings++
	}
	s.n++
}

// contiguous checks that the events of a tail have all numbers up to the last one, and says from where.
func contiguous(t *testing.T, tail Tail, last uint64) (first uint64) {
	t.Helper()
	first = last - uint64(len(tail.Events))
	if tail.Before != first || tail.Torn != 0 {
		t.Fatalf("%d are before, and %d torn: want %d and 0", tail.Before, tail.Torn, first)
	}
	for i, e := range tail.Events {
		if want := first + uint64(i); e.Sequence != want || e.Actor != want {
			t.Fatalf("event %d is %+v, want %d", i, e, want)
		}
	}
	return first
}

// TestLog_Grows: a ring grows while it reaches back for less than it should, and loses no event by that;
// a slow worker keeps the smallest one.
func TestLog_Grows(t *testing.T) {
	const reach, step = int64(100 * time.Millisecond), int64(time.Microsecond)
	now := int64(0)
	l := New(4<<20, Sparse, reach, func() int64 { return now })
	fast, slow := &scribe{l: l}, &scribe{l: l, worker: 1}
	for n := range 1_000_000 {
		now += step
		fast.write(t, Run)
		if n%1000 == 0 {
			slow.write(t, Run)
		}
		if n%10_007 == 0 { // before, in and after each lap
			tails, _ := l.Tails()
			if first := contiguous(t, tails[0], fast.n); n < 100_000 && first != 0 {
				t.Fatalf("%d events were lost after %d", first, n)
			} else if back := int64(fast.n-first) * step; n > 100_000 && back < reach {
				t.Fatalf("the ring reaches back for %v", time.Duration(back))
			}
		}
	}
	tails, _ := l.Tails()
	contiguous(t, tails[1], slow.n)
	if fast.rings != 4 || slow.rings != 1 || len(slow.r.events)*EventSize != SmallestRing {
		t.Errorf("%d and %d rings; the slow worker's has %d events", fast.rings, slow.rings,
			len(slow.r.events))
	}
	if fast.r.older.Load() != nil {
		t.Error("the smaller rings are still in memory")
	}
}

// TestLog_Grows_Fast: a worker that is too fast for the largest ring has the smallest one, also if its
// ring has grown before. It loses no event of the last lap by that.
func TestLog_Grows_Fast(t *testing.T) {
	now, step := int64(0), int64(10*time.Nanosecond)
	l := New(4<<20, Sparse, int64(100*time.Millisecond), func() int64 { return now })
	s := &scribe{l: l}
	write := func(n int) {
		for range n {
			now += step
			s.write(t, Run)
		}
		tails, _ := l.Tails()
		contiguous(t, tails[0], s.n)
	}
	write(1_000_000)
	if size := len(s.r.events) * EventSize; size != SmallestRing {
		t.Fatalf("a ring of %d bytes", size)
	}
	step = int64(time.Microsecond)
	write(400_000)
	if size := len(s.r.events) * EventSize; size != 4<<20 || l.grown*EventSize != 4<<20 {
		t.Fatalf("a ring of %d bytes for a slower worker, and %d grown", size, l.grown*EventSize)
	}
	step = int64(10 * time.Nanosecond)
	write(400_000)
	if size := len(s.r.events) * EventSize; size != SmallestRing || l.grown != 0 {
		t.Fatalf("a ring of %d bytes for a fast worker again, and %d grown", size, l.grown)
	}
}

// TestLog_Grows_Bound: all larger rings together stay below 64 MiB, and no ring is larger than was said.
func TestLog_Grows_Bound(t *testing.T) {
	now := int64(0)
	l := New(LargestRing, Sparse, int64(100*time.Millisecond), func() int64 { return now })
	sum := 0
	for worker := range 20 {
		s := &scribe{l: l, worker: worker}
		for range 2 * LargestRing / EventSize {
			now += int64(300 * time.Nanosecond)
			s.write(t, Run)
		}
		if size := len(s.r.events) * EventSize; size > LargestRing {
			t.Fatalf("a ring of %d bytes", size)
		} else if size > SmallestRing {
			sum += size
		}
	}
	if sum == 0 || sum > 64<<20 {
		t.Errorf("the larger rings take %d bytes", sum)
	}
}

// TestLog_Stalls: a worker that writes no more is a sign of a stall, once, unless it sleeps.
func TestLog_Stalls(t *testing.T) {
	l := New(SmallestRing, Sparse, 0, frozen)
	a, b := &scribe{l: l}, &scribe{l: l, worker: 1}
	ticks := func(what string, want bool) {
		t.Helper()
		if _, stalls := l.Tick(); stalls != want {
			t.Errorf("%s: %v, want %v", what, stalls, want)
		}
	}
	ticks("no events", false)
	a.write(t, Run)
	b.write(t, Run)
	ticks("both work", false)
	a.write(t, Run)
	b.write(t, Park)
	ticks("one goes on, the other falls asleep", false)
	a.write(t, Run)
	ticks("one goes on, the other sleeps", false)
	ticks("one stands", true)
	ticks("it still stands", false)
	a.write(t, Run)
	ticks("it goes on", false)
	ticks("it stands again", true)
}

// TestTail_After: a tail continues an earlier one, without events that are in both, and says how many
// are in neither.
func TestTail_After(t *testing.T) {
	tail := func(from, to uint64) Tail {
		t := Tail{Worker: 1, Before: from}
		for s := from; s < to; s++ {
			t.Events = append(t.Events, Event{Sequence: s, Actor: s})
		}
		return t
	}
	for _, c := range []struct {
		earlier, now Tail
		want         Tail
		between      uint64
	}{
		{tail(0, 10), tail(5, 20), tail(0, 20), 0},
		{tail(0, 10), tail(0, 20), tail(0, 20), 0},
		{tail(3, 10), tail(10, 20), tail(3, 20), 0},
		{tail(0, 0), tail(5, 20), tail(5, 20), 0},
		{tail(3, 10), Tail{Worker: 1}, tail(3, 10), 0},
		{tail(2, 10), tail(15, 20), Tail{Worker: 1, Before: 2,
			Events: append(tail(2, 10).Events, tail(15, 20).Events...)}, 5},
	} {
		got := c.now.After(c.earlier)
		if got.Between != c.between || got.Before != c.want.Before || len(got.Events) != len(c.want.Events) {
			t.Errorf("%d after %d: %d events, %d before, %d between; want %d, %d, %d", len(c.now.Events),
				len(c.earlier.Events), len(got.Events), got.Before, got.Between, len(c.want.Events),
				c.want.Before, c.between)
			continue
		}
		for i, e := range got.Events {
			if e != c.want.Events[i] {
				t.Errorf("event %d is %+v", i, e)
			}
		}
	}
	other := tail(0, 3)
	other.Worker = 2
	if got := tail(5, 6).After(other); len(got.Events) != 1 {
		t.Error("the events of another worker are taken")
	}
}

// TestLog_Grows_Stress: rings grow and shrink while others read them: each event that is read was
// written so, and the order is kept. Run with -race: it finds no race either.
func TestLog_Grows_Stress(t *testing.T) {
	var clock seam.Int64
	l := New(1<<20, Sparse, int64(time.Millisecond), clock.Load)
	var writers sync.WaitGroup
	for worker := range 3 {
		writers.Go(func() {
			s := &scribe{l: l, worker: worker}
			for n := range 200_000 {
				if n/50_000%2 == 0 {
					clock.Add(30) // 33,000 events in a millisecond, of all workers
				}
				s.write(t, Run)
			}
			if s.rings < 2 {
				t.Errorf("worker %d: the ring has never grown", worker)
			}
		})
	}
	over, reader := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(reader)
		for {
			l.Tick()
			tails, _ := l.Tails()
			for _, tail := range tails {
				next := uint64(0)
				for _, e := range tail.Events {
					if e.Actor != e.Sequence || e.Sequence < next {
						t.Errorf("event %+v after %d", e, next)
					}
					next = e.Sequence + 1
				}
			}
			select {
			case <-over:
				return
			default:
			}
		}
	}()
	writers.Wait()
	close(over)
	<-reader
}
