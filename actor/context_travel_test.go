package actor_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

type ownKey struct{}

// traced is a context with a value.
func traced(v any) context.Context { return context.WithValue(context.Background(), ctxKey{}, v) }

// TestSetContext_Travels: "Its values, its deadline and its end travel with messages … requests …
// ticks of timers … functions of [Pipe]". A message with a context survives everything that an
// ordinary message survives.
func TestSetContext_Travels(t *testing.T) {
	seven := func(*ctxActor, *actor.Context) (any, error) { return 7, nil }
	for name, way := range map[string]func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours){
		"Send": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			b.show.Send(c, to, 1)
		},
		"Send text": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			b.showText.Send(c, to, "x")
		},
		"Handler": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			b.show.To(to).Send(c, 1)
		},
		"TrySend": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			must(t, b.show.TrySend(c, to, 1))
		},
		"urgent": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			b.urgent.Send(c, to, 1)
		},
		"urgent try": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			must(t, b.urgent.TrySend(c, to, 1))
		},
		"Yield": func(c *actor.Context, _ actor.Ref[ctxActor], b ctxBehaviours) {
			actor.Yield(c, b.show, 1)
		},
		"After": func(c *actor.Context, _ actor.Ref[ctxActor], b ctxBehaviours) {
			actor.After(c, 1, b.show, 1)
		},
		"After text": func(c *actor.Context, _ actor.Ref[ctxActor], b ctxBehaviours) {
			actor.After(c, 1, b.showText, "x")
		},
		"Every": func(c *actor.Context, _ actor.Ref[ctxActor], b ctxBehaviours) {
			actor.Every(c, time.Hour, b.show, 1)
		},
		"Every text": func(c *actor.Context, _ actor.Ref[ctxActor], b ctxBehaviours) {
			actor.Every(c, time.Hour, b.showText, "x")
		},
		"AskTo": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			actor.AskTo(c, b.try, to, seven, b.heard)
		},
		"AskToWith": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			actor.AskToWith(c, b.try, to, seven, b.heardBy, "m")
		},
		"AskTo asked": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			actor.AskTo(c, b.try, to, showing, b.heard)
		},
		"Within": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			actor.AskToWith(c, b.try, to, seven, b.heardBy, "m", actor.Within(24*time.Hour))
		},
		"Asker": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			b.try.To(to).AskTo(c, seven, b.heard.To(actor.Self[ctxActor](c)))
		},
		"Defer": func(c *actor.Context, to actor.Ref[ctxActor], b ctxBehaviours) {
			actor.AskTo(c, b.try, to, func(_ *ctxActor, c *actor.Context) (any, error) {
				d := actor.Defer(c, b.try)
				b.do.Send(c, actor.Self[ctxActor](c), func(_ *ctxActor, c *actor.Context) {
					d.Reply(c, 7, nil)
				})
				return nil, nil
			}, b.heard)
		},
		"Pipe": func(c *actor.Context, _ actor.Ref[ctxActor], b ctxBehaviours) {
			actor.Pipe(c, b.heard, func(ctx context.Context) (any, error) { return nil, wantsTrace(ctx) })
		},
		"PipeWith": func(c *actor.Context, _ actor.Ref[ctxActor], b ctxBehaviours) {
			actor.PipeWith(c, b.heardBy, "m", func(ctx context.Context) (any, error) {
				return nil, wantsTrace(ctx)
			})
		},
	} {
		for class, b := range map[string]ctxBehaviours{"plain": ctxs, "bounded": ctxsBounded} {
			for _, seeded := range []bool{false, true} {
				t.Run(name+" "+class, func(t *testing.T) {
					opts := []actor.Option{actor.WithWorkers(2)}
					if seeded {
						opts = append(opts, actor.WithDeterministic(1))
					}
					sys := start(t, opts...)
					got := make(chan any, 10)
					from, to := b.typ.Spawn(sys, ctxActor{got: got}), b.typ.Spawn(sys, ctxActor{got: got})
					b.do.Send(sys, from, func(_ *ctxActor, c *actor.Context) {
						for range 2 {
							way2 := way
							if name == "Yield" || class == "bounded" && name == "TrySend" {
								way2 = func(*actor.Context, actor.Ref[ctxActor], ctxBehaviours) {} // once
							}
							c.SetContext(traced("trace"))
							way2(c, to, b)
						}
						if name == "Yield" || class == "bounded" && name == "TrySend" {
							way(c, to, b)
						}
					})
					if seeded {
						if name == "Every" || name == "Every text" {
							ctx, cancel := context.WithCancel(context.Background())
							cancel()
							_ = sys.Wait(ctx)
							return // its time never ends
						}
						must(t, sys.Wait(context.Background()))
						st := sys.Stats()
						equal(t, "the books", sys.SimCounts().Sent, st.Messages+st.DeadLetters)
					} else if name == "Every" || name == "Every text" {
						return // see TestSetContext_Every
					}
					equal(t, "value", receive(t, "it", got), any("trace"))
				})
			}
		}
	}
}

