package heap

import (
	"errors"
	"fmt"
	"math"

	"github.com/gallop-go/gallop/internal/invariant"
)

// Arena is the memory of one actor. The zero value is an empty arena without limit or recycler,
// ready to use. Functions that make or find an object do not check for a nil Arena, so its use
// panics with a run-time error of Go. An Arena must not be copied after first use. It has no locks.
// Owner only: the running behaviour, or a goroutine while the actor does not run.
//
// An arena takes no memory before the first object is made in it. Then it takes a chunk of 256
// bytes, one of 1 KiB, and then chunks that are each twice as large, up to 64 KiB; an object over
// 64 KiB gets a chunk of its own. When an object does not fit the open chunk, the arena takes a new
// one and keeps open the chunk with more room left. At most half of a full arena is waste.
type Arena struct {
	_ noCopy

	// Written by every allocation.
	next, end handle // free part of the open chunk

	// Written when a chunk is added, on release and by collections.
	pages    pageTable
	reserved int

	// Written by Bind, SetLimit, Due, release and the collector.
	recycler *Recycler
	limit    int
	// The arena is due when more bytes than that are reserved; 0 means firstThreshold.
	threshold int

	blobs *blobSet // the shared blobs in the arena; nil if there have never been any
}

// Stats describes the memory of an Arena.
type Stats struct {
	Chunks   int // chunks held
	Reserved int // bytes of these chunks
	Used     int // bytes handed out, padding to 8 bytes included
}

// ErrArenaLimit reports that an object does not fit the limit of its arena, or is larger than
// MaxObject. TryNew, TryMakeSlice, TryNewString and TryNewBlob return an error that wraps it. All
// other functions that need room panic with such an error: New, MakeSlice, NewString, NewBlob,
// NewParcel, the Put of maps, [Parcel.Unpack] and [Region.Join].
var ErrArenaLimit = errors.New("gallop: heap: arena limit exceeded")

// MaxObject is the size in bytes of the largest object that an arena takes.
const MaxObject = 1 << 30

// Bind makes r the recycler from which the arena takes its chunks and to which it returns them.
// With a nil r, chunks come from Go's allocator and go to the GC. An actor runs on one worker after
// another, so its arena is bound at the start of a turn that uses it. Bind costs one store. Owner
// of both only.
func (a *Arena) Bind(r *Recycler) { a.recycler = r }

// SetLimit limits the bytes of chunks that the arena may hold; 0 means no limit. It panics if bytes
// is negative. It panics with ErrRegionGone if the arena is that of a region that is gone. Owner
// only.
//
//   - Near the limit, chunks get smaller, so that an object is refused only if
//     the smallest chunk that holds it does not fit.
//   - If the arena already holds more than the limit, new chunks are refused, and
//     nothing is taken away.
//   - While it is collected, an arena may hold twice as much as its limit. It may stay
//     above the limit afterwards, since the survivors need room.
//   - The limit outlives Release.
func (a *Arena) SetLimit(bytes int) {
	if bytes < 0 {
		panic(fmt.Sprintf("gallop: heap: SetLimit: negative limit %d", bytes))
	}
	if a.limit == goneLimit {
		panic(fmt.Errorf("%w: SetLimit of the arena of a region that was moved, joined or discarded",
			ErrRegionGone))
	}
	a.limit = bytes
	if a.threshold != 0 {
		a.setThreshold(a.threshold / a.growth())
	}
}

// Stats counts the memory of the arena. It costs a walk over the chunks. Owner only.
func (a *Arena) Stats() Stats {
	a.retire()
	s := Stats{Chunks: int(a.pages.count), Reserved: a.reserved}
	for _, p := range a.pages.all() {
		s.Used += int(p.used)
	}
	if a.pages.gc != nil {
		a.pages.gc.count(&s)
	}
	return s
}

// Release frees all objects of the arena and leaves it empty, ready to be used again. All handles
// into it are dead for good. Chunks go to the recycler that the arena is bound to. To take a chunk
// from a recycler and return it costs 45 ns in all. A second Release does nothing. Owner only.
func (a *Arena) Release() {
	a.retire()
	if invariant.On {
		verifyArena(a)
	}
	if g := a.pages.gc; g != nil {
		g.free(a)
		a.pages.gc = nil
	}
	for _, p := range a.pages.all() {
		if !p.free() {
			a.drop(&p)
		}
	}
	a.pages.forget()
	a.close()
	a.threshold = 0
}

// drop gives up the memory of a page that has left the tables, or is about to leave them.
func (a *Arena) drop(p *page) {
	if p.shared() {
		a.blobs.release(p.number)
		return
	}
	a.recycler.put(p.chunk)
}

// abandon leaves the arena without pages. The pages have another owner by now.
func (a *Arena) abandon() {
	a.pages = pageTable{}
	a.close()
}

// close leaves the arena without an open chunk.
func (a *Arena) close() {
	a.next, a.end = 0, 0
	a.pages.class, a.reserved = 0, 0
}

// firstThreshold is the size in bytes at which an arena is first due, as in the Pony runtime. Later
// an arena without generations is due when it has doubled; an arena with generations is due as a
// whole when it has tripled.
const firstThreshold = 1 << 14

// setThreshold sets the size at which the arena is due next, given that keep bytes stay. With a
// limit, it is due before the limit is reached.
func (a *Arena) setThreshold(keep int) {
	a.threshold = max(firstThreshold, a.growth()*min(keep, math.MaxInt/a.growth()))
	if a.limit != 0 {
		a.threshold = min(a.threshold, max(a.limit-a.limit/4, 1))
	}
}

