package actor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/actor"
)

// twin is an actor as the simple model knows it. The model does everything at once: it follows the
// effects of an end until nothing changes.
type twin struct {
	ref        actor.Ref[mortal]
	alive      bool
	supervised bool
	policy     func(*actor.Context, actor.ChildDown) // its supervisor's answer to a fall
	parent     *twin
	links      map[*twin]bool
	watches    []*watching // its own calls of Watch
	stashing   bool
	stash      int
	touched    bool // it ended or was restarted in this step
}

// watching is one call of Watch.
type watching struct {
	by, of *twin
	m      actor.Monitor
	live   bool
	downs  int
	got    *atomic.Int64
}

// village is the model and the real system, side by side.
type village struct {
	t         *rapid.T
	ctx       context.Context
	sys       *actor.System
	root      actor.Ref[mortal]
	twins     []*twin
	watchings []*watching
	ran, dead int
	closing   bool // their supervisor restarts no child any more
	reallyRan atomic.Int64
	letters   letters
}

func (v *village) pick(what string) *twin {
	return v.twins[rapid.IntRange(0, len(v.twins)-1).Draw(v.t, what)]
}

func (v *village) quiet() {
	if err := v.sys.Wait(v.ctx); err != nil {
		v.t.Fatal(err)
	}
}

func (v *village) equal(what string, got, want int) {
	if got != want {
		v.t.Fatalf("%s: %d, want %d", what, got, want)
	}
}

// ask runs f in r's behaviour, and checks the answer against the model.
func (v *village) ask(w *twin, f act) {
	_, err := fetchIn.Ask(v.ctx, w.ref, f)
	if w.alive && err != nil || !w.alive && !errors.Is(err, actor.ErrStopped) {
		v.t.Fatalf("ask of %v, which should be alive=%v: %v", w.ref, w.alive, err)
	}
	if !w.alive {
		v.dead++
	}
}

// ended tells the model that an actor has ended, with a normal reason or not.
func (v *village) ended(w *twin, normal bool) {
	if !w.alive {
		return
	}
	w.alive, w.touched = false, true
	v.dead += w.stash
	w.stash = 0
	v.orphan(w)
	v.unwatchAll(w)
	for _, m := range v.watchings {
		if m.live && m.of == w {
			m.live = false
			m.downs++
		}
	}
	for peer := range w.links {
		delete(w.links, peer)
		delete(peer.links, w)
		if !normal {
			v.fails(peer)
		}
	}
}

// orphan ends the children of an actor.
func (v *village) orphan(w *twin) {
	for _, k := range v.twins {
		if k.parent == w {
			v.ended(k, false)
		}
	}
}

func (v *village) unwatchAll(w *twin) {
	for _, m := range w.watches {
		m.live = false
	}
	w.watches = nil
}

// fails is the end of an actor by a fault, which a supervisor may turn into a restart.
func (v *village) fails(w *twin) { v.exits(w, false) }

func (v *village) exits(w *twin, normal bool) {
	switch {
	case !w.alive || w.touched && !w.supervised:
	case w.supervised && v.restarts(w):
		v.restarted(w)
	default:
		v.ended(w, normal)
	}
}

func (v *village) restarts(w *twin) bool {
	return !v.closing && fmt.Sprintf("%p", w.policy) == fmt.Sprintf("%p", restart)
}

func (v *village) restarted(w *twin) {
	if w.touched {
		return
	}
	w.touched, w.stashing = true, false
	v.ran += w.stash
	w.stash = 0
	v.orphan(w)
	v.unwatchAll(w)
}

// operations returns the operations on the village. Each is complete before the next begins.
func (v *village) operations() map[string]func(*rapid.T) {
	one := func(f func(w *twin)) func(*rapid.T) {
		return func(t *rapid.T) { v.t = t; f(v.pick("who")) }
	}
	two := func(f func(a, b *twin)) func(*rapid.T) {
		return func(t *rapid.T) { v.t = t; f(v.pick("who"), v.pick("whom")) }
	}
	act := func(f act, model func(w *twin)) func(*rapid.T) {
		return one(func(w *twin) {
			if doAct.Send(v.sys, w.ref, f); w.alive {
				model(w)
			} else {
				v.dead++
			}
		})
	}
	order := func(f func(actor.Sender, actor.Target)) func(*rapid.T) {
		return one(func(w *twin) { f(v.sys, w.ref); v.ended(w, false) })
	}
	return map[string]func(*rapid.T){
		"spawn": func(t *rapid.T) { v.t = t; v.spawn() },
		"child": one(v.child),
		"send":  one(v.send),
		"ask":   one(func(w *twin) { v.ask(w, nothing) }),
		"stop":  order(actor.Stop),
		"drain": order(actor.Drain),
		"kill":  order(actor.Kill),
		"panic": act(func(*mortal, *actor.Context) { panic(1) }, func(w *twin) { v.exits(w, false) }),
		"exit": act(func(_ *mortal, c *actor.Context) { c.Exit(errUser) }, func(w *twin) {
			v.exits(w, false)
		}),
		"normal": act(func(_ *mortal, c *actor.Context) { c.Stop() }, func(w *twin) { v.exits(w, true) }),
		"become": act(func(_ *mortal, c *actor.Context) {
			actor.Become(c, stashing)
		}, func(w *twin) { w.stashing = true }),
		"unstash": act(func(_ *mortal, c *actor.Context) {
			actor.Unbecome(c)
			actor.UnstashAll(c)
		}, func(w *twin) {
			v.ran += w.stash
			w.stash, w.stashing = 0, false
		}),
		"link":    two(v.link),
		"unlink":  two(v.unlink),
		"watch":   two(v.watch),
		"unwatch": func(t *rapid.T) { v.t = t; v.unwatch() },
		"restart": one(func(w *twin) {
			if w.supervised && v.restarts(w) { // else a second fault could end it on its way up
				if actor.Restart(v.sys, w.ref); w.alive {
					v.restarted(w)
				}
			}
		}),
		"": func(t *rapid.T) { v.t = t; v.check() },
	}
}

