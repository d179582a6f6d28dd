package heap_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/gallop-go/gallop/heap"
)

const dead = "gallop: heap: dead handle"

// "An arena takes no memory before the first object is made in it."
func TestArenaIsLazy(t *testing.T) {
	var a heap.Arena
	a.Release()
	if s := a.Stats(); s != (heap.Stats{}) {
		t.Errorf("an empty arena has %+v", s)
	}
}

// "Then it takes a chunk of 256 bytes, one of 1 KiB, and then chunks that are each twice as large,
// up to 64 KiB."
func TestChunksGrow(t *testing.T) {
	var a heap.Arena
	reserved := 0
	for _, size := range []int{1, 4, 8, 16, 32, 64, 128, 256, 256, 256} {
		for range size << 8 / 32 {
			heap.New[node](&a)
		}
		reserved += size << 8
		if s := a.Stats(); s.Reserved != reserved || s.Used != reserved {
			t.Fatalf("after a chunk of %d times 256 bytes: %+v, want %d reserved and used", size, s,
				reserved)
		}
	}
	if s := a.Stats(); s.Chunks != 10 {
		t.Errorf("%d chunks, want 10", s.Chunks)
	}
}

// "The smallest is for arenas that hold one or two hundred bytes."
func TestSmallArenaIsSmall(t *testing.T) {
	var a heap.Arena
	heap.New[[200]byte](&a)
	if n := int(unsafe.Sizeof(a)) + a.Stats().Reserved; n > 512 {
		t.Errorf("an arena with 200 bytes takes %d", n)
	}
}

// "When an object does not fit the open chunk, the arena takes a new one and keeps open the chunk
// with more room left."
func TestRoomierChunkStaysOpen(t *testing.T) {
	var a heap.Arena
	heap.New[[8]byte](&a)          // leaves 248 bytes
	heap.MakeSlice[byte](&a, 2048) // fills a chunk of 2 KiB
	heap.MakeSlice[byte](&a, 248)  // fits into the rest of the first chunk
	if s := a.Stats(); s.Chunks != 2 || s.Used != 2304 {
		t.Errorf("got %+v, want 2 chunks and 2304 bytes used", s)
	}
}

// "Memory is aligned to 8 bytes", and no two objects overlap.
func TestAlignment(t *testing.T) {
	var a heap.Arena
	ends := map[uintptr]uintptr{} // start to end
	add := func(p unsafe.Pointer, size uintptr) {
		if uintptr(p)%8 != 0 {
			t.Errorf("an object of %d bytes at %p", size, p)
		}
		ends[uintptr(p)] = uintptr(p) + size
	}
	for i := range 500 {
		add(unsafe.Pointer(heap.New[byte](&a).Deref(&a)), 1)
		add(unsafe.Pointer(heap.New[struct{}](&a).Deref(&a)), 1)
		add(unsafe.Pointer(heap.New[[3]uint32](&a).Deref(&a)), 12)
		add(unsafe.Pointer(heap.New[complex128](&a).Deref(&a)), 16)
		add(unsafe.Pointer(heap.MakeSlice[uint16](&a, i+1).At(&a, 0)), uintptr(i+1)*2)
		add(unsafe.Pointer(unsafe.StringData(heap.NewString(&a, "hello").Deref(&a))), 5)
	}
	if len(ends) != 3000 {
		t.Fatalf("%d addresses for 3000 objects", len(ends))
	}
	for start, end := range ends {
		for at := start + 1; at < end; at++ {
			if _, ok := ends[at]; ok {
				t.Fatalf("an object starts at %#x, within the one at %#x", at, start)
			}
		}
	}
}

// "Memory is zero when it is handed out, recycled or not."
func TestZeroAfterRecycling(t *testing.T) {
	var r heap.Recycler
	for round := range 20 {
		var a heap.Arena
		a.Bind(&r)
		for i := range 200 {
			for _, b := range [][]byte{
				bytesOf(heap.New[node](&a).Deref(&a)),
				bytesOf(heap.New[[13]byte](&a).Deref(&a)),
				heap.MakeSlice[byte](&a, i*round+1).Deref(&a),
			} {
				if !allZero(b) {
					t.Fatalf("round %d: handed out % x", round, b)
				}
				fill(b, 0xff)
			}
		}
		a.Release()
	}
	if r.Stats().Hits == 0 {
		t.Error("nothing was recycled")
	}
}