// Due reports whether it is time to Collect, or to BeginDue. Owner only.
//
//   - In general it is time when the arena has twice the bytes that the last collection
//     left, and at least 16 KiB.
//   - In a large arena it is time when the new bytes are as many as the older bytes that
//     may have to be scanned, and at least 256 KiB.
//   - During a collection, Due reports whether much was allocated since the last step.
func (a *Arena) Due() bool {
	if g := a.pages.gc; g != nil {
		return g.due(a)
	}
	if a.threshold == 0 {
		a.setThreshold(0)
	}
	return a.reserved > a.threshold
}

// bump is the fast path of all allocation. It returns n granules of the open chunk, without
// touching the memory, which is zero already. It returns false if the chunk has less room.
func (a *Arena) bump(n uintptr) (handle, bool) {
	h := a.next
	if uint64(a.end-h) < uint64(n) {
		return 0, false
	}
	a.next = h + handle(n)
	return h, true
}

// alloc returns size bytes.
func (a *Arena) alloc(size uintptr) (handle, error) {
	if size > MaxObject {
		return 0, a.refuse(size)
	}
	if h, ok := a.bump(granules(size)); ok {
		return h, nil
	}
	return a.grow(size)
}

// grow returns size bytes, at most MaxObject, from a new chunk. It keeps open the chunk with more
// room left.
func (a *Arena) grow(size uintptr) (handle, error) {
	need := int(granules(size) * granule)
	c, ok := a.newChunk(need)
	if !ok {
		a.press()
		return 0, a.refuse(size)
	}
	c.used = uint32(need)
	number := a.recycler.pageNumber()
	a.enter(page{number, c})
	if a.pages.gc != nil {
		a.pages.gc.made += int(c.size)
	}
	a.noteDue()
	if int(c.size)-need > int(a.end-a.next)*granule {
		a.open(number, c)
	}
	return pageStart(number), nil
}

// noteDue calls the recycler's onDue if the arena should be collected, or if its collection should
// go on.
func (a *Arena) noteDue() {
	if r := a.recycler; r != nil && r.onDue != nil && a.Due() {
		r.onDue()
	}
}

// press makes the arena due, because its limit has refused a request. After the collection there
// may be room.
func (a *Arena) press() {
	a.threshold = max(a.reserved-1, 1)
	a.noteDue()
}

// stepAfter is the number of bytes that an arena may take during a collection before it is due for
// another step.
const stepAfter = 256 << 10

// newChunk returns a chunk that holds need bytes, unless that exceeds the limit.
func (a *Arena) newChunk(need int) (chunk, bool) {
	if need > maxChunk {
		if !a.allows(need) {
			return chunk{}, false
		}
		return newChunk(need), true
	}
	class := a.classWithin(int(a.pages.class), classFor(need), 0)
	if !a.allows(classSize(class)) {
		return chunk{}, false
	}
	a.pages.class = uint8(min(class+1, chunkClasses-1))
	return a.recycler.take(class), true
}

// classWithin returns the class of the next chunk: class, or the next smaller class for which the
// limit leaves room. uncounted is the number of bytes that reserved does not count yet. The result
// is never below least.
func (a *Arena) classWithin(class, least, uncounted int) int {
	class = max(class, least)
	for class > least && !a.allows(uncounted+classSize(class)) {
		class--
	}
	return class
}

// allows reports whether the limit leaves room for another chunk.
func (a *Arena) allows(size int) bool { return a.limit == 0 || size <= a.limit-a.reserved }

// enter makes a chunk part of the address space.
func (a *Arena) enter(p page) {
	a.pages.put(p, a.recycler)
	a.reserved += p.length()
}

// open makes a chunk, of at most maxChunk bytes, the source of bump.
func (a *Arena) open(number uint64, c chunk) {
	a.retire()
	a.pages.setNear(number, c.base)
	a.next = pageStart(number) + handle(c.used/granule)
	a.end = pageStart(number) + handle(c.size/granule)
	if invariant.On {
		verifyOpen(a)
	}
}

// retire records the used part of the open chunk in its page. The chunk may stay open.
func (a *Arena) retire() {
	if near := a.pages.nearPlus1 - 1; a.pages.nearPlus1 != 0 {
		a.pages.find(near).used = uint32(a.next-pageStart(near)) * granule
	}
}

// refuse returns the error for a request of size bytes that cannot be met.
func (a *Arena) refuse(size uintptr) error {
	if a.limit == goneLimit {
		return fmt.Errorf("%w: %d bytes in the arena of a region that was moved, joined or discarded",
			ErrRegionGone, size)
	}
	if size > MaxObject {
		return errTooLarge(size)
	}
	return fmt.Errorf("%w: %d bytes with %d of %d reserved", ErrArenaLimit, size, a.reserved, a.limit)
}

// errTooLarge returns the error for size bytes that no arena takes.
func errTooLarge(size uintptr) error {
	return fmt.Errorf("%w: %d bytes are more than the %d of MaxObject", ErrArenaLimit, size, MaxObject)
}

// panicDead is outlined, so that the loads before it can be inlined.
func panicDead(h handle) {
	if h == 0 {
		panic("gallop: heap: nil handle dereferenced")
	}
	panic(fmt.Sprintf("gallop: heap: dead handle %#x dereferenced: its object was collected, its "+
		"arena released or its region moved, "+
		"or it belongs to another arena", uint64(h)))
}

// noCopy makes go vet report copies of the struct that contains it.
type noCopy struct{}

// Lock makes go vet treat noCopy as a lock.
func (*noCopy) Lock() {}

// Unlock makes go vet treat noCopy as a lock.
func (*noCopy) Unlock() {}
