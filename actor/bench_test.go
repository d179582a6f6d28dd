package actor_test

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// percentiles reports the median and the 99th percentile of some times.
func percentiles(b *testing.B, times []time.Duration, what string) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, what+"-median-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, what+"-p99-µs")
}

// BenchmarkIdleToRun: "A message from outside to an idle runtime runs within 50 µs at the median".
// A worker that has just run out of work yields for a moment before it parks, and gets the message
// of a sender that sends at once ("lingering"). In "parked" nothing happens in the process any
// more.
func BenchmarkIdleToRun(b *testing.B) {
	b.Run("lingering", func(b *testing.B) { benchmarkIdleToRun(b, func(*actor.System) {}) })
	b.Run("parked", func(b *testing.B) {
		benchmarkIdleToRun(b, func(sys *actor.System) {
			for !parked(sys) {
				runtime.Gosched()
			}
			time.Sleep(time.Millisecond) // Go's own threads sleep some 50 µs after the workers
		})
	})
}

func benchmarkIdleToRun(b *testing.B, rest func(*actor.System)) {
	sys := start(b)
	r := puppetType.Spawn(sys, puppet{})
	ran := make(chan time.Time, 1)
	f := func(*puppet, *actor.Context) { ran <- time.Now() }
	ctx := context.Background()
	var times []time.Duration
	for b.Loop() {
		must(b, sys.Wait(ctx))
		rest(sys)
		sent := time.Now()
		do.Send(sys, r, f)
		times = append(times, (<-ran).Sub(sent))
	}
	percentiles(b, times, "latency")
}

// parked reports whether all workers sleep: each has announced it, and no goroutine of the process
// runs or could run, except for the caller.
func parked(sys *actor.System) bool {
	for _, w := range sys.Stats().Workers {
		if w.Turns > 0 && w.Parks == w.Wakes {
			return false
		}
	}
	at := []metrics.Sample{{Name: "/sched/goroutines/running:goroutines"},
		{Name: "/sched/goroutines/runnable:goroutines"}}
	metrics.Read(at)
	return at[0].Value.Uint64()+at[1].Value.Uint64() <= 1
}

// BenchmarkStartRunShutdown: "starting a system, running one message and shutting
// down takes under 100 µs at the median".
func BenchmarkStartRunShutdown(b *testing.B) {
	ctx := context.Background()
	var times []time.Duration
	for b.Loop() {
		begin := time.Now()
		sys := actor.Start()
		count.Send(sys, puppetType.Spawn(sys, puppet{}), 1)
		must(b, sys.Shutdown(ctx))
		times = append(times, time.Since(begin))
	}
	percentiles(b, times, "cycle")
}

// BenchmarkSleeperBesideSaturatedWorkers (S11) measures the delay of a goroutine that sleeps for
// 1 ms while all workers are busy. The median has to be under 1 ms.
func BenchmarkSleeperBesideSaturatedWorkers(b *testing.B) {
	sys := saturated(b)
	var times []time.Duration
	for b.Loop() {
		begin := time.Now()
		time.Sleep(time.Millisecond) // its delay is measured
		times = append(times, time.Since(begin)-time.Millisecond)
	}
	percentiles(b, times, "oversleep")
	sys.Stop()
}

// BenchmarkRequestBesideSaturatedWorkers (S11) measures the round trip of a request to a server in
// the same process, over the loopback network, while all workers are busy. The median has to be
// under 1 ms.
func BenchmarkRequestBesideSaturatedWorkers(b *testing.B) {
	ln, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		conn, err := ln.Accept()
		if err == nil {
			_, err = io.Copy(conn, conn)
		}
		served <- err
	}()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	sys := saturated(b)
	var times []time.Duration
	buf := make([]byte, 1)
	for b.Loop() {
		time.Sleep(time.Millisecond) // or the goroutine of the last answer takes the next request
		begin := time.Now()
		if _, err := client.Write(buf); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(client, buf); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begin))
	}
	percentiles(b, times, "request")
	sys.Stop()
	client.Close()
	if err := errors.Join(<-served, ln.Close()); err != nil {
		b.Error(err)
	}
}

// saturated returns a system with actors that keep all workers busy.
func saturated(b *testing.B) *actor.System {
	sys := start(b)
	var spin deed
	spin = func(p *puppet, c *actor.Context) { do.Send(c, actor.Self[puppet](c), spin) }
	for range 4 * sys.Workers() {
		do.Send(sys, puppetType.Spawn(sys, puppet{}), spin)
	}
	return sys
}

// BenchmarkSpawn measures a spawn from inside with the first message of the actor.
func BenchmarkSpawn(b *testing.B) {
	sys := start(b)
	b.ReportAllocs()
	n := b.N
	inside(b, sys, func(c *actor.Context) {
		for range n {
			count.Send(c, puppetType.Spawn(c, puppet{}), 1)
		}
	})
	quiet(b, sys)
}
