package main

import (
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/group"
)

// Publish: one actor sends each of its messages to a thousand subscribers, in a loop over their
// refs or through a group.Topic.
var (
	publishLoop = program{
		name: "publish-loop", about: "publish to a thousand, by a loop", n: 3000,
		gallop: publishLoopGallop, plain: publishPlain, message: publishMessage,
	}
	publishTopic = program{
		name: "publish-topic", about: "publish to a thousand, by a topic", n: 3000,
		gallop: publishTopicGallop, plain: publishPlain,
	}
)

const subscribers = 1000

type reader struct {
	sum   uint64
	left  int
	total actor.Ref[tally]
}

type publisher struct {
	at, of  int
	readers []actor.Ref[reader]
	topic   group.Topic[int]
}

var (
	readerType = actor.NewType[reader]("reader")
	readerTake = actor.Declare[int](readerType, "take")
	_          = readerType.Table(readerTake.Handle((*reader).take))

	publisherType = actor.NewType[publisher]("publisher")
	publisherLoop = actor.Declare[struct{}](publisherType, "loop")
	publisherPub  = actor.Declare[struct{}](publisherType, "publish")
	_             = publisherType.Table(publisherLoop.Handle((*publisher).loop),
		publisherPub.Handle((*publisher).publish))
)

func (r *reader) take(ctx *actor.Context, v int) {
	r.sum += uint64(v)
	if r.left--; r.left == 0 {
		tallyAdd.Send(ctx, r.total, r.sum)
	}
}

func (p *publisher) loop(ctx *actor.Context, _ struct{}) {
	for _, r := range p.readers {
		readerTake.Send(ctx, r, p.at)
	}
	if p.at++; p.at < p.of {
		publisherLoop.Send(ctx, actor.Self[publisher](ctx), struct{}{})
	}
}

func (p *publisher) publish(ctx *actor.Context, _ struct{}) {
	p.topic.Publish(ctx, p.at)
	if p.at++; p.at < p.of {
		publisherPub.Send(ctx, actor.Self[publisher](ctx), struct{}{})
	}
}

func readersGallop(sys *actor.System, n int) ([]actor.Ref[reader], <-chan uint64) {
	total, out := newTally(sys, subscribers)
	all := make([]actor.Ref[reader], subscribers)
	for i := range all {
		all[i] = readerType.Spawn(sys, reader{left: n, total: total})
	}
	return all, out
}

func publishLoopGallop(sys *actor.System, n int) uint64 {
	all, out := readersGallop(sys, n)
	publisherLoop.Send(sys, publisherType.Spawn(sys, publisher{of: n, readers: all}), struct{}{})
	return <-out
}

func publishTopicGallop(sys *actor.System, n int) uint64 {
	all, out := readersGallop(sys, n)
	topic := group.NewTopic[int]().Start(sys)
	for _, r := range all {
		topic.Subscribe(sys, readerTake.To(r))
	}
	publisherPub.Send(sys, publisherType.Spawn(sys, publisher{of: n, topic: topic}), struct{}{})
	return <-out
}

// publishPlain has a slice of states, each processor updates its part.
func publishPlain(n int) uint64 {
	sums := make([]uint64, subscribers)
	parts := processors()
	var wg sync.WaitGroup
	for p := range parts {
		mine := sums[p*subscribers/parts : (p+1)*subscribers/parts]
		wg.Go(func() {
			for v := range n {
				for i := range mine {
					mine[i] += uint64(v)
				}
			}
		})
	}
	wg.Wait()
	return sumOf(sums)
}

func publishMessage(c crew, n int) uint64 {
	total, out := messageTally(c, subscribers)
	all := make([]node, subscribers)
	for i := range all {
		sum, left := 0, n
		all[i] = c.spawn(64, func(node) behaviour {
			return func(self node, m msg) {
				sum += m.x
				if left--; left == 0 {
					total.send(self, msg{x: sum})
				}
			}
		})
	}
	at := 0
	c.spawn(2, func(node) behaviour {
		return func(self node, _ msg) {
			for _, r := range all {
				r.send(self, msg{x: at})
			}
			if at++; at < n {
				self.send(self, msg{})
			}
		}
	}).send(nil, msg{})
	return <-out
}