func showing(a *ctxActor, c *actor.Context) (any, error) {
	a.show(c, nil)
	return nil, nil
}

func wantsTrace(ctx context.Context) error {
	if ctx.Value(ctxKey{}) != "trace" {
		return errors.New("the function has no trace")
	}
	return nil
}

// TestSetContext_Every: each tick has the context, and a payload of its own.
func TestSetContext_Every(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithWorkers(1))
	got := make(chan any, 10)
	r := ctxs.typ.Spawn(sys, ctxActor{got: got})
	ctx, cancel := context.WithCancel(traced("trace"))
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		c.SetContext(ctx)
		actor.Every(c, time.Second, ctxs.showText, "x")
		actor.Every(c, time.Second, ctxs.show, 1)
	})
	quiet(t, sys)
	for range 3 {
		must(t, clock.Advance(soon(t), time.Second))
		equal(t, "value", receive(t, "a tick", got), any("trace"))
		equal(t, "value", receive(t, "a tick", got), any("trace"))
	}
	cancel()
	must(t, clock.Advance(soon(t), 3*time.Second))
	equal(t, "dead letters", sys.Stats().DeadLetters, 2) // each timer ends with its first
	equal(t, "ticks", len(got), 0)
}

// TestWith: With works from outside, for one send of a behaviour, and to another system.
func TestWith(t *testing.T) {
	sys, other := start(t, actor.WithWorkers(2)), start(t, actor.WithWorkers(2))
	got := make(chan any, 1)
	r, far := ctxs.typ.Spawn(sys, ctxActor{got: got}), ctxs.typ.Spawn(other, ctxActor{got: got})
	bounded := ctxsBounded.typ.Spawn(sys, ctxActor{got: got})
	see := func(want any) {
		t.Helper()
		equal(t, "value", receive(t, "it", got), want)
	}
	ctxs.show.Send(sys.With(traced(1)), r, 1)
	see(1)
	must(t, ctxs.show.TrySend(sys.With(traced(2)), r, 1))
	see(2)
	ctxs.urgent.Send(sys.With(traced(3)), r, 1)
	see(3)
	ctxsBounded.show.Send(sys.With(traced(4)), bounded, 1)
	see(4)
	ctxs.show.Send(sys.With(traced(5)), far, 1)
	see(5)
	inside(t, sys, func(c *actor.Context) { ctxs.show.Send(c.With(traced(6)), r, 1) })
	see(6)
	inside(t, sys, func(c *actor.Context) {
		c.SetContext(traced(7))
		ctxs.show.Send(c, far, 1)
	})
	see(7)
	inside(t, sys, func(c *actor.Context) {
		c.SetContext(traced(8))
		c.SetContext(context.Background()) // carries nothing
		ctxs.show.Send(c, r, 1)
	})
	see(nil)
	var none context.Context
	panics(t, "With with a nil context", func() { sys.With(none) })
	inside(t, sys, func(c *actor.Context) {
		panics(t, "SetContext with a nil context", func() { c.SetContext(none) })
	})
}

