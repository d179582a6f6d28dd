package observe_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/supervise"
)

// badContext misbehaves in one of its methods, whenever that is called, but for the first few times.
type badContext struct {
	context.Context
	w    *world
	what string
	good atomic.Int32 // so many calls more
}

func (c *badContext) call(what string) {
	if what == c.what && c.good.Add(-1) < 0 {
		c.w.misbehaveAgain()
	}
}

func (c *badContext) Err() error            { c.call("Err"); return c.Context.Err() }
func (c *badContext) Done() <-chan struct{} { c.call("Done"); return c.Context.Done() }
func (c *badContext) Value(key any) any     { c.call("Value"); return c.Context.Value(key) }
func (c *badContext) Deadline() (at time.Time, ok bool) {
	c.call("Deadline")
	return c.Context.Deadline()
}

// underContext are calls that receive a context of the user's, which end ends. No misbehaviour of
// the context may end an actor.
var underContext = map[string]func(w *world, ctx context.Context, end func()){
	"a message": func(w *world, ctx context.Context, _ func()) {
		r := foreignType.Spawn(w.sys, foreign{})
		foreignDo.Send(w.sys.With(ctx), r, func(c *actor.Context) {
			_ = c.Context()
			_, _ = c.Context().Deadline()
		})
		w.survives(r)
	},
	"urgent mail": func(w *world, ctx context.Context, _ func()) {
		r := foreignType.Spawn(w.sys, foreign{})
		foreignRush.Send(w.sys.With(ctx), r, func(c *actor.Context) { _ = c.Context() })
		w.survives(r)
	},
	"a request": func(w *world, ctx context.Context, end func()) {
		r := foreignType.Spawn(w.sys, foreign{})
		_, _ = foreignGet.Ask(ctx, r, func(c *actor.Context) error {
			_, _ = c.Context().Deadline()
			end()
			return nil
		})
		w.survives(r)
	},
	"a request that ctx ends": func(w *world, ctx context.Context, end func()) {
		r, free := w.busy(foreignType.Spawn(w.sys, foreign{}))
		w.later(end, free)
		_, _ = foreignGet.Ask(ctx, r, nothing)
		free()
		w.survives(r)
	},
	"a request of a behaviour": func(w *world, ctx context.Context, end func()) {
		r, free := w.busy(foreignType.Spawn(w.sys, foreign{}))
		w.later(end, free)
		w.survives(w.inTurn(func(*actor.Context) { _, _ = foreignGet.Ask(ctx, r, nothing) }))
		free()
		w.survives(r)
	},
	"a request that waits for room": func(w *world, ctx context.Context, end func()) {
		r, get, _, free := w.full()
		w.later(end, free)
		_, _ = get.Ask(actor.WaitForRoom(ctx), r, nothing)
		free()
		if _, err := get.Ask(actor.WaitForRoom(context.Background()), r, nothing); err != nil {
			w.note(&w.wrong, "the receiver does not answer: %v", err)
		}
	},
	"SendWait": func(w *world, ctx context.Context, end func()) {
		r, _, nop, free := w.full()
		w.later(end, free)
		_ = nop.SendWait(ctx, r, 1)
		free()
		if err := nop.SendWait(context.Background(), r, 1); err != nil {
			w.note(&w.wrong, "the receiver takes no more: %v", err)
		}
	},
	"AskAll": func(w *world, ctx context.Context, end func()) {
		r, free := w.busy(foreignType.Spawn(w.sys, foreign{}))
		w.later(end, free)
		_, _ = bridge.AskAll(ctx, foreignGet, []actor.Ref[foreign]{w.other, r}, nothing)
		free()
		w.survives(r)
	},
	"SetContext": func(w *world, ctx context.Context, _ func()) {
		r := foreignType.Spawn(w.sys, foreign{})
		w.survives(w.inTurn(func(c *actor.Context) {
			c.SetContext(ctx)
			foreignDo.Send(c, r, func(c *actor.Context) { _ = c.Context() })
			foreignDo.Send(c.With(ctx), r, func(c *actor.Context) { c.SetContext(c.Context()) })
			_ = c.Context()
			actor.AskTo(c, foreignGet, r, nothing, foreignGot, actor.Within(time.Hour))
		}))
		w.survives(r)
	},
	"timers": func(w *world, ctx context.Context, end func()) {
		r := foreignType.Spawn(w.sys, foreign{})
		foreignDo.Send(w.sys, r, func(c *actor.Context) {
			c.SetContext(ctx)
			actor.After(c, 1, foreignNop, 1)
			actor.Every(c, time.Millisecond, foreignDo, func(*actor.Context) { end() })
		})
		w.survives(r)
		actor.Stop(w.sys, r)
		join(r)
	},
	"Pipe": func(w *world, ctx context.Context, _ func()) {
		r := foreignType.Spawn(w.sys, foreign{})
		foreignDo.Send(w.sys, r, func(c *actor.Context) {
			c.SetContext(ctx)
			actor.Pipe(c, foreignGot, func(ctx context.Context) (int, error) {
				_, _ = ctx.Deadline()
				return 1, nil
			})
		})
		w.survives(r)
	},
	"an actor that is down": func(w *world, ctx context.Context, _ func()) {
		_, r := w.tree(treeOf(supervise.Worker[foreign]{}))
		w.survives(w.inTurn(func(c *actor.Context) {
			c.SetContext(ctx)
			actor.AskTo(c, foreignGet, r, func(c *actor.Context) error {
				c.Exit(errFall)
				return nil
			}, foreignGot)
			actor.AskTo(c, foreignGet, r, nothing, foreignGot)
		}))
		w.survives(r)
	},
	"StopWait": func(w *world, ctx context.Context, end func()) {
		r, free := w.busy(foreignType.Spawn(w.sys, foreign{}))
		w.later(end, free)
		_ = actor.StopWait(ctx, r)
		free()
		join(r)
	},
	"Wait": func(w *world, ctx context.Context, end func()) {
		r, free := w.busy(foreignType.Spawn(w.sys, foreign{}))
		w.later(end, free)
		_ = w.sys.Wait(ctx)
		free()
		w.survives(r)
	},
	"StartWait": func(w *world, ctx context.Context, _ func()) {
		_, _ = supervise.StartWait(ctx, w.sys, treeOf(supervise.Worker[foreign]{}))
	},
	"StartChild": func(w *world, ctx context.Context, _ func()) {
		s, r := w.tree(treeOf(supervise.Worker[foreign]{}))
		_, _ = supervise.StartChild.Ask(ctx, s.Ref, supervise.Worker[foreign]{Name: "late", Type: foreignType})
		w.survives(r)
		now, err := supervise.Find[foreign](context.Background(), s, "child")
		if err != nil || now != r {
			w.note(&w.wrong, "the supervisor has lost its child: %v", err)
		}
	},
	"a Pool": func(w *world, ctx context.Context, _ func()) {
		p := group.NewPool(group.RoundRobin[int](), foreignNop.To(w.other)).Start(w.sys)
		_ = p.SendWait(ctx, 1)
		_, _ = p.Len(ctx)
		if n, err := p.Len(context.Background()); n != 1 || err != nil {
			w.note(&w.wrong, "the pool has %d members: %v", n, err)
		}
	},
}

