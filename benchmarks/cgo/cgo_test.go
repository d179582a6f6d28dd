package cgo_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/benchmarks/cgo"
)

type blocker struct{ ran int }

var (
	blockerType = actor.NewType[blocker]("blocker")
	call        = actor.Declare[func(*actor.Context)](blockerType, "call")
	_           = blockerType.Table(call.Handle((*blocker).Call))
)

// Call is the behaviour.
func (b *blocker) Call(c *actor.Context, f func(*actor.Context)) {
	b.ran++
	f(c)
}

// TestCgo: "a behaviour that blocks does not take its worker's other actors with it", also in a
// call of C that sleeps, spins or is declared: enough of them to take all workers wait for one that
// is queued behind them.
func TestCgo(t *testing.T) {
	for name, c := range map[string]struct {
		n  int
		do func(*actor.Context)
	}{
		"sleeps":   {8, func(*actor.Context) { cgo.Nap() }},
		"spins":    {2, func(*actor.Context) { cgo.Spin() }},
		"declared": {8, func(c *actor.Context) { c.Blocking(cgo.Nap) }},
	} {
		t.Run(name, func(t *testing.T) {
			cgo.Reset()
			sys := actor.Start(actor.WithWorkers(2))
			for range c.n {
				call.Send(sys, blockerType.Spawn(sys, blocker{}), c.do)
			}
			call.Send(sys, blockerType.Spawn(sys, blocker{}),
				func(*actor.Context) { cgo.Release() })
			if err := sys.Shutdown(context.Background()); err != nil {
				t.Fatal(err)
			}
			if st := sys.Stats(); st.Messages != uint64(c.n)+1 {
				t.Errorf("%d messages ran, want %d", st.Messages, c.n+1)
			}
		})
	}
}

// BenchmarkDelayBesideC is how late an unrelated actor runs. Its message is sent when two of
// several calls of C have both workers ("at most 10 ms", 30 when every processor spins).
func BenchmarkDelayBesideC(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
		do   func(*actor.Context)
	}{
		{"sleeps", 4, func(*actor.Context) { cgo.Nap() }},
		{"sleeps", 100, func(*actor.Context) { cgo.Nap() }},
		{"spins", 1, func(*actor.Context) { cgo.Spin() }},
		{"spins", 2, func(*actor.Context) { cgo.Spin() }},
		{"declared", 100, func(c *actor.Context) { c.Blocking(cgo.Nap) }},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.n), func(b *testing.B) {
			var worst, sum time.Duration
			for range b.N {
				late := delayBeside(b, c.n, c.do)
				worst, sum = max(worst, late), sum+late
			}
			b.ReportMetric(float64(worst.Microseconds())/1000, "ms-worst")
			b.ReportMetric(float64(sum.Microseconds())/1000/float64(b.N), "ms-mean")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// delayBeside is one round: n actors that call C, and one that does not.
func delayBeside(b *testing.B, n int, do func(*actor.Context)) (late time.Duration) {
	cgo.Reset()
	sys := actor.Start(actor.WithWorkers(2))
	in, ran := make(chan struct{}, n), make(chan time.Time, 1)
	other := blockerType.Spawn(sys, blocker{})
	for range n {
		call.Send(sys, blockerType.Spawn(sys, blocker{}),
			func(c *actor.Context) { in <- struct{}{}; do(c) })
	}
	for range min(n, 2) {
		<-in
	}
	sent := time.Now()
	call.Send(sys, other, func(*actor.Context) { ran <- time.Now() })
	late = (<-ran).Sub(sent)
	cgo.Release()
	if err := sys.Shutdown(b.Context()); err != nil {
		b.Fatal(err)
	}
	return late
}
