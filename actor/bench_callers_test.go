package actor_test

import (
	"slices"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// quickEnds has the ends of an actor after which the delay of a requester is measured: from the ask
// or, if the request is in the mailbox before the end, from the end.
var quickEnds = []struct {
	name  string
	spawn func(testing.TB, *actor.System) (actor.Ref[mortal], func())
	do    act
}{
	{"Panic", func(_ testing.TB, sys *actor.System) (actor.Ref[mortal], func()) {
		return mortalType.Spawn(sys, mortal{}), nil
	}, func(*mortal, *actor.Context) { panic(errUser) }},
	{"Stopped", func(b testing.TB, sys *actor.System) (actor.Ref[mortal], func()) {
		r := mortalType.Spawn(sys, mortal{})
		must(b, actor.StopWait(b.Context(), r))
		return r, nil
	}, nothing},
	{"NeverStarted", func(_ testing.TB, sys *actor.System) (actor.Ref[mortal], func()) {
		return mortalType.Spawn(sys, mortal{onStart: func(*mortal, *actor.Context) error {
			return errUser
		}}), nil
	}, nothing},
	{"KilledInTheMailbox", func(b testing.TB, sys *actor.System) (actor.Ref[mortal], func()) {
		r, release := busy(b, sys, mortal{})
		return r, func() { actor.Kill(sys, r); release() }
	}, nothing},
}

// BenchmarkCallers measures the time until a requester that gets no answer gets the error, as
// median and 99th percentile: "at once (under 1 ms)".
func BenchmarkCallers(b *testing.B) {
	for _, e := range quickEnds {
		for _, within := range []bool{false, true} {
			b.Run(e.name+map[bool]string{false: "/Ask", true: "/AskTo"}[within], func(b *testing.B) {
				sys := start(b, actor.WithWorkers(2),
					actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}), actor.WithHooks(
						actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))
				got := make(chan error, 1)
				from := requesterType.Spawn(sys, requester{got})
				delays := make([]time.Duration, 0, b.N)
				for b.Loop() {
					r, end := e.spawn(b, sys)
					delays = append(delays, askUnanswered(b, sys, from, r, e.do, end, got, within))
				}
				slices.Sort(delays)
				b.ReportMetric(float64(delays[len(delays)/2].Nanoseconds())/1000, "µs-median")
				b.ReportMetric(float64(delays[len(delays)*99/100].Nanoseconds())/1000, "µs-p99")
			})
		}
	}
}

// askUnanswered asks in one of two ways and returns the time until the outcome came.
func askUnanswered(b *testing.B, sys *actor.System, from actor.Ref[requester], r actor.Ref[mortal],
	f act, end func(), got chan error, within bool) time.Duration {
	sent := make(chan struct{}, 1)
	began := time.Now()
	if within {
		requesterGo.Send(sys, from, func(c *actor.Context) {
			began = time.Now()
			actor.AskTo(c, fetchIn, r, f, requesterHears)
			sent <- struct{}{}
		})
	} else {
		go func() { _, err := fetchIn.Ask(b.Context(), r, f); got <- err }()
		sent <- struct{}{}
	}
	if end != nil {
		<-sent
		began = time.Now()
		end()
	}
	err := <-got
	took := time.Since(began)
	if err == nil {
		b.Fatal("it was answered")
	}
	return took
}
