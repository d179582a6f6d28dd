package heap_test

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/heap"
)

// node is the 32-byte object of the measurements. twin is the same object in Go's heap.
type (
	node struct {
		value, weight, depth uint64
		next                 heap.Ptr[node]
	}
	twin struct {
		value, weight, depth uint64
		next                 *twin
	}
)

// perArena is the number of objects that an arena takes before it is released: 1 MB.
const perArena = 32768

var sinkTwin *twin

// BenchmarkNew makes and writes a 32-byte object: in an arena that is
// released after each megabyte, and in Go's heap.
func BenchmarkNew(b *testing.B) {
	b.Run("arena", func(b *testing.B) {
		b.ReportAllocs()
		var a heap.Arena
		a.Bind(heap.NewRecycler(2 << 20))
		for i := range b.N {
			if i%perArena == 0 {
				a.Release()
			}
			heap.New[node](&a).Deref(&a).value = 1
		}
	})
	b.Run("go", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			sinkTwin = new(twin)
			sinkTwin.value = 1
		}
	})
}

// BenchmarkAlloc is New alone, without a write.
func BenchmarkAlloc(b *testing.B) {
	b.ReportAllocs()
	var a heap.Arena
	a.Bind(heap.NewRecycler(2 << 20))
	for i := range b.N {
		if i%perArena == 0 {
			a.Release()
		}
		heap.New[node](&a)
	}
}

// BenchmarkActor is the life of an actor with a list of 30 nodes, 960 bytes.
func BenchmarkActor(b *testing.B) {
	b.Run("arena", func(b *testing.B) {
		b.ReportAllocs()
		var a heap.Arena
		var r heap.Recycler
		a.Bind(&r)
		for range b.N {
			list(&a, 30)
			a.Release()
		}
	})
	b.Run("go", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			sinkTwin = goList(30)
		}
	})
}

// BenchmarkWalk follows a list within one chunk, and a list over many chunks. The figure
// is for one node.
func BenchmarkWalk(b *testing.B) {
	for _, n := range []int{30, 1000} {
		b.Run(fmt.Sprint("arena/", n), func(b *testing.B) {
			b.ReportAllocs()
			var a heap.Arena
			head := list(&a, n)
			for done := 0; done < b.N; done += n {
				for p := head; !p.IsZero(); p = p.Deref(&a).next {
				}
			}
		})
		b.Run(fmt.Sprint("go/", n), func(b *testing.B) {
			b.ReportAllocs()
			head := goList(n)
			for done := 0; done < b.N; done += n {
				for p := head; p != nil; p = p.next {
				}
			}
		})
	}
}

func list(a *heap.Arena, n int) heap.Ptr[node] {
	var head heap.Ptr[node]
	for i := range n {
		p := heap.New[node](a)
		*p.Deref(a) = node{value: uint64(i), next: head}
		head = p
	}
	return head
}

func goList(n int) *twin {
	var head *twin
	for i := range n {
		head = &twin{value: uint64(i), next: head}
	}
	return head
}

// BenchmarkParcel packs a blob, and unpacks it into another arena or discards it. The blob has
// SharedAbove bytes, which are copied, or more.
func BenchmarkParcel(b *testing.B) {
	for _, n := range []int{heap.SharedAbove, 10 * heap.SharedAbove} {
		b.Run(fmt.Sprint("unpack/", n), func(b *testing.B) {
			b.ReportAllocs()
			var from, to heap.Arena
			to.Bind(heap.NewRecycler(2 << 20))
			x := heap.NewBlob(&from, text(n))
			for i := range b.N {
				if i%perArena == 0 {
					to.Release()
				}
				x.Pack(&from).Unpack(&to)
			}
		})
		b.Run(fmt.Sprint("discard/", n), func(b *testing.B) {
			b.ReportAllocs()
			var from heap.Arena
			x := heap.NewBlob(&from, text(n))
			for range b.N {
				x.Pack(&from).Discard()
			}
		})
	}
}
