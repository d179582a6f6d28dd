package heap_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
)

// A vertex has a handle of every kind, in every place that a handle can be.
type vertex struct {
	id    int
	edge  heap.Ptr[vertex]
	pair  [2]struct{ to heap.Ptr[vertex] }
	row   heap.Slice[heap.Ptr[vertex]]
	text  heap.String
	blob  heap.Blob
	named heap.TextMap[heap.Ptr[vertex]]
}

const slots = 6 // edges of a vertex: edge, pair, row of 2, one by name

// mirror is a vertex in Go's heap.
type mirror struct {
	id   int
	to   [slots]*mirror
	text string
}

// graphs are an arena with its roots, and the same graph in Go's heap.
type graphs struct {
	arena *heap.Arena
	roots struct {
		at [3]heap.Ptr[vertex]
	}
	twins [3]*mirror
	next  int
	young int // collections of the young alone
}

func newGraphs(r *heap.Recycler) *graphs {
	g := &graphs{arena: new(heap.Arena)}
	g.arena.Bind(r)
	return g
}

// vertex makes a vertex and its twin.
func (g *graphs) vertex(size int) (heap.Ptr[vertex], *mirror) {
	g.next++
	text := strings.Repeat(fmt.Sprint(g.next%10), size)
	a, p := g.arena, heap.New[vertex](g.arena)
	row := heap.MakeSlice[heap.Ptr[vertex]](a, 2)
	v := p.Deref(a)
	*v = vertex{id: g.next, row: row, text: heap.NewString(a, text), blob: heap.NewBlob(a, text+"b")}
	return p, &mirror{id: g.next, text: text}
}

// link sets one edge of a vertex and of its twin.
func (g *graphs) link(p heap.Ptr[vertex], t *mirror, slot int, to heap.Ptr[vertex],
	toTwin *mirror) {
	v := p.Deref(g.arena)
	switch t.to[slot] = toTwin; slot {
	case 0:
		v.edge = to
	case 1, 2:
		v.pair[slot-1].to = to
	case 3, 4:
		*v.row.At(g.arena, slot-3) = to
	case 5:
		v.named.Put(g.arena, "five", to)
	}
}

// follow returns the vertex to which an edge leads.
func (g *graphs) follow(p heap.Ptr[vertex], slot int) heap.Ptr[vertex] {
	v := p.Deref(g.arena)
	switch slot {
	case 0:
		return v.edge
	case 1, 2:
		return v.pair[slot-1].to
	case 3, 4:
		return *v.row.At(g.arena, slot-3)
	}
	to, _ := v.named.Get(g.arena, "five")
	return to
}

// walk follows some edges from a root, at random.
func (g *graphs) walk(n func(int) int) (heap.Ptr[vertex], *mirror) {
	i := n(len(g.twins))
	p, t := g.roots.at[i], g.twins[i]
	for steps := n(20); steps > 0 && t != nil; steps-- {
		slot := n(slots)
		if t.to[slot] == nil {
			break
		}
		p, t = g.follow(p, slot), t.to[slot]
	}
	return p, t
}

// grow adds a vertex and links it from a random vertex or root, or links two vertices that exist.
func (g *graphs) grow(n func(int) int) {
	at, atTwin := g.walk(n)
	to, toTwin := g.walk(n)
	if n(3) > 0 || toTwin == nil {
		to, toTwin = g.vertex(n(100))
	}
	if n(10) == 0 || atTwin == nil {
		i := n(len(g.twins))
		g.roots.at[i], g.twins[i] = to, toTwin
		return
	}
	g.link(at, atTwin, n(slots), to, toTwin)
}

// cut removes an edge.
func (g *graphs) cut(n func(int) int) {
	if p, t := g.walk(n); t != nil {
		g.link(p, t, n(slots), heap.Ptr[vertex]{}, nil)
	}
}

func (g *graphs) root() heap.Root { return heap.RootAt(&g.roots) }

func (g *graphs) hash() uint64 { return g.arena.GraphHash(g.root()) }

