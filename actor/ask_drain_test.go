package actor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

var (
	finishing        = newCtxType(actor.WithFinishAsks())
	finishingBounded = newCtxType(actor.WithFinishAsks(), actor.WithBound(10, actor.OverflowRefuse))
	finishingMarks   = newCtxType(actor.WithFinishAsks(), actor.WithWatermarks(10, 5))
)

// TestFinishAsks: "WithFinishAsks makes [Drain] wait … until the replies that the actor has put off
// … are given; the outcomes of its own [AskTo] and [Pipe] have come, and have run."
func TestFinishAsks(t *testing.T) {
	for class, b := range map[string]ctxBehaviours{"plain": finishing, "bounded": finishingBounded,
		"watermarks": finishingMarks} {
		for name, begin := range map[string]func(c *actor.Context, b ctxBehaviours,
			to actor.Ref[ctxActor], f ctxAsk, go1 <-chan struct{}){
			"AskTo": func(c *actor.Context, b ctxBehaviours, to actor.Ref[ctxActor], f ctxAsk,
				_ <-chan struct{}) {
				actor.AskTo(c, ctxs.try, to, f, b.heard)
			},
			"AskToWith": func(c *actor.Context, b ctxBehaviours, to actor.Ref[ctxActor], f ctxAsk,
				_ <-chan struct{}) {
				actor.AskToWith(c, ctxs.try, to, f, b.heardBy, "m")
			},
			"Within": func(c *actor.Context, b ctxBehaviours, to actor.Ref[ctxActor], f ctxAsk,
				_ <-chan struct{}) {
				actor.AskToWith(c, ctxs.try, to, f, b.heardBy, "m", actor.Within(time.Hour))
			},
			"with a context": func(c *actor.Context, b ctxBehaviours, to actor.Ref[ctxActor], f ctxAsk,
				_ <-chan struct{}) {
				c.SetContext(traced("trace"))
				actor.AskTo(c, ctxs.try, to, f, b.heard)
			},
			"Pipe": func(c *actor.Context, b ctxBehaviours, _ actor.Ref[ctxActor], _ ctxAsk,
				go1 <-chan struct{}) {
				actor.Pipe(c, b.heard, func(context.Context) (any, error) { <-go1; return nil, errUser })
			},
		} {
			t.Run(class+" "+name, func(t *testing.T) {
				var dead letters
				sys := start(t, actor.WithWorkers(2), dead.option())
				got := make(chan any, 10)
				r, to := b.typ.Spawn(sys, ctxActor{got: got, onStop: func(*actor.Context) {
					got <- "stop"
				}}), ctxs.typ.Spawn(sys, ctxActor{})
				put, go1 := make(chan actor.Deferred[any], 1), make(chan struct{})
				b.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
					begin(c, b, to, func(_ *ctxActor, c *actor.Context) (any, error) {
						put <- actor.Defer(c, ctxs.try)
						return nil, nil
					}, go1)
				})
				b.do.Send(sys, r, func(a *ctxActor, _ *actor.Context) { a.got <- "mail" })
				equal(t, "mail", receive(t, "the mail", got), any("mail"))
				actor.Drain(sys, r)
				eventually(t, "it takes no mail", func() bool {
					err := b.do.TrySend(sys, r, func(*ctxActor, *actor.Context) {})
					// Or a bound is full, before the drain.
					return err != nil && !errors.Is(err, actor.ErrOverloaded)
				})
				equal(t, "heard so far", len(got), 0)
				close(go1)
				if name != "Pipe" {
					d := receive(t, "the request", put)
					d.Reply(sys, nil, errUser)
				}
				equal(t, "outcome", receive(t, "the outcome", got), any(errUser))
				equal(t, "end", receive(t, "the end", got), any("stop"))
				quiet(t, sys)
				equal(t, "dead letters", dead.n.Load(), 0)
				equal(t, "wards", actor.LeftoversOf(sys).StopList, 0)
			})
		}
	}
}

// TestFinishAsks_Deferred: a drain waits for a reply that the actor has put off, no matter which
// code gives it.
func TestFinishAsks_Deferred(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := finishing.typ.Spawn(sys, ctxActor{})
	put, out := make(chan actor.Deferred[any], 1), make(chan error, 1)
	go func() {
		_, err := finishing.try.Ask(context.Background(), r,
			func(_ *ctxActor, c *actor.Context) (any, error) {
				put <- actor.Defer(c, finishing.try)
				return nil, nil
			})
		out <- err
	}()
	d, done := receive(t, "the request", put), make(chan error, 1)
	go func() { done <- actor.DrainWait(context.Background(), r) }()
	eventually(t, "it takes no mail", func() bool {
		return finishing.do.TrySend(sys, r, func(*ctxActor, *actor.Context) {}) != nil
	})
	equal(t, "ended", len(done), 0)
	d.Reply(sys, nil, errUser)
	wants(t, receive(t, "the outcome", out), errUser)
	must(t, receive(t, "the end", done))
}

