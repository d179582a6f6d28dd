package heap_test

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/gallop-go/gallop/heap"
)

// text returns n bytes that are not all the same.
func text(n int) string { return strings.Repeat("0123456789", n/10+1)[:n] }

// mustLive fails unless n more shared blobs are alive than before.
func mustLive(t *testing.T, before heap.BlobStats, n int64) {
	t.Helper()
	if got := heap.Blobs(); got.Live-before.Live != n || n == 0 && got.Bytes != before.Bytes {
		t.Errorf("%d blobs of %d bytes are alive, want %d", got.Live-before.Live, got.Bytes-before.Bytes,
			n)
	}
}

// "Over 64 bytes shared, below copied": by value either way.
func TestBlobSizes(t *testing.T) {
	before := heap.Blobs()
	for _, n := range []int{0, 1, 7, 63, 64, 65, 100, 1 << 20} {
		var a, b heap.Arena
		x := heap.NewBlob(&a, text(n))
		y := x.Pack(&a).Unpack(&b)
		if x.Deref(&a) != text(n) || y.Deref(&b) != text(n) || y.Len() != n || y.IsZero() != (n == 0) {
			t.Errorf("%d bytes became %d", n, y.Len())
		}
		shared := n > 0 && unsafe.StringData(x.Deref(&a)) == unsafe.StringData(y.Deref(&b))
		if shared != (n > heap.SharedAbove) {
			t.Errorf("%d bytes are shared: %v", n, shared)
		}
		a.Release()
		if y.Deref(&b) != text(n) {
			t.Error("the receiver lost it with the sender")
		}
		b.Release()
		mustLive(t, before, 0)
	}
}

// "Released when the last heap that holds them is collected or dies."
func TestBlobCounts(t *testing.T) {
	before := heap.Blobs()
	var a, b heap.Arena
	root := struct{ x, part heap.Blob }{x: heap.NewBlob(&a, text(1000))}
	root.part = root.x.Slice(&a, 100, 200)
	root.x = heap.Blob{}
	other := root.part.Pack(&a).Unpack(&b)
	again := root.part.Pack(&a).Unpack(&b)
	if again != other {
		t.Error("the same bytes are two in one arena")
	}
	mustLive(t, before, 1)
	a.Collect(heap.RootAt(&root))
	if got := root.part.Deref(&a); got != text(1000)[100:200] {
		t.Errorf("the part became %q", got)
	}
	a.Collect()
	wantPanic(t, "dead handle", func() { root.part.Deref(&a) })
	mustLive(t, before, 1)
	b.Collect(heap.RootAt(&other))
	mustLive(t, before, 1)
	b.Release()
	mustLive(t, before, 0)
}

// A blob that comes in during a collection, and that the arena has already, stays.
func TestBlobComesBackDuringCollection(t *testing.T) {
	before := heap.Blobs()
	var a heap.Arena
	x := heap.NewBlob(&a, text(1000))
	p := x.Pack(&a)
	root := ring(&a, 1000)
	a.Begin(heap.RootAt(&root)) // x is not reached
	a.Step(100)
	y := p.Unpack(&a)
	a.Finish()
	if y.Deref(&a) != text(1000) {
		t.Error("the blob is another")
	}
	a.Release()
	mustLive(t, before, 0)
}

// "the copy keeps nothing else alive": a small part of a larger blob is packed as a copy. The
// larger blob is not held by the parcel, nor by the receiver.
func TestSmallPartsTravelAlone(t *testing.T) {
	before := heap.Blobs()
	var a, b heap.Arena
	x := heap.NewBlob(&a, text(1<<20))
	for _, n := range []int{0, 1, heap.SharedAbove, heap.SharedAbove + 1} {
		p := x.Slice(&a, 7, 7+n).Pack(&a)
		y := p.Unpack(&b)
		if p.Len() != n || y.Deref(&b) != text(1 << 20)[7:7+n] {
			t.Errorf("%d bytes became %q", n, y.Deref(&b))
		}
		if held := b.Stats().Reserved; (held >= 1<<20) != (n > heap.SharedAbove) {
			t.Errorf("for a part of %d bytes the receiver holds %d", n, held)
		}
		b.Release()
	}
	small, large := x.Slice(&a, 0, 10).Pack(&a), x.Slice(&a, 0, 100).Pack(&a)
	a.Release()
	mustLive(t, before, 1)
	large.Discard()
	mustLive(t, before, 0)
	if got := small.Unpack(&b).Deref(&b); got != text(10) {
		t.Errorf("the part became %q", got)
	}
}

