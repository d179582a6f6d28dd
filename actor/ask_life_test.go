package actor_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestOutcome_BelongsToItsLife: "An outcome belongs to the life of the caller in which it has
// asked. If the caller is restarted first, the outcome does not run: it becomes a dead letter with
// the reason [ErrRestarted], which is counted and not logged." It makes no difference whether the
// outcome is in the mailbox at the restart, or comes later, or waits in the stash.
func TestOutcome_BelongsToItsLife(t *testing.T) {
	put := func(put chan<- actor.Deferred[any]) ctxAsk {
		return func(_ *ctxActor, c *actor.Context) (any, error) {
			put <- actor.Defer(c, ctxs.try)
			return nil, nil
		}
	}
	for name, ask := range map[string]func(c *actor.Context, to actor.Ref[ctxActor],
		later chan actor.Deferred[any]){
		"AskTo": func(c *actor.Context, to actor.Ref[ctxActor], later chan actor.Deferred[any]) {
			actor.AskTo(c, ctxs.try, to, put(later), ctxs.heard)
		},
		"AskToWith": func(c *actor.Context, to actor.Ref[ctxActor], later chan actor.Deferred[any]) {
			actor.AskToWith(c, ctxs.try, to, put(later), ctxs.heardBy, "m")
		},
		"Within": func(c *actor.Context, to actor.Ref[ctxActor], later chan actor.Deferred[any]) {
			actor.AskToWith(c, ctxs.try, to, put(later), ctxs.heardBy, "m", actor.Within(time.Hour))
		},
		"Asker": func(c *actor.Context, to actor.Ref[ctxActor], later chan actor.Deferred[any]) {
			ctxs.try.To(to).AskTo(c, put(later), ctxs.heard.To(actor.Self[ctxActor](c)))
		},
		"with a context": func(c *actor.Context, to actor.Ref[ctxActor], later chan actor.Deferred[any]) {
			c.SetContext(traced("trace"))
			actor.AskToWith(c, ctxs.try, to, put(later), ctxs.heardBy, "m")
		},
		"Pipe": func(c *actor.Context, to actor.Ref[ctxActor], later chan actor.Deferred[any]) {
			actor.Pipe(c, ctxs.heard, func(context.Context) (any, error) {
				return ctxs.try.Ask(context.Background(), to, put(later))
			})
		},
		"PipeWith": func(c *actor.Context, to actor.Ref[ctxActor], later chan actor.Deferred[any]) {
			actor.PipeWith(c, ctxs.heardBy, "m", func(context.Context) (any, error) {
				return ctxs.try.Ask(context.Background(), to, put(later))
			})
		},
	} {
		for _, before := range []bool{false, true} { // the outcome comes before the restart
			t.Run(fmt.Sprint(name, " before: ", before), func(t *testing.T) {
				testOutcomeOfALife(t, ask, before)
			})
		}
	}
}

func testOutcomeOfALife(t *testing.T, ask func(*actor.Context, actor.Ref[ctxActor],
	chan actor.Deferred[any]), before bool) {
	var log bytes.Buffer
	sys := start(t, actor.WithWorkers(1), actor.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	got, up := make(chan any, 10), make(chan struct{}, 2)
	r := underCare(t, sys, func(a *ctxActor) {
		a.got, a.onStart = got, func(*actor.Context) { up <- struct{}{} }
	})
	receive(t, "the first life", up)
	to, later := ctxs.typ.Spawn(sys, ctxActor{}), make(chan actor.Deferred[any], 1)
	at, stay := make(chan struct{}), make(chan struct{})
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		ask(c, to, later)
		c.Blocking(func() { close(at); <-stay })
	})
	receive(t, "the behaviour", at)
	d := receive(t, "the request", later)
	if before {
		d.Reply(sys, nil, nil)
		eventually(t, "it is in the mailbox", func() bool { return actor.Mail(r) > 0 })
	}
	actor.Restart(sys, r)
	close(stay)
	receive(t, "the next life", up)
	if !before {
		d.Reply(sys, nil, nil)
	}
	quiet(t, sys)
	// An outcome of the next life runs.
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		actor.AskTo(c, ctxs.try, to, func(*ctxActor, *actor.Context) (any, error) {
			return nil, errUser
		}, ctxs.heard)
	})
	quiet(t, sys)
	equal(t, "outcomes heard", len(got), 1)
	equal(t, "dead letters", sys.Stats().DeadLetters, 1)
	if strings.Contains(log.String(), "dead letter") {
		t.Errorf("logged: %s", log.String())
	}
}

