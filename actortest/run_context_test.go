package actortest_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
	"github.com/gallop-go/gallop/bridge"
)

// TestMain: no test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// puppet runs the functions that it is sent.
type puppet struct{ stash bool }

type deed = func(*actor.Context)

var (
	puppetType = actor.NewType[puppet]("puppet")
	do         = actor.Declare[deed](puppetType, "do")
	ask        = actor.DeclareAsk[deed, int](puppetType, "ask")
	tick       = actor.Declare[int](puppetType, "tick")
	_          = puppetType.Table(do.Handle((*puppet).do), ask.Handle((*puppet).ask),
		tick.Handle((*puppet).tick))
)

func (p *puppet) do(c *actor.Context, f deed)               { f(c) }
func (p *puppet) tick(*actor.Context, int)                  {}
func (p *puppet) ask(c *actor.Context, f deed) (int, error) { f(c); return 7, nil }

// with spawns a puppet that does f.
func with(r *actortest.R, f deed) actor.Ref[puppet] {
	p := puppetType.Spawn(r.System(), puppet{})
	do.Send(r.System(), p, f)
	return p
}

// TestR_Advance: "runs the actors, each timer at its time".
func TestR_Advance(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		got := actortest.NewProbe[time.Time](r, "times")
		var at []time.Time
		with(r, func(c *actor.Context) {
			start := c.Now()
			for _, d := range []time.Duration{3, 1, 2} {
				actor.After(c, d*time.Second, do,
					func(c *actor.Context) { got.Handler().Send(c, c.Now()) })
				at = append(at, start.Add(d*time.Second))
			}
		})
		r.WhenQuiet(func() {
			if len(got.Got()) != 0 {
				r.Errorf("early: %v", got.Got())
			}
		})
		r.Advance(2500 * time.Millisecond)
		if all := got.Got(); len(all) != 2 || all[0] != at[1] || all[1] != at[2] {
			r.Errorf("after 2.5 s: %v", all)
		}
		r.Advance(time.Hour)
		if n := len(got.Got()); n != 3 {
			r.Errorf("%d timers", n)
		}
	}, actortest.WithRuns(20))
}

// TestR_Context_AfterFunc: a function that is registered with a context which has ended is not called
// within the registration, which package context makes under a lock of its own that the function takes.
func TestR_Context_AfterFunc(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		ctx, called := r.Context(), make(chan struct{})
		_, err := ask.Ask(ctx, with(r, func(*actor.Context) {}), func(c *actor.Context) { actor.Defer(c, ask) })
		if err == nil {
			r.Errorf("the context has not ended")
		}
		here, there := goroutine(), ""
		stop := ctx.(interface{ AfterFunc(func()) func() bool }).AfterFunc(func() {
			there = goroutine()
			close(called)
		})
		if <-called; here == there {
			r.Errorf("called within AfterFunc")
		}
		if stop() {
			r.Errorf("stopped what was called")
		}
	}, actortest.WithRuns(1), actortest.AllowWaiting())
}

// goroutine names the calling goroutine.
func goroutine() string {
	var text [64]byte
	name, _, _ := strings.Cut(string(text[:runtime.Stack(text[:], false)]), " [")
	return name
}

// TestR_Ask: an Ask from the scenario, and one from a behaviour, which waits in its turn.
func TestR_Ask(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		sys := r.System()
		p, q := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
		var inner int
		n, err := ask.Ask(r.Context(), p, func(c *actor.Context) {
			inner, _ = ask.Ask(context.Background(), q, func(*actor.Context) {})
		})
		if n != 7 || inner != 7 || err != nil {
			r.Errorf("%d, %d, %v", n, inner, err)
		}
	})
}

