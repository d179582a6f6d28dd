package actor_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// ctxActor is an actor whose type has a behaviour for each way of a context.
type ctxActor struct {
	onStart func(*actor.Context)
	onStop  func(*actor.Context)
	hear    func(*actor.Context, actor.Reply[any, string])
	got     chan any
}

type (
	ctxDeed = func(*ctxActor, *actor.Context)
	ctxAsk  = func(*ctxActor, *actor.Context) (any, error)
)

func (a *ctxActor) Do(c *actor.Context, f ctxDeed)              { f(a, c) }
func (a *ctxActor) Try(c *actor.Context, f ctxAsk) (any, error) { return f(a, c) }
func (a *ctxActor) Heard(c *actor.Context, r actor.Result[any]) { a.show(c, r.Err) }
func (a *ctxActor) HeardOf(c *actor.Context, r actor.Reply[any, string]) {
	if a.hear != nil {
		a.hear(c, r)
		return
	}
	a.show(c, r.Err)
}
func (a *ctxActor) Show(c *actor.Context, _ int)        { a.show(c, nil) }
func (a *ctxActor) ShowText(c *actor.Context, _ string) { a.show(c, nil) }
func (a *ctxActor) Fell(c *actor.Context, f actor.ChildDown) {
	if !f.Final {
		actor.Restart(c, f.Ref)
	}
}

type ctxKey struct{}

// show sends the value of the message's context, or the error, to got.
func (a *ctxActor) show(c *actor.Context, err error) {
	if a.got != nil {
		if err != nil {
			a.got <- err
			return
		}
		a.got <- c.Context().Value(ctxKey{})
	}
}

type ctxBehaviours struct {
	typ      *actor.Type[ctxActor]
	do       actor.Behaviour[ctxActor, ctxDeed]
	try      actor.AskBehaviour[ctxActor, ctxAsk, any]
	heard    actor.Behaviour[ctxActor, actor.Result[any]]
	heardBy  actor.Behaviour[ctxActor, actor.Reply[any, string]]
	show     actor.Behaviour[ctxActor, int]
	showText actor.Behaviour[ctxActor, string]
	urgent   actor.Behaviour[ctxActor, int]
	fell     actor.Behaviour[ctxActor, actor.ChildDown]
}

func newCtxType(opts ...actor.TypeOption) ctxBehaviours {
	t := actor.NewType[ctxActor]("ctx", opts...)
	b := ctxBehaviours{
		t, actor.Declare[ctxDeed](t, "do"), actor.DeclareAsk[ctxAsk, any](t,
			"try"), actor.Declare[actor.Result[any]](t, "heard"),
		actor.Declare[actor.Reply[any, string]](t, "heardBy"), actor.Declare[int](t,
			"show"), actor.Declare[string](t, "showText"),
		actor.Declare[int](t, "urgent", actor.Urgent()), actor.Declare[actor.ChildDown](t, "fell"),
	}
	t.Table(b.do.Handle((*ctxActor).Do), b.try.Handle((*ctxActor).Try),
		b.heard.Handle((*ctxActor).Heard), b.heardBy.Handle((*ctxActor).HeardOf),
		b.show.Handle((*ctxActor).Show), b.showText.Handle((*ctxActor).ShowText),
		b.urgent.Handle((*ctxActor).Show), b.fell.Handle((*ctxActor).Fell))
	t.OnStart(func(a *ctxActor, c *actor.Context) error {
		if a.onStart != nil {
			a.onStart(c)
		}
		return nil
	})
	t.OnStop(func(a *ctxActor, c *actor.Context, _ error) {
		if a.onStop != nil {
			a.onStop(c)
		}
	})
	return b
}

var (
	ctxs        = newCtxType()
	ctxsBounded = newCtxType(actor.WithBound(100, actor.OverflowRefuse))
)

