package flight

import (
	"bytes"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/flightlog"
)

// TestRecorder_BeforeAStall: "what happened in the last 50 ms before the stall", at a million messages a
// second of each of two workers, one of which stalls. The time is the test's own. The recorder ticks
// every 10 ms, and is told of the long turn after 120 ms.
func TestRecorder_BeforeAStall(t *testing.T) {
	const (
		step  = int64(time.Microsecond)
		begin = int64(500 * time.Millisecond) // of the stall
		told  = begin + int64(120*time.Millisecond)
		asked = int64(50 * time.Millisecond)
	)
	now := int64(0)
	var text bytes.Buffer
	sys := actor.Start(actor.WithDeterministic(1))
	defer sys.Stop()
	r, err := Start(sys, WithWriter(&text))
	if err != nil {
		t.Fatal(err)
	}
	r.Close() // its goroutine would tick by the machine's time
	r.log = flightlog.New(r.ring, flightlog.Sparse, flightlog.Reach, func() int64 { return now })
	var rings [2]*flightlog.Ring
	// Actor is the time of the event in µs, and Other the worker.
	write := func(worker int) {
		for rings[worker] == nil ||
			!rings[worker].Note(flightlog.Run, 0, uint64(now/step), uint64(worker)) {
			rings[worker] = r.log.Ring(worker)
		}
	}
	for now = step; now < told; now += step {
		if now <= begin {
			write(0)
		}
		write(1)
		if now%int64(10*time.Millisecond) == 0 {
			r.tick(time.Duration(now))
		}
	}
	tails, full := r.log.Tails()
	inRings := len(take(tails, full).Events)
	s := r.recording(r.looks.with(tails, time.Duration(begin)), full)
	for worker := range rings {
		at := (begin - asked) / step
		for _, e := range s.Events {
			if e.Worker == worker && int64(e.Actor) == at && e.Other == uint64(worker) {
				at++
			}
		}
		if at < begin/step {
			t.Errorf("worker %d: the event of %d µs before the stall is missing", worker, begin/step-at)
		}
	}
	t.Logf("%d events, of which %d were in the rings at the end", len(s.Events), inRings)
}

// TestLooks_Cost: looks take one part in a hundred of the time at most, and no more than four are kept.
func TestLooks_Cost(t *testing.T) {
	l, log := looks{}, flightlog.New(SmallestRing, 1, 0, func() int64 { return 0 })
	l.look(log, 0)
	if l.next <= 0 || l.next > time.Minute {
		t.Fatalf("the next look is at %v", l.next)
	}
	l.look(log, l.next-1)
	if len(l.last) != 1 {
		t.Error("a look that is too early was taken")
	}
	for range 10 {
		l.look(log, l.next)
	}
	if len(l.last) != mostLooks {
		t.Errorf("%d looks are kept", len(l.last))
	}
	if n := len(l.with(nil, l.last[3].at)); n != 0 {
		t.Errorf("%d tails from none", n)
	}
}