// TestOutcome_Stashed: an outcome that waits in the stash belongs to its life too. A Result that
// comes by a Send belongs to no life.
func TestOutcome_Stashed(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(1), dead.option())
	heard := make(chan actor.Reply[any, string], 10)
	lives := 0
	r := underCare(t, sys, func(a *ctxActor) {
		lives++
		a.hear = func(c *actor.Context, r actor.Reply[any, string]) {
			if lives == 1 {
				ctxs.heardBy.Stash(c, r)
				return
			}
			heard <- r
		}
	})
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		actor.AskToWith(c, ctxs.try, ctxs.typ.Spawn(c, ctxActor{}),
			func(*ctxActor, *actor.Context) (any, error) {
				return 1, nil
			}, ctxs.heardBy, "asked")
	})
	quiet(t, sys)
	ctxs.heardBy.Send(sys, r, actor.Reply[any, string]{Mark: "sent"})
	quiet(t, sys)
	actor.Restart(sys, r)
	quiet(t, sys)
	equal(t, "heard", receive(t, "the one that was sent", heard).Mark, "sent")
	equal(t, "more", len(heard), 0)
	wants(t, dead.last.Load().Reason, actor.ErrRestarted)
	equal(t, "message", dead.last.Load().Message.(actor.Reply[any, string]).Mark, "asked")
}

// TestOutcome_Counts: in a deterministic system each request and each outcome is counted once, for
// every kind of end.
func TestOutcome_Counts(t *testing.T) {
	for class, b := range map[string]ctxBehaviours{"plain": ctxs, "bounded": ctxsBounded,
		"finishing": finishing} {
		for seed := range uint64(scaled(40)) {
			sys := start(t, actor.WithDeterministic(seed))
			super, to := ctxs.typ.Spawn(sys, ctxActor{}), b.typ.Spawn(sys, ctxActor{})
			var r actor.Ref[ctxActor]
			ctxs.do.Send(sys, super, func(_ *ctxActor, c *actor.Context) {
				r = actor.SpawnUnder(c, b.typ, func(*ctxActor) {}, actor.Care[ctxActor]{Fell: ctxs.fell})
				b.do.Send(c, r, func(_ *ctxActor, c *actor.Context) {
					for i := range 6 {
						if i == 3 {
							c.SetContext(traced("trace"))
						}
						actor.AskTo(c, b.try, to, func(*ctxActor, *actor.Context) (any, error) {
							return 1, nil
						}, b.heard)
						actor.AskToWith(c, b.try, to, func(_ *ctxActor, c *actor.Context) (any, error) {
							d := actor.Defer(c, b.try)
							d.HandOver(c, super)
							ctxs.do.Send(c, super, func(_ *ctxActor, c *actor.Context) { d.Reply(c, 2, nil) })
							return nil, nil
						}, b.heardBy, "m", actor.Within(1))
						actor.AskToWith(c, b.try, to, func(*ctxActor, *actor.Context) (any, error) {
							return 1, nil
						}, b.heardBy, "m", actor.Within(time.Hour))
						actor.PipeWith(c, b.heardBy, "m", func(context.Context) (any, error) { return 3, nil })
						b.showText.Send(c, to, "x")
						actor.After(c, time.Duration(i), b.showText, "x")
					}
				})
			})
			for range 2 {
				must(t, sys.Wait(context.Background()))
				st := sys.Stats()
				equal(t, fmt.Sprint("the books of ", class, " ", seed), sys.SimCounts().Sent,
					st.Messages+st.DeadLetters)
				ctxs.do.Send(sys, super, func(_ *ctxActor, c *actor.Context) {
					b.do.Send(c, r, func(_ *ctxActor, c *actor.Context) {
						actor.AskToWith(c, b.try, to, func(*ctxActor, *actor.Context) (any, error) {
							return 1, nil
						}, b.heardBy, "m")
						if seed%3 == 0 {
							actor.Drain(c, r)
							return
						}
						panic(errUser)
					})
				})
			}
		}
	}
}
