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

// BenchmarkFanOut measures the time from a behaviour that sends a message to each of 200,000 idle
// actors until all have run, divided by the number of actors.
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

// BenchmarkOutsideUnderLoad measures the delay of a message from outside while 64 actors flood
// themselves.
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

// floodBound is the limit for the growth of the heap in a flood. At most 4,096 messages from
// goroutines wait, of 32 bytes each: 128 kB and their notices. Actors send until the receiver has
// had its turn and has shut its gate: a thousand messages a behaviour, from eight producers, for
// the milliseconds in which the machine may keep the receiver's thread from running. Nodes are
// recycled, so later bursts need no more memory. The rest is the slack of the GC, which does not
// begin below 4 MB. Ten million waiting messages would need 320 MB.
const floodBound = 64 << 20

// heapWatch samples the size of the heap until stop is called, which returns the growth.
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

// floods has the ways in which n messages come to a slow actor. Each returns the number of
// messages.
var floods = []struct {
	name string
	pour func(sys *actor.System, to actor.Ref[slowpoke], sent *atomic.Int64, n int) int
}{
	// The speed of the receiver alone: neither it nor its one producer waits for the other.
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

// BenchmarkFlood sends b.N messages to one slow actor, and reports its speed beside its speed
// alone. No message is lost, and the growth of the heap stays within floodBound.
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