// TestFinishAsks_Order: outcomes that come while mail is left run after it. They "may ask for
// more", and may yield.
func TestFinishAsks_Order(t *testing.T) {
	for _, opt := range []actor.Option{actor.WithWorkers(2), actor.WithDeterministic(3)} {
		sys := start(t, opt)
		var got []string
		to := ctxs.typ.Spawn(sys, ctxActor{})
		five := func(*ctxActor, *actor.Context) (any, error) { return 5, nil }
		r := finishing.typ.Spawn(sys, ctxActor{hear: func(c *actor.Context, r actor.Reply[any, string]) {
			got = append(got, r.Mark)
			if r.Mark == "first" {
				actor.AskToWith(c, ctxs.try, to, five, finishing.heardBy, "second")
				actor.Yield(c, finishing.do, func(*ctxActor, *actor.Context) { got = append(got, "yielded") })
			}
		}, onStop: func(*actor.Context) { got = append(got, "stop") }})
		finishing.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
			for i := range 3 {
				finishing.do.Send(c, r, func(*ctxActor, *actor.Context) { got = append(got, fmt.Sprint(i)) })
			}
			// Last, since another worker may answer at once.
			actor.AskToWith(c, ctxs.try, to, five, finishing.heardBy, "first")
			actor.Drain(c, r)
		})
		quiet(t, sys)
		equal(t, "order", fmt.Sprint(got), "[0 1 2 first yielded second stop]")
	}
}

// TestFinishAsks_Ends: "[Stop] and [Kill] end the actor without waiting", and so does a panic. A
// drain does not wait for an outcome that was refused.
func TestFinishAsks_Ends(t *testing.T) {
	for name, end := range map[string]func(sys *actor.System, r actor.Ref[ctxActor]){
		"Stop":   func(sys *actor.System, r actor.Ref[ctxActor]) { actor.Stop(sys, r) },
		"Kill":   func(sys *actor.System, r actor.Ref[ctxActor]) { actor.Kill(sys, r) },
		"system": func(sys *actor.System, _ actor.Ref[ctxActor]) { sys.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r, to := finishing.typ.Spawn(sys, ctxActor{}), ctxs.typ.Spawn(sys, ctxActor{})
			put := make(chan actor.Deferred[any], 1)
			finishing.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
				actor.AskTo(c, ctxs.try, to, func(_ *ctxActor, c *actor.Context) (any, error) {
					put <- actor.Defer(c, ctxs.try)
					return nil, nil
				}, finishing.heard)
			})
			receive(t, "the request", put)
			actor.Drain(sys, r)
			eventually(t, "it takes no mail", func() bool {
				return finishing.do.TrySend(sys, r, func(*ctxActor, *actor.Context) {}) != nil
			})
			end(sys, r)
			if name != "system" {
				_, err := actor.Join(soon(t), r)
				must(t, err)
				quiet(t, sys)
			}
		})
	}
}

// TestFinishAsks_Panic: if a draining actor panics over an outcome, it ends at once, as with any
// message, and waits for no other outcome.
func TestFinishAsks_Panic(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := finishing.typ.Spawn(sys, ctxActor{hear: func(*actor.Context, actor.Reply[any, string]) {
		panic(errUser)
	}})
	to, put := ctxs.typ.Spawn(sys, ctxActor{}), make(chan actor.Deferred[any], 2)
	finishing.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		for range 2 {
			actor.AskToWith(c, ctxs.try, to, func(_ *ctxActor, c *actor.Context) (any, error) {
				put <- actor.Defer(c, ctxs.try)
				return nil, nil
			}, finishing.heardBy, "m")
		}
	})
	first, second := receive(t, "a request", put), receive(t, "a request", put)
	actor.Drain(sys, r)
	eventually(t, "it takes no mail", func() bool {
		return finishing.do.TrySend(sys, r, func(*ctxActor, *actor.Context) {}) != nil
	})
	first.Reply(sys, nil, nil)
	d, err := actor.Join(soon(t), r)
	must(t, err)
	wants(t, d.Reason, actor.ErrPanicked)
	second.Reply(sys, nil, nil)
	quiet(t, sys)
	equal(t, "dead letters", sys.Stats().DeadLetters, 1)
}

// TestFinishAsks_SpentBatch: an actor that spends its batch while it drains, and then waits for an
// outcome, is not overloaded: "All other messages to the actor become dead letters", and its mail
// is no longer counted.
func TestFinishAsks_SpentBatch(t *testing.T) {
	for name, opts := range map[string][]actor.TypeOption{
		"plain": {actor.WithBatch(4)}, "watermarks": {actor.WithBatch(4), actor.WithWatermarks(2, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			b := newCtxType(append(opts, actor.WithFinishAsks())...)
			sys := start(t, actor.WithWorkers(2))
			r, to := b.typ.Spawn(sys, ctxActor{}), ctxs.typ.Spawn(sys, ctxActor{})
			put := make(chan actor.Deferred[any], 1)
			sent, last := make(chan struct{}), make(chan struct{})
			do := func(*ctxActor, *actor.Context) {}
			b.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
				ask := func(_ *ctxActor, c *actor.Context) (any, error) {
					put <- actor.Defer(c, ctxs.try)
					return nil, nil
				}
				actor.AskTo(c, ctxs.try, to, ask, b.heard)
				<-sent
			})
			d := receive(t, "the request", put)
			for range 9 {
				b.do.Send(sys, r, do)
			}
			b.do.Send(sys, r, func(*ctxActor, *actor.Context) { close(last) })
			actor.Drain(sys, r)
			close(sent)
			receive(t, "the last message", last)
			for range 100 {
				wants(t, b.do.TrySend(sys, r, do), actor.ErrStopped)
			}
			d.Reply(sys, nil, errUser)
			_, err := actor.Join(soon(t), r)
			must(t, err)
		})
	}
}
