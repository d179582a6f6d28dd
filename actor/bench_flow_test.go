package actor_test

import (
	"context"
	"runtime"
	"runtime/metrics"
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

// BenchmarkFanOut: what a behaviour takes that sends to 200,000 idle actors, each once, until all
// have run, for each of them.
func BenchmarkFanOut(b *testing.B) {
	sys := start(b)
	hub, many := puppetType.Spawn(sys, puppet{}), make([]actor.Ref[puppet], 200_000)
	for i := range many {
		many[i] = puppetType.Spawn(sys, puppet{})
	}
	b.ReportAllocs()
	for b.Loop() {
		do.Send(sys, hub, func(_ *puppet, c *actor.Context) {
			for _, r := range many {
				count.Send(c, r, 1)
			}
		})
		must(b, sys.Wait(context.Background()))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(many)), "ns/receiver")
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

// floodBound is how far the heap may grow in a flood. From goroutines at most 4,096
// messages of 32 bytes wait, 128 kB and their notices. From actors it is what they send
// before the receiver has had its turn and shut its gate: a thousand a behaviour, times
// eight producers and as many behaviours as fit into the time for which the machine may
// keep the receiver's thread from running, some milliseconds. Nodes are recycled, so a
// burst is paid once. The rest is the slack of the GC, which does not begin below
// 4 MB. Ten million messages that all waited would be 320 MB.
const floodBound = 64 << 20

// heapWatch samples the size of the heap until stop, and returns how far it grew.
func heapWatch() (stop func() (grown uint64)) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 { metrics.Read(sample); return sample[0].Value.Uint64() }
	runtime.GC()
	before := read()
	most, end, done := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, read())
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
	}()
	return func() uint64 { close(end); <-done; return most - before }
}

// floods are the ways in which n messages come to a slow actor. They return how many.
var floods = []struct {
	name string
	pour func(sys *actor.System, to actor.Ref[slowpoke], sent *atomic.Int64, n int) int
}{
	// Its own speed: one producer that it need not wait for, nor the other way round.
	{"alone", func(sys *actor.System, to actor.Ref[slowpoke], sent *atomic.Int64, n int) int {
		flood.Send(sys, flooderType.Spawn(sys, flooder{to, n, sent}), struct{}{})
		return n
	}},
	{"actors", func(sys *actor.System, to actor.Ref[slowpoke], sent *atomic.Int64, n int) int {
		for range 8 {
			flood.Send(sys, flooderType.Spawn(sys, flooder{to, n / 8, sent}), struct{}{})
		}
		return n / 8 * 8
	}},
	{"goroutines", func(sys *actor.System, to actor.Ref[slowpoke], _ *atomic.Int64, n int) int {
		for range 8 {
			release, _ := sys.Hold()
			go func() {
				defer release()
				for range n / 8 {
					_ = consume.SendWait(context.Background(), to, 1)
				}
			}()
		}
		return n / 8 * 8
	}},
}

// BenchmarkFlood: b.N messages at one slow actor, beside its own speed. Nothing is lost,
// and the heap stays within its bound.
func BenchmarkFlood(b *testing.B) {
	for _, f := range floods {
		b.Run(f.name, func(b *testing.B) {
			sys := start(b, actor.WithWorkers(2))
			var sent atomic.Int64
			to := slowpokeType.Spawn(sys, slowpoke{sent: &sent})
			stop := heapWatch()
			b.ResetTimer()
			n := f.pour(sys, to, &sent, b.N)
			quiet(b, sys)
			b.StopTimer()
			grown := stop()
			if ran, err := most.Ask(context.Background(), to, struct{}{}); err != nil || ran[0] != int64(n) {
				b.Fatalf("%d messages ran, want %d (%v)", ran[0], n, err)
			}
			b.ReportMetric(float64(n), "ran")
			b.ReportMetric(float64(grown)/(1<<20), "peak-MB")
			b.ReportMetric(floodBound/(1<<20), "bound-MB")
			if grown > floodBound {
				b.Errorf("the heap grew by %d kB", grown>>10)
			}
		})
	}
}
