package main

import "github.com/gallop-go/gallop/actor"

// Unbalanced cobwebbed tree: nodes ask the root whether they may have children, until the tree has
// its size. Then it is traversed: every node computes for a while of its own.
var uct = program{
	name: "uct", about: "unbalanced cobwebbed tree", n: 100_000,
	gallop: uctGallop, plain: uctPlain, message: uctMessage,
}

const (
	uctChildren = 10
	uctEffort   = 500 // average steps of a node in the traversal
	uctAsking   = 100 // steps before a node asks for children
)

// growth is how the root decides who has children.
type growth struct {
	random
	size, most, asking int
}

func newGrowth(n int) growth { return growth{random: newRandom(3), most: n} }

// grant decides about one node. The first node that asks always has children, as the root does.
func (g *growth) grant() bool {
	if g.size+uctChildren > g.most || g.asking > uctChildren && g.next()&1 == 0 {
		g.asking--
		return false
	}
	g.size += uctChildren
	g.asking += uctChildren - 1
	return true
}

// effort is the number of steps that a new node computes in the traversal, drawn at random.
func (g *growth) effort() int { return uctEffort/2 + g.below(uctEffort) }

type uctRoot struct {
	growth
	visited  int
	children []actor.Ref[uctNode]
	out      chan<- uint64
}

type uctNode struct {
	root     actor.Ref[uctRoot]
	effort   int
	children []actor.Ref[uctNode]
}

var (
	uctRootType    = actor.NewType[uctRoot]("root")
	uctRootStart   = actor.Declare[struct{}](uctRootType, "start")
	uctRootShould  = actor.Declare[actor.Ref[uctNode]](uctRootType, "should")
	uctRootVisited = actor.Declare[struct{}](uctRootType, "visited")
	_              = uctRootType.Table(uctRootStart.Handle((*uctRoot).start),
		uctRootShould.Handle((*uctRoot).should),
		uctRootVisited.Handle((*uctRoot).oneVisited))

	uctNodeType     = actor.NewType[uctNode]("node")
	uctNodeTry      = actor.Declare[struct{}](uctNodeType, "try")
	uctNodeGenerate = actor.Declare[int](uctNodeType, "generate")
	uctNodeTraverse = actor.Declare[struct{}](uctNodeType, "traverse")
	_               = uctNodeType.Table(uctNodeTry.Handle((*uctNode).try),
		uctNodeGenerate.Handle((*uctNode).generate),
		uctNodeTraverse.Handle((*uctNode).traverse))
)

func (r *uctRoot) start(ctx *actor.Context, _ struct{}) {
	r.asking = 1
	r.grant()
	r.children = bear(ctx, actor.Self[uctRoot](ctx), r.effort())
}

// bear spawns children and has them ask for theirs.
func bear(ctx *actor.Context, root actor.Ref[uctRoot], effort int) []actor.Ref[uctNode] {
	children := make([]actor.Ref[uctNode], uctChildren)
	for i := range children {
		children[i] = uctNodeType.Spawn(ctx, uctNode{root: root, effort: effort})
		uctNodeTry.Send(ctx, children[i], struct{}{})
	}
	return children
}

func (r *uctRoot) should(ctx *actor.Context, n actor.Ref[uctNode]) {
	if r.grant() {
		uctNodeGenerate.Send(ctx, n, r.effort())
	} else if r.asking == 0 {
		for _, c := range r.children {
			uctNodeTraverse.Send(ctx, c, struct{}{})
		}
	}
}

func (r *uctRoot) oneVisited(*actor.Context, struct{}) {
	if r.visited++; r.visited == r.size {
		r.out <- uint64(r.visited)
	}
}

func (n *uctNode) try(ctx *actor.Context, _ struct{}) {
	busy(uctAsking)
	uctRootShould.Send(ctx, n.root, actor.Self[uctNode](ctx))
}

func (n *uctNode) generate(ctx *actor.Context, effort int) {
	n.children = bear(ctx, n.root,
		effort)
}

func (n *uctNode) traverse(ctx *actor.Context, _ struct{}) {
	busy(n.effort)
	for _, c := range n.children {
		uctNodeTraverse.Send(ctx, c, struct{}{})
	}
	uctRootVisited.Send(ctx, n.root, struct{}{})
}

func uctGallop(sys *actor.System, n int) uint64 {
	out := make(chan uint64, 1)
	uctRootStart.Send(sys, uctRootType.Spawn(sys, uctRoot{growth: newGrowth(n / 10 * 10), out: out}),
		struct{}{})
	return <-out
}
