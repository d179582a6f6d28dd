package actortest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// latency is the range of time that functions of Pipe and Blocking take.
type latency struct {
	least, most time.Duration
	types       []string
}

// WithLatency makes every function of [actor.Pipe] and [actor.Context.Blocking] take virtual time,
// from least to most: in actors of these types, by name, or in all if there is none. Each order
// draws the time anew for each call, and how much of it passes before the function does its work:
// so a time-out may come before the function's effect, or between the effect and the result. (All
// orders of [Exhaustive] draw the same.) Time passes in [R.Advance], and at the end of the run.
//
// Of several WithLatency options the first that fits counts. To give each query its own
// time, call [actor.Sleep] in a test double instead. WithLatency panics if least is negative
// or more than most.
func WithLatency(least, most time.Duration, types ...string) Option {
	if least < 0 || least > most {
		panic(fmt.Sprintf("gallop: actortest: WithLatency(%v, %v): want 0 or more, the least first",
			least, most))
	}
	return func(c *config) {
		c.setup.latencies = append(c.setup.latencies, latency{least, most, types})
	}
}

// latency draws how long a function takes, before and after its work.
func (r *R) latency(typ, _ string) (before, after time.Duration) {
	for _, l := range r.setup.latencies {
		if len(l.types) > 0 && !slices.Contains(l.types, typ) {
			continue
		}
		if r.latencyRand == nil {
			r.latencyRand = rand.New(rand.NewPCG(r.plan.systemSeed(), 4))
		}
		whole := l.least + time.Duration(r.latencyRand.Int64N(int64(l.most-l.least)+1))
		before = time.Duration(r.latencyRand.Int64N(int64(whole) + 1))
		return before, whole - before
	}
	return 0, 0
}