// Parcels are unpacked once, or discarded.
func TestParcel(t *testing.T) {
	before := heap.Blobs()
	for _, n := range []int{10, 1000} {
		var a heap.Arena
		p := heap.NewParcel(text(n))
		twin := p
		if p.Len() != n || p.Unpack(&a).Deref(&a) != text(n) {
			t.Error("not what was packed")
		}
		wantPanic(t, "gallop: heap: Unpack of a parcel that was unpacked or discarded already",
			func() { twin.Unpack(&a) })
		twin.Discard()
		q := heap.NewParcel(text(n))
		q.Discard()
		q.Discard()
		wantPanic(t, "gallop: heap: Unpack of a parcel", func() { q.Unpack(&a) })
		a.Release()
	}
	var a heap.Arena
	a.SetLimit(500)
	p := heap.NewParcel(text(1000))
	wantPanic(t, "arena limit exceeded", func() { p.Unpack(&a) })
	a.SetLimit(0)
	if p.Unpack(&a).Len() != 1000 || (heap.Parcel{}).Unpack(&a) != (heap.Blob{}) ||
		(heap.Parcel{}).Len() != 0 {
		t.Error("a refused parcel was lost")
	}
	(heap.Parcel{}).Discard()
	a.Release()
	mustLive(t, before, 0)
}

// "Unpack panics if the parcel was unpacked or discarded already", and says so whether there
// would be room for it or not.
func TestParcelGoneBeforeAFullArena(t *testing.T) {
	before := heap.Blobs()
	for _, n := range []int{10, 1000} {
		var a heap.Arena
		unpacked, discarded := heap.NewParcel(text(n)), heap.NewParcel(text(n))
		unpacked.Unpack(&a)
		discarded.Discard()
		for _, p := range []heap.Parcel{unpacked, discarded} {
			wantPanic(t, "gallop: heap: Unpack of a parcel that was unpacked or discarded already",
				func() { p.Unpack(limited(5)) })
		}
		a.Release()
	}
	mustLive(t, before, 0)
}

// Slices in and out of range.
func TestBlobSlice(t *testing.T) {
	before := heap.Blobs()
	for _, n := range []int{50, 500} {
		var a heap.Arena
		x := heap.NewBlob(&a, text(n))
		if got := x.Slice(&a, 3, 40).Slice(&a, 2, 5).Deref(&a); got != text(n)[5:8] {
			t.Errorf("got %q", got)
		}
		for _, r := range [][2]int{{-1, 2}, {3, 2}, {0, n + 1}} {
			wantPanic(t, "gallop: heap: bytes", func() { x.Slice(&a, r[0], r[1]) })
		}
		if x.Slice(&a, 5, 5) != (heap.Blob{}) {
			t.Error("an empty part")
		}
		a.Release()
		for _, r := range [][2]int{{0, 1}, {0, 0}, {n, n}} { // also an empty part of a dead blob
			wantPanic(t, "dead handle", func() { x.Slice(&a, r[0], r[1]) })
		}
		if (heap.Blob{}).Slice(&a, 0, 0) != (heap.Blob{}) {
			t.Error("the empty blob is not good everywhere")
		}
	}
	_, err := heap.TryNewBlob(limited(100), text(200))
	wantLimit(t, err)
	wantPanic(t, "arena limit", func() { heap.NewBlob(limited(10), text(20)) })
	mustLive(t, before, 0)
}

func limited(n int) *heap.Arena {
	a := new(heap.Arena)
	a.SetLimit(n)
	return a
}

// "Or were found unreachable by the GC."
func TestBlobsOfUnreachableArenas(t *testing.T) {
	before := heap.Blobs()
	for range 100 {
		a := new(heap.Arena)
		heap.NewBlob(a, text(100))
	}
	for range 1000 {
		if heap.Blobs().Live == before.Live {
			return
		}
		runtime.GC()
	}
	t.Errorf("%+v are left", heap.Blobs())
}

// A blob that came with a region is counted down by the arena that holds it now, and not again
// when the GC finds the region's arena unreachable.
func TestBlobsOfJoinedRegions(t *testing.T) {
	before := heap.Blobs()
	var a heap.Arena
	for range 50 {
		r := heap.NewRegion[heap.Blob]()
		heap.NewBlob(r.Arena(), text(100))
		r.Join(&a)
	}
	for range 50 {
		heap.NewBlob(new(heap.Arena), text(100))
	}
	for range 1000 { // until the blobs of the unreachable arenas are counted down
		if heap.Blobs().Live <= before.Live+50 {
			break
		}
		runtime.GC()
	}
	mustLive(t, before, 50)
	a.Release()
	mustLive(t, before, 0)
}
