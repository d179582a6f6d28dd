package heap

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"unsafe"
)

// graph is the result of a walk from the roots: a hash that does not depend on the places of the
// objects, and the number of objects. Two walks with equal results found the same graph with the
// same contents. The collector is verified by it.
type graph struct {
	hash           uint64
	objects, bytes int
	dead           int // handles that lead nowhere
}

var graphSeed = maphash.MakeSeed()

// GraphHash returns a hash of all objects that the roots lead to. The hash does not depend on their
// places: collections, moves and merges keep it. It is different in every process. GraphHash costs
// a walk over all of them and is meant for tests. Owner only.
func (a *Arena) GraphHash(roots ...Root) uint64 {
	mustLead("GraphHash", roots)
	return a.graph(roots).hash
}

// graph walks from the roots. It panics if an object leaves its page or overlaps another.
func (a *Arena) graph(roots []Root) graph {
	a.retire()
	w := walks.Get().(*walk)
	w.begin(a)
	for _, r := range roots {
		w.handles(r.at, r.layout, nil)
	}
	for i := 0; i < len(w.seen); i++ { // seen grows meanwhile
		w.object(w.seen[i])
	}
	found := graph{w.sum.Sum64(), len(w.seen), w.bytes, w.dead}
	w.mustNotOverlap()
	w.end()
	return found
}

// mustEqual panics if a collection has changed the graph.
func (g graph) mustEqual(after graph) {
	if g != after {
		panic(fmt.Sprintf("gallop: invariant: a collection made %+v of %+v", after, g))
	}
}

// walk is a walk in progress.
type walk struct {
	arena *Arena
	ids   map[handle]uint64 // objects in the order in which they were found, from 1
	seen  []extent          // the same objects; sorted at the end

	old      bool               // there is an old generation, whose records are in recorded
	recorded map[handle]*Layout // the layouts of the objects in these records
	body     []byte             // a copy of the present object
	sum      maphash.Hash
	bytes    int
	dead     int
}

// walks holds unused walks: tests make millions of walks. A walk that has panicked is not put back.
var walks = sync.Pool{New: func() any {
	return &walk{ids: map[handle]uint64{}, recorded: map[handle]*Layout{}}
}}

func (w *walk) begin(a *Arena) {
	w.arena, w.old = a, a.recorded(w.recorded)
	w.sum.SetSeed(graphSeed)
}

// maxKeptWalk is the largest number of objects of a walk whose memory is kept.
const maxKeptWalk = 1 << 12

// end keeps the memory of the walk for the next one, unless it is large.
func (w *walk) end() {
	if len(w.seen) > maxKeptWalk || len(w.recorded) > maxKeptWalk {
		return
	}
	clear(w.ids)
	clear(w.recorded)
	clear(w.seen)
	*w = walk{ids: w.ids, recorded: w.recorded, seen: w.seen[:0], body: w.body[:0]}
	walks.Put(w)
}

// extent is a row of values in the arena.
type extent struct {
	h    handle
	n    int
	size uintptr
	sub  *Layout
}

func (e extent) bytes() uintptr { return rowSize(e.size, e.n) }

// object hashes one object: its bytes, with its handles replaced by the ids of their objects.
func (w *walk) object(e extent) {
	at := unsafe.Add(w.arena.pages.peek(e.h.page()).base, e.h.offset())
	body := append(w.body[:0], unsafe.Slice((*byte)(at), e.bytes())...)
	w.body = body
	w.bytes += len(body)
	if e.sub != nil {
		for i := range e.n {
			offset := uintptr(i) * e.size
			w.handles(unsafe.Add(at, offset), e.sub, body[offset:])
		}
	}
	w.word(uint64(len(body)))
	_, _ = w.sum.Write(body)
}

// handles hashes the ids of the objects to which the handles of a value lead, and clears the
// handles in the copy of the value.
func (w *walk) handles(at unsafe.Pointer, l *Layout, body []byte) {
	for _, p := range l.parts {
		field := unsafe.Add(at, p.at)
		if p.kind == partInline {
			for j := range p.n {
				w.handles(unsafe.Add(field, uintptr(j)*p.size), p.sub, from(body, p.at+uintptr(j)*p.size))
			}
			continue
		}
		w.word(w.id(extentAt(field, p)))
		if body != nil {
			clear(body[p.at:][:unsafe.Sizeof(handle(0))])
		}
	}
}

// from is body[at:]. It is nil for roots, which have no copy.
func from(body []byte, at uintptr) []byte {
	if body == nil {
		return nil
	}
	return body[at:]
}

// extentAt returns the extent to which the handle at a part's place leads.
func extentAt(field unsafe.Pointer, p part) extent {
	h := *(*handle)(field)
	switch p.kind {
	case partSlice, partString:
		return extent{h, (*String)(field).n, p.size, p.sub}
	case partBlob:
		b := (*Blob)(field)
		return extent{h, int(b.off + b.n), 1, nil}
	}
	return extent{h, 1, p.size, p.sub}
}

// id returns the number of an object. An object that was not found before gets a new number. The
// nil handle has 0.
func (w *walk) id(e extent) uint64 {
	if e.h == 0 {
		return 0
	}
	if id := w.ids[e.h]; id != 0 {
		return id
	}
	p := w.arena.pages.peek(e.h.page())
	if p == nil {
		w.dead++
		w.ids[e.h] = ^uint64(0) - uint64(w.dead)
		return w.ids[e.h]
	}
	if e.h.offset()+e.bytes() > uintptr(p.used) {
		panic(fmt.Sprintf("gallop: invariant: object %#x of %d bytes leaves its page", uint64(e.h),
			e.bytes()))
	}
	w.mustBeRecorded(e)
	w.seen = append(w.seen, e)
	w.ids[e.h] = uint64(len(w.seen))
	return w.ids[e.h]
}

func (w *walk) word(v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	_, _ = w.sum.Write(b[:])
}

// mustNotOverlap panics if two objects share memory. Parts of a blob are one object, since they
// have the same handle.
func (w *walk) mustNotOverlap() {
	slices.SortFunc(w.seen, func(x, y extent) int { return cmp.Compare(x.h, y.h) })
	for i := 1; i < len(w.seen); i++ {
		x, y := w.seen[i-1], w.seen[i]
		if x.h.page() == y.h.page() && x.h+handle(granules(x.bytes())) > y.h {
			panic(fmt.Sprintf("gallop: invariant: objects %#x of %d bytes and %#x overlap", uint64(x.h),
				x.bytes(), uint64(y.h)))
		}
	}
}

// peek finds a page as at does, but does not enter an old page into the table.
func (t *pageTable) peek(number uint64) *page {
	if t.gc != nil {
		if t.gc.grey[number] != nil {
			t.gc.reach(pageStart(number))
		}
		if t.gc.old != nil && t.gc.old.pages[number] != nil {
			return &t.gc.old.pages[number].page
		}
	}
	return t.find(number)
}
