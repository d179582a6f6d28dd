// Ask measures the way in from outside: one goroutine asks an actor and waits for the
// reply, again and again, because that is how the rest of a service talks to actors.

package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

var ask = scenario{
	name: "ask", op: "ask", ops: "asks", n: 200_000,
	about:    "a goroutine asks and waits, again and again: the way in from outside",
	actors:   askActor,
	channels: askChannel,
}

// A clerk replies with the sum of all requests.
type clerk struct{ sum uint64 }

var (
	clerkType = actor.NewType[clerk]("clerk")
	clerkAdd  = actor.DeclareAsk[uint64, uint64](clerkType, "add")
	_         = clerkType.Table(clerkAdd.Handle((*clerk).add))
)

func (c *clerk) add(_ *actor.Context, by uint64) (uint64, error) {
	c.sum += by
	return c.sum, nil
}

func askActor(ctx context.Context, sys *actor.System, j job) <-chan uint64 {
	out := make(chan uint64, 1)
	to := clerkType.Spawn(sys, clerk{})
	go func() {
		sum := uint64(0)
		for range j.n {
			got, err := clerkAdd.Ask(ctx, to, 1)
			if err != nil {
				break // the count is then wrong, which is reported
			}
			sum = got
		}
		out <- sum
	}()
	return out
}

// A request is a message to the goroutine twin of a clerk.
type request struct {
	by    uint64
	reply chan<- uint64
}

func askChannel(j job) <-chan uint64 {
	out := make(chan uint64, 1)
	requests := make(chan request, buffer)
	go func() {
		sum := uint64(0)
		for r := range requests {
			sum += r.by
			r.reply <- sum
		}
	}()
	go func() {
		reply := make(chan uint64, buffer)
		sum := uint64(0)
		for range j.n {
			requests <- request{by: 1, reply: reply}
			sum = <-reply
		}
		close(requests)
		out <- sum
	}()
	return out
}
