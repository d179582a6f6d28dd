package heap_test

import (
	"sync"
	"testing"

	"github.com/gallop-go/gallop/heap"
)

// fillAndRelease uses n bytes of a new arena and gives them back.
func fillAndRelease(r *heap.Recycler, n int) {
	var a heap.Arena
	a.Bind(r)
	for range n / 32 {
		heap.New[node](&a)
	}
	a.Release()
}

// "The store is bounded separately for each of the eight chunk sizes."
func TestRecyclerIsBounded(t *testing.T) {
	r := heap.NewRecycler(128 << 10)
	fillAndRelease(r, 4<<20)
	want := 256 + 1<<10 + 2<<10 + 4<<10 + 8<<10 + 16<<10 + 32<<10 + 128<<10
	if s := r.Stats(); s.Held != want || s.Surplus != s.Misses-9 {
		t.Errorf("got %+v, want %d held", s, want)
	}
	fillAndRelease(r, 127<<10)
	if s := r.Stats(); s.Held != want || s.Hits != 8 {
		t.Errorf("got %+v, want 8 hits and %d held", s, want)
	}
	r.Drop()
	if s := r.Stats(); s.Held != 0 || s.Surplus != s.Misses {
		t.Errorf("after Drop: %+v", s)
	}
}

// "With 0 it keeps nothing"; the zero value keeps 256 KiB of each size.
func TestRecyclerDefaults(t *testing.T) {
	none, zero := heap.NewRecycler(0), new(heap.Recycler)
	for range 10 {
		fillAndRelease(none, 1<<20)
		fillAndRelease(zero, 1<<20)
	}
	if s := none.Stats(); s.Held != 0 || s.Hits != 0 {
		t.Errorf("a recycler that keeps nothing has %+v", s)
	}
	if s := zero.Stats(); s.Held != 256+63<<10+256<<10 || s.Hits == 0 {
		t.Errorf("the zero recycler has %+v", s)
	}
	wantPanic(t, "gallop: heap: NewRecycler: negative bound -1", func() { heap.NewRecycler(-1) })
}

// "Chunks of single objects over 64 KiB go to the GC."
func TestBigChunksAreSurplus(t *testing.T) {
	var r heap.Recycler
	var a heap.Arena
	a.Bind(&r)
	heap.MakeSlice[byte](&a, 64<<10+1)
	heap.MakeSlice[byte](&a, 64<<10)
	a.Release()
	if s := r.Stats(); s.Held != 64<<10 || s.Surplus != 1 {
		t.Errorf("got %+v", s)
	}
}

// An arena may take chunks on one worker and release them on another.
func TestArenaMovesBetweenRecyclers(t *testing.T) {
	var r1, r2 heap.Recycler
	var a heap.Arena
	a.Bind(&r1)
	p := heap.New[node](&a)
	a.Bind(&r2)
	s := heap.MakeSlice[node](&a, 40)
	p.Deref(&a).value, s.At(&a, 39).value = 1, 2
	a.Release()
	if r1.Stats().Held != 0 || r2.Stats().Held != 256+2<<10 {
		t.Errorf("got %+v and %+v", r1.Stats(), r2.Stats())
	}
	a.Bind(nil)
	heap.New[node](&a)
	a.Release()
}

// Workers share only the sequence of page numbers, and two workers never draw the same number: a
// handle of one arena is dead in all others.
func TestWorkersDrawDifferentPages(t *testing.T) {
	const workers, each = 4, 3000
	handles := make([][]heap.Ptr[node], workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var r heap.Recycler
			var a heap.Arena
			if w > 0 { // the first has no recycler
				a.Bind(&r)
			}
			for range each {
				handles[w] = append(handles[w], heap.New[node](&a))
				a.Release()
			}
		})
	}
	wg.Wait()
	seen := map[heap.Ptr[node]]bool{}
	for _, hs := range handles {
		for _, h := range hs {
			seen[h] = true
		}
	}
	if len(seen) != workers*each {
		t.Errorf("%d different handles of %d", len(seen), workers*each)
	}
}

// stub is the smallest object that has to be scanned.
type stub struct{ next heap.Ptr[stub] }
