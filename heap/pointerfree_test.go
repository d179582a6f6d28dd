package heap_test

import (
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/heap"
)

type (
	hasPointer struct {
		N int
		C *int
	}
	nested struct {
		Ok [3]uint8
		B  [2]hasPointer
	}
	deep     struct{ A nested }
	parceled struct{ Notes [2]heap.Parcel }
	timed    struct{ At time.Time }
	embedded struct {
		int
		nested
	}
)

// "Types with a Go pointer in them are refused, with the path of the field."
func TestPointersRefused(t *testing.T) {
	for _, c := range []struct {
		make func(*heap.Arena)
		want string
	}{
		{refuse[deep], "heap_test.deep is not pointer-free: field A.B[].C is a *int (use heap.Ptr[int])"},
		{refuse[embedded], "heap_test.embedded is not pointer-free: field nested.B[].C is a *int"},
		{refuse[*int], "type *int is not pointer-free: it is a *int"},
		{refuse[[2][3]string],
			"type [2][3]string is not pointer-free: field [][] is a string (use heap.String)"},
		{refuse[struct{ S []byte }], "field S is a []uint8 (use heap.Slice[uint8])"},
		{refuse[struct{ M map[int]int }], "field M is a map[int]int"},
		{refuse[struct{ F func() }], "field F is a func()"},
		{refuse[struct{ C chan int }], "field C is a chan int"},
		{refuse[struct{ I any }], "field I is a interface {}"},
		{refuse[struct{ E error }], "field E is a error"},
		{refuse[struct{ U unsafe.Pointer }], "field U is a unsafe.Pointer"},
		{refuse[struct{ _ string }], "field _ is a string"},
		// Types that the user cannot change: the advice names another type, or is missing.
		{refuse[heap.Parcel],
			"type heap.Parcel is not pointer-free: field p is a *heap.parcel (use heap.Blob: " +
				"Parcel.Unpack makes one)"},
		{refuse[parceled], "field Notes[].p is a *heap.parcel (use heap.Blob: Parcel.Unpack makes one)"},
		{refuse[heap.Arena], "heap.Arena is not pointer-free: field pages.slots is a *heap.page"},
	} {
		var a heap.Arena
		wantPanic(t, "gallop: heap: type ", func() { c.make(&a) })
		for range 2 { // the second time is no different
			wantPanic(t, c.want, func() { c.make(&a) })
		}
		if s := a.Stats(); s.Used != 0 {
			t.Errorf("%s: %d bytes used", c.want, s.Used)
		}
	}
}

// Types that were converted from the type of a handle, and one that holds such a type.
type (
	ptrLike            heap.Ptr[int]
	sliceLike          heap.Slice[int]
	stringLike         heap.String
	blobLike           heap.Blob
	genericLike[T any] heap.Ptr[T]
	keepsPtrLike       struct {
		ok heap.Ptr[int]
		C  ptrLike
	}
)

// A type that was converted from a handle type is refused, with the path of the field: the
// collector would not follow it.
func TestConvertedHandlesRefused(t *testing.T) {
	for _, c := range []struct {
		make func(*heap.Arena)
		want string
	}{
		{refuse[keepsPtrLike],
			"type heap_test.keepsPtrLike keeps a handle out of the collector's reach: field C is a " +
				"heap_test.ptrLike, a type converted from a handle's (use heap.Ptr,"},
		{refuse[ptrLike],
			"type heap_test.ptrLike keeps a handle out of the collector's reach: it is a heap_test.ptrLike"},
		{refuse[struct{ S sliceLike }], "field S is a heap_test.sliceLike"},
		{refuse[struct{ A [2][3]stringLike }], "field A[][] is a heap_test.stringLike"},
		{refuse[struct{ blobLike }], "field blobLike is a heap_test.blobLike"},
		{refuse[struct{ G genericLike[node] }], "field G is a heap_test.genericLike["},
		{func(a *heap.Arena) { new(heap.Map[int, ptrLike]).Put(a, 1, ptrLike{}) },
			"field value is a heap_test.ptrLike"},
		{func(a *heap.Arena) { new(heap.Map[ptrLike, int]).Put(a, ptrLike{}, 1) },
			"field key is a heap_test.ptrLike"},
		{func(a *heap.Arena) { new(heap.TextMap[keepsPtrLike]).Put(a, "", keepsPtrLike{}) },
			"field value.C is a heap_test.ptrLike"},
	} {
		for range 2 { // the second time is no different
			wantPanic(t, "gallop: heap: type ", func() { c.make(new(heap.Arena)) })
			wantPanic(t, c.want, func() { c.make(new(heap.Arena)) })
		}
	}
}

