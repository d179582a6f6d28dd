//go:build gallop_figures

package heap_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/heap"
)

// "2 MiB of chunks, and less than 2.75 MiB with tables and the memory of collections", after
// extreme collections: rows of handles, where one page leads to thousands of objects to be scanned,
// and many small blobs, each with a page of its own.
func TestRecyclerKeepsLittle(t *testing.T) {
	inUse := func() int64 {
		runtime.GC()
		runtime.GC() // the second run frees the memory that the verifier keeps in a sync.Pool
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for name, fill := range map[string]func(*heap.Arena) heap.Root{
		"Rows": func(a *heap.Arena) heap.Root {
			rows := heap.MakeSlice[heap.Ptr[stub]](a, 200_000)
			for i := range rows.Len() {
				*rows.At(a, i) = heap.New[stub](a)
			}
			return heap.RootAt(&rows)
		},
		"Blobs": func(a *heap.Arena) heap.Root {
			blobs := heap.MakeSlice[heap.Blob](a, 16_000)
			for i := range blobs.Len() {
				*blobs.At(a, i) = heap.NewBlob(a, strings.Repeat("x", heap.SharedAbove+1))
			}
			return heap.RootAt(&blobs)
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := inUse()
			var r heap.Recycler
			for range 3 {
				var a heap.Arena
				a.Bind(&r)
				root := fill(&a)
				a.Collect(root)
				a.Release()
			}
			if kept := inUse() - before - int64(r.Stats().Held); kept > 3<<18 { // besides 2 MiB
				t.Errorf("%d bytes are kept beside the chunks", kept)
			}
			runtime.KeepAlive(&r)
		})
	}
}
