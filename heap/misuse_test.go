package heap_test

import (
	"reflect"
	"testing"

	"github.com/gallop-go/gallop/heap"
)

// TestMisuse_NilTypes: a nil type, as reflect.TypeOf(nil) returns it.
func TestMisuse_NilTypes(t *testing.T) {
	wantPanic(t, "gallop: heap: LayoutOf: a nil type", func() { heap.LayoutOf(nil) })
	wantPanic(t, "gallop: heap: OwnedIn: a nil type", func() { heap.OwnedIn(nil) })
}

// TestMisuse_ZeroRoots: a zero Root is refused before the arena is touched.
func TestMisuse_ZeroRoots(t *testing.T) {
	var a heap.Arena
	kept := heap.New[int](&a)
	*kept.Deref(&a) = 7
	zero := []heap.Root{heap.RootAt(&kept), {}}
	for call, f := range map[string]func(){
		"Collect":   func() { a.Collect(zero...) },
		"Begin":     func() { a.Begin(zero...) },
		"BeginDue":  func() { a.BeginDue(zero...) },
		"GraphHash": func() { a.GraphHash(zero...) },
	} {
		wantPanic(t, "gallop: heap: "+call+" with a zero Root", f)
		if a.Collecting() || *kept.Deref(&a) != 7 {
			t.Errorf("%s has begun", call)
		}
	}
}

// TestMisuse_RootOfNil: RootOf panics at once, and not later during a collection.
func TestMisuse_RootOfNil(t *testing.T) {
	var kept heap.Ptr[int]
	layout := heap.LayoutOf(reflect.TypeOf(kept))
	wantPanic(t, "gallop: heap: RootOf of a nil", func() { heap.RootOf[heap.Ptr[int]](nil, layout) })
	wantPanic(t, "gallop: heap: RootOf of a nil", func() { heap.RootOf(&kept, nil) })
	new(heap.Arena).Collect(heap.RootOf(&kept, layout))
}

// TestMisuse_JoinNil: a Join that panics leaves the region as it was.
func TestMisuse_JoinNil(t *testing.T) {
	r := heap.NewRegion[int]()
	r.SetRoot(heap.New[int](r.Arena()))
	wantPanic(t, "gallop: heap: Join with a nil Arena", func() { r.Join(nil) })
	var a heap.Arena
	r.Join(&a).Deref(&a)
}