// TestSetContext_Ended: "A message whose context has ended before its turn comes becomes a dead
// letter. The reason is the context's error. Requests run all the same, … and outcomes always run."
func TestSetContext_Ended(t *testing.T) {
	for class, b := range map[string]ctxBehaviours{"plain": ctxs, "bounded": ctxsBounded} {
		t.Run(class, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(1), dead.option())
			got := make(chan any, 10)
			r, to := b.typ.Spawn(sys, ctxActor{got: got}), b.typ.Spawn(sys, ctxActor{got: got})
			b.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
				ctx, cancel := context.WithCancel(traced("trace"))
				c.SetContext(ctx)
				b.showText.Send(c, to, "dead")
				actor.AskToWith(c, b.try, to, showing, b.heardBy, "m")
				actor.PipeWith(c, b.heardBy, "m", func(ctx context.Context) (any, error) {
					<-ctx.Done()
					return nil, nil
				})
				cancel()
			})
			for range 3 {
				equal(t, "value", receive(t, "a request and two outcomes", got), any("trace"))
			}
			quiet(t, sys)
			equal(t, "dead letters", dead.n.Load(), 1)
			d := dead.last.Load()
			wants(t, d.Reason, context.Canceled)
			equal(t, "message", d.Message, any("dead"))
			equal(t, "behaviour", d.Behaviour, "showText")
			equal(t, "from", d.From, r.ID())
		})
	}
}

// TestSetContext_NotTheEndOfThisLife: "If ctx is derived from a result of Context, its values and
// its deadline travel, and of its ends only that of the context that the message came with. The end
// of the life does not travel".
func TestSetContext_NotTheEndOfThisLife(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	seen := make(chan context.Context, 1)
	to := ctxs.typ.Spawn(sys, ctxActor{})
	look := func(_ *ctxActor, c *actor.Context) { seen <- c.Context(); <-c.Context().Done() }
	for _, derived := range []bool{false, true} {
		r := ctxs.typ.Spawn(sys, ctxActor{})
		caller, giveUp := context.WithTimeout(traced("trace"), 2*time.Hour)
		ctxs.do.Send(sys.With(caller), r, func(_ *ctxActor, c *actor.Context) {
			ctx := c.Context()
			if derived {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(context.WithValue(ctx, ownKey{}, "v"), time.Hour)
				defer cancel()
			}
			c.SetContext(ctx)
			ctxs.do.Send(c, to, look)
			c.Stop()
		})
		ctx := receive(t, "the other", seen) // r has ended, and released its own context
		wants(t, ctxs.show.TrySend(sys, r, 1), actor.ErrStopped)
		must(t, ctx.Err())
		equal(t, "value", ctx.Value(ctxKey{}), any("trace"))
		at, _ := ctx.Deadline()
		if want := 2 * time.Hour; derived {
			equal(t, "own value", ctx.Value(ownKey{}), any("v"))
			want = time.Hour
			if left := time.Until(at); left > want || left < want-10*time.Minute {
				t.Errorf("%v left, want %v", left, want)
			}
		}
		giveUp()
		receive(t, "the end of the first context", ctx.Done())
		wants(t, ctx.Err(), context.Canceled)
	}
}

// TestSetContext_UntilTheEndOfTheBehaviour: "the rest of the behaviour" has the context, even if
// the behaviour panics. A message in the stash keeps its own context.
func TestSetContext_UntilTheEndOfTheBehaviour(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	got := make(chan any, 10)
	see := func(want any) {
		t.Helper()
		equal(t, "value", receive(t, "it", got), want)
	}
	r, to := ctxs.typ.Spawn(sys, ctxActor{}), ctxs.typ.Spawn(sys, ctxActor{got: got})
	rel, err := sys.Hold() // so that they run in one turn
	must(t, err)
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		ctxs.show.Send(c, to, 1)
		c.SetContext(traced("trace"))
		ctxs.show.Send(c, to, 1)
	})
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) { ctxs.show.Send(c, to, 1) })
	rel()
	see(nil)
	see("trace")
	see(nil)
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		c.SetContext(traced("trace"))
		panic(errUser)
	})
	inside(t, sys, func(c *actor.Context) { ctxs.show.Send(c, to, 1) })
	see(nil)
	// The context of a message does not travel further without a SetContext.
	on := func(_ *ctxActor, c *actor.Context) { ctxs.show.Send(c, to, 1) }
	p := ctxs.typ.Spawn(sys, ctxActor{})
	ctxs.do.Send(sys.With(traced("trace")), p, on)
	see(nil)
	ctxs.do.Send(sys.With(traced("trace")), p, func(a *ctxActor, c *actor.Context) {
		c.SetContext(c.Context())
		on(a, c)
	})
	see("trace")

	// The stash.
	ctxs.do.Send(sys.With(traced("stashed")), to, func(a *ctxActor, c *actor.Context) {
		c.SetContext(traced("other"))
		ctxs.do.Stash(c, func(a *ctxActor, c *actor.Context) { a.show(c, nil) })
	})
	ctxs.do.Send(sys, to, func(_ *ctxActor, c *actor.Context) { actor.UnstashAll(c) })
	see("stashed")
	go func() {
		_, _ = ctxs.try.Ask(traced("asked"), to, func(_ *ctxActor, c *actor.Context) (any, error) {
			v, err := ctxs.try.Stash(c, showing)
			if c.Context().Value(ctxKey{}) != "asked" {
				t.Error("no context behind Stash")
			}
			actor.UnstashAll(c)
			return v, err
		})
	}()
	see("asked")
}

