package heap

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
)

// The collector copies the reachable objects into new chunks and drops the old ones. README.md has
// the protocol; in short:
//
//	Begin   the whole address space becomes from-space; the objects to which the roots
//	        lead are copied, and the roots get the new handles
//	Step    to-pages are scanned, one after another: the objects to which their handles
//	        lead are copied. A page with nothing left to scan is black and joins the
//	        arena's table
//	Deref   of an object on a page that is not black yet scans that page first
//	end     nothing is left to scan: from-space goes to the recycler
//
// So a behaviour never sees a handle of from-space. The only barrier is the look-up that Deref
// makes anyway; it costs a miss in the table.
//
// Large arenas have an old generation, which is not copied: generation.go.
//
// Rejected: headers, which a linear scan of to-space would need (8 bytes for each node of 32).
//
// A collector belongs to its arena from Begin to the end, and while it has an old
// generation. At other times it belongs to a Recycler. Owner only.
type collector struct {
	arena *Arena
	scratch
	active bool        // from Begin to the end
	old    *generation // nil if each collection copies all survivors

	// From-space. Its table does not change while the collector works.
	from     pageTable
	lo, span uint64 // its handles are from lo to lo + span; other handles may be there too

	// The page of from-space that was looked at last.
	last     uint64 // its number, or noPage
	lastPage *page
	lastBits []uint64

	// The part of to-space that is not black.
	open  *toPage // the page that takes copies
	class uint8   // of the next chunk
	whole bool    // from-space is the whole arena
	// Bytes of new pages that are not black, which the arena does not count as reserved yet.
	pending int

	work int // bytes copied and scanned
	made int // bytes that behaviours took since the last step
	keep int // bytes that stay: copied bytes, and marked pages

	scanned []scannedRow // where invariants are checked
}

// scratch is the memory of an active collector. At other times others may use it.
type scratch struct {
	// A bit for each granule that was copied, or for a page that stays.
	marks []uint64
	first []int              // by slot of from: its first word of marks
	grey  map[uint64]*toPage // to-space, as far as it is not black
	// All pages of grey except the open page, and some pages that are black by now.
	queue     []*toPage
	freePages []*toPage
}

// Collect frees all objects that the roots do not lead to. If a collection is under way, Collect
// finishes it before it begins its own. Afterwards all pointers into the arena are invalid. Handles
// stay alive only in the roots and in objects that the roots lead to. Collect panics if a root is
// zero. It costs about 10 ns for each object that stays. The other objects cost only the return of
// their chunks. Owner only.
func (a *Arena) Collect(roots ...Root) {
	mustLead("Collect", roots)
	a.Finish()
	before := graph{}
	if verifying {
		before = a.graph(roots)
	}
	a.begin(roots)
	a.Finish()
	if verifying {
		before.mustEqual(a.graph(roots))
	}
}

// Begin starts a collection of everything, as Collect does, and copies only the objects to which
// the roots lead directly. Step or Finish continue it, at once or later, between behaviours. If a
// collection is under way already, Begin finishes it first. Begin panics if a root is zero. Owner
// only.
func (a *Arena) Begin(roots ...Root) {
	mustLead("Begin", roots)
	a.begin(roots)
}

// begin is Begin with roots that were checked already.
func (a *Arena) begin(roots []Root) {
	a.Finish()
	a.retire()
	g := a.collector()
	g.begin(a)
	g.scanRoots(roots)
}

// scanRoots copies the objects to which the roots lead directly.
func (g *collector) scanRoots(roots []Root) {
	for _, r := range roots {
		g.scan(r.at, r.layout)
	}
}

// Collecting reports whether a collection is under way. Owner only.
func (a *Arena) Collecting() bool { return a.pages.gc != nil && a.pages.gc.active }

// Step continues the collection that is under way, until it has copied and scanned gas bytes, plus
// twice the bytes that were allocated since the last step. It reports whether the collection has
// ended. Behaviours may run between steps; this collection keeps the objects that they make. Owner
// only.
func (a *Arena) Step(gas int) (done bool) {
	g := a.pages.gc
	if g == nil || !g.active {
		return true
	}
	stop := g.work + 2*g.made // always faster than the behaviours
	g.made = 0
	for stop += min(gas, math.MaxInt-stop); g.work < stop; {
		p := g.next()
		if p == nil {
			g.end()
			return true
		}
		g.drain(p, stop)
		if p.clean() && p != g.open {
			g.blacken(p)
		}
	}
	return false
}

// Finish ends the collection that is under way, if any. Owner only.
func (a *Arena) Finish() {
	for !a.Step(1 << 30) {
	}
}

// begin turns the arena's pages into from-space.
func (g *collector) begin(a *Arena) {
	if g.old != nil {
		g.old.wakeAll(a)
		g.old = nil
	}
	if a.reserved > generationsFrom {
		g.old = newGeneration()
	}
	g.whole = true
	g.take(a)
	g.prepare()
}

// take makes the arena's table from-space.
func (g *collector) take(a *Arena) {
	if invariant.On {
		verifyBegin(g, a)
	}
	g.arena, g.from, g.active = a, a.pages, true
	a.abandon()
	a.pages.gc = g
}

