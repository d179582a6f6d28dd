package main

import "github.com/gallop-go/gallop/actor"

// Successive over-relaxation on a grid with red and black cells, an actor each: in every iteration
// a cell sends its value to its neighbours and computes the next one from theirs.
var sor = program{
	name: "sor", about: "successive over-relaxation", n: 100,
	gallop: sorGallop, plain: sorPlain, message: sorMessage,
}

const (
	sorIterations = 60
	sorOmega      = 1.25
)

// sorInitial is the value with which cell i of the grid begins.
func sorInitial(n int) []float64 {
	r, g := newRandom(5), make([]float64, n*n)
	for i := range g {
		g[i] = float64(r.below(1_000_000)) * 1e-6
	}
	return g
}

// sorNext is a cell's next value.
func sorNext(value, sum float64, neighbours int) float64 {
	return value*(1-sorOmega) + sorOmega/float64(neighbours)*sum
}

// sorRound is a value in a form in which the order of additions makes no difference.
func sorRound(v float64) uint64 { return uint64(v * 1e9) }

// sorNeighbours lists the cells beside cell i: up, left, right, down.
func sorNeighbours(i, n int) []int {
	var all []int
	if i >= n {
		all = append(all, i-n)
	}
	if i%n > 0 {
		all = append(all, i-1)
	}
	if i%n < n-1 {
		all = append(all, i+1)
	}
	if i < n*(n-1) {
		all = append(all, i+n)
	}
	return all
}

// sorCell is a cell of the grid. Black cells compute first, from the red ones' values; red cells
// then compute from the black ones' new values.
type sorCell struct {
	value           float64
	got             [4]float64 // of the neighbours, in their order
	count, iter, of int
}

// take stores neighbour i's value and reports whether the cell has computed.
func (c *sorCell) take(i int, v float64) (computed bool) {
	c.got[i] = v
	if c.count++; c.count < c.of {
		return false
	}
	sum := 0.0
	for _, v := range c.got[:c.of] {
		sum += v
	}
	c.value = sorNext(c.value, sum, c.of)
	c.count = 0
	c.iter++
	return true
}

func sorRed(i, n int) bool { return (i/n+i%n)&1 == 0 }

// sorValue is a message: the value of the receiver's neighbour with this index.
type sorValue struct {
	from  int
	value float64
}

type sorActor struct {
	sorCell
	red        bool
	neighbours []sorLink
	total      actor.Ref[tally]
}

// sorLink leads to a neighbour; index says which of its neighbours the sender is.
type sorLink struct {
	to    actor.Ref[sorActor]
	index int
}

var (
	sorType  = actor.NewType[sorActor]("cell")
	sorStart = actor.Declare[[]sorLink](sorType, "start")
	sorTake  = actor.Declare[sorValue](sorType, "take")
	_        = sorType.Table(sorStart.Handle((*sorActor).start), sorTake.Handle((*sorActor).takeValue))
)

func (c *sorActor) start(ctx *actor.Context, links []sorLink) {
	c.neighbours = links
	if c.red {
		c.tell(ctx)
	}
}

func (c *sorActor) tell(ctx *actor.Context) {
	for _, l := range c.neighbours {
		sorTake.Send(ctx, l.to, sorValue{l.index, c.value})
	}
}

func (c *sorActor) takeValue(ctx *actor.Context, m sorValue) {
	if !c.take(m.from, m.value) {
		return
	}
	if !c.red || c.iter < sorIterations {
		c.tell(ctx)
	}
	if c.iter == sorIterations {
		tallyAdd.Send(ctx, c.total, sorRound(c.value))
	}
}

// sorIndex says which of the neighbours of "of" cell i is.
func sorIndex(i, of, n int) int {
	for k, j := range sorNeighbours(of, n) {
		if j == i {
			return k
		}
	}
	return -1
}

func sorGallop(sys *actor.System, n int) uint64 {
	total, out := newTally(sys, n*n)
	all, values := make([]actor.Ref[sorActor], n*n), sorInitial(n)
	for i := range all {
		cell := sorCell{value: values[i], of: len(sorNeighbours(i, n))}
		all[i] = sorType.Spawn(sys, sorActor{sorCell: cell, red: sorRed(i, n), total: total})
	}
	for _, red := range []bool{false, true} { // red ones send at once
		for i, a := range all {
			if sorRed(i, n) == red {
				sorStart.Send(sys, a, sorLinks(all, i, n))
			}
		}
	}
	return <-out
}

func sorLinks(all []actor.Ref[sorActor], i, n int) (links []sorLink) {
	for _, j := range sorNeighbours(i, n) {
		links = append(links, sorLink{all[j], sorIndex(i, j, n)})
	}
	return links
}