// underCare spawns an actor whose supervisor restarts it whenever it falls.
func underCare(t testing.TB, sys *actor.System, init func(*ctxActor)) (r actor.Ref[ctxActor]) {
	t.Helper()
	super := ctxs.typ.Spawn(sys, ctxActor{})
	_, err := ctxs.try.Ask(soon(t), super, func(_ *ctxActor, c *actor.Context) (any, error) {
		r = actor.SpawnUnder(c, ctxs.typ, init, actor.Care[ctxActor]{Fell: ctxs.fell})
		return nil, nil
	})
	must(t, err)
	return r
}

// TestContext_EndsWithTheLife: "It ends, and context.Cause returns ErrStopped with the reason, as
// soon as the actor is told to [Stop], is killed, has drained or ends by itself, and when it is
// suspended or restarted: each life has a context of its own; ErrSystemStopped, when the system
// stops."
func TestContext_EndsWithTheLife(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(sys *actor.System, r actor.Ref[ctxActor])
		want []error
	}{
		"Stop": {func(sys *actor.System, r actor.Ref[ctxActor]) {
			actor.Stop(sys, r)
		}, []error{actor.ErrStopped, actor.ErrShutdown}},
		"Kill": {func(sys *actor.System, r actor.Ref[ctxActor]) {
			actor.Kill(sys, r)
		}, []error{actor.ErrStopped, actor.ErrKilled}},
		"Drain": {func(sys *actor.System, r actor.Ref[ctxActor]) {
			actor.Drain(sys, r)
		}, []error{actor.ErrStopped, actor.ErrShutdown}},
		"StopWith": {func(sys *actor.System, r actor.Ref[ctxActor]) { actor.StopWith(sys, r, errUser) },
			[]error{actor.ErrStopped, errUser}},
		"Exit": {func(sys *actor.System, r actor.Ref[ctxActor]) {
			ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) { c.Exit(errUser) })
		}, []error{actor.ErrStopped, errUser}},
		"Panic": {func(sys *actor.System, r actor.Ref[ctxActor]) {
			ctxs.do.Send(sys, r, func(*ctxActor, *actor.Context) { panic(errUser) })
		}, []error{actor.ErrStopped, actor.ErrPanicked}},
		"Suspend": {func(sys *actor.System, r actor.Ref[ctxActor]) {
			actor.Suspend(sys, r)
		}, []error{actor.ErrStopped}},
		"Restart": {func(sys *actor.System, r actor.Ref[ctxActor]) {
			actor.Restart(sys, r)
		}, []error{actor.ErrStopped}},
		"System": {func(sys *actor.System, _ actor.Ref[ctxActor]) {
			sys.Stop()
		}, []error{actor.ErrSystemStopped}},
	} {
		for _, watched := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				sys := start(t, actor.WithWorkers(2))
				r := underCare(t, sys, func(*ctxActor) {})
				ctxOf := func() context.Context {
					v, err := ctxs.try.Ask(context.Background(), r,
						func(_ *ctxActor, c *actor.Context) (any, error) {
							if c.Context() != c.Context() {
								t.Error("two contexts in one behaviour")
							}
							return c.Context(), nil
						})
					must(t, err)
					return v.(context.Context)
				}
				ctx := ctxOf()
				if again := ctxOf(); again != ctx {
					t.Fatal("two contexts in one life")
				}
				must(t, ctx.Err())
				var done <-chan struct{}
				if watched {
					done = ctx.Done()
				}
				c.end(sys, r)
				if watched {
					receive(t, "the end", done)
				}
				eventually(t, "it has ended", func() bool { return ctx.Err() != nil })
				wants(t, ctx.Err(), context.Canceled)
				for _, want := range c.want {
					wants(t, context.Cause(ctx), want)
				}
				if name == "Restart" || name == "Suspend" {
					if next := ctxOf(); next == ctx || next.Err() != nil {
						t.Errorf("the next life has %v", next.Err())
					}
				}
			})
		}
	}
}

