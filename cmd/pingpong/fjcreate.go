// Fjcreate measures the creation of actors: create one, let it handle one message, drop it, because
// actors are only useful if they are cheap.

package main

import (
	"context"
	"runtime"
	"sync"

	"github.com/gallop-go/gallop/actor"
)

const (
	// concurrent creators on either side
	creators = 8
	litter   = 200 // spawns that a creator makes in one behaviour
	maxBoxes = 1_000_000_000
)

var fjcreate = scenario{
	name: "fjcreate", op: "actor", ops: "actors", n: 1_000_000,
	about:    "eight at once create an actor, send it one message and let it end",
	fit:      func(n int) int { return min(n, maxBoxes) },
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

// part returns the boxes of creator i.
func (b board) part(i int) board {
	return b[i*len(b)/creators : (i+1)*len(b)/creators]
}

// A creator spawns a litter of children a behaviour, each of which gets one message.
type creator struct {
	next  int // the first box that has no child yet
	boxes board
}

// A child handles one message and ends.
type child struct{ box *bool }

var (
	creatorType = actor.NewType[creator]("creator")
	creatorMore = actor.Declare[struct{}](creatorType, "more")
	_           = creatorType.Table(creatorMore.Handle((*creator).more))

	childType = actor.NewType[child]("child")
	childTick = actor.Declare[bool](childType, "tick")
	_         = childType.Table(childTick.Handle((*child).tick))
)

func (c *creator) more(ctx *actor.Context, _ struct{}) {
	end := min(c.next+litter, len(c.boxes))
	for ; c.next < end; c.next++ {
		childTick.Send(ctx, childType.Spawn(ctx, child{&c.boxes[c.next]}), true)
	}
	if c.next < len(c.boxes) {
		creatorMore.Send(ctx, actor.Self[creator](ctx), struct{}{})
	}
}

func (c *child) tick(ctx *actor.Context, on bool) {
	*c.box = on
	ctx.Stop()
}

func createActors(ctx context.Context, sys *actor.System, j job) <-chan uint64 {
	out := make(chan uint64, 1)
	boxes := make(board, j.n)
	for i := range creators {
		creatorMore.Send(sys, creatorType.Spawn(sys, creator{boxes: boxes.part(i)}), struct{}{})
	}
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
		for i := range creators {
			children.Go(func() { createPart(boxes.part(i), &children) })
		}
		children.Wait()
		out <- boxes.ticked()
	}()
	return out
}

func createPart(boxes board, children *sync.WaitGroup) {
	for i := range boxes {
		in := make(chan bool, buffer)
		children.Go(func() { boxes[i] = <-in })
		in <- true
		if i%litter == litter-1 {
			runtime.Gosched() // the creator's turn ends here with actors too
		}
	}
}
