package actor_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// relic is an actor that must leave nothing in memory after its end.
type relic struct {
	self actor.Ref[relic]
	rest [512]byte // so large that its allocation is not shared
}

type rite = func(*relic, *actor.Context)

// relics is a type of relics, with its behaviours.
type relics struct {
	typ    *actor.Type[relic]
	do     actor.Behaviour[relic, rite]
	urgent actor.Behaviour[relic, rite]
	small  actor.Behaviour[relic, int]
	ask    actor.AskBehaviour[relic, rite, actor.Ref[relic]]
}

func newRelics(opts ...actor.TypeOption) relics {
	k := relics{typ: actor.NewType[relic]("relic", opts...)}
	k.do = actor.Declare[rite](k.typ, "do")
	k.urgent = actor.Declare[rite](k.typ, "urgent", actor.Urgent())
	k.small = actor.Declare[int](k.typ, "small")
	k.ask = actor.DeclareAsk[rite, actor.Ref[relic]](k.typ, "ask")
	run := func(r *relic, c *actor.Context, f rite) { r.self = actor.Self[relic](c); f(r, c) }
	k.typ.Table(k.do.Handle(run), k.urgent.Handle(run),
		k.small.Handle(func(*relic, *actor.Context, int) {}), k.ask.Handle(func(r *relic,
			c *actor.Context, f rite) (actor.Ref[relic], error) {
			run(r, c, f)
			return r.self, nil
		}))
	return k
}

func idly(*relic, *actor.Context)              {}
func endsItself(_ *relic, c *actor.Context)    { c.Stop() }
func panicking(*relic, *actor.Context)         { panic("on purpose") }
func goexiting(*relic, *actor.Context)         { runtime.Goexit() }
func blocksAndEnds(_ *relic, c *actor.Context) { c.Blocking(c.Stop) }

// TestEndedActorsAreCollected: the GC frees an actor that has ended, or that is idle and has no
// ref, although its system goes on and does nothing else.
func TestEndedActorsAreCollected(t *testing.T) {
	plain, pinned, bounded := newRelics(), newRelics(actor.WithPinnedThread()), newRelics(
		actor.WithBound(4, actor.OverflowRefuse))
	send := func(k relics, f rite) func(*testing.T, *actor.System, actor.Ref[relic]) {
		return func(_ *testing.T, sys *actor.System, r actor.Ref[relic]) { k.do.Send(sys, r, f) }
	}
	for _, tc := range []struct {
		name  string
		class relics
		live  func(t *testing.T, sys *actor.System, r actor.Ref[relic])
	}{
		{"Unreachable", plain, send(plain, idly)},
		{"UnreachablePinned", pinned, send(pinned, idly)},
		{"Stop", plain, send(plain, endsItself)},
		{"StopPinned", pinned, send(pinned, endsItself)},
		{"StopBounded", bounded, send(bounded, endsItself)},
		{"Panic", plain, send(plain, panicking)},
		{"PanicPinned", pinned, send(pinned, panicking)},
		{"Goexit", plain, send(plain, goexiting)},
		{"Blocking", plain, send(plain, blocksAndEnds)},
		{"SendsToItself", plain, send(plain, func(r *relic, c *actor.Context) {
			plain.do.Send(c, r.self, endsItself)
			plain.do.Send(c, r.self, idly) // a dead letter
		})},
		{"Urgent", plain, func(_ *testing.T, sys *actor.System, r actor.Ref[relic]) {
			plain.urgent.Send(sys, r, endsItself)
		}},
		{"StoppedByAnother", plain, func(_ *testing.T, sys *actor.System, r actor.Ref[relic]) {
			plain.do.Send(sys, r, idly)
			actor.Stop(sys, r)
		}},
		{"Ask", plain, func(t *testing.T, sys *actor.System, r actor.Ref[relic]) {
			_, err := plain.ask.Ask(soon(t), r, endsItself)
			must(t, err)
		}},
		{"UnreachableDeferred", plain, func(t *testing.T, sys *actor.System, r actor.Ref[relic]) {
			_, err := plain.ask.Ask(soon(t), r, func(r *relic, c *actor.Context) {
				actor.Defer(c, plain.ask).Reply(c, r.self, nil)
			})
			must(t, err)
		}},
		{"Deferred", plain, func(t *testing.T, sys *actor.System, r actor.Ref[relic]) {
			out := make(chan error, 1)
			go func() {
				_, err := plain.ask.Ask(soon(t), r, func(r *relic, c *actor.Context) {
					actor.Defer(c, plain.ask)
					c.Stop()
				})
				out <- err
			}()
			wants(t, receive(t, "an error", out), actor.ErrStopped)
		}},
		{"Watched", plain, func(t *testing.T, sys *actor.System, r actor.Ref[relic]) {
			plain.do.Send(sys, r, func(r *relic, c *actor.Context) {
				k := plain.typ.SpawnChild(c, relic{})
				actor.Link(c, k)
				actor.After(c, time.Hour, plain.do, idly)
				actor.Every(c, time.Hour, plain.do, idly)
				plain.do.Send(c, k, endsItself)
			})
			actor.Stop(sys, r)
		}},
		{"Heap", plain, send(plain, func(_ *relic, c *actor.Context) {
			c.Heap()
			c.Stop()
		})},
	} {
		for name, opts := range map[string][]actor.Option{"": {actor.WithWorkers(2)},
			"Seed": {actor.WithDeterministic(1)}} {
			t.Run(tc.name+name, func(t *testing.T) {
				sys := start(t, append(opts, actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}),
					actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))...)
				gone := liveOnce(t, sys, tc.class, tc.live)
				quiet(t, sys)
				for range 2 {
					runtime.GC()
				}
				if gone.Value() != nil {
					t.Error("it is still held")
				}
			})
		}
	}
}

