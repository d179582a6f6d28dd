//go:build gallop_figures

package heap_test

import (
	"testing"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
)

// In steady state nothing here allocates from Go's heap: not the objects, not
// the chunks, not the page tables.
func TestNoGoAllocations(t *testing.T) {
	if invariant.On {
		return // checks allocate their messages
	}
	if asan {
		t.Skip("the address sanitizer allocates") // not a usual build
	}
	var a heap.Arena
	a.Bind(heap.NewRecycler(1 << 20))
	sum := uint64(0)
	for name, f := range map[string]func(){
		"New":       func() { heap.New[node](&a) },
		"TryNew":    func() { _, _ = heap.TryNew[node](&a) },
		"Deref":     func() { sum += heap.New[node](&a).Deref(&a).value },
		"MakeSlice": func() { *heap.MakeSlice[uint64](&a, 20).At(&a, 3) = sum },
		"NewString": func() { sum += uint64(len(heap.NewString(&a, "hello").Deref(&a))) },
		"100 KiB":   func() { list(&a, 3200) },
		"Stats":     func() { sum += uint64(a.Stats().Used) },
		"types in turn": func() {
			heap.New[[1]int](&a)
			heap.New[[2]int](&a)
			heap.New[[3]int](&a)
		},
	} {
		run := func() {
			for range 10 {
				f()
			}
			a.Release()
		}
		run()
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// "the GC has nothing to do": an actor makes its state anew again and again, and collects the
// dropped objects. After its worker's store is filled, and while the store has room, the actor
// takes nothing from Go's heap: neither chunks, nor page tables, nor the memory of a collection.
func TestCollectionsMakeNoGarbage(t *testing.T) {
	if asan || invariant.On || heap.Poisoned {
		t.Skip("checks allocate, and poisoned chunks are not used again") // not a usual build
	}
	for _, nodes := range []int{32, 500, 2000} {
		var a heap.Arena
		a.Bind(new(heap.Recycler))
		var state struct{ first heap.Ptr[node] }
		collections := 0
		run := func() {
			for range 40 {
				if state.first = list(&a, nodes); a.Due() {
					a.Begin(heap.RootAt(&state)) // Collect would compare as well
					a.Finish()
					collections++
				}
			}
		}
		run()
		if n := testing.AllocsPerRun(50, run); n != 0 || collections < 50 {
			t.Errorf("%d nodes: %v allocations, %d collections", nodes, n, collections)
		}
	}
}
