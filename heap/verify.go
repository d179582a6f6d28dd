package heap

import (
	"fmt"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
)

// The verifier. After a collection in one step, the graph must be the same as before, with the same
// contents (graph.go). A collection in several steps cannot be compared, because
// behaviours run meanwhile. At its end, all survivors must be free of handles to the dropped
// memory, even if behaviours have changed them.

// verifying makes Collect compare the graphs. The tests of this package set it, except in
// benchmarks.
var verifying = invariant.On

// scannedRow is a row of values that the collector has scanned.
type scannedRow struct {
	at  unsafe.Pointer
	n   int
	sub *Layout
}

// note records the row that is being scanned.
func (g *collector) note(at unsafe.Pointer, row greyItem) {
	if invariant.On {
		g.scanned = append(g.scanned, scannedRow{at, row.n, row.sub})
	}
}

// mustBeBlack panics if a scanned value has a handle to from-space.
func (g *collector) mustBeBlack() {
	for _, r := range g.scanned {
		for i := range r.n {
			g.mustNotLeadBack(unsafe.Add(r.at, uintptr(i)*r.sub.size), r.sub)
		}
	}
}

// mustNotLeadBack is mustBeBlack for one value.
func (g *collector) mustNotLeadBack(at unsafe.Pointer, l *Layout) {
	for _, p := range l.parts {
		field := unsafe.Add(at, p.at)
		if p.kind == partInline {
			for j := range p.n {
				g.mustNotLeadBack(unsafe.Add(field, uintptr(j)*p.size), p.sub)
			}
			continue
		}
		h := *(*handle)(field)
		if i, ok := g.from.slot(h.page()); ok && g.unmarked(i) {
			panic(fmt.Sprintf("gallop: invariant: after a collection in steps a %v has handle %#x, to "+
				"what is let go: "+
				"the collector has missed it, or it was kept out of its reach and put there", l.typ, uint64(h)))
		}
	}
}

// mustNotMiss panics if an old page that is not to be scanned leads to from-space, if its
// records do not fit it, or if the counts of the old generation are wrong.
func (g *collector) mustNotMiss() {
	if g.old == nil || !verifying {
		return
	}
	bytes := 0
	for _, p := range g.old.pages {
		bytes += p.length()
		if inTable := g.arena.pages.find(p.number) != nil; inTable != p.awake {
			panic(fmt.Sprintf("gallop: invariant: old page %d: awake %v, in the table %v", p.number, p.awake,
				inTable))
		}
		if q := g.grey[p.number]; q == nil || q.clean() {
			p.each(g.old, func(at unsafe.Pointer, _ handle, l *Layout) { g.mustNotLeadBack(at, l) })
		}
	}
	if bytes != g.old.bytes {
		panic(fmt.Sprintf("gallop: invariant: %d bytes are old, %d are counted", bytes, g.old.bytes))
	}
}

// each visits the objects in the records of an old page.
func (p *oldPage) each(o *generation, visit func(at unsafe.Pointer, h handle, l *Layout)) {
	for _, r := range p.records {
		l := o.layouts[r.layout]
		for i := range uintptr(r.n) {
			offset := uintptr(r.at)*granule + i*l.size
			p.mustHave(offset + l.size)
			visit(unsafe.Add(p.base, offset), pageStart(p.number)+handle(offset/granule), l)
		}
	}
	if l := p.one.sub; l != nil {
		for i := range p.one.n {
			visit(unsafe.Add(p.base, uintptr(i)*l.size), pageStart(p.number), l)
		}
	}
}

// mustHave panics if a record goes beyond its page.
func (p *oldPage) mustHave(end uintptr) {
	if end > uintptr(p.used) {
		panic(fmt.Sprintf("gallop: invariant: page %d has %d bytes, and a record to %d", p.number, p.used,
			end))
	}
}

// recorded lists the objects of the old generation by their records, and reports whether there is
// an old generation. During a collection it lists nothing.
func (a *Arena) recorded(list map[handle]*Layout) bool {
	if g := a.pages.gc; g == nil || g.old == nil || g.active {
		return false
	}
	for _, p := range a.pages.gc.old.pages {
		p.each(a.pages.gc.old, func(_ unsafe.Pointer, h handle, l *Layout) { list[h] = l })
	}
	return true
}

// mustBeRecorded panics if an old object with handles is not in the records.
func (w *walk) mustBeRecorded(e extent) {
	if !w.old || e.sub == nil || w.arena.pages.gc.old.pages[e.h.page()] == nil {
		return
	}
	if got := w.recorded[e.h]; got != e.sub {
		panic(fmt.Sprintf("gallop: invariant: old object %#x of %v is recorded as %v", uint64(e.h),
			e.sub.typ, got))
	}
}