// mustBeTwins walks graph and twin together.
func (g *graphs) mustBeTwins(t reporter) {
	t.Helper()
	seen := map[*mirror]heap.Ptr[vertex]{}
	var visit func(p heap.Ptr[vertex], w *mirror)
	visit = func(p heap.Ptr[vertex], w *mirror) {
		if w == nil || p.IsZero() {
			if w != nil || !p.IsZero() {
				t.Errorf("an edge leads to %v, its twin to %v", p, w)
			}
			return
		}
		if q, ok := seen[w]; ok {
			if q != p {
				t.Errorf("vertex %d is twice there", w.id)
			}
			return
		}
		seen[w] = p
		v := p.Deref(g.arena)
		if v.id != w.id || v.text.Deref(g.arena) != w.text || v.blob.Deref(g.arena) != w.text+"b" {
			t.Errorf("vertex %d has become %d", w.id, v.id)
		}
		for slot := range slots {
			visit(g.follow(p, slot), w.to[slot])
		}
	}
	for i := range g.twins {
		visit(g.roots.at[i], g.twins[i])
	}
}

// handOver moves the graph to another arena that has a graph of its own.
func (g *graphs) handOver(other *graphs) {
	r := heap.NewRegion[[3]heap.Ptr[vertex]]()
	moved := &graphs{arena: r.Arena()}
	copies := map[*mirror]heap.Ptr[vertex]{}
	var build func(w *mirror) heap.Ptr[vertex]
	build = func(w *mirror) heap.Ptr[vertex] {
		if w == nil {
			return heap.Ptr[vertex]{}
		}
		if p, ok := copies[w]; ok {
			return p
		}
		p, made := moved.vertex(0)
		copies[w] = p
		v := p.Deref(moved.arena)
		v.id, v.text, v.blob = w.id, heap.NewString(moved.arena, w.text), heap.NewBlob(moved.arena,
			w.text+"b")
		for slot := range slots {
			if w.to[slot] != nil {
				moved.link(p, made, slot, build(w.to[slot]), w.to[slot])
			}
		}
		return p
	}
	root := heap.New[[3]heap.Ptr[vertex]](moved.arena)
	for i, w := range g.twins {
		to := build(w)
		root.Deref(moved.arena)[i] = to
	}
	r.SetRoot(root)
	joined := r.Move().Join(other.arena)
	other.roots.at, other.twins = *joined.Deref(other.arena), g.twins
	g.roots.at, g.twins = [3]heap.Ptr[vertex]{}, [3]*mirror{}
}

// collectDue does the collection that is due.
func (g *graphs) collectDue() {
	if g.arena.CollectDue(g.root()) {
		g.young++
	}
}

// scale returns n, or n*nightly in the long form of the tests.
func scale(n, nightly int) int {
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		return n * nightly
	}
	return n
}

// tally counts the operations on the graphs of a shard.
type tally struct{ graphs, vertices, collections, young, moves, merges int }

func (x *tally) add(y tally) {
	x.graphs += y.graphs
	x.vertices += y.vertices
	x.collections += y.collections
	x.young += y.young
	x.moves += y.moves
	x.merges += y.merges
}

// "Collections, moves and merges keep the hash": of a million generated graphs at
// night, of a thousand at every commit.
func TestGraphsKeepTheirHash(t *testing.T) {
	n, before := 1000, heap.Blobs().Live
	if invariant.On { // each collection walks the graph twice
		n = 200
	}
	n = scale(n, 1000)
	defer heap.UsualGenerations()
	var all tally
	for half := range 2 { // generations are a setting of the process
		heap.ForceGenerations(half == 0)
		tallies := make(chan tally)
		const shards = 4
		for i := range shards {
			go func() { tallies <- graphShard(t, 2*i+half, 2*shards, n) }()
		}
		for range shards {
			all.add(<-tallies)
		}
		if half == 0 && all.young < n {
			t.Errorf("%d collections of the young in %d graphs", all.young, n)
		}
	}
	t.Logf("%+v", all)
	if all.graphs != 2*n && !t.Failed() {
		t.Errorf("%d graphs, want %d", all.graphs, 2*n)
	}
	if live := heap.Blobs().Live - before; live > 0 {
		t.Errorf("%d blobs are left", live)
	}
}

// graphShard does every each-th of n pairs of graphs, beginning with from, until one has failed.
func graphShard(t *testing.T, from, each, n int) (all tally) {
	recycler := new(heap.Recycler)
	for seed := from; seed < n && !t.Failed(); seed += each {
		life := graphLife{t, seed, rand.New(rand.NewPCG(uint64(seed), 1)), newGraphs(recycler),
			newGraphs(recycler), tally{graphs: 2}}
		life.live()
		all.add(life.tally)
	}
	return all
}

// graphLife is the life of the graphs of two actors. Both are collected. Then the first is moved
// and merged into the arena of the other, where it is collected again.
type graphLife struct {
	t      *testing.T
	seed   int
	chance *rand.Rand
	g      *graphs
	other  *graphs
	tally
}

