package heap

import (
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
)

// Large arenas have two generations. Objects older than the last collection stay in place; the next
// collection copies only the young, to old pages. It finds the old objects that lead to young ones
// without a further barrier. After a collection no old page leads to the young, and no old page is
// in the arena's table. A behaviour that writes to an old object has dereferenced it. That is a
// miss, and the miss enters the page into the table. So only old pages in the table may lead to the
// young, and the next collection scans only these. README.md has the protocol,
// docs/decisions/0014-a-heap-of-its-own.md the figures.
//
// Rejected: keeping survivors young for a second time (there are no temporary objects between
// behaviours, and a list of the old pages that lead to survivors would be needed); scanning all old
// pages (an actor that touches a sixteenth of its objects would pay for all of them).

// generationsFrom is the size in bytes above which an arena has an old generation when it is
// collected. A smaller arena has few pages. All of them are touched, and all objects are copied.
// Tests change it.
var generationsFrom = generationsAbove

const (
	// youngLeast is the least number of new bytes between two collections of the young. The number
	// is larger if more old bytes may have to be scanned.
	youngLeast = 256 << 10
	// oldGrowth is the factor by which an arena with generations grows until all of it is
	// collected. It bounds the dead objects among the old.
	oldGrowth = 3
)

// generation has the old pages of an arena. Owner only.
type generation struct {
	pages   map[uint64]*oldPage
	open    *oldPage  // with room for more, or nil
	bytes   int       // of all pages
	touched int       // bytes of the pages that may lead to the young
	layouts []*Layout // by id, the layouts used in records
}

// oldPage is a page whose objects a collection has reached. Since then it is not moved.
type oldPage struct {
	page
	records []record // of the objects with handles
	one     greyItem // the only object, if it has handles and the page is never copied
	member  bool     // of the generation
	awake   bool     // in the arena's table; set by wake, cleared when a collection begins
}

// record is the place of n objects with handles, in a row.
type record struct {
	layout uint32
	at, n  uint16 // at in granules
}

// row is objects of one type side by side, from at to end.
type row struct {
	at, end uint32
	sub     *Layout
}

func newGeneration() *generation { return &generation{pages: map[uint64]*oldPage{}} }

// begin records the present row of the page, and begins another, which copy extends.
func (p *toPage) begin(o *generation, r row) {
	p.note(o)
	p.row = r
}

// note records the row that was copied last.
func (p *toPage) note(o *generation) {
	if r := p.row; r.sub != nil {
		if invariant.On {
			verifyRow(p, r)
		}
		n := (r.end - r.at) / uint32(r.sub.size)
		p.old.records = append(p.old.records, record{r.sub.id, uint16(r.at / granule), uint16(n)})
		o.learn(r.sub)
		p.row = row{}
	}
}

// learn makes it possible to find a layout by its number.
func (o *generation) learn(l *Layout) {
	for int(l.id) >= len(o.layouts) {
		o.layouts = append(o.layouts, nil)
	}
	if invariant.On {
		verifyLearn(o, l)
	}
	o.layouts[l.id] = l
}

// newOldPage returns a page for the old generation, or nil if the arena has none.
func (g *collector) newOldPage(p page) *oldPage {
	if g.old == nil {
		return nil
	}
	return &oldPage{page: p}
}

// hasHandles reports whether the page could lead to the young.
func (p *oldPage) hasHandles() bool { return len(p.records) > 0 || p.one.sub != nil }

// isOld reports whether the page was old when the collection began.
func (p *toPage) isOld() bool { return p.old != nil && p.old.member }

// BeginDue starts the collection that is due, as Begin does. It panics if a root is
// zero. Owner only.
//
// In a large arena, with at least 256 KiB when it is collected, this collects only the young: the
// objects made since the last collection. Older objects stay, reached or not, and handles to them
// stay as they are. Everything is collected when the arena has three times the bytes that the last
// whole collection left, or when its limit is near or has refused a request.
func (a *Arena) BeginDue(roots ...Root) {
	mustLead("BeginDue", roots)
	a.Finish()
	if g := a.pages.gc; g == nil || a.reserved > a.threshold {
		a.begin(roots)
		return
	}
	a.beginYoung(roots)
}

// beginYoung starts a collection of the young of an arena with an old generation.
func (a *Arena) beginYoung(roots []Root) {
	a.retire()
	g := a.collector()
	g.whole = false
	g.take(a)
	a.reserved = g.old.bytes
	g.excludeOld()
	g.prepare()
	g.mustNotMiss()
	g.scanRoots(roots)
}

// collector returns a collector that can begin.
func (a *Arena) collector() *collector {
	g := a.pages.gc
	if g == nil {
		return a.recycler.collector()
	}
	g.scratch = a.recycler.collector().scratch
	return g
}

