package main

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/process"
)

// Mail that waits.
var queues = []incident{
	{name: "slow-consumer", culprits: is("thumbnailer"), short: true, begin: func(s *service) {
		k := newKind("thumbnailer", "scale")
		k.mailed(s, 50, k.spawn(s), napping(60*time.Millisecond))
	}},
	{name: "slow-in-blocking", culprits: is("uploader"), begin: func(s *service) {
		k := newKind("uploader", "upload")
		k.mailed(s, 50, k.spawn(s), func(_ *thing, c *actor.Context) {
			c.Blocking(func() { time.Sleep(60 * time.Millisecond) })
		})
	}},
	{name: "slow-process", culprits: is("indexer"), begin: func(s *service) {
		p := start(s, "indexer", func(self *process.Self[int]) {
			for {
				self.Receive()
				self.Sleep(60 * time.Millisecond)
			}
		})
		perSecond(50, func() { p.Send(s.procs, 1) })
	}},
	{name: "flood", culprits: is("access-log"), alone: true, begin: func(s *service) {
		k := newKind("access-log", "line")
		k.mailed(s, 3000, k.spawn(s), burning(500*time.Microsecond))
	}},
	{name: "full-bound", culprits: is("encoder"), begin: func(s *service) {
		k := newKind("encoder", "encode", actor.WithBound(100, actor.OverflowMute))
		ref := k.spawn(s)
		for range 50 {
			go func() {
				for k.do.SendWait(context.Background(), ref, napping(20*time.Millisecond)) == nil {
				}
			}()
		}
	}},
	{name: "hot-member", begin: func(s *service) {
		perSecond(600, func() {
			s.stock.Send(s.sys, reservation{item: 42, cost: 2 * time.Millisecond})
		})
	}},
	{name: "slow-subscriber", culprits: is("archive"), begin: func(s *service) {
		screens, archive := newKind("screen", "show"), newKind("archive", "keep")
		quotes := group.NewTopic[work]().Start(s.sys)
		for range 20 {
			quotes.Subscribe(s.sys, screens.do.To(screens.spawn(s)))
		}
		var ref = archive.spawn(s)
		quotes.Subscribe(s.sys, archive.do.To(ref))
		slow := func(_ *thing, c *actor.Context) {
			if c.ActorID() == ref.ID() {
				time.Sleep(10 * time.Millisecond)
			}
		}
		perSecond(300, func() { quotes.Publish(s.sys, slow) })
	}},
	{name: "stash-grows", culprits: is("warm-up"), begin: func(s *service) {
		k := newKind("warm-up", "query")
		var stash work
		stash = func(_ *thing, c *actor.Context) { k.do.Stash(c, stash) }
		k.mailed(s, 100, k.spawn(s), stash)
	}},
	// All members of a pool are slow alike.
	{name: "slow-pool", culprits: is("worker", "pool"), begin: func(s *service) {
		k := newKind("worker", "convert")
		pool := group.NewPoolOf(group.LeastLoaded[work](), 4, k.do,
			group.MemberSpec[thing]{Type: k.typ}).Start(s.sys)
		perSecond(100, func() { pool.Send(s.sys, napping(60*time.Millisecond)) })
	}},
	// The senders of a bounded process wait, and it is slow.
	{name: "full-process", culprits: is("exporter"), begin: func(s *service) {
		p := process.Spawn(s.procs, func(self *process.Self[int]) {
			for {
				self.Receive()
				self.Sleep(50 * time.Millisecond)
			}
		}, process.WithType("exporter"), process.WithBound(10))
		for range 50 {
			process.Go(s.procs, func(by *process.Proc) {
				for {
					p.Send(by, 1)
				}
			}, process.WithType("row"))
		}
	}},
	// An urgent behaviour takes the time of the others.
	{name: "urgent-flood", culprits: is("thermostat"), alone: true, begin: func(s *service) {
		t := actor.NewType[thing]("thermostat")
		alarm := actor.Declare[work](t, "alarm", actor.Urgent())
		set := actor.Declare[work](t, "set")
		run := func(s *thing, c *actor.Context, f work) { f(s, c) }
		t.Table(alarm.Handle(run), set.Handle(run))
		ref := t.Spawn(s.sys, thing{})
		perSecond(2500, func() { alarm.Send(s.sys, ref, burning(500*time.Microsecond)) })
		perSecond(10, func() { set.Send(s.sys, ref, nothing) })
	}},
}
