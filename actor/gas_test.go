package actor_test

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// Types with different budgets for a turn.
var (
	thriftyType = actor.NewType[puppet]("thrifty", actor.WithGas(10))
	thriftyDo   = actor.Declare[deed](thriftyType, "do")
	_           = thriftyType.Table(thriftyDo.Handle((*puppet).Do))

	lavishType = actor.NewType[puppet]("lavish", actor.WithBatch(1_000), actor.WithGas(20))
	lavishDo   = actor.Declare[deed](lavishType, "do")
	_          = lavishType.Table(lavishDo.Handle((*puppet).Do))
)

// turnsOf sends an actor n messages at once, on one worker, beside a witness that sends to itself
// all the while. It returns the number of messages that ran between two turns of the witness, for
// each turn of the actor.
func turnsOf(t *testing.T, b actor.Behaviour[puppet, deed], typ *actor.Type[puppet], n int,
	each deed, opts ...actor.Option) (turns []int) {
	t.Helper()
	// Deterministic, because a real scheduler runs the witness beside an actor whose turn is long.
	sys := start(t, append(opts, actor.WithWorkers(1), actor.WithDeterministic(1))...)
	a := typ.Spawn(sys, puppet{})
	left, ran := n, 0
	var witness deed
	witness = func(_ *puppet, c *actor.Context) {
		if ran > 0 {
			turns = append(turns, ran)
		}
		if ran = 0; left > 0 {
			do.Send(c, actor.Self[puppet](c), witness)
		}
	}
	inside(t, sys, func(c *actor.Context) {
		for range n {
			b.Send(c, a, func(p *puppet, c *actor.Context) {
				left--
				ran++
				each(p, c)
			})
		}
		do.Send(c, puppetType.Spawn(c, puppet{}), witness)
	})
	quiet(t, sys)
	return turns
}

// TestGas: "a gas budget: 1 per message, more by ctx.Gas(n); a spent budget ends the turn",
// exactly, per system and per type. Without Gas only the batch counts.
func TestGas(t *testing.T) {
	gas := func(n int) deed { return func(_ *puppet, c *actor.Context) { c.Gas(n) } }
	for name, c := range map[string]struct {
		typ   *actor.Type[puppet]
		b     actor.Behaviour[puppet, deed]
		spend int
		opt   actor.Option
		want  []int
	}{
		"by type": {thriftyType, thriftyDo, 4, actor.WithGas(4000),
			[]int{2, 2, 2, 2, 2, 2}},
		"small change": {thriftyType, thriftyDo, 1, actor.WithGas(4000), []int{5, 5, 2}},
		"all at once": {thriftyType, thriftyDo, 1 << 30, actor.WithGas(4000),
			slices.Repeat([]int{1}, 12)},
		"as much as can be": {thriftyType, thriftyDo, math.MaxInt, actor.WithGas(4000),
			slices.Repeat([]int{1}, 12)},
		"by system":             {puppetType, do, 2, actor.WithGas(9), []int{3, 3, 3, 3}},
		"messages alone":        {thriftyType, thriftyDo, 0, actor.WithGas(4000), []int{10, 2}},
		"a batch above the gas": {lavishType, lavishDo, 0, actor.WithGas(4000), []int{12}},
		"by default":            {puppetType, do, 999, actor.WithGas(actor.DefaultGas), []int{4, 4, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := turnsOf(t, c.b, c.typ, 12, gas(c.spend), c.opt); !slices.Equal(got, c.want) {
				t.Errorf("messages per turn: %v, want %v", got, c.want)
			}
		})
	}
}

// TestGas_BeginsAnew: a turn does not pay for the turn before.
func TestGas_BeginsAnew(t *testing.T) {
	n := 0
	got := turnsOf(t, thriftyDo, thriftyType, 8, func(_ *puppet, c *actor.Context) {
		if n++; n%2 == 0 { // 1, 1+7, and with the third message the gas is gone
			c.Gas(7)
		}
	})
	if want := []int{3, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("messages per turn: %v, want %v", got, want)
	}
}

// TestGas_Overloads: an actor that has spent its gas with mail left is overloaded, as after a
// batch.
func TestGas_Overloads(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	a := thriftyType.Spawn(sys, puppet{})
	first, second, stay := make(chan struct{}), make(chan struct{}), make(chan struct{})
	thriftyDo.Send(sys, a, func(_ *puppet, c *actor.Context) { <-first; c.Gas(100) })
	thriftyDo.Send(sys, a, func(*puppet, *actor.Context) { close(second); <-stay })
	close(first)
	receive(t, "the second turn", second)
	wants(t, thriftyDo.TrySend(sys, a, nil), actor.ErrOverloaded)
	close(stay)
	quiet(t, sys)
	must(t, thriftyDo.TrySend(sys, a, func(*puppet, *actor.Context) {}))
	quiet(t, sys)
}