// query stands for a call of a database driver that returns when its context ends.
func query(ctx context.Context, began chan<- struct{}) error {
	began <- struct{}{}
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestContext_ReachesAQuery: "In c.Blocking, Stop, Kill and StopWithin reach the query": any code
// that orders the end of an actor ends the context for which the actor waits.
func TestContext_ReachesAQuery(t *testing.T) {
	for name, end := range map[string]func(sys *actor.System, r actor.Ref[ctxActor]){
		"StopWait": func(sys *actor.System, r actor.Ref[ctxActor]) {
			must(t, actor.StopWait(soon(t), r))
		},
		"KillWait": func(sys *actor.System, r actor.Ref[ctxActor]) {
			must(t, actor.KillWait(soon(t), r))
		},
		"Restart":  func(sys *actor.System, r actor.Ref[ctxActor]) { actor.Restart(sys, r) },
		"Suspend":  func(sys *actor.System, r actor.Ref[ctxActor]) { actor.Suspend(sys, r) },
		"sys.Stop": func(sys *actor.System, _ actor.Ref[ctxActor]) { sys.Stop() },
		"by others": func(sys *actor.System, r actor.Ref[ctxActor]) {
			inside(t, sys, func(c *actor.Context) { actor.Stop(c, r) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r := underCare(t, sys, func(*ctxActor) {})
			began, got := make(chan struct{}, 1), make(chan error, 1)
			ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
				c.Blocking(func() { got <- query(c.Context(), began) })
			})
			receive(t, "the query", began)
			end(sys, r)
			if err := receive(t, "the query to be cut off", got); !errors.Is(err, actor.ErrStopped) &&
				!errors.Is(err, actor.ErrSystemStopped) {
				t.Errorf("cause %v", err)
			}
		})
	}
}

// TestContext_OrderedBefore: an order that came before the context was made ends it as well.
func TestContext_OrderedBefore(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r, at, stay, got := ctxs.typ.Spawn(sys,
		ctxActor{}), make(chan struct{}), make(chan struct{}), make(chan error, 1)
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		close(at)
		<-stay
		<-c.Context().Done()
		got <- context.Cause(c.Context())
	})
	receive(t, "the behaviour", at)
	actor.Stop(sys, r)
	close(stay)
	wants(t, receive(t, "the end", got), actor.ErrStopped)
}

// TestContext_Callbacks: OnStart has the context of the new life; "In OnStop the context has
// ended".
func TestContext_Callbacks(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	started, stopped := make(chan error, 3), make(chan error, 3)
	r := underCare(t, sys, func(a *ctxActor) {
		a.onStart = func(c *actor.Context) { started <- c.Context().Err() }
		a.onStop = func(c *actor.Context) { stopped <- context.Cause(c.Context()) }
	})
	must(t, receive(t, "OnStart", started))
	actor.Restart(sys, r)
	wants(t, receive(t, "OnStop", stopped), actor.ErrStopped)
	must(t, receive(t, "OnStart again", started))
	must(t, actor.StopWait(soon(t), r))
	wants(t, receive(t, "OnStop again", stopped), actor.ErrStopped)
}

