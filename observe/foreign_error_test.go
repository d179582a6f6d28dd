package observe_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/observe"
	"github.com/gallop-go/gallop/supervise"
)

// badError misbehaves in one of its methods, whenever that is called.
type badError struct {
	w    *world
	what string
}

func (e *badError) call(what string) {
	if what == e.what {
		e.w.misbehaveAgain()
	}
}

func (e *badError) Error() string { e.call("Error"); return "bad" }
func (e *badError) Is(error) bool { e.call("Is"); return false }
func (e *badError) Unwrap() error { e.call("Unwrap"); return nil }

// underError are ways by which an error of the user's comes to the runtime.
var underError = map[string]func(w *world, why error){
	"a fall": func(w *world, why error) {
		_, r := w.tree(treeOf(supervise.Worker[foreign]{}))
		w.fall(r, why)
		w.survives(r)
	},
	"a fall in a back-off": func(w *world, why error) {
		child := treeOf(supervise.Worker[foreign]{})
		child.OnEvent = func(e supervise.Event) { _ = e.String() }
		s, r := w.tree(child)
		for range 2 {
			w.fall(r, why)
		}
		_, _ = supervise.Tree(context.Background(), s)
		look := httptest.NewRequest("GET", "/api/v1/tree", nil)
		look.Host = "localhost"
		observe.Handler(w.sys).ServeHTTP(httptest.NewRecorder(), look)
		w.survives(r)
	},
	"a fall too often": func(w *world, why error) {
		spec := treeOf(supervise.Worker[foreign]{})
		spec.Intensity = supervise.Intensity{Restarts: 1, Within: time.Hour}
		s, r := w.tree(spec)
		for range 2 {
			_, _ = foreignGet.Ask(context.Background(), r, func(c *actor.Context) error { c.Exit(why); return nil })
		}
		if err := s.Wait(context.Background()); err == nil {
			w.note(&w.wrong, "the supervisor has not given up")
		}
	},
	"a fall that escalates": func(w *world, why error) {
		s, r := w.tree(treeOf(supervise.Worker[foreign]{
			Decide: func(error) supervise.Decision { return supervise.DecideEscalate }}))
		_, _ = foreignGet.Ask(context.Background(), r, func(c *actor.Context) error { c.Exit(why); return nil })
		if err := s.Wait(context.Background()); err == nil {
			w.note(&w.wrong, "the supervisor has not given up")
		}
	},
	"a start": func(w *world, why error) {
		typ, _, _ := typeOf(func(t *actor.Type[foreign]) {
			t.OnStart(func(*foreign, *actor.Context) error { return why })
		})
		if _, err := supervise.StartWait(context.Background(), w.sys,
			treeOf(supervise.Worker[foreign]{Type: typ})); err == nil {
			w.note(&w.wrong, "the tree is up")
		}
	},
	"a start of another child": func(w *world, why error) {
		typ, _, _ := typeOf(func(t *actor.Type[foreign]) {
			t.OnStart(func(*foreign, *actor.Context) error { return why })
		})
		s, r := w.tree(treeOf(supervise.Worker[foreign]{}))
		if _, err := supervise.StartChild.Ask(context.Background(), s.Ref,
			supervise.Worker[foreign]{Name: "another", Type: typ}); err == nil {
			w.note(&w.wrong, "the child is up")
		}
		w.survives(r)
	},
	"a fall of a member": func(w *world, why error) {
		p, fall := w.pool(why, 5)
		fall()
		if n, err := p.Len(context.Background()); n != 1 || err != nil {
			w.note(&w.wrong, "the pool has %d members: %v", n, err)
		}
	},
	"falls of a member too often": func(w *world, why error) {
		p, fall := w.pool(why, 1)
		for range 2 {
			fall()
		}
		if _, err := p.Len(context.Background()); err == nil {
			w.note(&w.wrong, "the pool has not ended")
		}
	},
	"links and letters": func(w *world, why error) {
		feed := inspect.DeadLetters(w.sys)
		defer feed.Close()
		dead, next := foreignType.Spawn(w.sys, foreign{}), foreignType.Spawn(w.sys, foreign{})
		watcher := w.inTurn(func(c *actor.Context) {
			actor.Link(c, dead)
			actor.TrapExit(c, foreignExit)
			actor.Watch(c, dead, foreignDown)
		})
		foreignDo.Send(w.sys, next, func(c *actor.Context) { actor.Link(c, dead) })
		w.survives(next)
		actor.StopWith(w.sys, dead, why)
		join(dead)
		join(next)
		for _, r := range []actor.Ref[foreign]{dead, next} {
			foreignNop.Send(w.sys, r, 1)
			w.ask(r)
		}
		w.survives(watcher)
		feed.Letters()
	},
}

// pool starts a pool of one, and returns how to have that member fall, and to wait until the pool
// has heard.
func (w *world) pool(why error, restarts int) (p group.Pool[int], fall func()) {
	typ := actor.NewType[foreign]("member")
	die := actor.Declare[int](typ, "die")
	typ.Table(die.Handle(func(_ *foreign, c *actor.Context, _ int) { c.Exit(why) }))
	p = group.NewPoolOf(group.RoundRobin[int](), 1, die, group.MemberSpec[foreign]{Type: typ,
		Intensity: supervise.Intensity{Restarts: restarts, Within: time.Hour}}).Start(w.sys)
	return p, func() {
		p.Send(w.sys, 1)
		_ = w.sys.Wait(context.Background())
	}
}

// errorPlaces are the methods of errors of the user's, wherever one comes to the runtime.
func errorPlaces() (all []place) {
	for name, give := range underError {
		for _, what := range []string{"Error", "Is", "Unwrap"} {
			all = append(all, place{name: fmt.Sprintf("error's %s, of %s", what, name), quiet: true, maybe: true,
				run: func(_ *testing.T, w *world) { give(w, &badError{w, what}) }})
		}
	}
	slices.SortFunc(all, byName)
	return all
}
