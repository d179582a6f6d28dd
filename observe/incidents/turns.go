package main

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/supervise"
)

// Turns that last.
var turns = []incident{
	{name: "stuck-with-mail", culprits: is("geocoder"), short: true, begin: func(s *service) {
		k := newKind("geocoder", "locate")
		ref := k.spawn(s)
		k.do.Send(s.sys, ref, inSystemCall)
		k.mailed(s, 10, ref, nothing)
	}},
	{name: "stuck-without-mail", culprits: is("geocoder"), begin: func(s *service) {
		k := newKind("geocoder", "locate")
		k.do.Send(s.sys, k.spawn(s), blocked)
	}},
	{name: "stuck-in-blocking", culprits: is("uploader"), begin: func(s *service) {
		k := newKind("uploader", "upload")
		ref := k.spawn(s)
		k.do.Send(s.sys, ref, func(_ *thing, c *actor.Context) { c.Blocking(func() { <-never }) })
		k.mailed(s, 10, ref, nothing)
	}},
	{name: "stuck-at-start", culprits: is("broker", "shop/broker"), begin: func(s *service) {
		k := newKind("broker", "publish")
		k.typ.OnStart(func(*thing, *actor.Context) error { <-never; return nil })
		// The start never returns.
		go k.supervised(s, supervise.Worker[thing]{Name: "broker"})
	}},
	{name: "stuck-process", culprits: is("scraper"), begin: func(s *service) {
		p := start(s, "scraper", func(self *process.Self[int]) { self.Receive(); <-never })
		perSecond(10, func() { p.Send(s.procs, 1) })
	}},
	{name: "mutex-deadlock", culprits: is("teller"), begin: func(s *service) {
		k := newKind("teller", "transfer")
		var from, to sync.Mutex
		var both sync.WaitGroup
		both.Add(2)
		transfer := func(a, b *sync.Mutex) work {
			return func(*thing, *actor.Context) { a.Lock(); both.Done(); both.Wait(); b.Lock() }
		}
		for i, w := range []work{transfer(&from, &to), transfer(&to, &from)} {
			ref := k.named(s, numbered("teller", i))
			k.do.Send(s.sys, ref, w)
			k.mailed(s, 5, ref, nothing)
		}
	}},
	{name: "one-slow-clerk", culprits: is("clerk/slow"), begin: func(s *service) {
		k := newKind("clerk", "file")
		for i := range 8 {
			k.mailed(s, 20, k.named(s, numbered("clerk", i)), nothing)
		}
		k.mailed(s, 3, k.named(s, "clerk/slow"), napping(250*time.Millisecond))
	}},
	{name: "endless-loop", culprits: is("regexp-matcher"), alone: true, begin: func(s *service) {
		k := newKind("regexp-matcher", "match")
		ref := k.spawn(s)
		k.do.Send(s.sys, ref, burning(time.Hour))
		k.mailed(s, 10, ref, nothing)
	}},
	{name: "pinned-at-120", culprits: is("canvas"), alone: true, begin: func(s *service) {
		k := newKind("canvas", "draw", actor.WithPinnedThread())
		k.mailed(s, 1000, k.spawn(s), burning(1200*time.Microsecond))
	}},
	{name: "sends-to-itself", culprits: is("poller"), alone: true, begin: func(s *service) {
		k := newKind("poller", "poll")
		var poll work
		poll = func(_ *thing, c *actor.Context) { k.do.Send(c, actor.Self[thing](c), poll) }
		k.do.Send(s.sys, k.spawn(s), poll)
	}},
	{name: "policy-blocks", begin: func(s *service) {
		k := newKind("printer", "print")
		slow := group.PolicyOf(func() func(work, group.Members) int {
			return func(work, group.Members) int { time.Sleep(200 * time.Millisecond); return 0 }
		})
		pool := group.NewPool(slow, k.do.To(k.spawn(s))).Start(s.sys)
		s.accuse(fmt.Sprintf("#%d ", pool.Any().ID()))
		perSecond(10, func() { pool.Send(s.sys, nothing) })
	}},
	// All callers of a database wait in Blocking, as they should, and for ever.
	{name: "database-hangs", culprits: is("query"), begin: func(s *service) {
		k := newKind("query", "select")
		perSecond(20, func() {
			k.do.Send(s.sys, k.spawn(s), func(_ *thing, c *actor.Context) { c.Blocking(func() { <-never }) })
		})
	}},
	// No turn is long, and no actor has much mail, but all together want three times the processors.
	{name: "type-takes-all", culprits: is("render"), alone: true, begin: func(s *service) {
		k := newKind("render", "frame")
		for range 1000 {
			ref, n := k.spawn(s), 3*runtime.NumCPU()
			var frame work
			frame = func(_ *thing, c *actor.Context) {
				burn(time.Millisecond)
				actor.After(c, time.Second/time.Duration(n), k.do, frame)
			}
			k.do.Send(s.sys, ref, frame)
		}
	}},
	{name: "yields-for-ever", culprits: is("spooler"), alone: true, begin: func(s *service) {
		k := newKind("spooler", "spool")
		var spool work
		spool = func(_ *thing, c *actor.Context) { actor.Yield(c, k.do, spool) }
		k.do.Send(s.sys, k.spawn(s), spool)
	}},
	{name: "interceptor-blocks", culprits: is("audited"), begin: func(s *service) {
		k := newKind("audited", "change", actor.WithInterceptor(actor.Interceptor{
			Before: func(*actor.Context, *actor.Invocation) error {
				time.Sleep(300 * time.Millisecond)
				return nil
			}}))
		k.mailed(s, 3, k.spawn(s), nothing)
	}},
}

// inSystemCall reads from a pipe that nobody writes to, without Go's poller.
func inSystemCall(*thing, *actor.Context) {
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		panic(err)
	}
	_, _ = syscall.Read(ends[0], make([]byte, 1)) // never returns
}
