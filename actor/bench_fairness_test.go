package actor_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

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

// BenchmarkFairness: one actor floods itself, and another one sends each of 10,000 actors a message
// at a fixed interval, a hundred messages in one behaviour. The metrics are the delay of a message
// and the number of messages in a millisecond. If the processors are too slow for the interval, the
// sender has its turns as late as all others: it sends less, and no actor waits longer. If they are
// fast enough, the sender is a second actor that floods itself: it looks at the clock, turn after
// turn, until the next messages are due.
func BenchmarkFairness(b *testing.B) {
	for _, workers := range []int{1, 2} {
		for _, every := range []time.Duration{100 * time.Millisecond, 10 * time.Millisecond,
			5 * time.Millisecond, time.Millisecond} {
			b.Run(fmt.Sprintf("workers=%d/each-in-%v", workers, every), func(b *testing.B) {
				benchFairness(b, workers, every)
			})
		}
	}
}

const (
	crowd   = 10_000 // actors besides the flooding one
	salvo   = 100    // messages sent in one behaviour
	sampled = 16     // one message in 16 is timed
)

// listener runs messages and times some of them.
type listener struct{ census *census }

var (
	listenerType = actor.NewType[listener]("listener")
	hear         = actor.Declare[time.Duration](listenerType, "hear")
	_            = listenerType.Table(hear.Handle((*listener).hear))
)

func (l *listener) hear(_ *actor.Context, sent time.Duration) {
	if sent != 0 {
		l.census.delays[l.census.next.Add(1)-1] = time.Since(l.census.begun) - sent
	}
}

// census is shared by all listeners.
type census struct {
	begun  time.Time
	delays []time.Duration
	next   atomic.Int64
}

// herald sends to all listeners in turn, as many messages as are due.
type herald struct {
	crowd []actor.Ref[listener]
	begun time.Time
	each  time.Duration // the time for one message
	sent  int
	total int
}

var (
	heraldType = actor.NewType[herald]("herald")
	goOn       = actor.Declare[struct{}](heraldType, "goOn")
	_          = heraldType.Table(goOn.Handle((*herald).goOn))
)

func (h *herald) goOn(c *actor.Context, _ struct{}) {
	now := time.Since(h.begun)
	for range min(salvo, int(now/h.each)-h.sent, h.total-h.sent) {
		stamp := time.Duration(0)
		if h.sent%sampled == 0 {
			stamp = now
		}
		hear.Send(c, h.crowd[h.sent%crowd], stamp)
		h.sent++
	}
	if h.sent < h.total {
		goOn.Send(c, actor.Self[herald](c), struct{}{})
	}
}

func benchFairness(b *testing.B, workers int, every time.Duration) {
	sys := start(b, actor.WithWorkers(workers))
	var stop atomic.Bool
	selfFlood(sys, &stop)
	all := &census{delays: make([]time.Duration, b.N/sampled+1)}
	h := herald{each: every / crowd, total: b.N}
	for range crowd {
		h.crowd = append(h.crowd, listenerType.Spawn(sys, listener{all}))
	}
	b.ResetTimer()
	all.begun = time.Now()
	h.begun = all.begun
	goOn.Send(sys, heraldType.Spawn(sys, h), struct{}{})
	want := (b.N + sampled - 1) / sampled
	for tick := time.Tick(time.Millisecond); int(all.next.Load()) < want; {
		<-tick
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/1000/b.Elapsed().Seconds(), "sent/ms")
	stop.Store(true)
	quiet(b, sys)
	percentile99(b, all.delays[:want])
}
