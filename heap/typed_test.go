package heap_test

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/gallop-go/gallop/heap"
)

func TestHandlesAreSmall(t *testing.T) {
	word := unsafe.Sizeof(uintptr(0))
	if got := unsafe.Sizeof(heap.Ptr[node]{}); got != 8 {
		t.Errorf("a Ptr takes %d bytes", got)
	}
	if got := unsafe.Sizeof(heap.Slice[node]{}); got != 8+word {
		t.Errorf("a Slice takes %d bytes", got)
	}
	if got := unsafe.Sizeof(heap.String{}); got != 8+word {
		t.Errorf("a String takes %d bytes", got)
	}
}

func TestHandlesCompare(t *testing.T) {
	var a heap.Arena
	p, q := heap.New[node](&a), heap.New[node](&a)
	same := p
	if p == q || p != same {
		t.Error("handles do not compare by identity")
	}
	//lint:ignore SA4000 each side makes an object of its own
	if heap.New[struct{}](&a) == heap.New[struct{}](&a) {
		t.Error("two objects without bytes are one")
	}
}

// An actor's state may be a graph: in this test, a tree of strings and slices.
func TestTree(t *testing.T) {
	type tree struct {
		name     heap.String
		children heap.Slice[heap.Ptr[tree]]
	}
	var a heap.Arena
	var build func(depth int, name string) heap.Ptr[tree]
	build = func(depth int, name string) heap.Ptr[tree] {
		p := heap.New[tree](&a)
		p.Deref(&a).name = heap.NewString(&a, name)
		if depth > 0 {
			children := heap.MakeSlice[heap.Ptr[tree]](&a, 3)
			for i := range 3 {
				*children.At(&a, i) = build(depth-1, name+string(rune('a'+i)))
			}
			p.Deref(&a).children = children
		}
		return p
	}
	names := map[string]bool{}
	var walk func(p heap.Ptr[tree])
	walk = func(p heap.Ptr[tree]) {
		names[p.Deref(&a).name.Clone(&a)] = true
		for _, c := range p.Deref(&a).children.Deref(&a) {
			walk(c)
		}
	}
	walk(build(7, ""))
	if want := (6561 - 1) / 2; len(names) != want {
		t.Errorf("found %d of %d names", len(names), want)
	}
}

func TestSlice(t *testing.T) {
	var a heap.Arena
	s := heap.MakeSlice[int](&a, 5)
	for i := range s.Len() {
		*s.At(&a, i) = i
	}
	row := s.Deref(&a)
	if len(row) != 5 || cap(row) != 5 || row[4] != 4 {
		t.Errorf("got %v of capacity %d", row, cap(row))
	}
	for _, i := range []int{-1, 5, math.MaxInt, math.MinInt} {
		wantPanic(t, "gallop: heap: index", func() { s.At(&a, i) })
	}
	wantPanic(t, "gallop: heap: MakeSlice: negative length -1", func() { heap.MakeSlice[int](&a, -1) })
	wantPanic(t, "gallop: heap: RootAt of a nil pointer", func() { heap.RootAt[int](nil) })
}

// "The empty slice is nil in every arena", "the empty string is "" in every arena".
func TestEmpty(t *testing.T) {
	var a heap.Arena
	s, str := heap.MakeSlice[int](&a, 0), heap.NewString(&a, "")
	if !s.IsZero() || s.Deref(&a) != nil || !str.IsZero() || str.Deref(&a) != "" ||
		a.Stats().Chunks != 0 {
		t.Error("empty handles are not empty")
	}
	wantPanic(t, "gallop: heap: index 0 out of range of a slice of length 0", func() { s.At(&a, 0) })
	none := heap.MakeSlice[struct{}](&a, math.MaxInt32)
	if len(none.Deref(&a)) != math.MaxInt32 || a.Stats().Used != 8 {
		t.Error("a slice of nothing takes something")
	}
}

func TestString(t *testing.T) {
	var a heap.Arena
	var texts []heap.String
	for i := range 300 {
		texts = append(texts, heap.NewString(&a, strings.Repeat("é", i*i)))
	}
	for i, s := range texts {
		if want := strings.Repeat("é", i*i); s.Deref(&a) != want || s.Len() != len(want) {
			t.Fatalf("text %d differs", i)
		}
	}
}

// "Clone returns a copy of the text in Go's heap. The copy may be kept."
func TestCloneOutlivesArena(t *testing.T) {
	var a heap.Arena
	a.Bind(new(heap.Recycler))
	kept := heap.NewString(&a, "kept").Clone(&a)
	a.Release()
	heap.NewString(&a, "over")
	if kept != "kept" {
		t.Errorf("the clone became %q", kept)
	}
}
