package flight_test

import (
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/flight"
)

// BenchmarkRecorder compares a message while the system is recorded with one while it is not,
// in turns, and reports the first quartile of each, for other programs to matter less, and the
// difference.
func BenchmarkRecorder(b *testing.B) {
	for name, message := range map[string]func(*actor.Context, int){
		"turns": again, // one turn for each message
		"batch": func(c *actor.Context, n int) {
			for range n {
				count.Send(c, actor.Self[pilot](c), 1)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			sys := start(b, actor.WithWorkers(1))
			a := pilotType.Spawn(sys, pilot{})
			turn := func(n int) (nanos int64) {
				begin := now()
				do.Send(sys, a, func(_ *pilot, c *actor.Context) { message(c, n) })
				quiet(b, sys)
				return now() - begin
			}
			const part = 4000 // messages; other programs disturb few of the parts
			var off, on []float64
			for n := 0; n < b.N; n += part {
				turn(part)
				off = append(off, float64(turn(part))/part)
				rec, err := flight.Start(sys)
				if err != nil {
					b.Fatal(err)
				}
				turn(part) // the worker makes its ring, and writes all of it once
				on = append(on, float64(turn(part))/part)
				rec.Close()
			}
			slices.Sort(off)
			slices.Sort(on)
			more, quarter := on[len(on)/4]-off[len(off)/4], len(on)/4
			b.ReportMetric(off[quarter], "off-ns/msg")
			b.ReportMetric(on[quarter], "on-ns/msg")
			b.ReportMetric(more, "more-ns/msg")
			b.ReportMetric(on[quarter]/off[quarter], "ratio")
		})
	}
}

// BenchmarkDump writes full rings of so many workers, while they work: to nowhere, but all of
// it, as JSON and as text.
func BenchmarkDump(b *testing.B) {
	for _, workers := range []int{1, 16} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			sys := start(b, actor.WithWorkers(workers))
			rec := record(b, sys)
			fill(b, sys, rec, workers)
			for b.Loop() {
				s := rec.Snapshot()
				if err := s.WriteJSON(io.Discard); err != nil {
					b.Fatal(err)
				}
				if err := s.WriteText(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/dump")
		})
	}
}

// fill has so many workers fill their rings.
func fill(b *testing.B, sys *actor.System, rec *flight.Recorder, workers int) {
	b.Helper()
	for range workers * 4 {
		a := pilotType.Spawn(sys, pilot{})
		do.Send(sys, a, func(_ *pilot, c *actor.Context) { again(c, 2*flight.SmallestRing/32) })
	}
	full := func() (n int) {
		for _, l := range rec.Snapshot().Lost.Workers {
			if l.Before > 0 {
				n++
			}
		}
		return n
	}
	for full() < workers {
		for range workers {
			a := pilotType.Spawn(sys, pilot{})
			do.Send(sys, a, func(p *pilot, c *actor.Context) {
				for i := range 100_000 {
					p.n += i
				}
				again(c, 2*flight.SmallestRing/32)
			})
		}
		quiet(b, sys)
	}
}
