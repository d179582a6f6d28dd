package actor_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// percentile99 sorts and reports the delays of a benchmark.
func percentile99(b *testing.B, delays []time.Duration) {
	b.Helper()
	if len(delays) == 0 {
		return
	}
	slices.Sort(delays)
	b.ReportMetric(float64(delays[len(delays)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(delays[len(delays)*99/100].Microseconds()), "p99-µs")
}

// selfFlood makes an actor that floods itself until stop is set.
func selfFlood(sys *actor.System, stop *atomic.Bool) {
	var again deed
	again = func(_ *puppet, c *actor.Context) {
		if !stop.Load() {
			do.Send(c, actor.Self[puppet](c), again)
		}
	}
	a := puppetType.Spawn(sys, puppet{})
	for range 1000 {
		do.Send(sys, a, again)
	}
}

// BenchmarkFairness: one actor floods itself; 10,000 others are sent messages in turn, a
// hundred every millisecond, which is far from all that there is time for: the metric is
// how long a message takes to run.
func BenchmarkFairness(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run("workers="+string(rune('0'+workers)), func(b *testing.B) {
			const actors, perRound = 10_000, 100
			sys := start(b, actor.Workers(workers))
			var stop atomic.Bool
			selfFlood(sys, &stop)
			others := make([]actor.Ref[puppet], actors)
			for i := range others {
				others[i] = puppetType.Spawn(sys, puppet{})
			}
			delays := make([]time.Duration, b.N)
			var next atomic.Int64
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			b.ResetTimer()
			for i := 0; i < b.N; {
				for range min(perRound, b.N-i) {
					begun := time.Now()
					do.Send(sys, others[i%actors], func(*puppet, *actor.Context) {
						delays[next.Add(1)-1] = time.Since(begun)
					})
					i++
				}
				<-tick.C
			}
			for int(next.Load()) < b.N {
				<-tick.C
			}
			b.StopTimer()
			stop.Store(true)
			quiet(b, sys)
			percentile99(b, delays)
		})
	}
}

// BenchmarkOutsideUnderLoad: how long a message from outside takes to run while 64 actors
// flood themselves.
func BenchmarkOutsideUnderLoad(b *testing.B) {
	sys := start(b)
	var stop atomic.Bool
	for range 64 {
		selfFlood(sys, &stop)
	}
	a := puppetType.Spawn(sys, puppet{})
	delays := make([]time.Duration, 0, b.N)
	ran := make(chan time.Duration)
	for b.Loop() {
		begun := time.Now()
		do.Send(sys, a, func(*puppet, *actor.Context) { ran <- time.Since(begun) })
		delays = append(delays, <-ran)
	}
	stop.Store(true)
	quiet(b, sys)
	percentile99(b, delays)
}

// BenchmarkFlood: b.N messages at one slow actor, beside its own speed when all are there
// already.
func BenchmarkFlood(b *testing.B) {
	const producers = 8
	for name, f := range map[string]func(sys *actor.System, to actor.Ref[slowpoke], sent *atomic.Int64, n int){
		"alone": func(sys *actor.System, to actor.Ref[slowpoke], sent *atomic.Int64, n int) {
			// Its own speed: one producer that it need not wait for, nor the other way round.
			flood.Send(sys, flooderType.Spawn(sys, flooder{to, n, sent}), actor.None{})
		},
		"actors": func(sys *actor.System, to actor.Ref[slowpoke], sent *atomic.Int64, n int) {
			for range producers {
				flood.Send(sys, flooderType.Spawn(sys, flooder{to, n / producers, sent}), actor.None{})
			}
		},
		"goroutines": func(sys *actor.System, to actor.Ref[slowpoke], _ *atomic.Int64, n int) {
			for range producers {
				release, _ := sys.Hold()
				go func() {
					defer release()
					for range n / producers {
						_ = consume.SendWait(context.Background(), sys, to, 1)
					}
				}()
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			sys := start(b, actor.Workers(2))
			var sent atomic.Int64
			f(sys, slowpokeType.Spawn(sys, slowpoke{sent: &sent}), &sent, b.N)
			quiet(b, sys)
		})
	}
}
