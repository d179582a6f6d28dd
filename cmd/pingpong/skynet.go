// Skynet measures growth: a tree of actors, ten below each, whose leaves' numbers are
// added up on the way back, because work that creates work must spread by itself.

package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

const (
	arms      = 10
	maxLeaves = 1_000_000_000
)

var skynet = scenario{
	name: "skynet", op: "leaf", ops: "leaves", n: 1_000_000,
	perOp: 2 * 10.0 / 9, // there and back, and nodes between
	about: "a tree, ten below each, summed from its leaves: work that creates work",
	fit:   powerOfTen,
	want:  func(n int) uint64 { return uint64(n) * uint64(n-1) / 2 },
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		out := make(chan uint64, 1)
		root := branchType.Spawn(sys, branch{leaves: j.n, out: out})
		branchGrow.Send(sys, root, struct{}{})
		return out
	},
	channels: func(j job) <-chan uint64 {
		out := make(chan uint64, 1)
		go growChannels(0, j.n, out)
		return out
	},
}

// powerOfTen is the power of ten that is nearest to n by ratio: 3 becomes 1 and 4 becomes 10.
func powerOfTen(n int) int {
	p := 1
	for p < maxLeaves && float64(n)/float64(p) > 3.1622776601683795 {
		p *= arms
	}
	return p
}

// A branch holds the leaves numbered from first on. A branch of a single leaf is that leaf.
type branch struct {
	parent  actor.Ref[branch]
	first   int
	leaves  int
	sum     uint64
	missing int           // arms whose sum is still to come
	out     chan<- uint64 // the root's way out
}

var (
	branchType = actor.NewType[branch]("branch")
	branchGrow = actor.Declare[struct{}](branchType, "grow")
	branchAdd  = actor.Declare[uint64](branchType, "add")
	_          = branchType.Table(branchGrow.Handle((*branch).grow), branchAdd.Handle((*branch).add))
)

func (b *branch) grow(ctx *actor.Context, _ struct{}) {
	if b.leaves == 1 {
		b.finish(ctx, uint64(b.first))
		return
	}
	b.missing = arms
	size, self := b.leaves/arms, actor.Self[branch](ctx)
	for i := range arms {
		arm := branchType.Spawn(ctx, branch{parent: self, first: b.first + i*size, leaves: size})
		branchGrow.Send(ctx, arm, struct{}{})
	}
}

func (b *branch) add(ctx *actor.Context, sum uint64) {
	b.sum += sum
	b.missing--
	if b.missing == 0 {
		b.finish(ctx, b.sum)
	}
}

// finish sends the sum to the parent and ends the actor.
func (b *branch) finish(ctx *actor.Context, sum uint64) {
	if b.out != nil {
		b.out <- sum
	} else {
		branchAdd.Send(ctx, b.parent, sum)
	}
	ctx.Stop()
}

func growChannels(first, leaves int, parent chan<- uint64) {
	if leaves == 1 {
		parent <- uint64(first)
		return
	}
	in, size := make(chan uint64, buffer), leaves/arms
	for i := range arms {
		go growChannels(first+i*size, size, in)
	}
	sum := uint64(0)
	for range arms {
		sum += <-in
	}
	parent <- sum
}