// later calls functions one after the other, each after some turns of another actor, so that others
// may have come to wait by then.
func (w *world) later(all ...func()) {
	go func() {
		for _, f := range all {
			for range 20 {
				w.ask(w.other)
			}
			f()
		}
	}()
}

// full makes an actor with a bound that has no room until free is called.
func (w *world) full() (r actor.Ref[foreign], get actor.AskBehaviour[foreign, func(*actor.Context) error, int],
	nop actor.Behaviour[foreign, int], free func()) {
	typ, get, nop := typeOf(nil, actor.WithBound(1, actor.OverflowRefuse))
	r = typ.Spawn(w.sys, foreign{})
	begun, over := make(chan struct{}), make(chan struct{})
	go func() {
		_, _ = get.Ask(context.Background(), r, func(*actor.Context) error { close(begun); <-over; return nil })
	}()
	<-begun
	nop.Send(w.sys, r, 1)
	return r, get, nop, sync.OnceFunc(func() { close(over) })
}

// survives asks an actor that is to be there still.
func (w *world) survives(r actor.Ref[foreign]) {
	if _, err := foreignGet.Ask(context.Background(), r, nothing); err != nil {
		w.note(&w.wrong, "an actor has ended over the context of another: %v", err)
	}
}

// busy holds an actor in a behaviour until free is called.
func (w *world) busy(r actor.Ref[foreign]) (same actor.Ref[foreign], free func()) {
	begun, over := make(chan struct{}), make(chan struct{})
	foreignDo.Send(w.sys, r, func(*actor.Context) { close(begun); <-over })
	<-begun
	return r, sync.OnceFunc(func() { close(over) })
}

// contextPlaces are the methods of contexts of the user's, wherever one is given to the runtime.
func contextPlaces() (all []place) {
	for name, call := range underContext {
		for _, what := range []string{"Err", "Done", "Value", "Deadline"} {
			for good := range 4 {
				p := place{name: fmt.Sprintf("context's %s, call %d, of %s", what, good+1, name), quiet: true,
					maybe: true, run: func(_ *testing.T, w *world) {
						base, end := context.WithCancel(context.Background())
						defer end()
						ctx := &badContext{Context: base, w: w, what: what}
						ctx.good.Store(int32(good))
						call(w, ctx, end)
					}}
				if good > 0 {
					p.meets = []string{"panic", "Goexit"}
				}
				all = append(all, p)
			}
		}
	}
	slices.SortFunc(all, byName)
	return all
}
