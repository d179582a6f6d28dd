package heap_test

import (
	"math"
	"testing"

	"github.com/gallop-go/gallop/heap"
)

// begins are the functions that begin a collection, of all objects or of the young.
var begins = map[string]func(a *heap.Arena, roots ...heap.Root){"all": (*heap.Arena).Begin,
	"young": (*heap.Arena).BeginDue}

// "Behaviours may run between steps": they read, change and make objects.
func TestBehavioursBetweenSteps(t *testing.T) {
	for name, begin := range begins {
		t.Run(name, func(t *testing.T) { testBetweenSteps(t, begin) })
	}
}

func testBetweenSteps(t *testing.T, begin func(a *heap.Arena, roots ...heap.Root)) {
	var a heap.Arena
	a.Bind(new(heap.Recycler))
	const n = 20_000
	root := ring(&a, n)
	for step := range 5 {
		begin(&a, heap.RootAt(&root))
		steps := 0
		for ; !a.Step(20_000); steps++ {
			at := root
			for range 50 { // each link is taken out and put in again as a new one
				old := at.Deref(&a)
				p := heap.New[link](&a)
				*p.Deref(&a) = *old
				old.prev.Deref(&a).next, old.next.Deref(&a).prev = p, p
				if at == root {
					root = p
				}
				at = old.next
			}
		}
		if steps < 20 {
			t.Errorf("round %d took %d steps", step, steps)
		}
		mustBeRing(t, &a, root, n)
	}
}

// A behaviour sees only new handles during a collection: a handle that it stores in an object of
// the arena between two steps is alive at the end.
func TestBarrier(t *testing.T) {
	for name, begin := range begins {
		t.Run(name, func(t *testing.T) { testBarrier(t, begin) })
	}
}

func testBarrier(t *testing.T, begin func(a *heap.Arena, roots ...heap.Root)) {
	type tree struct {
		depth       int
		left, right heap.Ptr[tree]
		_           [10]uint64
	}
	var a heap.Arena
	var grow func(depth int) heap.Ptr[tree]
	grow = func(depth int) heap.Ptr[tree] {
		p := heap.New[tree](&a)
		p.Deref(&a).depth = depth
		if depth > 0 {
			l, r := grow(depth-1), grow(depth-1)
			p.Deref(&a).left, p.Deref(&a).right = l, r
		}
		return p
	}
	var count func(p heap.Ptr[tree], depth int) int
	count = func(p heap.Ptr[tree], depth int) int {
		q := p.Deref(&a)
		if q.depth != depth {
			t.Fatalf("depth %d where %d should be", q.depth, depth)
		}
		if depth == 0 {
			return 1
		}
		return count(q.left, depth-1) + count(q.right, depth-1)
	}
	root := grow(13)
	for gas := 100; gas < 10_000_000; gas *= 4 {
		begin(&a, heap.RootAt(&root))
		for !a.Step(gas) {
			p := root
			for d := 13; d > 0; d-- { // a path to a leaf, and its children change sides
				q := p.Deref(&a)
				made := heap.New[tree](&a)
				*made.Deref(&a) = *q.right.Deref(&a)
				q.left, q.right = made, q.left
				p = q.left
			}
		}
		if got := count(root, 13); got != 1<<13 {
			t.Fatalf("%d leaves", got)
		}
	}
}

// TestStep_AnyGas: "until it has copied and scanned gas bytes", for extreme values of gas.
func TestStep_AnyGas(t *testing.T) {
	for name, begin := range begins {
		var a heap.Arena
		root := ring(&a, 20_000)
		begin(&a, heap.RootAt(&root))
		if a.Step(-1) || a.Step(math.MinInt) {
			t.Errorf("%s: a step without gas ended a collection", name)
		}
		heap.New[link](&a) // a step makes up for it
		if !a.Step(math.MaxInt) || a.Collecting() {
			t.Errorf("%s: it goes on after a step with all the gas that there is", name)
		}
		mustBeRing(t, &a, root, 20_000)
	}
}