// TestShouldYield: true when "its turn has spent its gas" or "its turn has used up its slice of
// time", and false in the next turn.
func TestShouldYield(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	inside(t, sys, func(c *actor.Context) {
		equal(t, "before", c.ShouldYield(), false)
		c.Gas(actor.DefaultGas - 2)
		equal(t, "with one left", c.ShouldYield(), false)
		c.Gas(1)
		equal(t, "with none left", c.ShouldYield(), true)
	})
	inside(t, sys, func(c *actor.Context) {
		equal(t, "in the next turn", c.ShouldYield(), false)
		// It has an actor to yield to.
		do.Send(c, puppetType.Spawn(c, puppet{}), func(*puppet, *actor.Context) {})
		eventually(t, "its slice is over", c.ShouldYield)
	})
	quiet(t, sys)
}

// TestShouldYield_StopBeatsBlocking: "or the system stops". This holds within Blocking too, where
// time does not count. Otherwise Stop would wait for the function without end.
func TestShouldYield_StopBeatsBlocking(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		blocked := make(chan struct{})
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			c.Blocking(func() {
				close(blocked)
				for !c.ShouldYield() {
					runtime.Gosched()
				}
			})
		})
		receive(t, "the blocking function", blocked)
		stopped := make(chan struct{})
		go func() { sys.Stop(); close(stopped) }()
		receive(t, "the end of Stop", stopped)
	})
}

// TestYield: "The message m for b is the very next message that the running actor handles, before
// all mail in its mailbox. Other actors have their turns in between."
func TestYield(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		a := puppetType.Spawn(sys, puppet{})
		const parts = 300 // more than a batch
		var order []int
		var others atomic.Int64
		var part deed
		part = func(p *puppet, c *actor.Context) {
			order = append(order, p.n)
			if p.n++; p.n%100 == 0 {
				do.Send(c, puppetType.Spawn(c, puppet{}), func(*puppet, *actor.Context) { others.Add(1) })
			}
			if p.n < parts {
				actor.Yield(c, do, part)
			}
		}
		inside(t, sys, func(c *actor.Context) {
			do.Send(c, a, part)
			for i := range 250 {
				do.Send(c, a, func(*puppet, *actor.Context) { order = append(order, parts+i) })
			}
		})
		quiet(t, sys)
		equal(t, "messages that ran", len(order), parts+250)
		if !slices.IsSorted(order) {
			t.Error("mail ran before the continuation")
		}
		equal(t, "others", others.Load(), 3)
		equal(t, "messages counted", int(sys.Stats().Messages), parts+250+3+1)
	})
}

// TestYield_LetsOthersRun: on one worker, an actor that was queued before runs between two parts of
// a computation.
func TestYield_LetsOthersRun(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	var ran, seen bool
	inside(t, sys, func(c *actor.Context) {
		do.Send(c, puppetType.Spawn(c, puppet{}), func(_ *puppet, c *actor.Context) {
			actor.Yield(c, do, func(*puppet, *actor.Context) { seen = ran })
		})
		do.Send(c, puppetType.Spawn(c, puppet{}), func(*puppet, *actor.Context) { ran = true })
	})
	quiet(t, sys)
	equal(t, "the other ran in between", seen, true)
}

// TestYield_Ends: "m runs exactly once, or becomes a dead letter if the actor ends before".
func TestYield_Ends(t *testing.T) {
	for name, end := range map[string]func(c *actor.Context){
		"stops":  func(c *actor.Context) { c.Stop() },
		"panics": func(*actor.Context) { panic("end") },
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(1), dead.option())
			a := puppetType.Spawn(sys, puppet{})
			inside(t, sys, func(c *actor.Context) {
				do.Send(c, a, func(_ *puppet, c *actor.Context) {
					actor.Yield(c, count, 7)
					end(c)
				})
			})
			quiet(t, sys)
			equal(t, "dead letters", dead.n.Load(), 1)
			if d := dead.last.Load(); d.Message != 7 || d.From != a.ID() {
				t.Errorf("%+v", *d)
			}
		})
	}
}

// TestYield_Muted: an actor that yields and is muted runs the yielded message after it was unmuted.
func TestYield_Muted(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	o := overload(t, sys)
	var order []int
	m := muteOn(t, sys, func(c *actor.Context) {
		slowDo.Send(c, o.ref, func(*puppet, *actor.Context) {})
		actor.Yield(c, do, func(*puppet, *actor.Context) { order = append(order, 1) })
	})
	do.Send(sys, m, func(*puppet, *actor.Context) { order = append(order, 2) })
	o.release()
	allUnmuted(t, sys)
	equal(t, "in order", slices.Equal(order, []int{1, 2}), true)
}

// TestMisuse_OfGas: each misuse panics at the faulty call.
func TestMisuse_OfGas(t *testing.T) {
	panics(t, "WithGas(0)", func() { actor.NewType[int]("x", actor.WithGas(0)) })
	panics(t, "WithGas(0)", func() { actor.Start(actor.WithGas(0)) })
	sys := start(t, actor.WithWorkers(1))
	inside(t, sys, func(c *actor.Context) {
		panics(t, "Gas(-1)", func() { c.Gas(-1) })
		panics(t, "not a behaviour of", func() { actor.Yield(c, slowDo, nil) })
		actor.Yield(c, count, 1)
		panics(t, "called twice", func() { actor.Yield(c, count, 1) })
	})
}