// excludeOld takes the old pages out of from-space. Old pages that may lead to the rest of
// from-space become grey.
func (g *collector) excludeOld() {
	o := g.old
	for i := range g.from.all() {
		p := &g.from.all()[i]
		if q := o.pages[p.number]; q != nil {
			q.awake = false
			if q.hasHandles() {
				g.greyOld(q, 0)
			}
			*p = page{number: gonePage}
		}
	}
	if q := o.open; q != nil && g.open == nil {
		g.greyOld(q, len(q.records))
	}
	o.open, o.touched = nil, 0
}

// greyOld makes an old page grey. Its records before from need not be scanned.
func (g *collector) greyOld(q *oldPage, from int) {
	p := g.newToPage(q.page, q)
	p.next, p.end = from, len(q.records)
	if q.one.sub != nil {
		p.todo = append(p.todo, q.one)
	}
	if q == g.old.open {
		g.open = p
		return
	}
	g.queue = append(g.queue, p)
}

// limitTo sets the range of page numbers in from-space.
func (g *collector) limitTo(lo, hi uint64) {
	g.lo, g.span = noPage, 0
	if lo <= hi {
		g.lo = uint64(pageStart(lo))
		g.span = uint64(pageStart(hi)) + offsetMask - g.lo
	}
}

// scanRecord scans the next of a page's old objects.
func (g *collector) scanRecord(p *toPage) {
	r := p.old.records[p.next]
	p.next++
	l, first := g.old.layouts[r.layout], unsafe.Add(p.base, uintptr(r.at)*granule)
	g.note(first, greyItem{n: int(r.n), sub: l})
	for i := range uintptr(r.n) {
		if at := unsafe.Add(first, i*l.size); g.mayLeadBack(at, l) {
			g.scan(at, l)
		}
	}
	g.work += int(r.n) * int(l.size)
}

// mayLeadBack reports whether a value may have a handle to from-space. It compares the handles with
// the range of from-space, which excludes most old objects, since page numbers are drawn in order.
func (g *collector) mayLeadBack(at unsafe.Pointer, l *Layout) bool {
	if !l.flat {
		return true
	}
	for i := range l.parts {
		if *(*uint64)(unsafe.Add(at, l.parts[i].at))-g.lo <= g.span {
			return true
		}
	}
	return false
}

// becomeOld makes a black page part of the old generation.
func (g *collector) becomeOld(p *toPage) {
	q := p.old
	p.note(g.old)
	if invariant.On {
		verifyBecomeOld(g, q)
	}
	q.page = p.page
	if !q.member {
		q.member = true
		g.old.pages[q.number] = q
		g.old.bytes += q.length()
		g.arena.reserved += q.length()
	}
	if p == g.open {
		g.open, g.old.open = nil, q
		g.class = uint8(classFor(int(max(p.used, 1))))
		g.freePages = append(g.freePages, p)
	}
}

// wake enters the old page of h into the arena's table, because h is being dereferenced.
func (g *collector) wake(h handle) unsafe.Pointer {
	if g.old == nil {
		return nil
	}
	q := g.old.pages[h.page()]
	if q == nil {
		return nil
	}
	g.old.wake(g.arena, q)
	return unsafe.Add(q.base, h.offset())
}

// wake enters an old page into the arena's table.
func (o *generation) wake(a *Arena, q *oldPage) {
	if invariant.On {
		verifyWake(o, a, q)
	}
	q.awake = true
	a.pages.put(q.page, a.recycler)
	if q.hasHandles() {
		o.touched += q.length()
	}
}

// wakeAll enters all pages that are not in the arena's table.
func (o *generation) wakeAll(a *Arena) {
	for _, q := range o.pages {
		if !q.awake {
			o.wake(a, q)
		}
	}
}

// oneGeneration makes everything in an arena that is not being collected young.
func (a *Arena) oneGeneration() {
	if g := a.pages.gc; g != nil {
		g.old.wakeAll(a)
		a.pages.gc = nil
	}
}

// free drops all pages that are not in the arena's table.
func (g *collector) free(a *Arena) {
	if g.active {
		g.giveUp()
	}
	if g.old == nil {
		return
	}
	for _, q := range g.old.pages {
		if !q.awake {
			a.drop(&q.page)
		}
	}
}

// due is Arena.Due for an arena with a collector.
func (g *collector) due(a *Arena) bool {
	if g.active {
		return g.made > stepAfter
	}
	return a.reserved > a.threshold || a.reserved-g.old.bytes > max(youngLeast, g.old.touched)
}

// growth is the factor by which the arena may grow until all of it is collected.
func (a *Arena) growth() int {
	if a.pages.gc != nil {
		return oldGrowth
	}
	return 2
}

// count adds the pages that are not in the arena's table.
func (o *generation) count(s *Stats) {
	for _, q := range o.pages {
		if !q.awake {
			s.add(&q.page)
		}
	}
}
