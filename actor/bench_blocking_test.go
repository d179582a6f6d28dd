package actor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// blocker keeps its worker in one of several ways.
type blocker struct{ in chan<- struct{} }

func (b *blocker) enter() {
	select {
	case b.in <- struct{}{}:
	default: // the benchmark does not count
	}
}

var (
	blockerType = actor.NewType[blocker]("blocker")
	sleepFor    = actor.Declare[time.Duration](blockerType, "sleep")
	declaredFor = actor.Declare[time.Duration](blockerType, "declared")
	spinFor     = actor.Declare[time.Duration](blockerType, "spin")
	stampTime   = actor.Declare[chan time.Time](blockerType, "stamp")
	_           = blockerType.Table(sleepFor.Handle((*blocker).Sleep),
		declaredFor.Handle((*blocker).Declared),
		spinFor.Handle((*blocker).Spin), stampTime.Handle((*blocker).Stamp))
)

func (b *blocker) Sleep(_ *actor.Context, d time.Duration) {
	b.enter()
	time.Sleep(d) // the behaviour has to block
}

func (b *blocker) Declared(c *actor.Context, d time.Duration) {
	b.enter()
	c.Blocking(func() { time.Sleep(d) }) // the behaviour has to block
}

func (b *blocker) Spin(_ *actor.Context, d time.Duration) {
	b.enter()
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

func (*blocker) Stamp(_ *actor.Context, at chan time.Time) { at <- time.Now() }

// BenchmarkContextBlocking measures a call of Blocking when no other actor waits.
func BenchmarkContextBlocking(b *testing.B) {
	b.ReportAllocs()
	sys := start(b, actor.WithWorkers(2))
	guestDo.Send(sys, guestType.Spawn(sys, guest{}), func(c *actor.Context) {
		for range b.N {
			c.Blocking(func() {})
		}
	})
	quiet(b, sys)
}

// BenchmarkDelayBesideBlocked measures the delay of an unrelated actor whose message is sent right
// after messages to actors that block: "at most 10 ms", 50 ms with a thousand of them, and 30 ms
// when every processor spins.
func BenchmarkDelayBesideBlocked(b *testing.B) {
	for _, c := range []struct {
		name string
		how  actor.Behaviour[blocker, time.Duration]
		n    int
		d    time.Duration
	}{
		{"sleep", sleepFor, 4, 2 * time.Second},
		{"sleep", sleepFor, 1000, 2 * time.Second},
		{"declared", declaredFor, 4, 100 * time.Millisecond},
		{"declared", declaredFor, 1000, 100 * time.Millisecond},
		{"spin", spinFor, 1, 100 * time.Millisecond},
		{"spin", spinFor, 2, 100 * time.Millisecond},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.n), func(b *testing.B) {
			var worst, sum time.Duration
			for range b.N {
				sys := actor.Start(actor.WithWorkers(2))
				in := make(chan struct{}, min(c.n, 2))
				refs := make([]actor.Ref[blocker], c.n+1)
				for i := range refs {
					refs[i] = blockerType.Spawn(sys, blocker{in})
				}
				at := make(chan time.Time, 1)
				for _, r := range refs[1:] {
					c.how.Send(sys, r, c.d)
				}
				for range cap(in) { // every worker is in a behaviour that blocks
					<-in
				}
				sent := time.Now()
				stampTime.Send(sys, refs[0], at)
				late := (<-at).Sub(sent)
				worst, sum = max(worst, late), sum+late
				if err := sys.Shutdown(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(worst.Microseconds())/1000, "ms-worst")
			b.ReportMetric(float64(sum.Microseconds())/1000/float64(b.N), "ms-mean")
			b.ReportMetric(0, "ns/op")
		})
	}
}
