package actor_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// delays returns the delays of the timers of a benchmark: up to a second, as time-outs have.
func delays(n int) []time.Duration {
	r := rand.New(rand.NewPCG(1, 2))
	d := make([]time.Duration, n)
	for i := range d {
		d[i] = time.Duration(r.IntN(int(time.Second)))
	}
	return d
}

const manyTimers = 1 << 20

// BenchmarkTimer_ArmFire: 64 actors arm a million timers of one second, and they fire. An op is
// both, for one timer.
func BenchmarkTimer_ArmFire(b *testing.B) {
	clock := actor.NewVirtualClock(time.Unix(0, 0))
	sys := start(b, actor.WithClock(clock))
	d := delays(manyTimers)
	all := make([]actor.Ref[puppet], 64)
	for i := range all {
		all[i] = puppetType.Spawn(sys, puppet{})
	}
	for range max(1, b.N/manyTimers) {
		for i, p := range all {
			do.Send(sys, p, func(_ *puppet, c *actor.Context) {
				for _, d := range d[i*manyTimers/64 : (i+1)*manyTimers/64] {
					actor.After(c, d, count, 1)
				}
			})
		}
		quiet(b, sys)
		clock.Jump(time.Second)
		quiet(b, sys)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(1, b.N/manyTimers)*manyTimers),
		"ns/timer")
}

// BenchmarkTimer_AfterFunc: the same with Go's timers. 64 goroutines arm them, in less time than
// the shortest takes, and then they fire.
func BenchmarkTimer_AfterFunc(b *testing.B) {
	d := delays(manyTimers)
	for range max(1, b.N/manyTimers) {
		var armed, fired sync.WaitGroup
		fired.Add(manyTimers)
		began := time.Now()
		for i := range 64 {
			armed.Go(func() {
				for _, d := range d[i*manyTimers/64 : (i+1)*manyTimers/64] {
					time.AfterFunc(2*time.Second+d/1000, fired.Done)
				}
			})
		}
		armed.Wait()
		b.StopTimer()
		// Nothing happens meanwhile, so this time is not measured.
		time.Sleep(2*time.Second - time.Since(began))
		b.StartTimer()
		fired.Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(1, b.N/manyTimers)*manyTimers),
		"ns/timer")
}

// BenchmarkTimer_ArmCancel: a time-out is canceled in time, as most are, while a hundred thousand
// others are armed.
func BenchmarkTimer_ArmCancel(b *testing.B) {
	sys := start(b, actor.WithClock(actor.NewVirtualClock(time.Unix(0, 0))))
	inside(b, sys, func(c *actor.Context) {
		for i := range 100_000 {
			actor.After(c, time.Minute+time.Duration(i), count, 1)
		}
		b.ResetTimer()
		for range b.N {
			actor.After(c, time.Second, count, 1).Cancel(c)
		}
	})
}

// BenchmarkTimer_ArmCancelAfterFunc: the same with Go's timers.
func BenchmarkTimer_ArmCancelAfterFunc(b *testing.B) {
	for i := range 100_000 {
		defer time.AfterFunc(time.Minute+time.Duration(i), func() {}).Stop()
	}
	for b.Loop() {
		time.AfterFunc(time.Second, func() {}).Stop()
	}
}

// BenchmarkTimer_StopOfMany: the cost of the end of a system with a million armed timers.
func BenchmarkTimer_StopOfMany(b *testing.B) {
	d := delays(manyTimers)
	for b.Loop() {
		b.StopTimer()
		sys := actor.Start(actor.WithClock(actor.NewVirtualClock(time.Unix(0, 0))))
		inside(b, sys, func(c *actor.Context) {
			for _, d := range d {
				actor.After(c, d, count, 1)
			}
		})
		b.StartTimer()
		sys.Stop()
	}
}

// BenchmarkTimer_ArmFireOne: one timer at a time on the machine's clock, from arming to its
// behaviour. It is due at once.
func BenchmarkTimer_ArmFireOne(b *testing.B) {
	sys := start(b)
	left := b.N
	var again deed
	again = func(_ *puppet, c *actor.Context) {
		if left--; left > 0 {
			actor.After(c, 0, do, again)
		}
	}
	b.ResetTimer()
	do.Send(sys, puppetType.Spawn(sys, puppet{}), again)
	if err := sys.Wait(context.Background()); err != nil {
		b.Fatal(err)
	}
}
