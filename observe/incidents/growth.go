package main

import (
	"context"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/supervise"
)

// Things that only grow.
var growth = []incident{
	{name: "actors-leak", culprits: is("visitor"), begin: func(s *service) {
		k := newKind("visitor", "enter")
		var all []actor.Ref[thing]
		perSecond(600, func() {
			all = append(all, k.spawn(s))
			k.do.Send(s.sys, all[len(all)-1], nothing)
		})
	}},
	{name: "children-leak", culprits: is("tenant", "tenants"), begin: func(s *service) {
		k := newKind("tenant", "open")
		tenants := supervise.Start(s.sys, supervise.Spec{Name: "tenants",
			Strategy: supervise.SimpleOneForOne, Template: supervise.Worker[thing]{Type: k.typ}})
		n := 0
		perSecond(100, func() {
			n++
			child := supervise.FromTemplate(numbered("tenant", n), func(*thing) {})
			_, _ = supervise.StartChild.Ask(context.Background(), tenants.Ref, child)
		})
	}},
	{name: "processes-leak", culprits: is("fetch"), begin: func(s *service) {
		results := process.NewChan[int](0)
		perSecond(100, func() {
			process.Go(s.procs, func(p *process.Proc) { results.Send(p, 1) }, process.WithType("fetch"))
		})
	}},
	{name: "timers-leak", culprits: is("reminders"), short: true, begin: func(s *service) {
		k := newKind("reminders", "remind")
		k.mailed(s, 300, k.spawn(s),
			func(_ *thing, c *actor.Context) { actor.After(c, time.Hour, k.do, nothing) })
	}},
	{name: "pipes-leak", culprits: is("webhooks"), begin: func(s *service) {
		k := newKind("webhooks", "call")
		k.mailed(s, 200, k.spawn(s), func(_ *thing, c *actor.Context) {
			actor.Pipe(c, k.heard, func(context.Context) (int, error) { return <-never, nil })
		})
	}},
	{name: "holds-leak", culprits: is("takeTicket", "growth.go"), begin: func(s *service) {
		perSecond(10, func() { takeTicket(s) })
	}},
	{name: "goroutines-leak", culprits: is("resolver", "resolve"), begin: func(s *service) {
		k := newKind("resolver", "resolve")
		k.mailed(s, 200, k.spawn(s), resolve)
	}},
	{name: "heap-grows", culprits: is("page-cache", "keepPage"), begin: func(s *service) {
		k := newKind("page-cache", "keep")
		k.mailed(s, 100, k.spawn(s), keepPage)
	}},
	// 400 MB of garbage a second.
	{name: "garbage", culprits: is("exporter", "exportRows"), alone: true, begin: func(s *service) {
		k := newKind("exporter", "export")
		k.mailed(s, 100, k.spawn(s), exportRows)
	}},
}

func takeTicket(s *service) {
	if _, err := s.sys.Hold(); err != nil {
		panic(err)
	}
}

// resolve leaves a goroutine behind.
func resolve(*thing, *actor.Context) { go func() { <-never }() }

func keepPage(t *thing, _ *actor.Context) { t.kept = append(t.kept, make([]byte, 100<<10)) }

func exportRows(t *thing, _ *actor.Context) {
	t.kept = nil
	for i := range 16_000 {
		t.kept = append(t.kept, fmt.Append(make([]byte, 0, 240), "row ", i))
	}
}