func (v *village) add(w *twin) {
	w.alive, w.links = true, map[*twin]bool{}
	v.twins = append(v.twins, w)
}

func (v *village) newborn() mortal {
	return mortal{born: true, onSay: func() { v.reallyRan.Add(1) }}
}

func (v *village) spawn() {
	w := &twin{supervised: rapid.Bool().Draw(v.t, "supervised"), policy: giveUp}
	if rapid.Bool().Draw(v.t, "restarts") {
		w.policy = restart
	}
	v.ask(&twin{ref: v.root, alive: true}, func(m *mortal, c *actor.Context) {
		if !w.supervised {
			w.ref = mortalType.Spawn(c, v.newborn())
			return
		}
		w.ref = actor.SpawnSupervised(c, mortalType, func(m *mortal) { *m = v.newborn() }, onFell)
		inner := m.onFell
		m.onFell = func(m *mortal, c *actor.Context, f actor.ChildDown) {
			if f.Ref == w.ref.Any() && !f.Final {
				w.policy(c, f)
			} else if inner != nil {
				inner(m, c, f)
			}
		}
	})
	v.add(w)
}

func (v *village) child(w *twin) {
	k := &twin{parent: w}
	v.ask(w, func(_ *mortal, c *actor.Context) { k.ref = mortalType.SpawnChild(c, v.newborn()) })
	if w.alive {
		v.add(k)
	}
}

func (v *village) send(w *twin) {
	say.Send(v.sys, w.ref, "")
	switch {
	case !w.alive:
		v.dead++
	case w.stashing:
		w.stash++
	default:
		v.ran++
	}
}

func (v *village) link(a, b *twin) {
	v.ask(a, func(_ *mortal, c *actor.Context) { actor.Link(c, b.ref) })
	switch {
	case !a.alive || a == b:
	case b.alive:
		a.links[b], b.links[a] = true, true
	default:
		v.quiet()
		if d, err := actor.Join(v.ctx, b.ref); err != nil || d.Reason != nil {
			v.exits(a, false)
		}
	}
}

func (v *village) unlink(a, b *twin) {
	v.ask(a, func(_ *mortal, c *actor.Context) { actor.Unlink(c, b.ref) })
	if a.alive {
		delete(a.links, b)
		delete(b.links, a)
	}
}

func (v *village) watch(a, b *twin) {
	w := &watching{by: a, of: b, live: true, got: new(atomic.Int64)}
	v.ask(a, func(m *mortal, c *actor.Context) {
		w.m = actor.Watch(c, b.ref, onDown)
		inner := m.onDown
		m.onDown = func(m *mortal, c *actor.Context, d actor.Down) {
			if d.Monitor == w.m {
				w.got.Add(1)
			} else if inner != nil {
				inner(m, c, d)
			}
		}
	})
	if !a.alive {
		return
	}
	v.watchings = append(v.watchings, w)
	if b.alive {
		a.watches = append(a.watches, w)
	} else {
		w.live = false
		w.downs++
	}
}

func (v *village) unwatch() {
	if len(v.watchings) == 0 {
		return
	}
	w := v.watchings[rapid.IntRange(0, len(v.watchings)-1).Draw(v.t, "which")]
	v.ask(w.by, func(_ *mortal, c *actor.Context) { actor.Unwatch(c, w.m) })
	if w.by.alive {
		w.live = false
	}
}

// check compares the model with the real thing.
func (v *village) check() {
	v.quiet()
	for _, m := range v.watchings {
		if m.by.touched && m.of.touched { // the order of the two ends is not determined
			m.downs = min(1, int(m.got.Load()))
		}
	}
	for _, w := range v.twins {
		w.touched = false
		if err := rush.TrySend(v.sys, w.ref, nothing); w.alive != (err == nil) {
			v.t.Fatalf("%v: alive %v, but %v", w.ref, w.alive, err)
		}
	}
	for _, m := range v.watchings {
		if n := int(m.got.Load()); n != m.downs && (m.by.alive || n > m.downs) {
			v.t.Fatalf("%v heard %d times of %v, want %d", m.by.ref, n, m.of.ref, m.downs)
		}
	}
	v.equal("messages run", int(v.reallyRan.Load()), v.ran)
	v.equal("dead letters", int(v.letters.n.Load()), v.dead)
}

// TestLifeModel: sequences of life-cycle operations (spawn, send, ask, link, monitor, stop, drain,
// kill, panic, restart, become, stash and their opposites) have the same results as in a model that
// does each operation at once.
func TestLifeModel(t *testing.T) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		v := &village{t: t, ctx: ctx}
		v.sys = actor.Start(actor.WithWorkers(2), actor.WithLogger(silent), v.letters.option())
		defer v.sys.Stop()
		v.root = mortalType.Spawn(v.sys, mortal{born: true})
		v.spawn()
		t.Repeat(v.operations())
		if err := actor.StopWait(v.ctx, v.root); err != nil {
			t.Fatal(err)
		}
		v.closing = true
		for _, w := range slices.Backward(v.twins) {
			if w.supervised {
				v.ended(w, false)
			}
		}
		v.check()
	})
}
