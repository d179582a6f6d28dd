// Ring measures a hop to an actor that has not run for a while: one token goes round 503 actors,
// because both cold memory and a wake-up per hop show.

package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

const nodes = 503

var ring = scenario{
	name: "ring", op: "hop", ops: "hops", n: 2_000_000,
	about: "503 actors and one token: a hop to an actor that has been idle",
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		out := make(chan uint64, 1)
		first := nodeType.Spawn(sys, node{out: out})
		last := first
		for range nodes - 1 {
			last = nodeType.Spawn(sys, node{next: last, out: out})
		}
		nodeLink.Send(sys, first, last)
		nodeHop.Send(sys, first, uint64(j.n))
		return out
	},
	channels: ringChannels,
}

// A node passes the token on and counts how often it has had it.
type node struct {
	next actor.Ref[node]
	hops uint64
	out  chan<- uint64
}

// A lap adds up the counts of the nodes it has still to visit.
type lap struct {
	left int
	sum  uint64
}

var (
	nodeType = actor.NewType[node]("node")
	nodeLink = actor.Declare[actor.Ref[node]](nodeType, "link")
	nodeHop  = actor.Declare[uint64](nodeType, "hop")
	nodeAdd  = actor.Declare[lap](nodeType, "add")
	_        = nodeType.Table(nodeLink.Handle((*node).link), nodeHop.Handle((*node).hop),
		nodeAdd.Handle((*node).add))
)

func (r *node) link(_ *actor.Context, next actor.Ref[node]) { r.next = next }

// hop is the token; left counts this hop and those still to come.
func (r *node) hop(ctx *actor.Context, left uint64) {
	r.hops++
	if left > 1 {
		nodeHop.Send(ctx, r.next, left-1)
	} else {
		nodeAdd.Send(ctx, r.next, lap{left: nodes})
	}
}

func (r *node) add(ctx *actor.Context, l lap) {
	l.sum += r.hops
	l.left--
	if l.left > 0 {
		nodeAdd.Send(ctx, r.next, l)
	} else {
		r.out <- l.sum
	}
}

func ringChannels(j job) <-chan uint64 {
	counts := make(chan uint64, buffer)
	first := make(chan uint64, buffer)
	in := first
	for range nodes - 1 {
		next := make(chan uint64, buffer)
		go hitChannels(in, next, counts)
		in = next
	}
	go hitChannels(in, first, counts)
	first <- uint64(j.n)
	return tallyChannel(counts, nodes)
}
