package main

import (
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// Actors that are muted for others.
var chains = []incident{
	{name: "chain-slow-at-end", culprits: is("stage/6"), short: true, begin: func(s *service) { chain(s, 6) }},
	{name: "chain-slow-within", culprits: is("stage/3"), begin: func(s *service) { chain(s, 3) }},
	{name: "crowd", culprits: is("journal"), begin: func(s *service) {
		k, readers := newKind("journal", "append"), newKind("reader", "read")
		journal := k.spawn(s)
		appends := func(_ *thing, c *actor.Context) {
			k.do.Send(c, journal, napping(2*time.Millisecond))
		}
		for range 200 {
			readers.mailed(s, 5, readers.spawn(s), appends)
		}
	}},
	{name: "pressure-for-ever", culprits: is("socket"), begin: func(s *service) {
		k, writers := newKind("socket", "write"), newKind("writer", "flush")
		socket := k.spawn(s)
		k.do.Send(s.sys, socket, func(_ *thing, c *actor.Context) { c.ApplyPressure() })
		for range 20 {
			writers.mailed(s, 10, writers.spawn(s),
				func(_ *thing, c *actor.Context) { k.do.Send(c, socket, nothing) })
		}
	}},
	// The messages that the sink waits for come from the source, which is muted for the sink.
	{name: "mute-circle", culprits: is("sink"), begin: func(s *service) {
		k := newKind("stage", "step")
		sink, source := k.named(s, "sink"), k.named(s, "source")
		toSink := func(_ *thing, c *actor.Context) { k.do.Send(c, sink, nothing) }
		k.do.Send(s.sys, sink, func(_ *thing, c *actor.Context) {
			c.ApplyPressure()
			actor.Every(c, time.Second, k.do,
				func(_ *thing, c *actor.Context) { k.do.Send(c, source, toSink) })
		})
		k.mailed(s, 50, source, toSink)
	}},
	{name: "unread-channel", culprits: is("channel#", "ToChan"), begin: func(s *service) {
		to := bridge.ToChan(s.sys, never)
		k := newKind("notifier", "notify")
		for range 5 {
			k.mailed(s, 20, k.spawn(s), func(_ *thing, c *actor.Context) { to.Send(c, 1) })
		}
	}},
}

// chain passes messages through six actors, one of which is slow.
func chain(s *service, slow int) {
	k := newKind("stage", "step")
	step := nothing
	for i := 6; i > 1; i-- {
		ref, after := k.named(s, numbered("stage", i)), step
		step = func(_ *thing, c *actor.Context) { k.do.Send(c, ref, stage(i == slow, after)) }
	}
	k.mailed(s, 1000, k.named(s, numbered("stage", 1)), step)
}

func stage(slow bool, then work) work {
	return func(t *thing, c *actor.Context) {
		if slow {
			time.Sleep(5 * time.Millisecond)
		}
		then(t, c)
	}
}