// TestContext_OfARequest: "it has its values and its deadline, and ends when that context ends.
// Such a result ends at the latest when the behaviour returns or, if the behaviour has put its
// reply off, when the reply is given."
func TestContext_OfARequest(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := ctxs.typ.Spawn(sys, ctxActor{})
	caller, giveUp := context.WithTimeout(context.WithValue(context.Background(), ctxKey{}, "trace"),
		time.Hour)
	defer giveUp()
	want, _ := caller.Deadline()
	look := func(ctx context.Context) {
		t.Helper()
		equal(t, "value", ctx.Value(ctxKey{}), any("trace"))
		at, _ := ctx.Deadline()
		equal(t, "deadline", at, want)
	}

	var kept context.Context
	_, err := ctxs.try.Ask(caller, r, func(_ *ctxActor, c *actor.Context) (any, error) {
		kept = c.Context()
		look(kept)
		return nil, kept.Err()
	})
	must(t, err)
	eventually(t, "the behaviour returns", func() bool { return kept.Err() != nil })

	var d actor.Deferred[any]
	put := make(chan struct{})
	go func() {
		_, err := ctxs.try.Ask(caller, r, func(_ *ctxActor, c *actor.Context) (any, error) {
			before := c.Context()
			d = actor.Defer(c, ctxs.try)
			if kept = c.Context(); kept != before {
				t.Error("another context behind Defer")
			}
			close(put)
			return nil, nil
		})
		wants(t, err, errUser)
		close(put)
	}()
	receive(t, "the request", put)
	_, err = ctxs.try.Ask(context.Background(), r, func(_ *ctxActor, c *actor.Context) (any, error) {
		look(kept)
		return nil, kept.Err()
	})
	must(t, err)
	put = make(chan struct{})
	d.Reply(sys, nil, errUser)
	wants(t, kept.Err(), context.Canceled)
	receive(t, "the reply", put)

	asker2, giveUp2 := context.WithCancel(context.Background())
	began, got := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		_, err := ctxs.try.Ask(asker2, r, func(_ *ctxActor, c *actor.Context) (any, error) {
			c.Blocking(func() { got <- query(c.Context(), began) })
			return nil, nil
		})
		got <- err // the error of its context, or nil if the reply was faster
	}()
	receive(t, "the query", began)
	giveUp2()
	for range 2 {
		if err := receive(t, "both to give up", got); err != nil {
			wants(t, err, context.Canceled)
		}
	}
	_, err = bridge.AskAll(caller, ctxs.try, []actor.Ref[ctxActor]{r},
		func(_ *ctxActor, c *actor.Context) (any, error) {
			look(c.Context())
			return nil, nil
		})
	must(t, err)
}

// TestContext_OfARequestInALife: Stop ends the context of a request too.
func TestContext_OfARequestInALife(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r, began, got := ctxs.typ.Spawn(sys, ctxActor{}), make(chan struct{}, 1), make(chan error, 1)
	ctx := soon(t)
	go func() {
		_, _ = ctxs.try.Ask(ctx, r, func(_ *ctxActor, c *actor.Context) (any, error) {
			c.Blocking(func() { got <- query(c.Context(), began) })
			return nil, nil
		})
	}()
	receive(t, "the query", began)
	actor.Stop(sys, r)
	wants(t, receive(t, "it to be cut off", got), actor.ErrShutdown)
}

// TestContext_Pipe: "fn's context ends when the actor ends or is restarted … and when the system
// stops."
func TestContext_Pipe(t *testing.T) {
	for name, end := range map[string]func(sys *actor.System, r actor.Ref[ctxActor]){
		"Stop":    func(sys *actor.System, r actor.Ref[ctxActor]) { actor.Stop(sys, r) },
		"Restart": func(sys *actor.System, r actor.Ref[ctxActor]) { actor.Restart(sys, r) },
		"System":  func(sys *actor.System, _ actor.Ref[ctxActor]) { sys.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r := underCare(t, sys, func(*ctxActor) {})
			began, got := make(chan struct{}, 1), make(chan error, 1)
			ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
				actor.Pipe(c, ctxs.heard, func(ctx context.Context) (any, error) {
					got <- query(ctx, began)
					return nil, nil
				})
			})
			receive(t, "the function", began)
			end(sys, r)
			if err := receive(t, "the end", got); !errors.Is(err, actor.ErrStopped) &&
				!errors.Is(err, actor.ErrSystemStopped) {
				t.Errorf("cause %v", err)
			}
		})
	}
}

// TestContext_LeavesNothing: after a request or a function has ended, no list has its context.
func TestContext_LeavesNothing(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := ctxs.typ.Spawn(sys, ctxActor{})
	ctx := soon(t)
	for range 100 {
		_, err := ctxs.try.Ask(ctx, r, func(_ *ctxActor, c *actor.Context) (any, error) {
			actor.Pipe(c, ctxs.heard, func(ctx context.Context) (any, error) { return nil, ctx.Err() })
			return nil, c.Context().Err()
		})
		must(t, err)
	}
	quiet(t, sys)
	equal(t, "lives that the system ends", actor.LivesOf(sys), 0)
	equal(t, "contexts that a life ends", actor.BoundTo(r), 0)
}
