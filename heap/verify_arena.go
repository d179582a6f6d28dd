package heap

import (
	"math"
	"math/bits"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Invariants of arenas and of their parts, for builds that check them.
// Owner only.

// verifyArena checks the arena against its table. It is called before and after a collection,
// at a move and at a release.
func verifyArena(a *Arena) {
	verifyOpen(a)
	verifyPageTable(&a.pages)
	bytes := 0
	for _, p := range a.pages.all() {
		if p.free() {
			continue
		}
		bytes += p.length()
		verifyPage(&p)
		invariant.Check(!p.shared() || a.blobs.find(p.number) != nil,
			"page %d is of a blob that the arena does not hold", p.number)
	}
	if g := a.pages.gc; g == nil {
		invariant.Check(bytes == a.reserved,
			"an arena has %d bytes, and %d are counted", bytes, a.reserved)
	} else {
		invariant.Check(bytes <= a.reserved,
			"an arena has %d bytes in its table, and %d are counted", bytes, a.reserved)
	}
	invariant.Check(a.limit >= goneLimit && a.threshold >= 0,
		"an arena with limit %d is due at %d", a.limit, a.threshold)
}

// verifyOpen checks the chunk that allocation takes from.
func verifyOpen(a *Arena) {
	invariant.Check(a.next <= a.end, "the open chunk ends at %#x, and is used to %#x", a.end, a.next)
	if a.end == 0 {
		return
	}
	near := a.pages.nearPlus1 - 1
	invariant.Check(a.pages.nearPlus1 != 0, "an open chunk without a page")
	invariant.Check(a.next >= pageStart(near) && a.end <= pageStart(near)+maxChunk/granule,
		"the open chunk is page %d, and %#x to %#x of it is free", near, a.next, a.end)
	p := a.pages.find(near)
	invariant.Check(p != nil, "the open chunk is page %d, which is not in the table", near)
	invariant.Check(p.base == a.pages.nearBase, "page %d is looked for in two places", near)
	invariant.Check(a.end == pageStart(near)+handle(p.size/granule),
		"page %d has %d bytes, and its free part ends at %#x", near, p.size, a.end)
}

// verifyPageTable checks a table of pages: each page is found, and the table is at most half full.
func verifyPageTable(t *pageTable) {
	if t.slots == nil {
		invariant.Check(t.count <= 1 && t.size == 0, "a table without slots has %d pages", t.count)
		return
	}
	invariant.Check(bits.OnesCount32(t.size) == 1 && t.size >= firstSlots,
		"a table has %d slots", t.size)
	invariant.Check(1<<(64-t.shift) == uint64(t.size),
		"a table of %d slots shifts by %d", t.size, t.shift)
	n := uint32(0)
	for i, p := range t.all() {
		if p.free() {
			continue
		}
		n++
		at, ok := t.slot(p.number)
		invariant.Check(ok && at == i,
			"page %d is in slot %d, and found %v in slot %d", p.number, i, ok, at)
	}
	invariant.Check(n <= t.count && 2*t.count <= t.size,
		"a table of %d slots has %d pages, and %d are counted", t.size, n, t.count)
}

// verifyPutPageTable checks a page that enters a table.
func verifyPutPageTable(t *pageTable, p page) {
	invariant.Check(!p.free() && p.number <= math.MaxUint64>>offsetBits,
		"page %d does not fit a handle", p.number)
	invariant.Check(t.find(p.number) == nil, "page %d enters a table twice", p.number)
	verifyPage(&p)
}

// verifyPage checks one page.
func verifyPage(p *page) {
	invariant.Check(p.base != nil, "page %d is nowhere", p.number)
	invariant.Check(p.number != 0, "page 0 is used, which the nil handle leads to")
	invariant.Check(int(p.used) <= p.length(),
		"page %d has %d bytes, and %d are used", p.number, p.length(), p.used)
	invariant.Check(p.shared() || uintptr(p.base)%granule == 0,
		"page %d is at %#x", p.number, uintptr(p.base))
}

// verifyBegin checks a collector that is about to take an arena.
func verifyBegin(g *collector, a *Arena) {
	invariant.Check(!g.active, "a collection begins within another")
	invariant.Check(len(g.grey) == 0 && len(g.queue) == 0,
		"a collection begins with %d grey pages and %d in line", len(g.grey), len(g.queue))
	invariant.Check(g.open == nil, "a collection begins with an open page")
	verifyArena(a)
}

// verifyCopy checks the place of a copy of need bytes.
func verifyCopy(g *collector, p *toPage, need uint32) {
	invariant.Check(g.active, "page %d is copied to, and nothing is collected", p.number)
	invariant.Check(need > 0 && need%granule == 0, "%d bytes are copied", need)
	invariant.Check(uint64(p.used)+uint64(need) <= uint64(p.size),
		"%d bytes are copied to page %d, which has %d of %d", need, p.number, p.used, p.size)
	invariant.Check(p.used%granule == 0, "%d bytes of page %d are used", p.used, p.number)
	invariant.Check(!p.black, "black page %d is copied to", p.number)
	invariant.Check(g.from.find(p.number) == nil, "page %d of from-space is copied to", p.number)
}

// verifyGrey checks a page that becomes grey.
func verifyGrey(g *collector, p page) {
	invariant.Check(g.active, "page %d is grey, and nothing is collected", p.number)
	invariant.Check(g.grey[p.number] == nil, "page %d is grey twice", p.number)
	invariant.Check(g.arena.pages.find(p.number) == nil,
		"page %d is grey and in the arena's table", p.number)
}

// verifyEnd checks a collection that has nothing left to scan.
func verifyEnd(g *collector) {
	invariant.Check(g.active, "a collection ends twice")
	invariant.Check(len(g.grey) == 0, "a collection ends with %d grey pages", len(g.grey))
	for _, p := range g.queue {
		invariant.Check(p.black, "a collection ends with page %d in line", p.number)
	}
	invariant.Check(g.work >= 0 && g.keep >= 0 && g.made >= 0,
		"a collection has done %d bytes, kept %d and seen %d made", g.work, g.keep, g.made)
	invariant.Check(g.open == nil, "a collection ends with an open page")
}

// verifyScan checks a row that is scanned: it lies within its page.
func verifyScan(p *toPage, item greyItem) {
	invariant.Check(item.sub != nil && item.n > 0,
		"%d values without handles are to be scanned", item.n)
	end := uint64(item.at) + uint64(item.n)*uint64(item.sub.size)
	invariant.Check(end <= uint64(p.length()),
		"values of page %d, of %d bytes, are to be scanned to %d", p.number, p.length(), end)
}

// verifyRow checks a row before it is recorded.
func verifyRow(p *toPage, r row) {
	invariant.Check(r.at < r.end && r.end <= p.used,
		"bytes %d to %d of page %d, which has %d, go on record", r.at, r.end, p.number, p.used)
	invariant.Check(r.at%granule == 0, "byte %d of page %d goes on record", r.at, p.number)
	invariant.Check((r.end-r.at)%uint32(r.sub.size) == 0,
		"%d bytes go on record as values of %d", r.end-r.at, r.sub.size)
}

// verifyBecomeOld checks a page that becomes old: its place in the list of old pages and in the
// arena's table.
func verifyBecomeOld(g *collector, q *oldPage) {
	invariant.Check(q.member == (g.old.pages[q.number] == q),
		"old page %d: a member %v", q.number, q.member)
	invariant.Check(g.arena.pages.find(q.number) == nil || q.awake,
		"old page %d is in the arena's table, and not awake", q.number)
}

// verifyWake checks an old page that enters the arena's table.
func verifyWake(o *generation, a *Arena, q *oldPage) {
	invariant.Check(!q.awake, "old page %d is entered twice", q.number)
	invariant.Check(q.member && o.pages[q.number] == q, "page %d is entered as an old one", q.number)
	invariant.Check(o.touched >= 0 && o.touched <= o.bytes,
		"%d of %d old bytes are touched", o.touched, o.bytes)
}

// verifyLearn checks the number of a layout.
func verifyLearn(o *generation, l *Layout) {
	have := o.layouts[l.id]
	invariant.Check(have == nil || have == l, "%v and another layout have number %d", l.typ, l.id)
}

// verifyTaken checks a chunk that comes out of the store.
func verifyTaken(r *Recycler, c chunk, class int) {
	invariant.Check(int(c.size) == classSize(class),
		"a chunk of %d bytes is in class %d", c.size, class)
	invariant.Check(r.stats.Held >= 0, "%d bytes are in store", r.stats.Held)
	invariant.Check(!c.shared() && c.base != nil, "a blob is in store")
	stain := byte(0)
	for _, b := range c.bytes(c.size) {
		stain |= b
	}
	invariant.Check(stain == 0, "a chunk of %d bytes from the store is not zero", c.size)
}

// verifyPutRecycler checks a chunk that goes into the store.
func verifyPutRecycler(r *Recycler, c chunk) {
	invariant.Check(!c.shared(), "a blob is put into the store")
	invariant.Check(c.base != nil, "a chunk without memory is put into the store")
	if r != nil && c.size <= maxChunk {
		for _, o := range r.classes[classFor(int(c.size))] {
			invariant.Check(o.base != c.base, "a chunk of %d bytes is put into the store twice", c.size)
		}
	}
}

// verifyPageNumbers checks a worker's block of page numbers.
func verifyPageNumbers(n *pageNumbers) {
	invariant.Check(n.last <= n.end && n.end-n.last <= pageBlock,
		"pages %d to %d are left of a block", n.last, n.end)
	invariant.Check(n.end <= seam.Peek(&lastPage),
		"a block of pages ends at %d, and %d were drawn", n.end, seam.Peek(&lastPage))
}

// verifyMap checks the inside of a map.
func verifyMap[K comparable, V any](t *table[K, V]) {
	invariant.Check(t.live >= 0 && t.live <= t.used,
		"a map has %d entries, %d of them live", t.used, t.live)
	invariant.Check(t.used <= t.entries.Len(),
		"a map has %d entries, and room for %d", t.used, t.entries.Len())
	n := t.index.Len()
	invariant.Check(n == 2*t.entries.Len() && n&(n-1) == 0,
		"a map of %d entries has an index of %d", t.entries.Len(), n)
}

// verifyBlob checks a part of shared bytes.
func verifyBlob(s *sharedBytes, off, n uint32) {
	invariant.Check(uint64(off)+uint64(n) <= uint64(len(s.text)),
		"bytes %d to %d of a blob of %d", off, uint64(off)+uint64(n), len(s.text))
	invariant.Check(len(s.text) > SharedAbove, "a blob of %d bytes is shared", len(s.text))
	invariant.Check(s.refs.Load() > 0, "blob %d is held by nobody, and used", s.number)
}

// verifyMoved checks an arena whose pages belong to another arena by now.
func verifyMoved(a *Arena) {
	invariant.Check(a.pages.count == 0 && a.reserved == 0,
		"an arena was moved, and has %d pages of %d bytes", a.pages.count, a.reserved)
	invariant.Check(a.blobs == nil || len(a.blobs.held) == 0, "an arena was moved, and holds blobs")
	invariant.Check(a.next == 0 && a.end == 0, "an arena was moved, and has an open chunk")
	invariant.Check(a.limit == goneLimit, "an arena was moved, and has a limit of %d", a.limit)
}

// verifyLayout checks a layout: its parts are in order, within the value, and do not overlap.
func verifyLayout(l *Layout) {
	end := uintptr(0)
	for _, p := range l.parts {
		invariant.Check(p.at >= end, "%v has a part at %d, within another", l.typ, p.at)
		end = p.at + 8
		if p.kind == partInline {
			invariant.Check(p.n > 0 && p.sub != nil, "%v has an array of %d without handles", l.typ, p.n)
			end = p.at + uintptr(p.n)*p.size
		}
		invariant.Check(end <= l.size, "%v of %d bytes has a part to %d", l.typ, l.size, end)
	}
}
