package flightlog

import (
	"sync"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// frozen is a clock that stands still.
func frozen() int64 { return 1 << 20 }

// put adds event s of a ring. All words of the event follow from s.
func put(r *Ring, s uint64) bool {
	return r.Write(HeadOf(Run, uint16(s)), s, s+1)
}

// whole reports whether an event is as put has written it.
func whole(e Event) bool {
	const actor = 1<<48 - 1
	return e.What == Run && e.Index == uint16(e.Sequence) && e.Actor == e.Sequence&actor &&
		e.Other == (e.Sequence+1)&actor
}

// TestRing_Tail: the last events are there, in order, and earlier events are counted. That holds
// also where the number of the lap wraps around.
func TestRing_Tail(t *testing.T) {
	for _, lap := range []uint64{1, lapMask, 2 * lapMask} {
		r := newRing(7, 8, lap, Sparse, frozen)
		for n := range uint64(30) {
			tail := r.tail()
			if lap > 1 && n < 8 { // the lap before was not written
				put(r, (lap-1)*8+n)
				continue
			}
			if kept := min(n, 8); uint64(len(tail.Events)) != kept || tail.Before != n-kept+(lap-1)*8 ||
				tail.Torn != 0 || tail.Worker != 7 {
				t.Fatalf("lap %d: %+v after %d events", lap, tail, n)
			}
			for i, e := range tail.Events {
				if want := (lap-1)*8 + n - uint64(len(tail.Events)-i); e.Sequence != want || !whole(e) ||
					e.At != frozen() {
					t.Fatalf("lap %d: event %d is %+v, want %d", lap, i, e, want)
				}
			}
			if !put(r, (lap-1)*8+n) {
				t.Fatal("the owner was told to leave")
			}
		}
	}
}

// TestRing_Torn: an event with one word of another lap is left out and counted. So is an event with
// a word that was never written. Each comparison in read is needed for that.
func TestRing_Torn(t *testing.T) {
	for _, laps := range []uint64{1, 2, 3} {
		for word := range 4 {
			r := newRing(0, 8, 1, Sparse, frozen)
			for s := range 8 * laps {
				put(r, s)
			}
			old := newRing(0, 8, 1, Sparse, frozen)
			for s := range 8 * (laps - 1) {
				put(old, s)
			}
			r.events[5][word].Store(old.events[5][word].Load())
			if tail := r.tail(); tail.Torn != 1 || len(tail.Events) != 7 {
				t.Errorf("word %d of lap %d is old: %d events, %d torn", word, laps, len(tail.Events),
					tail.Torn)
			}
		}
	}
}

// TestRing_Stress: while owners write as fast as they can, readers read only events that were
// written so, in order. With -race it finds no race.
func TestRing_Stress(t *testing.T) {
	l := New(16*EventSize, Sparse, seam.SystemClock{}.Nanos)
	const events = 200_000
	var writers, readers sync.WaitGroup
	over := make(chan struct{})
	for worker := range 4 {
		writers.Go(func() {
			r := l.Ring(worker)
			for s := range uint64(events) {
				put(r, s)
			}
		})
	}
	read := seam.Uint64{}
	for range 2 {
		readers.Go(func() {
			for {
				l.Tick()
				tails, _ := l.Tails()
				for _, tail := range tails {
					last := int64(-1)
					for _, e := range tail.Events {
						if !whole(e) || int64(e.Sequence) <= last {
							t.Errorf("event %+v behind %d", e, last)
						}
						last = int64(e.Sequence)
						read.Add(1)
					}
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(over)
	readers.Wait()
	t.Logf("%d events were read", read.Load())
}

// TestRing_Stamps: the clock is read for each event while they are slow, for few of them while they
// are fast, and at once when a reader asks for it.
func TestRing_Stamps(t *testing.T) {
	at, looks, step := int64(0), 0, stampGap
	r := newRing(0, 1024, 1, Sparse, func() int64 { looks++; return at })
	write := func(n int) (times int) {
		before := looks
		for range n {
			at += step
			put(r, 0)
		}
		return looks - before
	}
	if n := write(100); n != 100 {
		t.Errorf("%d looks for 100 slow events", n)
	}
	step = 10
	if n := write(900); n > 20 {
		t.Errorf("%d looks for 900 fast events", n)
	}
	write(300) // to the end of the lap and beyond
	r.askForStamp()
	if n := write(1); n != 1 {
		t.Errorf("%d looks when a reader has asked for one", n)
	}
	before := looks
	r.Note(Panic, 0, 1, 2)
	if looks != before+1 {
		t.Error("a panic has no time of its own")
	}
}

// TestLog_Close: after Close owners are told to leave, and no worker gets a ring. At most 256
// workers get one, and then the log reports that it is full.
func TestLog_Close(t *testing.T) {
	l := New(SmallestRing, 1, frozen)
	r := l.Ring(0)
	put(r, 0)
	for range mostRings - 1 {
		if l.Ring(1) == nil {
			t.Fatal("a worker has no ring")
		}
	}
	if _, full := l.Tails(); full {
		t.Error("the log is full at once")
	}
	if l.Ring(1) != nil {
		t.Error("too many rings")
	}
	if _, full := l.Tails(); !full {
		t.Error("the log does not say that it is full")
	}
	l.Close()
	if put(r, 1) {
		t.Error("the owner does not hear of the end")
	}
	if again := New(SmallestRing, 1, frozen); again.Ring(0) == nil {
		t.Error("another log has no ring")
	} else if again.Close(); again.Ring(0) != nil {
		t.Error("a log that is closed gives out a ring")
	}
}

// TestIndexOf: a name keeps its number, and a number its name.
func TestIndexOf(t *testing.T) {
	a, b := IndexOf("t", "a"), IndexOf("t", "b")
	if a == 0 || b == 0 || a == b || IndexOf("t", "a") != a {
		t.Errorf("numbers %d and %d", a, b)
	}
	if n := NameOf(b); n != (Name{"t", "b"}) {
		t.Errorf("%d is %v", b, n)
	}
	if n := NameOf(0); n != (Name{}) {
		t.Errorf("0 is %v", n)
	}
}
