package heap

import (
	"fmt"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Recycler is one worker's store of chunks: arenas that are bound to it take their chunks from it
// and give them back on release. It makes short-lived actors cheap. A chunk from Go's allocator
// costs 0.3 µs (1 KiB) to 12 µs (64 KiB). To take a chunk from the store and give it back costs
// some 40 ns, and the clearing of its used part.
//
// The zero value is ready to use and keeps up to 256 KiB of each chunk size: 2 MiB of chunks, and
// less than 2.75 MiB with tables and the memory of collections. It keeps that until
// [Recycler.Drop], since only its owner may touch it. A Recycler must not be copied after first
// use. It has no locks, and neither have the arenas bound to it: owner worker only.
//
// The store is bounded separately for each of the eight chunk sizes from 256 bytes to 64 KiB, so
// that after a change of load the store is not full of chunks of the wrong size. Chunks that do
// not fit, and chunks of single objects over 64 KiB, are left to the GC. The tables by which arenas
// find their chunks are kept likewise, in a quarter of that.
type Recycler struct {
	_        noCopy
	perClass int // bytes; 0 means defaultPerClass, below 0 nothing
	classes  [chunkClasses][]chunk
	tables   tableStore
	pages    pageNumbers
	stats    RecyclerStats
	kept     *collector // between two collections
	onDue    func()
}

// RecyclerStats counts the work of a Recycler since it was made.
type RecyclerStats struct {
	Held    int    // bytes in store now
	Hits    uint64 // chunks taken from the store
	Misses  uint64 // chunks taken from Go's allocator instead
	Surplus uint64 // chunks left to the GC
}

const defaultPerClass = 256 << 10

// NewRecycler returns a Recycler that keeps up to perClass bytes of each of the eight
// chunk sizes; with 0 it keeps nothing. It panics if perClass is negative.
func NewRecycler(perClass int) *Recycler {
	if perClass < 0 {
		panic(fmt.Sprintf("gallop: heap: NewRecycler: negative bound %d", perClass))
	}
	if perClass == 0 {
		perClass = -1
	}
	return &Recycler{perClass: perClass}
}

// Stats returns the counters. It costs a copy. Owner worker only.
func (r *Recycler) Stats() RecyclerStats { return r.stats }

// OnDue sets f to be called whenever an arena that is bound to r takes memory, or is refused
// memory, and is [Arena.Due]. f runs in the middle of an allocation and must not touch the arena.
// Owner worker only.
func (r *Recycler) OnDue(f func()) { r.onDue = f }

// Drop leaves everything in store to the GC, for a worker that retires or has
// nothing to do. The Recycler can be used as before. Owner worker only.
func (r *Recycler) Drop() {
	for class := range r.classes {
		r.stats.Surplus += uint64(len(r.classes[class]))
		r.classes[class] = nil
	}
	r.stats.Held = 0
	r.tables = tableStore{}
	r.kept = nil
}

// collector returns an empty collector: the kept one, or a new one. A nil Recycler makes a new one.
// Owner worker only.
func (r *Recycler) collector() *collector {
	if r == nil || r.kept == nil {
		return &collector{scratch: scratch{grey: make(map[uint64]*toPage)}}
	}
	g := r.kept
	r.kept = nil
	return g
}

// maxKeptWords bounds the words that a collector at rest has for marks and for lists of pages:
// enough for 8 MiB.
const maxKeptWords = 5 << 12

// keepCollector keeps an empty collector, unless its memory is large.
// Owner worker only.
func (r *Recycler) keepCollector(g *collector) {
	if r != nil && cap(g.marks)+cap(g.first)+cap(g.queue) <= maxKeptWords {
		r.kept = g
	}
}

// take returns a zeroed chunk of a class. A nil Recycler asks Go's allocator.
// Owner worker only.
func (r *Recycler) take(class int) chunk {
	if r == nil {
		return newChunk(classSize(class))
	}
	store := r.classes[class]
	if len(store) == 0 {
		r.stats.Misses++
		return newChunk(classSize(class))
	}
	c := store[len(store)-1]
	store[len(store)-1] = chunk{}
	r.classes[class] = store[:len(store)-1]
	r.stats.Hits++
	r.stats.Held -= int(c.size)
	c.zero()
	if invariant.On {
		verifyTaken(r, c, class)
	}
	return c
}

// put stores a chunk that is not used any more, or leaves it to the GC.
// Owner worker only.
func (r *Recycler) put(c chunk) {
	if invariant.On {
		verifyPutRecycler(r, c)
	}
	c.spoil()
	if r == nil {
		return
	}
	if !r.wants(c) {
		r.stats.Surplus++
		return
	}
	class := classFor(int(c.size))
	r.classes[class] = append(r.classes[class], c)
	r.stats.Held += int(c.size)
}

// wants reports whether there is room for a chunk.
func (r *Recycler) wants(c chunk) bool {
	if c.size > maxChunk {
		return false
	}
	held := len(r.classes[classFor(int(c.size))]) * int(c.size)
	return held+int(c.size) <= r.bound()
}

// bound returns the number of bytes of a class that are kept.
func (r *Recycler) bound() int {
	if r.perClass == 0 {
		return defaultPerClass
	}
	return r.perClass
}

// pageNumber draws the next page number. Owner worker only; a nil Recycler draws
// from the process-wide sequence.
func (r *Recycler) pageNumber() uint64 {
	if r == nil {
		return lastPage.Add(1)
	}
	return r.pages.draw()
}

// lastPage is the last page number that was drawn. Page 0 is never drawn: the
// nil handle points into it. Any goroutine.
var lastPage seam.Uint64

// pageBlock is the number of page numbers that a worker draws at once, so that workers do not
// contend for one word at every chunk.
const pageBlock = 1024

// pageNumbers is a worker's block of page numbers. Owner worker only.
type pageNumbers struct{ last, end uint64 }

// draw returns the next number of the block. If the block is used up, it draws another block.
func (n *pageNumbers) draw() uint64 {
	if invariant.On {
		verifyPageNumbers(n)
	}
	if n.last == n.end {
		n.end = lastPage.Add(pageBlock)
		n.last = n.end - pageBlock
	}
	n.last++
	return n.last
}
