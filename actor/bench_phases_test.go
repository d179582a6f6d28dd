package actor_test

import (
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// repeated runs a function n times in an actor, one message after the other.
func repeated(sys *actor.System, n int, what func(c *actor.Context)) {
	var again deed
	again = func(_ *puppet, c *actor.Context) {
		what(c)
		if n--; n > 0 {
			do.Send(c, actor.Self[puppet](c), again)
		}
	}
	do.Send(sys, puppetType.Spawn(sys, puppet{}), again)
}

// BenchmarkComputeBehindChatter: a program with short turns, which one worker runs best, changes to
// turns of 100 µs, which two workers run in half the time. The metric is the time that the long
// turns take, divided by their time on all processors: 1 at best.
func BenchmarkComputeBehindChatter(b *testing.B) {
	const workers, actors, turns, turn = 2, 16, 100, 100 * time.Microsecond
	sys := start(b, actor.WithWorkers(workers))
	var took time.Duration
	for range b.N {
		to := puppetType.Spawn(sys, puppet{})
		for range 8 {
			repeated(sys, 500, func(c *actor.Context) {
				for range 500 {
					do.Send(c, to, func(*puppet, *actor.Context) {})
				}
			})
		}
		quiet(b, sys)
		begun := time.Now()
		for range actors {
			repeated(sys, turns, func(*actor.Context) {
				for t := time.Now(); time.Since(t) < turn; {
				}
			})
		}
		quiet(b, sys)
		took += time.Since(begun)
	}
	b.ReportMetric(float64(took*workers)/float64(b.N*actors*turns)/float64(turn), "of-the-best")
}
