package heap

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
)

// pageTable finds the chunk of a page number. It is an open-addressed hash
// table, because page numbers are arbitrary: workers draw them in blocks, actors
// interleave, and a region brings its own. Entries are never removed one by one.
//
// The numbers of one arena often form a stride (every thousandth of a block), so
// they are spread by a multiplication and not by their low bits.
//
// Owner only.
type pageTable struct {
	_ nocmp.Field
	// The pointers that the GC scans, in every cycle and every arena: as few as possible.
	slots *page // the first of size; nil until there was more than one page
	// The only page, if count is 1 and slots is nil; without its base while it is near.
	one      page
	nearBase unsafe.Pointer
	gc       *collector // of the present collection or of an old generation, or nil

	// The number of the near page plus 1. The near page is that of the open chunk, which most
	// handles point into: these are resolved without the table. Because of the 1, no handle matches
	// in the zero value, the nil handle included.
	nearPlus1 uint64

	size, count uint32
	shift       uint8 // 64 - log2(size)
	class       uint8 // of the arena's next chunk; it has room here
}

// page is a chunk under the number by which handles know it.
type page struct {
	number uint64 // or noPage
	chunk
}

const (
	pageBytes = int(unsafe.Sizeof(page{}))

	// noPage marks a free slot. It does not fit a handle, so that no handle
	// finds a free slot, the nil handle included.
	noPage = math.MaxUint64
	// gonePage marks a slot of from-space whose page is not there any more.
	gonePage = noPage - 1
	// golden spreads consecutive numbers evenly (Knuth's multiplicative hash).
	golden = 0x9e3779b97f4a7c15
	// firstSlots is the number of slots of the smallest table. Like larger tables, it is at most
	// half full.
	firstSlots = 4
	// keptPages is the largest table that survives Release.
	keptPages = 64
)

// free reports whether there is no page in a slot.
func (p *page) free() bool { return p.number >= gonePage }

// startSlot returns the slot at which the search for a page starts.
func (t *pageTable) startSlot(number uint64) uint64 { return number * golden >> (t.shift & 63) }

// at returns the memory of h. It costs one load for the near page, and two loads that depend on
// each other for a page in its home slot.
func (t *pageTable) at(h handle) unsafe.Pointer {
	if h.page()+1 == t.nearPlus1 {
		return unsafe.Add(t.nearBase, h.offset())
	}
	i := t.startSlot(h.page())
	if i < uint64(t.size) {
		if p := t.nth(i); p.number == h.page() {
			return unsafe.Add(p.base, h.offset())
		}
	}
	return t.search(h)
}

// nth returns slot i of a table that has it.
func (t *pageTable) nth(i uint64) *page {
	return (*page)(unsafe.Add(unsafe.Pointer(t.slots), uintptr(i)*unsafe.Sizeof(page{})))
}

// all returns all slots, free ones included.
func (t *pageTable) all() []page {
	if t.slots == nil {
		if t.isNear(&t.one) {
			t.one.base = t.nearBase
		}
		return unsafe.Slice(&t.one, t.count)
	}
	return unsafe.Slice(t.slots, t.size)
}

// table returns the slots that are outside of the arena, if there are any. Unlike all it does not
// make a pageTable escape: a copy stays on the stack.
func (t *pageTable) table() []page { return unsafe.Slice(t.slots, t.size) }

// isNear reports whether p is the near page.
func (t *pageTable) isNear(p *page) bool { return p.number+1 == t.nearPlus1 }

// search is at for a page that is not in its home slot, and for a page that the collector has
// yet to scan. It panics if the table does not have the page.
func (t *pageTable) search(h handle) unsafe.Pointer {
	if p := t.find(h.page()); p != nil {
		return unsafe.Add(p.base, h.offset())
	}
	if t.gc != nil {
		if at := t.gc.reach(h); at != nil {
			return at
		}
	}
	panicDead(h)
	return nil
}

// find returns the entry of a page, or nil.
func (t *pageTable) find(number uint64) *page {
	if i, ok := t.slot(number); ok {
		return &t.all()[i]
	}
	return nil
}

// slot returns the index of the entry of a page.
func (t *pageTable) slot(number uint64) (i int, ok bool) {
	slots := t.all()
	start, mask := t.startSlot(number), uint64(len(slots)-1)
	for n := range uint64(len(slots)) {
		i := (start + n) & mask
		switch slots[i].number {
		case number:
			return int(i), true
		case noPage:
			return 0, false
		}
	}
	return 0, false
}

// setNear makes a page of the table the near page.
func (t *pageTable) setNear(number uint64, base unsafe.Pointer) {
	t.nearPlus1, t.nearBase = number+1, base
	if t.isNear(&t.one) {
		t.one.base = nil // saves the GC a pointer; all restores it
	}
}

// full reports whether another page needs a larger table.
func (t *pageTable) full() bool {
	return t.count > 0 && 2*(t.count+1) > t.size
}

// put enters a page that is not in the table. It takes a larger table from r and returns the old
// table there.
func (t *pageTable) put(p page, r *Recycler) {
	if invariant.On {
		verifyPutPageTable(t, p)
	}
	if t.full() {
		t.enlarge(r)
	}
	t.add(p)
}

// add enters a page that is not in the table. The table must not be full.
func (t *pageTable) add(p page) {
	if t.count++; t.slots == nil {
		t.one = p
		return
	}
	i, mask := t.startSlot(p.number), uint64(t.size-1)
	for t.nth(i&mask).number != noPage {
		i++
	}
	*t.nth(i & mask) = p
}

// enlarge makes room for more pages.
func (t *pageTable) enlarge(r *Recycler) {
	old := *t
	t.install(r.takeTable(max(firstSlots, 2*int(t.size))))
	for _, p := range old.all() {
		if p.number != noPage {
			t.add(p)
		}
	}
	t.one = page{}
	r.putTable(&old)
}

// install makes slots the table, and empties it. The number of slots is a power of two.
func (t *pageTable) install(slots []page) {
	t.slots, t.size = unsafe.SliceData(slots), uint32(len(slots))
	t.shift = uint8(64 - bits.Len(uint(len(slots)-1)))
	t.empty()
}

// empty frees all slots.
func (t *pageTable) empty() {
	t.count, t.one = 0, page{}
	if t.slots == nil {
		return
	}
	for i := range t.all() {
		t.all()[i] = page{number: noPage}
	}
}

// forget empties the table, the near page included, and drops the slots if there are more than
// keptPages.
func (t *pageTable) forget() {
	if t.size > keptPages {
		*t = pageTable{}
		return
	}
	t.empty()
	t.nearPlus1, t.nearBase = 0, nil
}
