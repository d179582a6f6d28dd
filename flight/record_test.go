package flight_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/flight"
	"github.com/gallop-go/gallop/internal/inspect"
)

// TestRecorder_Events: the events of an actor are recorded in order, with their senders. The test
// runs on workers and in a deterministic system, and with a probe that is set before or after the
// recorder.
func TestRecorder_Events(t *testing.T) {
	for name, opts := range map[string][]actor.Option{
		"workers":       {actor.WithWorkers(1)},
		"deterministic": {actor.WithDeterministic(1)},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, opts...)
			rec := record(t, sys)
			if _, err := flight.Start(sys); !errors.Is(err, flight.ErrRecorded) {
				t.Errorf("a second recorder: %v", err)
			}
			var probed sync.Map // the behaviours that a probe has seen return
			stop := inspect.Around(sys, inspect.Probe{After: func(_ *actor.Context, m inspect.Message) {
				probed.Store(m.Behaviour, true)
			}}, "pilot")
			a, b := pilotType.Spawn(sys, pilot{}), pilotType.Spawn(sys, pilot{})
			child := uint64(0)
			do.Send(sys, a, func(_ *pilot, c *actor.Context) {
				count.Send(c, b, 1)
				r := pilotType.Spawn(c, pilot{})
				child = r.ID()
				quit.Send(c, r, struct{}{})
			})
			quiet(t, sys)
			crash.Send(sys, b, "on purpose")
			quiet(t, sys)
			count.Send(sys, b, 1)
			quiet(t, sys)
			stop()
			count.Send(sys, a, 1)
			quiet(t, sys)
			release, err := sys.Hold()
			if err != nil {
				t.Fatal(err)
			}
			release()
			got := words(rec.Snapshot(), flight.Spawn, flight.Run, flight.Stop, flight.Panic,
				flight.DeadLetter, flight.Hold, flight.Release)
			as := func(format string, ids ...any) string { return fmt.Sprintf(format, ids...) }
			want := []string{
				as("spawn pilot#%d by outside", a.ID()),
				as("spawn pilot#%d by outside", b.ID()),
				as("run pilot#%d.do from outside", a.ID()),
				as("spawn pilot#%d by pilot#%d", child, a.ID()),
				as("run pilot#%d.count from pilot#%d", b.ID(), a.ID()),
				as("run pilot#%d.quit from pilot#%d", child, a.ID()),
				as("stop pilot#%d", child),
				as("run pilot#%d.crash from outside", b.ID()),
				as("panic pilot#%d.crash from outside", b.ID()),
				as("stop pilot#%d", b.ID()),
				as("dead letter pilot#%d.count from outside", b.ID()),
				as("run pilot#%d.count from outside", a.ID()),
				"hold", "release",
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%q\nwant\n%q", got, want)
			}
			probed.Delete("do")
			probed.Delete("count")
			probed.Delete("quit")
			probed.Range(func(behaviour, _ any) bool {
				t.Errorf("the probe has seen %v return", behaviour) // it has panicked
				return true
			})
		})
	}
}

// TestRecorder_OfOneSystem: events of another system are not recorded. A system can be recorded
// again, and the first recording stays complete.
func TestRecorder_OfOneSystem(t *testing.T) {
	sys, other := start(t), start(t)
	first := record(t, sys)
	a, apart := pilotType.Spawn(sys, pilot{}), pilotType.Spawn(other, pilot{})
	send := func(n int) {
		for range n {
			count.Send(sys, a, 1)
			count.Send(other, apart, 1)
		}
		quiet(t, sys)
		quiet(t, other)
	}
	send(3)
	first.Close()
	first.Close()
	send(5)
	second := record(t, sys)
	beside := record(t, other)
	send(7)
	for _, of := range []struct {
		name string
		rec  *flight.Recorder
		want int
	}{{"first", first, 3}, {"second", second, 7}, {"beside", beside, 7}} {
		if n := len(words(of.rec.Snapshot(), flight.Run)); n != of.want {
			t.Errorf("the %s recorder has %d messages, want %d", of.name, n, of.want)
		}
	}
}

