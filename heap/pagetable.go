package heap

import (
	"math"
	"unsafe"
)

// pageTable finds the chunk behind a page number. It is an open-addressed hash
// table, because page numbers are arbitrary: workers draw them in blocks, actors
// interleave, and a region brings its own. Entries are never removed one by one.
//
// The numbers of one arena often form a stride (every thousandth of a block), so
// they are spread by a multiplication and not by their low bits.
//
// Owner only.
type pageTable struct {
	slots []page
	count int
	shift uint8 // 64 - log2(len(slots))

	// The page of the open chunk, which most handles point into: they are
	// resolved without the table. Its number is kept plus one, so that in the
	// zero value no handle matches, the nil handle included.
	nearPlus1 uint64
	nearBase  unsafe.Pointer

	gc *collector // of the collection that is under way, nil if there is none
}

// page is a chunk under the number by which handles know it.
type page struct {
	number uint64 // or noPage
	chunk
}

const (
	// noPage marks a free slot. It does not fit a handle, so that no handle
	// finds a free slot, the nil handle included.
	noPage = math.MaxUint64
	// golden spreads consecutive numbers evenly (Knuth's multiplicative hash).
	golden = 0x9e3779b97f4a7c15
	// inlinePages is how many pages an arena has room for in itself. This
	// smallest of tables may fill up; larger ones stay half empty.
	inlinePages = 2
	// keptPages is the largest table that survives Release.
	keptPages = 64
)

// home returns the slot at which the search for a page starts.
func (t *pageTable) home(number uint64) uint64 { return number * golden >> (t.shift & 63) }

// at returns the memory behind h: one load for the near page, two that depend on
// each other for a page in its home slot.
func (t *pageTable) at(h handle) unsafe.Pointer {
	if h.page()+1 == t.nearPlus1 {
		return unsafe.Add(t.nearBase, h.offset())
	}
	i := t.home(h.page())
	if i < uint64(len(t.slots)) && t.slots[i].number == h.page() {
		return unsafe.Add(t.slots[i].base, h.offset())
	}
	return t.search(h)
}

// search is at for a page that was pushed out of its home slot, for one that the
// collector has yet to scan, and for handles that are not of this table: it panics
// for those.
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

// find returns the entry of a page, nil if there is none.
func (t *pageTable) find(number uint64) *page {
	if i, ok := t.slot(number); ok {
		return &t.slots[i]
	}
	return nil
}

// slot returns where the entry of a page is.
func (t *pageTable) slot(number uint64) (i int, ok bool) {
	home, mask := t.home(number), uint64(len(t.slots)-1)
	for n := range uint64(len(t.slots)) {
		i := (home + n) & mask
		switch t.slots[i].number {
		case number:
			return int(i), true
		case noPage:
			return 0, false
		}
	}
	return 0, false
}

// setNear makes a page of the table the one that is looked at first.
func (t *pageTable) setNear(number uint64, base unsafe.Pointer) {
	t.nearPlus1, t.nearBase = number+1, base
}

// full tells whether another page needs a larger table.
func (t *pageTable) full() bool {
	return t.count >= inlinePages && 2*(t.count+1) > len(t.slots) || t.count >= len(t.slots)
}

// add enters a page that is not in the table. The table must not be full.
func (t *pageTable) add(p page) {
	i, mask := t.home(p.number), uint64(len(t.slots)-1)
	for t.slots[i&mask].number != noPage {
		i++
	}
	t.slots[i&mask] = p
	t.count++
}

// enlarge makes room: first in the slots given, then four times and from there
// twice as much, allocated.
func (t *pageTable) enlarge(first []page) {
	old := *t
	switch {
	case old.slots == nil:
		t.install(first)
	case len(old.slots) == inlinePages:
		t.install(make([]page, 4*inlinePages))
	default:
		t.install(make([]page, 2*len(old.slots)))
	}
	for _, p := range old.slots {
		if p.number != noPage {
			t.add(p)
		}
	}
	clear(old.slots) // those of the arena itself stay, and must not hold on to chunks
}

// install empties the slots and makes them the table.
func (t *pageTable) install(slots []page) {
	t.slots, t.count, t.shift = slots, 0, 64
	for n := len(slots); n > 1; n /= 2 {
		t.shift--
	}
	t.empty()
}

// empty frees all slots.
func (t *pageTable) empty() {
	t.count = 0
	for i := range t.slots {
		t.slots[i] = page{number: noPage}
	}
}

// forget empties the table, the near page included, and drops the slots if they
// are too many to keep for nothing.
func (t *pageTable) forget() {
	if len(t.slots) > keptPages {
		*t = pageTable{}
		return
	}
	t.empty()
	t.nearPlus1, t.nearBase = 0, nil
}
