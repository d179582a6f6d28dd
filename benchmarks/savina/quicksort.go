package main

import (
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// Quicksort: an actor splits its part and gives both sides to new actors, until a part is small.
var quicksort = program{
	name: "quicksort", about: "quicksort", n: 1_000_000,
	gallop: quicksortGallop, plain: quicksortPlain, message: quicksortMessage,
}

const sortThreshold = 2048

func unsorted(n int) []uint64 {
	r, v := newRandom(9), make([]uint64, n)
	for i := range v {
		v[i] = r.next() >> 16
	}
	return v
}

// split returns the values that are smaller than the pivot, equal to it, and larger.
func split(v []uint64) (smaller, equal, larger []uint64) {
	pivot := v[len(v)/2]
	for _, x := range v {
		switch {
		case x < pivot:
			smaller = append(smaller, x)
		case x > pivot:
			larger = append(larger, x)
		default:
			equal = append(equal, x)
		}
	}
	return smaller, equal, larger
}

func checkSorted(v []uint64) (sum uint64) {
	for i, x := range v {
		sum += uint64(i+1) * x
	}
	return sum
}

// side says which part of its parent's result an actor has.
type side int

const (
	leftSide side = iota
	rightSide
)

type sorter struct {
	parent actor.Ref[sorter]
	side   side
	parts  [2][]uint64
	equal  []uint64
	left   int
	out    chan<- []uint64 // of the first only
}

type sorted struct {
	side  side
	items []uint64
}

var (
	sorterType   = actor.NewType[sorter]("sorter")
	sorterSort   = actor.Declare[[]uint64](sorterType, "sort")
	sorterResult = actor.Declare[sorted](sorterType, "result")
	_            = sorterType.Table(sorterSort.Handle((*sorter).sort),
		sorterResult.Handle((*sorter).result))
)

func (s *sorter) sort(ctx *actor.Context, v []uint64) {
	if len(v) < sortThreshold {
		slices.Sort(v)
		s.finish(ctx, v)
		return
	}
	smaller, equal, larger := split(v)
	s.equal, s.left = equal, 2
	for i, part := range [...][]uint64{smaller, larger} {
		child := sorterType.Spawn(ctx, sorter{parent: actor.Self[sorter](ctx), side: side(i)})
		sorterSort.Send(ctx, child, part)
	}
}

func (s *sorter) result(ctx *actor.Context, r sorted) {
	s.parts[r.side] = r.items
	if s.left--; s.left == 0 {
		s.finish(ctx, slices.Concat(s.parts[leftSide], s.equal, s.parts[rightSide]))
	}
}

func (s *sorter) finish(ctx *actor.Context, v []uint64) {
	if s.out != nil {
		s.out <- v
	} else {
		sorterResult.Send(ctx, s.parent, sorted{s.side, v})
	}
	ctx.Stop()
}

func quicksortGallop(sys *actor.System, n int) uint64 {
	out := make(chan []uint64, 1)
	sorterSort.Send(sys, sorterType.Spawn(sys, sorter{out: out}), unsorted(n))
	return checkSorted(<-out)
}
