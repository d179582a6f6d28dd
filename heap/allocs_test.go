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
		return // checks allocate what they would say
	}
	if asan {
		t.Skip("the address sanitizer allocates") // not what is promised
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
