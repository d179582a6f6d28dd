// Count measures a stream: one producer sends to one counter as fast as it may,
// because the mailbox and back pressure are then all that there is.

package main

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/actor"
)

var count = scenario{
	name: "count", op: "message", ops: "messages", n: 5_000_000,
	about: "one producer, one counter: a stream through one mailbox",
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		return stream(sys, j.n, 1)
	},
	channels: func(j job) <-chan uint64 { return streamChannels(j.n, 1) },
}

// A producer sends its share in chunks and itself "more" after each, so that a
// muted one really pauses: muting acts between behaviours.
type producer struct {
	left int
	to   actor.Ref[counter]
}

// A counter counts until every producer is done.
type counter struct {
	producers int
	got       uint64
	out       chan<- uint64
}

var (
	producerType = actor.NewType[producer]("producer")
	producerMore = actor.Declare[struct{}](producerType, "more")
	_            = producerType.Table(producerMore.Handle((*producer).more))

	counterType = actor.NewType[counter]("counter")
	counterAdd  = actor.Declare[uint64](counterType, "add")
	counterDone = actor.Declare[struct{}](counterType, "done")
	_           = counterType.Table(counterAdd.Handle((*counter).add),
		counterDone.Handle((*counter).done))
)

func (p *producer) more(ctx *actor.Context, _ struct{}) {
	k := min(chunk, p.left)
	for range k {
		counterAdd.Send(ctx, p.to, 1)
	}
	p.left -= k
	if p.left > 0 {
		producerMore.Send(ctx, actor.Self[producer](ctx), struct{}{})
	} else {
		counterDone.Send(ctx, p.to, struct{}{})
	}
}

func (c *counter) add(_ *actor.Context, by uint64) { c.got += by }

func (c *counter) done(*actor.Context, struct{}) {
	c.producers--
	if c.producers == 0 {
		c.out <- c.got
	}
}

// stream sends n messages from k producers to one counter.
func stream(sys *actor.System, n, k int) <-chan uint64 {
	out := make(chan uint64, 1)
	to := counterType.Spawn(sys, counter{producers: dealt(n, k), out: out})
	for i := range dealt(n, k) {
		p := producerType.Spawn(sys, producer{left: share(n, k, i), to: to})
		producerMore.Send(sys, p, struct{}{})
	}
	return out
}

// streamChannels is stream's twin: k goroutines and a counting one.
func streamChannels(n, k int) <-chan uint64 {
	in, out := make(chan uint64, buffer), make(chan uint64, 1)
	var producers sync.WaitGroup
	for i := range k {
		producers.Go(func() {
			for range share(n, k, i) {
				in <- 1
			}
		})
	}
	go func() {
		producers.Wait()
		close(in)
	}()
	go func() {
		got := uint64(0)
		for by := range in {
			got += by
		}
		out <- got
	}()
	return out
}