// TestRun_Failures: "by Errorf or Fatalf, a panic, messages that are lost, an actor that
// can never go on, or because the same order does not give the same run".
func TestRun_Failures(t *testing.T) {
	var stranger atomic.Int32
	once, drawn := 0, 0
	for name, c := range map[string]struct {
		say      string
		scenario func(*actortest.R)
	}{
		"Errorf":   {"one and two", func(r *actortest.R) { r.Errorf("one %s two", "and") }},
		"FailNow":  {"FailNow", func(r *actortest.R) { r.FailNow() }},
		"scenario": {"the scenario panicked: here", func(*actortest.R) { panic("here") }},
		"panic": {"puppet#1.do panicked: there", func(r *actortest.R) {
			with(r, func(*actor.Context) { panic("there") })
		}},
		"goexit": {"puppet#1.do has ended its goroutine", func(r *actortest.R) {
			with(r, func(*actor.Context) { runtime.Goexit() })
		}},
		"held": {"nothing can happen any more", func(r *actortest.R) { r.System().Hold() }},
		// The end of R.Context does not reach a context behind context.WithoutCancel.
		"cut off": {"nothing can happen any more", func(r *actortest.R) {
			r.System().Hold()
			_ = r.System().Wait(context.WithoutCancel(r.Context()))
		}},
		"ask": {"not quiet: gallop: actortest: nothing can happen any more", func(r *actortest.R) {
			p, q := puppetType.Spawn(r.System(), puppet{}), puppetType.Spawn(r.System(), puppet{})
			wait := func(c *actor.Context) {
				// A circle that Ask does not see.
				_, err := bridge.AskAll(r.Context(), ask, []actor.Ref[puppet]{p},
					func(*actor.Context) {})
				r.Errorf("stuck: %v", err)
			}
			_, _ = ask.Ask(r.Context(), p, func(c *actor.Context) {
				_, err := ask.Ask(r.Context(), q, wait)
				r.Errorf("stuck: %v", err)
			})
		}},
		"endless": {"it does not come to rest", func(r *actortest.R) {
			var again deed
			again = func(c *actor.Context) { do.Send(c, actor.Self[puppet](c), again) }
			with(r, again)
		}},
		"chance": {"does not give the same run", func(r *actortest.R) {
			drawn++ // real chance draws the same once in a while
			for range drawn {
				with(r, func(*actor.Context) {})
			}
		}},
		"state": {"does not give the same run", func(r *actortest.R) {
			once++
			with(r, func(*actor.Context) {})
			r.Quiet()
			if once == 1 {
				r.Errorf("only once")
			}
		}},
		"stranger": {"goroutines that do not belong to the run made 2 of its calls",
			func(r *actortest.R) {
				done := make(chan struct{})
				go func() {
					defer close(done)
					p := with(r, func(*actor.Context) { stranger.Add(1) })
					do.Send(r.System(), p, func(*actor.Context) {})
				}()
				<-done
			}},
	} {
		t.Run(name, func(t *testing.T) { fails(t, c.say, c.scenario, actortest.WithRuns(3)) })
	}
}

// TestRun_BetweenSends: an actor may run between two sends of the scenario, as between two sends of
// a goroutine, and need not.
func TestRun_BetweenSends(t *testing.T) {
	seen := map[bool]bool{}
	actortest.Run(t, func(r *actortest.R) {
		ran := false
		p := with(r, func(*actor.Context) { ran = true })
		tick.Send(r.System(), p, 1)
		seen[ran] = true
	})
	if len(seen) != 2 {
		t.Errorf("it had run: %v", seen)
	}
}

// TestR_ContextOfAnAsk: the actor that is asked derives a context from R.Context, which that does
// not take for a wait; it has the values, and ends with the actor.
func TestR_ContextOfAnAsk(t *testing.T) {
	type key struct{}
	actortest.Run(t, func(r *actortest.R) {
		p := puppetType.Spawn(r.System(), puppet{})
		ctx := context.WithValue(r.Context(), key{}, "trace")
		if v, err := ask.Ask(ctx, p, func(c *actor.Context) {
			own, cancel := context.WithCancel(c.Context())
			defer cancel()
			if own.Err() != nil || own.Value(key{}) != "trace" {
				r.Errorf("the actor's context: %v, %v", own.Err(), own.Value(key{}))
			}
			c.SetContext(c.Context())
			do.Send(c, p, func(c *actor.Context) {
				if c.Context().Err() != nil || c.Context().Value(key{}) != "trace" {
					r.Errorf("the context that went on: %v", c.Context().Err())
				}
			})
		}); v != 7 || err != nil {
			r.Errorf("%d, %v", v, err)
		}
		do.Send(r.System().With(ctx), p, func(c *actor.Context) {
			if c.Context().Err() != nil {
				r.Errorf("the context of a message: %v", c.Context().Err())
			}
		})
		r.Quiet()
	})
}

// TestR_ContextDerived: code under test may derive contexts from R.Context, with a deadline or a
// cancel function, and behaviours hear of the deadline. The context ends if its user waits and
// nothing can happen any more, and not before.
func TestR_ContextDerived(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		p := puppetType.Spawn(r.System(), puppet{})
		for name, derive := range map[string]func() (context.Context, context.CancelFunc){
			"deadline": func() (context.Context, context.CancelFunc) {
				return context.WithTimeout(r.Context(), time.Hour)
			},
			"cancel": func() (context.Context, context.CancelFunc) { return context.WithCancel(r.Context()) },
		} {
			ctx, cancel := derive()
			for range 2 {
				n, err := ask.Ask(ctx, p, func(c *actor.Context) {
					_, limited := c.Context().Deadline()
					if err := c.Context().Err(); err != nil || limited != (name == "deadline") {
						r.Errorf("%s: %v in the behaviour, a deadline: %v", name, err, limited)
					}
				})
				if n != 7 || err != nil {
					r.Errorf("%s: %d, %v", name, n, err)
				}
			}
			_, err := ask.Ask(ctx, p, func(c *actor.Context) { actor.Defer(c, ask) })
			if err == nil || !strings.Contains(err.Error(), "nothing can happen any more") {
				r.Errorf("%s: %v", name, err)
			}
			cancel()
			if ctx, cancel = derive(); ctx.Err() != nil {
				r.Errorf("%s: the next has ended: %v", name, ctx.Err())
			}
			cancel()
			if _, err = ask.Ask(ctx, p, func(*actor.Context) {}); !errors.Is(err, context.Canceled) {
				r.Errorf("%s: after cancel: %v", name, err)
			}
		}
	}, actortest.WithRuns(10), actortest.AllowWaiting())
}