// liveOnce makes an actor live and end, and keeps no ref to it.
//
//go:noinline
func liveOnce(t *testing.T, sys *actor.System, k relics,
	live func(*testing.T, *actor.System, actor.Ref[relic])) (gone weak.Pointer[relic]) {
	r := k.typ.Spawn(sys, relic{})
	k.do.Send(sys, r, func(s *relic, _ *actor.Context) { gone = weak.Make(s) })
	live(t, sys, r)
	quiet(t, sys)
	return gone
}

// TestStoppedSystemKeepsNoActor: a system that has stopped, and is still referenced, keeps none of
// its actors in memory, not even the actor with the last turn.
func TestStoppedSystemKeepsNoActor(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	gone := stopInTurn(t, sys, newRelics())
	for range 2 {
		runtime.GC()
	}
	if gone.Value() != nil {
		t.Error("it is still held")
	}
}

// TestStoppedSystemKeepsNoActor_WithTimers: the same for an actor that had armed timers, with any
// payload. Its arena is released: "a moment after a `runtime.GC()` or two".
func TestStoppedSystemKeepsNoActor_WithTimers(t *testing.T) {
	k := newRelics()
	for name, arm := range map[string]func(*actor.Context){
		"After": func(c *actor.Context) { actor.After(c, time.Hour, k.do, idly) },
		"Small": func(c *actor.Context) { actor.After(c, time.Hour, k.small, 1) },
		"Every": func(c *actor.Context) { actor.Every(c, time.Hour, k.do, idly) },
	} {
		for clock, opts := range map[string][]actor.Option{
			"": {actor.WithWorkers(2)}, "Virtual": {actor.WithWorkers(2),
				actor.WithClock(actor.NewVirtualClock(time.Unix(0, 0)))},
		} {
			t.Run(name+clock, func(t *testing.T) {
				sys := start(t, opts...)
				before := heap.Blobs().Live
				gone := armOnce(t, sys, k, arm)
				sys.Stop()
				for range 2 {
					runtime.GC()
				}
				if gone.Value() != nil {
					t.Fatal("it is still held")
				}
				eventually(t, "its blob to be counted down", func() bool { return heap.Blobs().Live == before })
				runtime.KeepAlive(sys)
			})
		}
	}
}

// armOnce makes an actor with a blob in its heap arm timers, and keeps no ref to it.
//
//go:noinline
func armOnce(t *testing.T, sys *actor.System, k relics,
	arm func(*actor.Context)) (gone weak.Pointer[relic]) {
	armed := make(chan struct{})
	k.do.Send(sys, k.typ.Spawn(sys, relic{}), func(s *relic, c *actor.Context) {
		gone = weak.Make(s)
		heap.NewBlob(c.Heap(), strings.Repeat("x", 2*heap.SharedAbove))
		arm(c)
		close(armed)
	})
	receive(t, "the turn", armed)
	return gone
}

// stopInTurn stops the system in the middle of a turn.
//
//go:noinline
func stopInTurn(t *testing.T, sys *actor.System, k relics) (gone weak.Pointer[relic]) {
	begun, done := make(chan struct{}), make(chan struct{})
	k.do.Send(sys, k.typ.Spawn(sys, relic{}), func(s *relic, c *actor.Context) {
		gone = weak.Make(s)
		close(begun)
		for !actor.SystemStopping(c.System()) {
			runtime.Gosched()
		}
	})
	receive(t, "the turn", begun)
	go func() { sys.Stop(); close(done) }()
	receive(t, "Stop to return", done)
	return gone
}

// TestRefToTheDeadKeepsNone: a ref to a child that has ended keeps neither its parent nor its
// siblings in memory, even if the system ended the parent before the parent was told of the child's
// end.
func TestRefToTheDeadKeepsNone(t *testing.T) {
	for name, parent := range map[string]func(*actor.Context, *actor.System){
		"Child":  func(*actor.Context, *actor.System) {},
		"Parent": func(c *actor.Context, _ *actor.System) { c.Stop() },
		"System": func(_ *actor.Context, sys *actor.System) {
			for !actor.SystemStopping(sys) {
				runtime.Gosched()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			child, gone := middleChild(t, sys, parent)
			sys.Stop()
			for range 2 {
				runtime.GC()
			}
			for i := range gone {
				if gone[i].Value() != nil {
					t.Errorf("%d is held", i)
				}
			}
			runtime.KeepAlive(child)
		})
	}
}

// middleChild kills the second of three children, lets their parent go on, and returns the ref of
// that child, and weak pointers to the parent and the siblings.
//
//go:noinline
func middleChild(t *testing.T, sys *actor.System,
	parent func(*actor.Context, *actor.System)) (child actor.AnyRef, gone []weak.Pointer[relic]) {
	k := newRelics()
	fell := actor.Declare[actor.ChildDown](k.typ, "fell")
	k.typ.Table(fell.Handle(func(*relic, *actor.Context, actor.ChildDown) {}))
	life, killed := make(chan weak.Pointer[relic]), make(chan struct{})
	k.do.Send(sys, k.typ.Spawn(sys, relic{}), func(s *relic, c *actor.Context) {
		gone = append(gone, weak.Make(s))
		var children [3]actor.Ref[relic]
		for i := range children {
			children[i] = actor.SpawnSupervised(c, k.typ, func(s *relic) { life <- weak.Make(s) }, fell)
			if s := receive(t, "a life", life); i != 1 {
				gone = append(gone, s)
			}
		}
		child = children[1].Any()
		actor.Kill(c, child)
		eventually(t, "its end", func() bool { return children[1].Status() == actor.StatusEnded })
		close(killed)
		parent(c, sys)
	})
	receive(t, "the end of the child", killed)
	return child, gone
}
