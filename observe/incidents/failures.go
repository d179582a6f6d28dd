package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/supervise"
)

// Panics, restarts and dead letters.
var failures = []incident{
	{name: "restart-loop", culprits: is("shop/disk", "disk"), short: true, begin: func(s *service) {
		failing(s, "disk", 300*time.Millisecond, func(*thing, *actor.Context) { panic("no answer") })
	}},
	{name: "flapping-child", culprits: is("shop/gateway", "gateway"), begin: func(s *service) {
		failing(s, "gateway", 2500*time.Millisecond, func(*thing, *actor.Context) { panic("no answer") })
	}},
	{name: "error-loop", culprits: is("shop/relay", "relay"), begin: func(s *service) {
		failing(s, "relay", 300*time.Millisecond, func(_ *thing, c *actor.Context) { c.Exit(errUpstream) })
	}},
	// The child comes up with errors only, and mail waits for it meanwhile.
	{name: "start-fails", culprits: is("shop/upstream", "upstream"), begin: func(s *service) {
		k := newKind("upstream", "forward")
		fails := false
		k.typ.OnStart(func(*thing, *actor.Context) error {
			if fails {
				return errUpstream
			}
			fails = true
			return nil
		})
		ref := k.supervised(s, supervise.Worker[thing]{Name: "upstream",
			Intensity: supervise.Intensity{Restarts: 1000, Within: time.Hour}})
		k.do.Send(s.sys, ref, func(*thing, *actor.Context) { panic("connection reset") })
		k.mailed(s, 10, ref, nothing)
	}},
	// A child makes its supervisor give up again and again.
	{name: "escalation", culprits: is("billing", "card"), begin: func(s *service) {
		k := newKind("card", "charge")
		k.typ.OnStart(func(_ *thing, c *actor.Context) error {
			actor.After(c, 300*time.Millisecond, k.do, func(*thing, *actor.Context) { panic("bad key") })
			return nil
		})
		often := supervise.Intensity{Restarts: math.MaxInt32, Within: time.Hour}
		_ = supervise.Start(s.sys, supervise.Spec{Name: "back-office", Intensity: often,
			Children: []supervise.Child{supervise.Spec{Name: "billing", Backoff: supervise.NoBackoff,
				Intensity: supervise.Intensity{Restarts: 2, Within: time.Minute},
				Children: []supervise.Child{supervise.Worker[thing]{Name: "card", Type: k.typ,
					Backoff: supervise.NoBackoff}}}}})
	}},
	{name: "panics", culprits: is("importer"), begin: func(s *service) {
		k := newKind("importer", "import")
		perSecond(20, func() {
			k.do.Send(s.sys, k.spawn(s), func(*thing, *actor.Context) { panic("line 1: no comma") })
		})
	}},
	{name: "pool-falls", culprits: is("parser"), begin: func(s *service) {
		k := newKind("parser", "parse")
		pool := group.NewPoolOf(group.RoundRobin[work](), 4, k.do,
			group.MemberSpec[thing]{Type: k.typ}).Start(s.sys)
		perSecond(50, func() {
			pool.Send(s.sys, func(*thing, *actor.Context) { panic("unexpected end of input") })
		})
	}},
	{name: "misrouted", culprits: is("legacy.notify"), short: true, begin: func(s *service) {
		gone, router := newKind("legacy", "notify"), newKind("router", "route")
		ref := gone.spawn(s)
		actor.Stop(s.sys, ref)
		router.mailed(s, 2000, router.spawn(s),
			func(_ *thing, c *actor.Context) { gone.do.Send(c, ref, nothing) })
	}},
	// Dead letters from eight types, none of which has sent many.
	{name: "dead-letters-of-many", culprits: is("archive.store"), begin: func(s *service) {
		gone := newKind("archive", "store")
		ref := gone.spawn(s)
		actor.Stop(s.sys, ref)
		for i := range 8 {
			k := newKind(fmt.Sprintf("feed-%d", i), "read")
			k.mailed(s, 19, k.spawn(s),
				func(_ *thing, c *actor.Context) { gone.do.Send(c, ref, nothing) })
		}
	}},
	{name: "dropped-on-overload", culprits: is("statistics"), begin: func(s *service) {
		t := actor.NewType[thing]("statistics")
		count := actor.Declare[work](t, "count", actor.DropOnOverload())
		t.Table(count.Handle(func(s *thing, c *actor.Context, f work) { f(s, c) }))
		ref := t.Spawn(s.sys, thing{})
		k := newKind("meter", "measure")
		for range 20 {
			k.mailed(s, 50, k.spawn(s), func(_ *thing, c *actor.Context) {
				count.Send(c, ref, napping(4*time.Millisecond))
			})
		}
	}},
	// An actor is supervised, though not by package supervise, and is not restarted. Its mail waits.
	{name: "never-restarted", culprits: is("camera"), begin: func(s *service) {
		k := newKind("camera", "shoot")
		owners := actor.NewType[thing]("studio")
		up := actor.Declare[work](owners, "up")
		fell := actor.Declare[kernel.ChildDown](owners, "fell")
		owners.Table(up.Handle(func(t *thing, c *actor.Context, f work) { f(t, c) }),
			fell.Handle(func(*thing, *actor.Context, kernel.ChildDown) {}))
		up.Send(s.sys, owners.Spawn(s.sys, thing{}), func(_ *thing, c *actor.Context) {
			ref := actor.Ref[thing](kernel.SpawnUnder(kernel.TurnOf(c), (*kernel.AnyType)(k.typ).Info(),
				func(*thing) {}, kernel.ChildOptions{Down: kernel.AnyBehaviour(fell).Descriptor()}))
			k.do.Send(c, ref, func(*thing, *actor.Context) { panic("no film") })
			k.mailed(s, 20, ref, nothing)
		})
	}},
	// A child does not end, and its supervisor waits for it.
	{name: "stop-hangs", culprits: is("flusher", "shop/flusher"), begin: func(s *service) {
		k := newKind("flusher", "flush")
		k.typ.OnStop(func(*thing, *actor.Context, error) { <-never })
		k.supervised(s, supervise.Worker[thing]{Name: "flusher",
			Stop: supervise.StopWithin(supervise.Forever)})
		go supervise.StopChild.Ask(context.Background(), s.root.Ref, "flusher") // never returns
	}},
	// A quarter of the messages of a pool waits for a member that does not come up again.
	{name: "member-down", culprits: is("shard"), begin: func(s *service) {
		k := newKind("shard", "put")
		down := uint64(0)
		k.typ.OnStart(func(_ *thing, c *actor.Context) error {
			if c.ActorID() == down {
				return errUpstream
			}
			return nil
		})
		type put struct {
			key  uint64
			work work
		}
		puts := actor.Declare[put](k.typ, "put key")
		k.typ.Table(puts.Handle(func(t *thing, c *actor.Context, p put) { p.work(t, c) }))
		pool := group.NewPoolOf(group.Hash(func(p put) uint64 { return p.key }), 4, puts,
			group.MemberSpec[thing]{Type: k.typ}).Start(s.sys)
		pool.Send(s.sys, put{0, func(_ *thing, c *actor.Context) { down = c.ActorID(); panic("disk full") }})
		key := uint64(0)
		perSecond(100, func() { key++; pool.Send(s.sys, put{key, nothing}) })
	}},
	// A supervisor has ended for good, and its child is sent messages all the same.
	{name: "supervisor-gave-up", culprits: is("card", "back-office"), begin: func(s *service) {
		k := newKind("card", "charge")
		root := supervise.Start(s.sys, supervise.Spec{Name: "back-office",
			Intensity: supervise.Intensity{Restarts: 1, Within: time.Minute},
			Children: []supervise.Child{supervise.Worker[thing]{Name: "card", Type: k.typ,
				Backoff: supervise.NoBackoff}}})
		if err := root.Ready(context.Background()); err != nil {
			panic(err)
		}
		ref, err := supervise.Find[thing](context.Background(), root, "card")
		if err != nil {
			panic(err)
		}
		for range 2 {
			k.do.Send(s.sys, ref, func(*thing, *actor.Context) { panic("bad key") })
		}
		k.mailed(s, 30, ref, nothing)
	}},
}

// failing starts a child of the shop that fails now and then, without a limit.
func failing(s *service, name string, every time.Duration, fail work) {
	k := newKind(name, "do")
	ref := k.supervised(s, supervise.Worker[thing]{Name: name, Backoff: supervise.NoBackoff,
		Intensity: supervise.Intensity{Restarts: math.MaxInt32, Within: time.Hour}})
	go func() {
		for range time.Tick(every) {
			k.do.Send(s.sys, ref, fail)
		}
	}()
}
