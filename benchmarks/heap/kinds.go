package main

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// kinds are the two ways to hold the state, and the one without a state, to be subtracted.
var kinds = map[string]func(*actor.System, config) population{
	"pointers": populate(pointerType, pointerBuild, pointerTouch, pointerReplace),
	"arena":    populate(arenaType, arenaBuild, arenaTouch, arenaReplace),
	"none":     populate(noneType, noneBuild, noneTouch, noneBuild),
}

// populate returns a function that spawns and builds the actors of a type.
func populate[S any](t *actor.Type[S], build, touch,
	replace actor.Behaviour[S, int]) func(*actor.System, config) population {
	return func(sys *actor.System, c config) population {
		refs := make([]actor.Ref[S], c.actors)
		for i := range refs {
			refs[i] = t.SpawnFunc(sys, func(*S) {})
			build.Send(sys, refs[i], c.nodes)
		}
		return population{
			func(i int) { touch.Send(sys, refs[i], 1) },
			func(ctx *actor.Context, i int) { replace.Send(ctx, refs[i], c.nodes) },
		}
	}
}

// Ordinary Go values.
type (
	goNode struct {
		value, weight, depth uint64
		next                 *goNode
	}
	pointers struct {
		head *goNode
		sum  uint64
	}
)

func (p *pointers) build(_ *actor.Context, n int) {
	for i := range n {
		p.head = &goNode{value: uint64(i), next: p.head}
	}
}

func (p *pointers) touch(_ *actor.Context, by int) {
	for n := p.head; n != nil; n = n.next {
		n.weight += uint64(by)
		p.sum += n.value
	}
}

// replace makes the list anew: the old one is garbage.
func (p *pointers) replace(c *actor.Context, n int) {
	p.head = nil
	p.build(c, n)
}

var (
	pointerType    = actor.NewType[pointers]("pointers")
	pointerBuild   = actor.Declare[int](pointerType, "build")
	pointerTouch   = actor.Declare[int](pointerType, "touch")
	pointerReplace = actor.Declare[int](pointerType, "replace")
	_              = pointerType.Table(pointerBuild.Handle((*pointers).build),
		pointerTouch.Handle((*pointers).touch), pointerReplace.Handle((*pointers).replace))
)

// The actor's own arena.
type (
	node struct {
		value, weight, depth uint64
		next                 heap.Ptr[node]
	}
	arena struct {
		head heap.Ptr[node]
		sum  uint64
	}
)

func (s *arena) build(c *actor.Context, n int) {
	a := c.Heap()
	for i := range n {
		p := heap.New[node](a)
		*p.Deref(a) = node{value: uint64(i), next: s.head}
		s.head = p
	}
}

func (s *arena) touch(c *actor.Context, by int) {
	a := c.Heap()
	for p := s.head; !p.IsZero(); {
		n := p.Deref(a)
		n.weight += uint64(by)
		s.sum += n.value
		p = n.next
	}
}

func (s *arena) replace(c *actor.Context, n int) {
	s.head = heap.Ptr[node]{}
	s.build(c, n)
}

var (
	arenaType    = actor.NewType[arena]("arena")
	arenaBuild   = actor.Declare[int](arenaType, "build")
	arenaTouch   = actor.Declare[int](arenaType, "touch")
	arenaReplace = actor.Declare[int](arenaType, "replace")
	_            = arenaType.Table(arenaBuild.Handle((*arena).build),
		arenaTouch.Handle((*arena).touch),
		arenaReplace.Handle((*arena).replace))
)

// none has no data, which shows the cost of the actors themselves.
type none struct{ sum uint64 }

func (n *none) nothing(*actor.Context, int) { n.sum++ }

var (
	noneType  = actor.NewType[none]("none")
	noneBuild = actor.Declare[int](noneType, "build")
	noneTouch = actor.Declare[int](noneType, "touch")
	_         = noneType.Table(noneBuild.Handle((*none).nothing), noneTouch.Handle((*none).nothing))
)
