package main

import "github.com/gallop-go/gallop/actor"

// All-pairs shortest path (Floyd and Warshall): the matrix is cut into blocks, an actor each. In
// every step a block sends its data to the blocks of its row and its column, waits for theirs, and
// computes.
var apsp = program{
	name: "apsp", about: "all-pairs shortest path", n: 300,
	gallop: apspGallop, plain: apspPlain, message: apspMessage,
}

const apspBlock = 50

// distances returns the graph's matrix.
func distances(n int) []int32 {
	r, d := newRandom(7), make([]int32, n*n)
	for i := range d {
		d[i] = int32(r.below(1000)) + 1
	}
	for i := range n {
		d[i*n+i] = 0
	}
	return d
}

func sumDistances(d []int32) (sum uint64) {
	for _, v := range d {
		sum += uint64(v)
	}
	return sum
}

// grid is the place of a block in the matrix, its values, and the values that it has received for
// this step and the next: a neighbour may be one step ahead.
type grid struct {
	row, col, across, steps, step int
	data                          []int32
	got                           [2][]received
}

type received struct {
	row, col int
	data     []int32
}

// blockData is a message from a block to its neighbours: its values at a step.
type blockData struct {
	row, col, step int
	data           []int32
}

func newGrid(all []int32, n, row, col int) grid {
	g := grid{row: row, col: col, across: n / apspBlock, steps: n}
	g.data = make([]int32, 0, apspBlock*apspBlock)
	for i := range apspBlock {
		at := (row*apspBlock+i)*n + col*apspBlock
		g.data = append(g.data, all[at:at+apspBlock]...)
	}
	return g
}

func (g *grid) message() blockData { return blockData{g.row, g.col, g.step, g.data} }

// take stores a neighbour's message and reports whether all messages for the step are there.
func (g *grid) take(m blockData) (complete bool) {
	got := &g.got[m.step&1]
	*got = append(*got, received{m.row, m.col, m.data})
	return g.complete()
}

func (g *grid) complete() bool { return len(g.got[g.step&1]) == 2*(g.across-1) }

// compute does the step and goes on to the next.
func (g *grid) compute() {
	k, got := g.step, &g.got[g.step&1]
	rowBlock, colBlock := g.data, g.data // the blocks that hold row k and column k
	for _, r := range *got {
		if r.col == g.col && r.row == k/apspBlock {
			rowBlock = r.data
		}
		if r.row == g.row && r.col == k/apspBlock {
			colBlock = r.data
		}
	}
	g.data = relaxed(g.data, rowBlock, colBlock, k%apspBlock)
	*got = (*got)[:0]
	g.step++
}

func relaxed(old, rowBlock, colBlock []int32, k int) []int32 {
	d := make([]int32, apspBlock*apspBlock)
	through := rowBlock[k*apspBlock:][:apspBlock]
	for i := range apspBlock {
		to, row, out := colBlock[i*apspBlock+k], old[i*apspBlock:][:apspBlock],
			d[i*apspBlock:][:apspBlock]
		for j, v := range row {
			out[j] = min(v, to+through[j])
		}
	}
	return d
}

type block struct {
	grid
	neighbours []actor.Ref[block]
	total      actor.Ref[tally]
}

var (
	blockType  = actor.NewType[block]("block")
	blockStart = actor.Declare[[]actor.Ref[block]](blockType, "start")
	blockTake  = actor.Declare[blockData](blockType, "take")
	_          = blockType.Table(blockStart.Handle((*block).start),
		blockTake.Handle((*block).takeData))
)

func (b *block) start(ctx *actor.Context, all []actor.Ref[block]) {
	for i, r := range all {
		if row, col := i/b.across, i%b.across; (row == b.row) != (col == b.col) {
			b.neighbours = append(b.neighbours, r)
		}
	}
	b.tell(ctx)
}

func (b *block) tell(ctx *actor.Context) {
	for _, r := range b.neighbours {
		blockTake.Send(ctx, r, b.message())
	}
}

func (b *block) takeData(ctx *actor.Context, m blockData) {
	if !b.take(m) {
		return
	}
	b.compute()
	if b.step < b.steps {
		b.tell(ctx)
	} else {
		tallyAdd.Send(ctx, b.total, sumDistances(b.data))
	}
}

func apspGallop(sys *actor.System, n int) uint64 {
	n = n / apspBlock * apspBlock
	d, across := distances(n), n/apspBlock
	total, out := newTally(sys, across*across)
	all := make([]actor.Ref[block], across*across)
	for i := range all {
		all[i] = blockType.Spawn(sys, block{grid: newGrid(d, n, i/across, i%across), total: total})
	}
	for _, b := range all {
		blockStart.Send(sys, b, all)
	}
	return <-out
}
