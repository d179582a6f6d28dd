// Big measures traffic without a pattern: 120 actors ping others at random and wait
// for the pong, because real programs rarely talk to their neighbour only.

package main

import (
	"context"
	"math/bits"
	"math/rand/v2"

	"github.com/gallop-go/gallop/actor"
)

const callers = 120

var big = scenario{
	name: "big", op: "ping-pong", ops: "ping-pongs", n: 1_200_000,
	perOp:    2,
	about:    "120 actors ping each other at random: traffic without a pattern",
	actors:   bigActors,
	channels: bigChannels,
}

// A dial chooses whom to ping, from the seed alone and alike on both sides.
type dial struct {
	self int
	rng  rand.PCG
}

func newDial(seed uint64, self int) dial {
	return dial{self: self, rng: *rand.NewPCG(seed, uint64(self))}
}

// next is any caller but the dial's own.
func (d *dial) next() int {
	hi, _ := bits.Mul64(d.rng.Uint64(), callers-1)
	if int(hi) >= d.self {
		return int(hi) + 1
	}
	return int(hi)
}

// A caller has one ping out at a time, until it has had all its pongs.
type caller struct {
	dial
	left  int
	pongs uint64
	peers *[callers]actor.Ref[caller] // filled before the first message, never written again
	total actor.Ref[tally]
}

var (
	callerType = actor.NewType[caller]("caller")
	callerCall = actor.Declare[struct{}](callerType, "call")
	callerPing = actor.Declare[actor.Ref[caller]](callerType, "ping")
	callerPong = actor.Declare[struct{}](callerType, "pong")
	_          = callerType.Table(
		callerCall.Handle((*caller).call), callerPing.Handle((*caller).ping),
		callerPong.Handle((*caller).pong))
)

func (c *caller) call(ctx *actor.Context, _ struct{}) {
	c.left--
	callerPing.Send(ctx, c.peers[c.next()], actor.Self[caller](ctx))
}

func (c *caller) ping(ctx *actor.Context, from actor.Ref[caller]) {
	callerPong.Send(ctx, from, struct{}{})
}

func (c *caller) pong(ctx *actor.Context, _ struct{}) {
	c.pongs++
	if c.left > 0 {
		c.call(ctx, struct{}{})
	} else {
		tallyAdd.Send(ctx, c.total, c.pongs)
	}
}

func bigActors(_ context.Context, sys *actor.System, j job) <-chan uint64 {
	total, out := newTally(sys, dealt(j.n, callers))
	peers := new([callers]actor.Ref[caller])
	for i := range peers {
		peers[i] = callerType.Spawn(sys, caller{
			dial: newDial(j.seed, i), left: share(j.n, callers, i), peers: peers, total: total})
	}
	for _, c := range peers[:dealt(j.n, callers)] {
		callerCall.Send(sys, c, struct{}{})
	}
	return out
}

// noReply marks a pong among the mail of callerChannels; a ping is the number of its sender.
const noReply = -1

func bigChannels(j job) <-chan uint64 {
	counts := make(chan uint64, buffer)
	// all 119 others and a pong fit into a buffer: no sender waits for ever
	var peers [callers]chan int
	for i := range peers {
		peers[i] = make(chan int, buffer)
	}
	for i := range peers {
		go callerChannels(&peers, newDial(j.seed, i), share(j.n, callers, i), counts)
	}
	sum, out := tallyChannel(counts, dealt(j.n, callers)), make(chan uint64, 1)
	go func() {
		out <- <-sum
		for _, in := range peers {
			close(in)
		}
	}()
	return out
}

func callerChannels(peers *[callers]chan int, d dial, left int, counts chan<- uint64) {
	pongs := uint64(0)
	if left > 0 {
		peers[d.next()] <- d.self
	}
	for from := range peers[d.self] {
		if from != noReply {
			peers[from] <- noReply
			continue
		}
		pongs++
		left--
		if left > 0 {
			peers[d.next()] <- d.self
		} else {
			counts <- pongs
		}
	}
}
