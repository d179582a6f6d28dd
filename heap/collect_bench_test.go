package heap_test

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/heap"
)

// BenchmarkCollect makes a collection of an arena with a number of live bytes, and half
// as many dead bytes, in 32-byte objects: a list, and a tree.
func BenchmarkCollect(b *testing.B) {
	for _, live := range []int{1 << 10, 16 << 10, 1 << 20, 8 << 20} {
		b.Run(fmt.Sprintf("list/%dKiB", live>>10), func(b *testing.B) {
			var a heap.Arena
			a.Bind(heap.NewRecycler(16 << 20))
			root := list(&a, live/32)
			benchCollect(b, &a, heap.RootAt(&root), live)
		})
		b.Run(fmt.Sprintf("tree/%dKiB", live>>10), func(b *testing.B) {
			var a heap.Arena
			a.Bind(heap.NewRecycler(16 << 20))
			root := treeOf(&a, live/32)
			benchCollect(b, &a, heap.RootAt(&root), live)
		})
	}
}

func benchCollect(b *testing.B, a *heap.Arena, root heap.Root, live int) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for range live / 64 {
			heap.New[node](a)
		}
		b.StartTimer()
		a.Collect(root)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(live/32), "ns/object")
}

// bush is a 32-byte node of a tree.
type bush struct {
	value, weight uint64
	left, right   heap.Ptr[bush]
}

func treeOf(a *heap.Arena, n int) heap.Ptr[bush] {
	if n == 0 {
		return heap.Ptr[bush]{}
	}
	p := heap.New[bush](a)
	l, r := treeOf(a, (n-1)/2), treeOf(a, n-1-(n-1)/2)
	p.Deref(a).left, p.Deref(a).right = l, r
	return p
}

// BenchmarkMap looks up a key among a thousand numbers.
func BenchmarkMap(b *testing.B) {
	var a heap.Arena
	var m heap.Map[int, int]
	for i := range 1000 {
		m.Put(&a, i, i)
	}
	sum := 0
	for i := 0; b.Loop(); i++ {
		v, _ := m.Get(&a, i%1000)
		sum += v
	}
}
