package actor_test

import (
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/actor"
)

var (
	tideType = actor.NewType[puppet]("tide", actor.WithWatermarks(10, 3), actor.WithBatch(2))
	tideDo   = actor.Declare[deed](tideType, "do")
	_        = tideType.Table(tideDo.Handle((*puppet).Do))
)

func noop(*puppet, *actor.Context) {}

// TestWatermarks: an actor is overloaded from high on, until no more than low messages are left,
// for any batch. The actor runs two messages a turn, and the test looks at it between two turns.
func TestWatermarks(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	a := tideType.Spawn(sys, puppet{})
	for range 3 { // idle in between, so that each count begins anew
		steps, done := make(chan struct{}), make(chan struct{})
		const mail = 20
		for range mail {
			tideDo.Send(sys, a, func(*puppet, *actor.Context) { <-steps; done <- struct{}{} })
		}
		step := func() { steps <- struct{}{}; receive(t, "a message to run", done) }
		step()
		step()
		for left := mail - 2; left > 0; left -= 2 {
			step() // it has counted: the turn before is over
			overloaded := false
			inside(t, sys, func(c *actor.Context) {
				overloaded = tideDo.TrySend(c, a, noop) == actor.ErrOverloaded
			})
			// A turn that lasts for long is cut short, so one of 4 messages may have been taken
			// off.
			if want := left > 3; overloaded != want && left != 4 {
				t.Errorf("%d left: overloaded: %v, want %v", left, overloaded, want)
			}
			if left <= 3 {
				close(steps)
				for range left - 1 {
					receive(t, "the rest", done)
				}
				break
			}
			step()
		}
		quiet(t, sys)
	}
}

// TestWatermarks_BelowNoneIsMuted: an actor that never reaches its high watermark mutes no sender,
// although it spends its batch in every turn.
func TestWatermarks_BelowNoneIsMuted(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	a := tideType.Spawn(sys, puppet{})
	for range 100 {
		inside(t, sys, func(c *actor.Context) {
			for range 8 {
				tideDo.Send(c, a, noop)
			}
		})
		quiet(t, sys)
	}
	equal(t, "mutes", sys.Stats().Mutes, 0)
}

// TestWatermarks_AllRun: all messages to an actor with watermarks run, from any sender and whatever
// the actor does. No actor stays muted, and the count is right: the actor is never overloaded when
// it is idle.
func TestWatermarks_AllRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := actor.Start(actor.WithWorkers(rapid.IntRange(1, 3).Draw(t, "workers")),
			actor.WithLogger(silent))
		defer sys.Stop()
		a := tideType.Spawn(sys, puppet{})
		var ran atomic.Int64
		want := 0
		for range rapid.IntRange(1, 20).Draw(t, "senders") {
			n, yields := rapid.IntRange(1, 40).Draw(t, "messages"), rapid.Bool().Draw(t, "yields")
			want += n
			s := puppetType.Spawn(sys, puppet{})
			var part deed
			part = func(p *puppet, c *actor.Context) {
				tideDo.Send(c, a, func(_ *puppet, c *actor.Context) {
					ran.Add(1)
					if yields {
						actor.Yield(c, tideDo, noop)
					}
				})
				if p.n++; p.n < n {
					do.Send(c, s, part)
				}
			}
			do.Send(sys, s, part)
		}
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		st := sys.Stats()
		if ran.Load() != int64(want) || st.Mutes != st.Unmutes {
			t.Fatalf("%d of %d ran, %d mutes, %d unmutes", ran.Load(), want, st.Mutes, st.Unmutes)
		}
		if err := tideDo.TrySend(sys, a, noop); err != nil {
			t.Fatal(err)
		}
	})
}

// TestWatermarks_BoundTheMailbox: eight producers at a slow actor with watermarks.
func TestWatermarks_BoundTheMailbox(t *testing.T) {
	const each = 5_000
	sys := start(t, actor.WithWorkers(2))
	a := tideType.Spawn(sys, puppet{})
	var sent, ran, most atomic.Int64
	var work atomic.Uint64
	consume := func(*puppet, *actor.Context) {
		most.Store(max(most.Load(), sent.Load()-ran.Add(1)))
		for i := range uint64(100) {
			work.Store(i)
		}
	}
	for range 8 {
		p := puppetType.Spawn(sys, puppet{})
		var part deed
		part = func(p *puppet, c *actor.Context) {
			for range 10 {
				tideDo.Send(c, a, consume)
			}
			sent.Add(10)
			if p.n += 10; p.n < each {
				do.Send(c, actor.Self[puppet](c), part)
			}
		}
		do.Send(sys, p, part)
	}
	quiet(t, sys)
	equal(t, "run", ran.Load(), 8*each)
	t.Logf("at most %d waited, %d mutes", most.Load(), sys.Stats().Mutes)
	if sys.Stats().Mutes == 0 {
		t.Error("nobody was muted")
	}
}

// TestWatermarks_EndOfALife: an actor falls with the last message that it had taken out. Messages
// that come in before it is down must not be subtracted from a count that was made before. Builds
// that check invariants ended with "an actor has -1 messages".
func TestWatermarks_EndOfALife(t *testing.T) {
	for name, fall := range map[string]deed{
		"panics": func(*puppet, *actor.Context) { panic("the last") },
		"stops with a child": func(_ *puppet, c *actor.Context) {
			puppetType.SpawnChild(c, puppet{})
			c.Stop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			supers := actor.NewType[puppet]("super")
			begin, fell := actor.Declare[struct{}](supers, "begin"), actor.Declare[actor.ChildDown](supers,
				"fell")
			falls, ran := 0, 0
			supers.Table(begin.Handle(func(_ *puppet, c *actor.Context, _ struct{}) {
				child := actor.SpawnSupervised(c, tideType, func(*puppet) {}, fell)
				// The mail of the child has been counted when the next message runs.
				tideDo.Send(c, child, func(_ *puppet, c *actor.Context) {
					tideDo.Send(c, child, func(p *puppet, c *actor.Context) {
						actor.Suspend(c, child) // its wake-up comes before the next message
						tideDo.Send(c, child, func(*puppet, *actor.Context) { ran++ })
						fall(p, c)
					})
				})
			}), fell.Handle(func(_ *puppet, c *actor.Context, f actor.ChildDown) {
				falls++
				actor.Restart(c, f.Ref)
			}))
			sys := start(t, actor.WithWorkers(1))
			begin.Send(sys, supers.Spawn(sys, puppet{}), struct{}{})
			quiet(t, sys)
			equal(t, "falls", falls, 1)
			equal(t, "what ran behind the fall", ran, 1)
		})
	}
}

// TestMisuse_OfWatermarks: bad values panic at the faulty call.
func TestMisuse_OfWatermarks(t *testing.T) {
	panics(t, "WithWatermarks(1, 1)", func() { actor.WithWatermarks(1, 1) })
	panics(t, "WithWatermarks(1, -1)", func() { actor.WithWatermarks(1, -1) })
	panics(t, "both watermarks and a bound", func() {
		actor.NewType[puppet]("both", actor.WithWatermarks(2, 1), actor.WithBound(1, actor.OverflowMute))
	})
}
