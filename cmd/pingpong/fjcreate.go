// Fjcreate measures the life of an actor: create it, let it handle one message,
// forget it, because actors are only useful if one need not count them.

package main

import (
	"context"
	"runtime"
	"sync"

	"github.com/gallop-go/gallop/actor"
)

var fjcreate = scenario{
	name: "fjcreate", op: "actor", ops: "actors", n: 1_000_000,
	about:    "create an actor, send it one message, let it end",
	actors:   createActors,
	channels: createChannels,
}

// A board has a box for every actor to tick. Each ticks its own, and the boxes are
// counted when the system is quiet, so that nothing but the creation is shared.
type board []bool

func (b board) ticked() (n uint64) {
	for _, t := range b {
		if t {
			n++
		}
	}
	return n
}

// A creator spawns a chunk of children a behaviour, each of which gets one message.
type creator struct {
	next  int // the first box that has no child yet
	boxes board
}

// A child lives for one message.
type child struct{ box *bool }

var (
	creatorType = actor.NewType[creator]("creator")
	creatorMore = actor.Declare[actor.None](creatorType, "more")
	_           = creatorType.Table(creatorMore.Do((*creator).more))

	childType = actor.NewType[child]("child")
	childTick = actor.Declare[bool](childType, "tick")
	_         = childType.Table(childTick.Do((*child).tick))
)

func (c *creator) more(ctx *actor.Context, _ actor.None) {
	end := min(c.next+chunk, len(c.boxes))
	for ; c.next < end; c.next++ {
		childTick.Send(ctx, childType.Spawn(ctx, child{&c.boxes[c.next]}), true)
	}
	if c.next < len(c.boxes) {
		creatorMore.Send(ctx, actor.Self[creator](ctx), actor.None{})
	}
}

func (c *child) tick(ctx *actor.Context, on bool) {
	*c.box = on
	ctx.Stop()
}

func createActors(ctx context.Context, sys *actor.System, j job) <-chan uint64 {
	out := make(chan uint64, 1)
	boxes := make(board, j.n)
	creatorMore.Send(sys, creatorType.Spawn(sys, creator{boxes: boxes}), actor.None{})
	go func() {
		if sys.Wait(ctx) == nil {
			out <- boxes.ticked()
		}
	}()
	return out
}

func createChannels(j job) <-chan uint64 {
	out := make(chan uint64, 1)
	boxes := make(board, j.n)
	go func() {
		var children sync.WaitGroup
		for i := range boxes {
			in := make(chan bool, buffer)
			children.Go(func() { boxes[i] = <-in })
			in <- true
			if i%chunk == chunk-1 {
				runtime.Gosched() // the creator's turn ends here with actors too
			}
		}
		children.Wait()
		out <- boxes.ticked()
	}()
	return out
}