// TestRecorder_Lost: of more messages than a ring has room for, the last ones are there, in order
// and without a gap, and the recording says how many are not.
func TestRecorder_Lost(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	rec := record(t, sys, flight.WithRing(flight.SmallestRing))
	a := pilotType.Spawn(sys, pilot{})
	const all, room = 10_000, flight.SmallestRing / 32
	for range all {
		count.Send(sys, a, 1)
	}
	quiet(t, sys)
	sys.Stop() // or the worker may just then say that it parks
	s := rec.Snapshot()
	next, n := uint64(0), 0
	for _, e := range s.Events {
		if e.Worker != 0 {
			continue
		}
		if n > 0 && e.Sequence != next {
			t.Fatalf("event %d follows event %d", e.Sequence, next-1)
		}
		next, n = e.Sequence+1, n+1
	}
	if n != room {
		t.Errorf("%d events are kept, want %d", n, room)
	}
	for _, l := range s.Lost.Workers {
		if l.Worker == 0 && (l.Before != next-room || l.Kept != room || l.Torn != 0) {
			t.Errorf("lost: %+v of %d", l, next)
		}
	}
	if next < all {
		t.Errorf("%d events of %d messages", next, all)
	}
}

// TestRecorder_Muted: who is muted is recorded together with the receiver, and so is the end of
// it; and so are the sleeps and wakes of the workers.
func TestRecorder_Muted(t *testing.T) {
	sys := start(t, actor.WithWorkers(1), actor.WithBatch(10))
	rec := record(t, sys) // with room for all events
	slow := pilotType.Spawn(sys, pilot{})
	flood := func(_ *pilot, c *actor.Context) {
		for range 20 {
			count.Send(c, slow, 1)
		}
	}
	// All senders are ready before the only worker runs one of them, so slow gets no turn between.
	do.Send(sys, pilotType.Spawn(sys, pilot{}), func(_ *pilot, c *actor.Context) {
		for range 20 {
			do.Send(c, pilotType.Spawn(c, pilot{}), flood)
		}
	})
	quiet(t, sys)
	if sys.Stats().Mutes == 0 {
		t.Fatal("no sender was muted")
	}
	s := rec.Snapshot()
	muted := map[uint64]int{}
	for _, e := range s.Events {
		switch e.What {
		case flight.Mute:
			muted[e.Actor]++
			if e.Other != slow.ID() || e.OtherType != "pilot" {
				t.Errorf("%v, want it to wait for pilot#%d", e, slow.ID())
			}
		case flight.Unmute:
			muted[e.Actor]--
		}
	}
	if len(muted) == 0 {
		t.Error("no mute is recorded")
	}
	for id, n := range muted {
		if n != 0 {
			t.Errorf("pilot#%d is muted %d times more than unmuted", id, n)
		}
	}
	eventually(t, "the worker parks", func() bool {
		return len(words(rec.Snapshot(), flight.Park)) > 0
	})
	count.Send(sys, slow, 1)
	quiet(t, sys)
	if len(words(rec.Snapshot(), flight.Wake)) == 0 {
		t.Error("the worker has woken, and that is not recorded")
	}
}

// TestRecorder_Steal: an actor that another worker has taken is recorded with that.
func TestRecorder_Steal(t *testing.T) {
	sys := start(t)
	rec := record(t, sys)
	busy := pilotType.Spawn(sys, pilot{})
	for stolen := false; !stolen; {
		do.Send(sys, busy, func(_ *pilot, c *actor.Context) {
			for range 50 {
				r := pilotType.Spawn(c, pilot{})
				do.Send(c, r, func(p *pilot, _ *actor.Context) {
					for i := range 10_000 {
						p.n += i
					}
				})
			}
		})
		quiet(t, sys)
		stolen = has(rec.Snapshot(), func(e flight.Event) bool {
			return e.What == flight.Steal && e.Type == "pilot" && e.Other != uint64(e.Worker)
		})
	}
}

// again sends messages to the running actor, one after the other.
func again(c *actor.Context, n int) {
	if n > 0 {
		passOn.Send(c, actor.Self[pilot](c), n-1)
	}
}
