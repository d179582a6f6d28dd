// Pairs measures messages between many independent couples: 64 matches of pingpong
// at once, because here every worker has work of its own and should keep it.

package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

const couples = 64

var pairs = scenario{
	name: "pairs", op: "message", ops: "messages", n: 4_000_000,
	about: "64 pairs at once: messages between independent couples",
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		total, out := newTally(sys, dealt(j.n, couples))
		for i := range dealt(j.n, couples) {
			serve(sys, share(j.n, couples, i), total)
		}
		return out
	},
	channels: func(j job) <-chan uint64 {
		scores := make(chan uint64, buffer)
		for i := range dealt(j.n, couples) {
			serveChannels(share(j.n, couples, i), scores)
		}
		return tallyChannel(scores, 2*dealt(j.n, couples))
	},
}
