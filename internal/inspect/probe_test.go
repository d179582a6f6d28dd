package inspect_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// A type of its own, so that its tables are in nobody's hands.
var (
	probedType = actor.NewType[doll]("probed")
	hear       = actor.Declare[int](probedType, "hear")
	turn       = actor.Declare[bool](probedType, "turn")
	ask        = actor.DeclareAsk[int, int](probedType, "ask")
	_          = probedType.Table(
		hear.Handle(func(d *doll, _ *actor.Context, n int) { d.n += n }),
		turn.Handle(func(_ *doll, c *actor.Context, on bool) {
			if on {
				actor.Become(c, doubled)
			} else {
				actor.Unbecome(c)
			}
		}),
		ask.Handle(func(d *doll, _ *actor.Context, n int) (int, error) { return d.n + n, nil }))
	doubled = probedType.Variant(
		hear.Handle(func(d *doll, _ *actor.Context, n int) { d.n += 2 * n }))
)

// TestCount: messages that run while they are counted are counted, by behaviour and by origin.
// Messages of other systems, and earlier or later ones, are not. The messages run as usual.
func TestCount(t *testing.T) {
	for name, opts := range map[string][]actor.Option{
		"workers":       nil,
		"deterministic": {actor.WithDeterministic(1)},
		"intercepted": {actor.WithInterceptor(actor.Interceptor{
			Before: func(*actor.Context, *actor.Invocation) error { return nil }})},
	} {
		t.Run(name, func(t *testing.T) {
			sys, other := start(t, opts...), start(t)
			r, apart := probedType.Spawn(sys, doll{}), probedType.Spawn(other, doll{})
			send := func() {
				for range 10 {
					hear.Send(sys, r, 1)
					hear.Send(other, apart, 1)
				}
				quiet(t, sys)
				quiet(t, other)
			}
			send()
			k := inspect.Count(sys, "probed")
			send()
			turn.Send(sys, r, true) // a variant that was not known when it began
			send()
			second := inspect.Count(sys) // one that is known, and of all types
			sender := dollType.Spawn(sys, doll{})
			do.Send(sys, sender, func(_ *doll, c *actor.Context) { hear.Send(c, r, 1) })
			quiet(t, sys)
			k.Stop()
			k.Stop()
			send()
			second.Stop()
			send()
			n, err := ask.Ask(soon(t), r, 0)
			equal(t, "error", err, nil)
			equal(t, "the state", n, 10+10+20+2+20+20)
			equal(t, "counts", fmt.Sprint(k.Ran()), "[{probed hear 21 20} {probed turn 1 1}]")
			equal(t, "the second's", fmt.Sprint(second.Ran()), "[{doll do 1 1} {probed hear 11 10}]")
		})
	}
}

// TestAround: a probe is called around each behaviour, on the way in and on the way out, and sees
// who has sent and whether a caller waits; for types as well whose first actor comes later.
func TestAround(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	var seen []string
	stop := inspect.Around(sys, inspect.Probe{
		Before: func(c *actor.Context, m inspect.Message) {
			seen = append(seen, fmt.Sprint("in ", m.Behaviour, m.From, m.Request, c.ActorID()))
		},
		After: func(_ *actor.Context, m inspect.Message) { seen = append(seen, "out "+m.Behaviour) },
	}, "probed")
	r := probedType.Spawn(sys, doll{})
	if _, err := ask.Ask(soon(t), r, 1); err != nil {
		t.Fatal(err)
	}
	hear.Send(sys, r, 1)
	quiet(t, sys)
	stop()
	hear.Send(sys, r, 1)
	quiet(t, sys)
	want := []string{fmt.Sprint("in ask", 0, true, r.ID()), "out ask",
		fmt.Sprint("in hear", 0, false, r.ID()), "out hear"}
	if !slices.Equal(seen, want) {
		t.Errorf("%q, want %q", seen, want)
	}
}

// TestAround_Running: tables are exchanged while messages fly, again and again, on all workers,
// and no message is lost, run twice, or seen by a probe that has stopped and come to rest.
func TestAround_Running(t *testing.T) {
	sys := start(t)
	const actors, rounds = 8, 20_000
	var all [actors]actor.Ref[doll]
	for i := range all {
		all[i] = probedType.Spawn(sys, doll{})
		sender := dollType.Spawn(sys, doll{})
		do.Send(sys, sender, func(_ *doll, c *actor.Context) {
			for range rounds {
				hear.Send(c, all[i], 1)
			}
		})
	}
	seen := uint64(0)
	for sys.Stats().Messages < actors*(rounds+1) {
		k := inspect.Count(sys)
		second := inspect.Count(sys, "probed")
		inspect.Workers(sys)
		k.Stop()
		second.Stop()
		for _, r := range k.Ran() {
			seen += r.Messages
		}
	}
	quiet(t, sys)
	for i, r := range all {
		n, err := ask.Ask(soon(t), r, 0)
		if err != nil || n != rounds {
			t.Errorf("actor %d has run %d messages: %v", i, n, err)
		}
	}
	if seen > actors*rounds+actors {
		t.Errorf("%d messages were seen, of %d", seen, actors*rounds)
	}
	t.Logf("%d messages were seen", seen)
}

// BenchmarkAround compares a message of a type that was never probed, one that is counted, and one
// that is probed no more.
func BenchmarkAround(b *testing.B) {
	sys := start(b)
	r := probedType.Spawn(sys, doll{})
	sender := dollType.Spawn(sys, doll{})
	run := func(b *testing.B) {
		for left := b.N; left > 0; left -= 1000 {
			in(b, sender, func(_ *doll, c *actor.Context) {
				for range min(left, 1000) {
					hear.Send(c, r, 1)
				}
			})
		}
		quiet(b, sys)
	}
	b.Run("before", run)
	k := inspect.Count(sys, "probed")
	b.Run("counted", run)
	k.Stop()
	b.Run("after", run)
}