// Types that embed a handle, or were converted from a map's type, are looked into, and the handles
// found.
func TestWhatEmbedsHandlesIsAdmitted(t *testing.T) {
	type mapLike heap.Map[int, heap.Ptr[node]]
	type holder struct {
		heap.Ptr[node]
		m mapLike
	}
	var a heap.Arena
	root := heap.New[holder](&a)
	k := root.Deref(&a)
	k.Ptr = heap.New[node](&a)
	k.Ptr.Deref(&a).value = 1
	m := (*heap.Map[int, heap.Ptr[node]])(&k.m)
	m.Put(&a, 7, heap.New[node](&a))
	p, _ := m.Get(&a, 7)
	p.Deref(&a).value = 2
	for range 2 {
		a.Collect(heap.RootAt(&root))
	}
	k = root.Deref(&a)
	p, _ = heap.Map[int, heap.Ptr[node]](k.m).Get(&a, 7)
	if x, y := k.Ptr.Deref(&a).value, p.Deref(&a).value; x != 1 || y != 2 {
		t.Errorf("%d and %d are left", x, y)
	}
}

// Where the user cannot change the type, the panic gives no advice.
func TestPointersRefused_OfOtherTypes(t *testing.T) {
	for want, make := range map[string]func(*heap.Arena){
		"field r is a *heap.region":         refuse[heap.Region[node]],
		"field At.loc is a *time.Location":  refuse[timed],
		"field pages.slots is a *heap.page": refuse[heap.Arena],
	} {
		var a heap.Arena
		if got := recovered(func() { make(&a) }); !strings.HasSuffix(got, want) {
			t.Errorf("panicked with %q, want %q at its end", got, want)
		}
	}
}

// refuse tries every call that makes a T. It panics, with the last, if all of them do.
func refuse[T any](a *heap.Arena) {
	if recovered(func() { heap.New[T](a) }) == "" ||
		recovered(func() { _, _ = heap.TryMakeSlice[T](a, 1) }) == "" {
		return
	}
	_, _ = heap.TryNew[T](a)
}

func TestPointerFreeAdmitted(t *testing.T) {
	var a heap.Arena
	heap.New[struct {
		b    bool
		f    float64
		c    complex64
		u    uintptr
		mu   sync.Mutex
		none [0]*int
		p    heap.Ptr[deep]
		s    heap.Slice[string]
		t    heap.String
		r    [3]heap.Ptr[node]
	}](&a)
}

// Many goroutines admit many types at once, each for the first time.
func TestAdmitConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var a heap.Arena
			for range 3 {
				admitAll[int8](&a)
				admitAll[int16](&a)
				admitAll[int32](&a)
				admitAll[int64](&a)
				wantPanic(t, "not pointer-free", func() { heap.New[[7]hasPointer](&a) })
			}
		})
	}
	wg.Wait()
}

func admitAll[T any](a *heap.Arena) {
	heap.New[[1]T](a)
	heap.New[[2]T](a)
	heap.New[[3]T](a)
	heap.New[[4]T](a)
	heap.New[struct{ a, b T }](a)
	heap.New[struct{ a, b, c T }](a)
	heap.New[struct{ a [2][2]T }](a)
	heap.New[heap.Ptr[T]](a)
	heap.New[heap.Slice[T]](a)
}