// prepare makes the collector ready for from-space.
func (g *collector) prepare() {
	g.last, g.class, g.pending, g.work, g.made, g.keep = noPage, 0, 0, 0, 0, 0
	if !g.whole {
		g.class = chunkClasses - 1
	}
	lo, hi, words := uint64(noPage), uint64(0), 0
	g.first = g.first[:0]
	for _, p := range g.from.all() {
		g.first = append(g.first, words)
		words += markWords(&p)
		if !p.free() {
			lo, hi = min(lo, p.number), max(hi, p.number)
		}
	}
	g.limitTo(lo, hi)
	if cap(g.marks) < words {
		g.marks = make([]uint64, words)
	}
	g.marks = g.marks[:words]
	clear(g.marks)
}

// markWords returns the number of words of marks for a page of from-space.
func markWords(p *page) int {
	switch {
	case p.free():
		return 0
	case p.stays():
		return 1
	}
	return (int(p.used)/granule + 63) / 64
}

// scan brings the handles in a value up to date.
func (g *collector) scan(at unsafe.Pointer, l *Layout) {
	for i := range l.parts {
		p := &l.parts[i]
		field := unsafe.Add(at, p.at)
		switch p.kind {
		case partPtr:
			g.forward((*handle)(field), p.size, 1, p.sub)
		case partSlice:
			s := (*Slice[byte])(field)
			g.forward(&s.h, p.size, s.n, p.sub)
		case partString:
			s := (*String)(field)
			g.forward(&s.h, 1, s.n, nil)
		case partBlob:
			b := (*Blob)(field)
			g.forward(&b.h, 1, int(b.n), nil)
		case partInline:
			for j := range p.n {
				g.scan(unsafe.Add(field, uintptr(j)*p.size), p.sub)
			}
		}
	}
}

// forward brings one handle up to date. The handle leads to a row of n elements of that size, and
// sub is their layout. A handle that does not lead to from-space is new already, or dead, or
// belongs to another arena. forward leaves such handles alone; Deref of a dead one panics.
func (g *collector) forward(at *handle, size uintptr, n int, sub *Layout) {
	h := *at
	if h == 0 || h.page() != g.last && !g.look(h.page()) {
		return
	}
	p := g.lastPage
	if p.stays() {
		g.mark(p, n, sub)
		return
	}
	i := uint64(h & offsetMask)
	old := unsafe.Add(p.base, i*granule)
	word, bit := i/64, uint64(1)<<(i%64)
	if word >= uint64(len(g.lastBits)) {
		g.corrupt(h, size, n, sub)
	}
	if g.lastBits[word]&bit != 0 {
		*at = *(*handle)(old)
		return
	}
	bytes := rowSize(size, n)
	if uintptr(p.used) < h.offset()+bytes {
		g.corrupt(h, size, n, sub)
	}
	g.lastBits[word] |= bit
	*at = g.copy(old, bytes, n, sub)
	*(*handle)(old) = *at
}

// corrupt panics over a handle that leads beyond its page.
func (g *collector) corrupt(h handle, size uintptr, n int, sub *Layout) {
	what := "values without handles"
	if sub != nil {
		what = sub.typ.String()
	}
	panic(fmt.Sprintf("gallop: heap: handle %#x is mistyped: %d × %d bytes of %s do not fit its page",
		uint64(h), n, size, what))
}

// look makes the page of from-space with that number the last page, and reports whether there is
// such a page.
func (g *collector) look(number uint64) bool {
	i, ok := g.from.slot(number)
	if !ok {
		return false
	}
	p := &g.from.all()[i]
	g.last, g.lastPage = number, p
	g.lastBits = g.marks[g.first[i]:][:markWords(p)]
	return true
}

// mark keeps p, which is not copied. p is lastPage.
func (g *collector) mark(p *page, n int, sub *Layout) {
	if g.lastBits[0] != 0 {
		return
	}
	g.lastBits[0] = 1
	g.keep += p.length()
	q := g.newToPage(*p, g.newOldPage(*p))
	if sub != nil {
		q.todo = append(q.todo, greyItem{at: 0, n: n, sub: sub})
	}
	if q.old != nil {
		q.old.one = greyItem{at: 0, n: n, sub: sub}
	}
	if sub == nil {
		g.blacken(q)
		g.freePages = append(g.freePages, q)
		return
	}
	g.queue = append(g.queue, q)
}

// copy copies a row to to-space and returns its new handle.
func (g *collector) copy(old unsafe.Pointer, bytes uintptr, n int, sub *Layout) handle {
	need := uint32(granules(bytes)) * granule
	p := g.open
	if p == nil || p.size-p.used < need {
		p = g.room(need)
	}
	if invariant.On {
		verifyCopy(g, p, need)
	}
	at := p.used
	p.used += need
	copyWords(unsafe.Add(p.base, at), old, need)
	if sub != nil {
		p.todo = append(p.todo, greyItem{at: at, n: n, sub: sub})
		if p.row.sub == sub && p.row.end == at {
			p.row.end = at + uint32(bytes)
		} else if p.old != nil {
			p.begin(g.old, row{at, at + uint32(bytes), sub})
		}
	}
	g.work += int(need)
	g.keep += int(need)
	return pageStart(p.number) + handle(at/granule)
}

// copyWords copies small objects without a call.
func copyWords(to, from unsafe.Pointer, bytes uint32) {
	if bytes > 64 {
		copy(unsafe.Slice((*byte)(to), bytes), unsafe.Slice((*byte)(from), bytes))
		return
	}
	for i := uint32(0); i < bytes; i += 8 {
		*(*uint64)(unsafe.Add(to, i)) = *(*uint64)(unsafe.Add(from, i))
	}
}