// "An object larger than the largest class has a chunk to itself."
func TestBigObjects(t *testing.T) {
	type big [100_000]uint64
	var a heap.Arena
	small := heap.New[node](&a)
	p := heap.New[big](&a)
	s := heap.MakeSlice[uint32](&a, 1<<20)
	p.Deref(&a)[99_999] = 1
	*s.At(&a, 1<<20-1) = 2
	small.Deref(&a).value = 3
	heap.New[node](&a)
	if p.Deref(&a)[99_999] != 1 || s.Deref(&a)[1<<20-1] != 2 || small.Deref(&a).value != 3 {
		t.Error("objects overlap")
	}
	want := heap.Stats{Chunks: 3, Reserved: 256 + 800_000 + 4<<20, Used: 64 + 800_000 + 4<<20}
	if got := a.Stats(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// "An arena with a limit holds no more than that", and "an object is refused only if the smallest
// chunk that holds it does not fit".
func TestLimit(t *testing.T) {
	var a heap.Arena
	a.SetLimit(10 << 10)
	n := 0
	for ; n <= 10<<10; n++ { // far more than there is room for
		if _, err := heap.TryNew[node](&a); err != nil {
			wantLimit(t, err)
			break
		}
	}
	if s := a.Stats(); n != 10<<10/32 || s.Reserved != 10<<10 {
		t.Errorf("%d objects in %+v, want 320 in 10 KiB", n, s)
	}
	wantPanic(t, "gallop: heap: arena limit exceeded: 32 bytes with 10240 of 10240 reserved",
		func() { heap.New[node](&a) })
	wantPanic(t, "gallop: heap: arena limit", func() { heap.MakeSlice[byte](&a, 1) })
	wantPanic(t, "gallop: heap: arena limit", func() { heap.NewString(&a, "x") })
	a.Release()
	heap.New[node](&a)
	a.SetLimit(0)
	heap.MakeSlice[byte](&a, 1<<20)
}

// A limit smaller than the smallest chunk allows nothing. A limit below the present size takes
// nothing away.
func TestSmallLimits(t *testing.T) {
	var a heap.Arena
	a.SetLimit(1)
	_, err := heap.TryNewString(&a, "x")
	wantLimit(t, err)
	_, err = heap.TryMakeSlice[byte](&a, 100_000)
	wantLimit(t, err)
	a.SetLimit(0)
	p := heap.New[node](&a)
	a.SetLimit(1)
	p.Deref(&a).value = 1
	heap.New[node](&a) // from the open chunk
	_, err = heap.TryMakeSlice[byte](&a, 1024)
	wantLimit(t, err)
	wantPanic(t, "gallop: heap: SetLimit: negative limit -1", func() { a.SetLimit(-1) })
}

// "ErrArenaLimit reports that an object ... is larger than MaxObject."
func TestMaxObject(t *testing.T) {
	var a heap.Arena
	_, err := heap.TryNew[[heap.MaxObject + 1]byte](&a)
	wantLimit(t, err)
	const most = int(^uint(0) >> 1)
	for _, n := range []int{heap.MaxObject/8 + 1, most / 8, most} {
		_, err = heap.TryMakeSlice[uint64](&a, n)
		wantLimit(t, err)
	}
	if s := a.Stats(); s != (heap.Stats{}) {
		t.Errorf("refused objects left %+v", s)
	}
}

// "A handle is dead once its arena was released. It never becomes alive again, even if the arena is
// used anew."
func TestStaleHandles(t *testing.T) {
	for _, r := range []*heap.Recycler{nil, new(heap.Recycler)} {
		var a heap.Arena
		a.Bind(r)
		p, s, str := heap.New[node](&a), heap.MakeSlice[int](&a, 3), heap.NewString(&a, "text")
		check := func(owner *heap.Arena) {
			t.Helper()
			wantPanic(t, dead, func() { p.Deref(owner) })
			wantPanic(t, dead, func() { s.Deref(owner) })
			wantPanic(t, dead, func() { s.At(owner, 0) })
			wantPanic(t, dead, func() { str.Deref(owner) })
			wantPanic(t, dead, func() { str.Clone(owner) })
		}
		var empty, other heap.Arena
		other.Bind(r)
		heap.New[node](&other)
		check(&empty)
		check(&other)
		a.Release()
		check(&a)
		for range 2000 {
			heap.New[node](&a)
			heap.New[node](&other)
		}
		check(&a)
		check(&other)
	}
}

// "It panics if p is nil."
func TestNilHandle(t *testing.T) {
	var a heap.Arena
	var p heap.Ptr[node]
	for range 3 {
		wantPanic(t, "gallop: heap: nil handle dereferenced", func() { p.Deref(&a) })
		heap.MakeSlice[byte](&a, 10_000)
	}
	if !p.IsZero() || heap.New[node](&a).IsZero() {
		t.Error("IsZero is not what it says")
	}
}

// "the GC does not scan" chunks: an address in one keeps nothing alive,
// while the chunk itself lives as long as its arena.
func TestNotScanned(t *testing.T) {
	var a heap.Arena
	p := heap.New[uintptr](&a)
	gone := make(chan struct{})
	func() {
		x := new([128]byte)
		runtime.AddCleanup(x, func(c chan struct{}) { close(c) }, gone)
		*p.Deref(&a) = uintptr(unsafe.Pointer(x))
	}()
	if !collected(gone) {
		t.Error("an address in a chunk keeps its target alive")
	}
	if *p.Deref(&a) == 0 {
		t.Error("the chunk is gone")
	}
}

// collected runs the GC until gone is closed, or a thousand times. It reports whether gone is
// closed.
func collected(gone chan struct{}) bool {
	for range 1000 {
		runtime.GC()
		select {
		case <-gone:
			return true
		default:
		}
	}
	return false
}