// TestSetContext_Restart: mail that a restart keeps has its context in the next life.
func TestSetContext_Restart(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	got := make(chan any, 1)
	r := underCare(t, sys, func(a *ctxActor) { a.got = got })
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		c.SetContext(traced("trace"))
		ctxs.show.Send(c, actor.Self[ctxActor](c), 1)
		panic(errUser)
	})
	equal(t, "value", receive(t, "it", got), any("trace"))
}

// TestSetContext_LeavesNothing: a context with a deadline of its own does not stay in memory after
// the messages that carry it have run, long before the deadline.
func TestSetContext_LeavesNothing(t *testing.T) {
	type big struct{ words [64]int }
	type bigKey struct{}
	type act = func(c *actor.Context)
	waits := actor.WithInterceptor(actor.Interceptor{
		Before: func(_ *actor.Context, in *actor.Invocation) error {
			in.Context().Done()
			return nil
		}})
	for name, tt := range map[string]struct {
		opts []actor.Option
		then act // runs in the behaviour that gets the message
	}{
		"not asked for": {nil, func(*actor.Context) {}},
		"asked for":     {nil, func(c *actor.Context) { c.Context().Done() }},
		"derived from": {nil, func(c *actor.Context) {
			ctx, stop := context.WithTimeout(c.Context(), time.Minute)
			defer stop()
			ctx.Done()
		}},
		"given to Pipe": {nil, func(c *actor.Context) {
			c.SetContext(c.Context())
			actor.Pipe(c, reply, func(ctx context.Context) (int, error) {
				ctx.Done()
				return 0, nil
			})
		}},
		"waited for by an interceptor": {[]actor.Option{waits}, func(*actor.Context) {}},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, tt.opts...)
			freed := make(chan struct{})
			func() {
				value := new(big)
				runtime.AddCleanup(value, func(freed chan struct{}) { close(freed) }, freed)
				ctx := context.WithValue(context.Background(), bigKey{}, value)
				r := puppetType.Spawn(sys, puppet{})
				do.Send(sys.With(ctx), r, func(_ *puppet, c *actor.Context) {
					x, stop := context.WithTimeout(c.Context(), time.Hour)
					defer stop()
					c.SetContext(x)
					do.Send(c, r, func(_ *puppet, c *actor.Context) {
						if at, ok := c.Context().Deadline(); !ok || time.Until(at) > time.Hour {
							t.Errorf("the deadline is %v, %v", at, ok)
						}
						if c.Context().Value(bigKey{}) == nil {
							t.Error("the value is gone")
						}
						tt.then(c)
					})
				})
				quiet(t, sys)
			}()
			eventually(t, "the value is freed", func() bool {
				runtime.GC()
				select {
				case <-freed:
					return true
				default:
					return false
				}
			})
		})
	}
}

// TestSetContext_OwnDeadline: the deadline of a derived context travels, although its cancel
// function does not. At the deadline the contexts derived from it end.
func TestSetContext_OwnDeadline(t *testing.T) {
	sys := start(t)
	got := make(chan error, 2)
	r := puppetType.Spawn(sys, puppet{})
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		x, stop := context.WithTimeout(c.Context(), 20*time.Millisecond)
		defer stop()
		c.SetContext(x)
		actor.Pipe(c, reply, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			got <- ctx.Err()
			got <- context.Cause(ctx)
			return 0, nil
		})
	})
	for _, what := range []string{"Err", "Cause"} {
		equal(t, what, receive(t, what, got), context.DeadlineExceeded)
	}
	quiet(t, sys)
}