func (l *graphLife) live() {
	l.grow(l.g, 60)
	l.grow(l.other, 30)
	l.collect(l.g)
	l.collect(l.other)
	for range 3 * (1 - l.seed%2) { // again, with old objects
		l.grow(l.g, 20)
		l.g.collectDue()
		l.collections++
	}
	l.young += l.g.young
	l.g.mustBeTwins(l.t)
	arrived := l.merge()
	l.g.arena.Release()
	l.collectBoth(arrived)
	l.other.arena.Release()
	l.vertices += l.g.next + l.other.next
}

func (l *graphLife) grow(g *graphs, n int) {
	for range l.chance.IntN(n) {
		g.grow(l.chance.IntN)
	}
}

// keeps fails unless a graph has the same hash after an operation.
func (l *graphLife) keeps(what string, want, got uint64) {
	if got != want {
		l.t.Errorf("seed %d: %s made %x of %x", l.seed, what, got, want)
	}
}

// collect does a whole collection.
func (l *graphLife) collect(g *graphs) {
	hash := g.hash()
	g.arena.Collect(g.root())
	l.keeps("a collection", hash, g.hash())
	l.collections++
}

// merge moves one graph into the arena of the other, and returns it there.
func (l *graphLife) merge() *graphs {
	hash, others := l.g.hash(), l.other.hash()
	arrived := &graphs{arena: l.other.arena}
	l.g.handOver(arrived)
	l.keeps("a move", hash, arrived.hash())
	l.keeps("a merge", others, l.other.hash())
	l.moves++
	l.merges++
	return arrived
}

// collectBoth collects an arena that holds two graphs: at once, or in part, so that later looks at
// the graphs do the rest.
func (l *graphLife) collectBoth(arrived *graphs) {
	hash, others, a := arrived.hash(), l.other.hash(), l.other.arena
	if l.seed%4 < 2 {
		a.Begin(l.other.root(), arrived.root())
		a.Step(l.chance.IntN(5000))
	} else {
		a.Collect(l.other.root(), arrived.root())
	}
	l.keeps("a collection of a merged graph", hash, arrived.hash())
	l.keeps("a collection of what was merged into", others, l.other.hash())
	arrived.mustBeTwins(l.t)
	l.other.mustBeTwins(l.t)
	l.collections++
}

// graphProperty runs random lives of two actors' graphs against their twins.
func graphProperty(t *rapid.T) {
	before := heap.Blobs().Live
	heap.ForceGenerations(rapid.Bool().Draw(t, "generations"))
	defer heap.UsualGenerations()
	r := heap.NewRecycler(rapid.SampledFrom([]int{0, 64 << 10}).Draw(t, "bound"))
	two := [2]*graphs{newGraphs(r), newGraphs(r)}
	n := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
	pick := func() *graphs { return two[n(2)] }
	grow := func(*rapid.T) {
		g := pick()
		for range 1 + n(10) {
			g.grow(n)
		}
	}
	t.Repeat(map[string]func(*rapid.T){
		"grow": grow, "grow more": grow,
		"cut":         func(*rapid.T) { pick().cut(n) },
		"collect":     func(*rapid.T) { g := pick(); g.arena.Collect(g.root()) },
		"collect due": func(*rapid.T) { pick().collectDue() },
		"begin":       func(*rapid.T) { g := pick(); g.arena.Begin(g.root()) },
		"begin due":   func(*rapid.T) { g := pick(); g.arena.BeginDue(g.root()) },
		"step":        func(*rapid.T) { pick().arena.Step(1 << n(14)) },
		"hand over": func(*rapid.T) {
			i := n(2)
			two[i].handOver(two[1-i])
		},
		"compare": func(t *rapid.T) { pick().mustBeTwins(t) },
	})
	for _, g := range two {
		g.mustBeTwins(t)
		g.arena.Collect(g.root())
		g.mustBeTwins(t)
		g.arena.Release()
	}
	// Fewer than before is no fault: a run that rapid gave up halfway is left to the GC,
	// with its blobs.
	if live := heap.Blobs().Live - before; live > 0 {
		t.Fatalf("%d blobs are left", live)
	}
}

// TestGraphModel compares graphs that are collected, step by step, with their twins.
func TestGraphModel(t *testing.T) { rapid.Check(t, graphProperty) }

// FuzzGraphModel is TestGraphModel, guided by the coverage of Go's fuzzer.
func FuzzGraphModel(f *testing.F) { f.Fuzz(rapid.MakeFuzz(graphProperty)) }
