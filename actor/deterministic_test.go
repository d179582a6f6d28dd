package actor_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// stroller sends a number on to others, at random.
type stroller struct{ others []actor.Ref[stroller] }

var (
	strollerType = actor.NewType[stroller]("stroller")
	strollOn     = actor.Declare[int](strollerType, "stroll")
	strollMeet   = actor.Declare[[]actor.Ref[stroller]](strollerType, "meet")
	strollCount  = actor.DeclareAsk[int, int](strollerType, "count")
	_            = strollerType.Table(strollOn.Handle((*stroller).stroll),
		strollMeet.Handle((*stroller).meet), strollCount.Handle((*stroller).count))
)

func (w *stroller) meet(_ *actor.Context, others []actor.Ref[stroller]) { w.others = others }

func (w *stroller) stroll(c *actor.Context, left int) {
	for range 2 {
		if left > 0 {
			strollOn.Send(c, w.others[c.Rand().Uint64()%uint64(len(w.others))], left-1)
		}
	}
}

func (w *stroller) count(c *actor.Context, left int) (int, error) {
	if left == 0 {
		return 1, nil
	}
	n, err := strollCount.Ask(context.Background(), w.others[0], left-1)
	return n + 1, err
}

// strolls runs strollers in a system of their own and returns the events in order.
func strolls(t testing.TB, opts ...actor.Option) string {
	var trace strings.Builder
	h := &sim.Hooks{Event: func(e sim.Event) {
		fmt.Fprintf(&trace, "%d w%d %s#%d.%s from %d\n", e.Kind, e.Worker, e.Type, e.Actor, e.Behaviour,
			e.From)
	}}
	sys := start(t, append([]actor.Option{actor.Simulated(h)}, opts...)...)
	refs := make([]actor.Ref[stroller], 5)
	for i := range refs {
		refs[i] = strollerType.Spawn(sys, stroller{})
	}
	for _, r := range refs {
		strollMeet.Send(sys, r, refs)
	}
	strollOn.Send(sys, refs[0], 6)
	quiet(t, sys)
	st, counts := sys.Stats(), sys.SimCounts()
	equal(t, "messages sent", counts.Sent, st.Messages+st.DeadLetters)
	equal(t, "messages", st.Messages, 5+127)
	must(t, sys.Shutdown(context.Background()))
	return trace.String()
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// TestDeterministic_SeedAlone: "the seed n alone decides the order of the steps and all other
// random choices". WithRandSeed has no effect, before WithDeterministic or after it.
func TestDeterministic_SeedAlone(t *testing.T) {
	run := func(opts ...actor.Option) string {
		sys := start(t, opts...)
		var trace strings.Builder
		var all []actor.Ref[puppet]
		var step func(left int) deed
		step = func(left int) deed {
			return func(_ *puppet, c *actor.Context) {
				fmt.Fprintln(&trace, left, c.ActorID(), c.Rand().Uint64())
				for _, r := range all {
					if left > 0 {
						do.Send(c, r, step(left-1))
					}
				}
			}
		}
		for range 4 {
			all = append(all, puppetType.Spawn(sys, puppet{}))
		}
		do.Send(sys, all[0], step(3))
		quiet(t, sys)
		return trace.String()
	}
	want := run(actor.WithDeterministic(7))
	for name, opts := range map[string][]actor.Option{
		"before": {actor.WithRandSeed(5), actor.WithDeterministic(7)},
		"behind": {actor.WithDeterministic(7), actor.WithRandSeed(5)},
		"twice":  {actor.WithDeterministic(5), actor.WithDeterministic(7)},
	} {
		if run(opts...) != want {
			t.Errorf("another run with another option %s", name)
		}
	}
}

// TestDeterministic_SameSeedSameOrder: "The same seed gives the same order on any machine".
func TestDeterministic_SameSeedSameOrder(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(8) {
		a, b := strolls(t, actor.WithDeterministic(seed)), strolls(t, actor.WithDeterministic(seed))
		if a != b {
			t.Fatalf("seed %d:\n%s\nand then\n%s", seed, a, b)
		}
		seen[a] = true
	}
	equal(t, "orders under 8 seeds", len(seen), 8)
	equal(t, "hash", hashOf(strolls(t, actor.WithDeterministic(1))), 13853863487134324725)
}

func ExampleWithDeterministic() {
	order := func(seed uint64) (names []int) {
		sys := actor.Start(actor.WithDeterministic(seed))
		for i := range 5 {
			do.Send(sys, puppetType.Spawn(sys, puppet{}), func(*puppet, *actor.Context) {
				names = append(names, i)
			})
		}
		_ = sys.Run()
		return names
	}
	fmt.Println(order(1), order(1), order(2))
	// Output:
	// [1 0 2 4 3] [1 0 2 4 3] [0 2 1 3 4]
}

// TestDeterministic_TimeJumps: "When no actor can go on, it jumps to the next timer".
func TestDeterministic_TimeJumps(t *testing.T) {
	sys := start(t, actor.WithDeterministic(1))
	var passed time.Duration
	inside := func(_ *puppet, c *actor.Context) {
		began := c.Now()
		actor.After(c, time.Hour, do, func(_ *puppet, c *actor.Context) { passed = c.Now().Sub(began) })
	}
	do.Send(sys, puppetType.Spawn(sys, puppet{}), inside)
	quiet(t, sys)
	equal(t, "time that has passed", passed, time.Hour)
}

// TestDeterministic_AskInABehaviour: a behaviour that waits for a reply stops only its worker, and
// no other actor. Blocking and functions of Pipe take their turns.
func TestDeterministic_AskInABehaviour(t *testing.T) {
	for seed := range uint64(20) {
		sys := start(t, actor.WithDeterministic(seed))
		refs := []actor.Ref[stroller]{strollerType.Spawn(sys, stroller{}),
			strollerType.Spawn(sys, stroller{})}
		strollMeet.Send(sys, refs[0], refs[1:])
		n, err := strollCount.Ask(context.Background(), refs[0], 1)
		must(t, err)
		equal(t, "hops", n, 2)
		must(t, sys.Run())
	}
}

// TestDeterministic_TimeBesideAsk: time passes while a behaviour waits for a reply that only time
// can bring, also if it has made an actor runnable before.
func TestDeterministic_TimeBesideAsk(t *testing.T) {
	for _, workers := range []int{1, 4} {
		sys, clock := onVirtualTime(t, actor.WithDeterministic(1), actor.WithWorkers(workers))
		bell := puppetType.Spawn(sys, puppet{})
		do.Send(sys, bell, func(_ *puppet, c *actor.Context) { actor.After(c, time.Second, count, 1) })
		quiet(t, sys)
		var got any
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			count.Send(c, puppetType.Spawn(c, puppet{}), 1)
			got, _ = try.Ask(context.Background(), bell, func(p *puppet, c *actor.Context) (any, error) {
				if p.n == 0 {
					return try.Stash(c, func(p *puppet, _ *actor.Context) (any, error) { return p.n, nil })
				}
				return p.n, nil
			})
		})
		do.Send(sys, bell, func(_ *puppet, c *actor.Context) {
			actor.After(c, 2*time.Second, do, func(_ *puppet, c *actor.Context) { actor.UnstashAll(c) })
		})
		advance(t, clock, 3*time.Second)
		equal(t, "reply", got, any(1))
	}
}
