// Fanin measures contention for one mailbox: eight producers send to one consumer,
// because that is where queues, and the memory of a late consumer, break first.

package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

const producers = 8

var fanin = scenario{
	name: "fanin", op: "message", ops: "messages", n: 4_000_000,
	about: "eight producers, one consumer: contention for one mailbox",
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		return stream(sys, j.n, producers)
	},
	channels: func(j job) <-chan uint64 { return streamChannels(j.n, producers) },
}
