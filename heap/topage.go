package heap

import (
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
)

// A collector at rest keeps maxKeptPages toPages, with room for maxKeptItems greyItems in all: 0.28
// MiB. A page of a tree needs 2,048 of them. A page to which a large row of handles leads may need
// 8,192.
const (
	maxKeptPages = 16
	maxKeptItems = 3 << 12
)

// toPage is a page whose objects may lead to from-space.
type toPage struct {
	page
	todo  []greyItem
	black bool

	// With an old generation:
	old       *oldPage
	next, end int // the records from next to end have yet to be scanned
	row       row // the last row that was copied to the page, not yet recorded
}

// clean reports whether there is nothing to be scanned on the page.
func (p *toPage) clean() bool { return len(p.todo) == 0 && p.next == p.end }

// greyItem is a row of values to be scanned.
type greyItem struct {
	_   nocmp.Field
	at  uint32 // offset in bytes
	n   int
	sub *Layout
}

// room returns a new page that holds need bytes, and keeps open the page with more room left. Near
// the limit pages get smaller, like chunks for a behaviour, but they are not refused, since the
// survivors need room.
func (g *collector) room(need uint32) *toPage {
	class := g.arena.classWithin(int(g.class), classFor(int(need)), g.pending)
	g.class = uint8(min(class+1, chunkClasses-1))
	r := g.arena.recycler
	unused := page{r.pageNumber(), r.take(class)}
	g.pending += unused.length()
	p := g.newToPage(unused, g.newOldPage(unused))
	if g.open != nil && g.open.size-g.open.used > p.size-need {
		g.queue = append(g.queue, p)
		return p
	}
	if g.open != nil {
		g.queue = append(g.queue, g.open)
	}
	g.open = p
	return p
}

// newToPage makes a page grey.
func (g *collector) newToPage(p page, old *oldPage) *toPage {
	var q *toPage
	if n := len(g.freePages); n > 0 {
		q, g.freePages = g.freePages[n-1], g.freePages[:n-1]
	} else {
		q = new(toPage)
	}
	if invariant.On {
		verifyGrey(g, p)
	}
	*q = toPage{page: p, todo: q.todo, old: old}
	g.grey[p.number] = q
	return q
}

// next returns a page with rows to scan, or a page that only has to be made black, or nil. The open
// page comes first: the last copies are in the processor's cache.
func (g *collector) next() *toPage {
	if g.open != nil && !g.open.clean() {
		return g.open
	}
	for n := len(g.queue); n > 0; n = len(g.queue) {
		p := g.queue[n-1]
		if !p.black {
			return p
		}
		g.queue = g.queue[:n-1]
		g.freePages = append(g.freePages, p)
	}
	return nil
}

// drain scans the unscanned objects of a page until work has come to stop.
func (g *collector) drain(p *toPage, stop int) {
	for p.next < p.end && g.work < stop {
		g.scanRecord(p)
	}
	for len(p.todo) > 0 && g.work < stop {
		last := len(p.todo) - 1
		item := p.todo[last]
		p.todo = p.todo[:last]
		if invariant.On {
			verifyScan(p, item)
		}
		at := unsafe.Add(p.base, item.at)
		g.note(at, item)
		for i := range item.n {
			if i > 0 && g.work >= stop {
				p.todo = append(p.todo, greyItem{at: item.at + uint32(i)*uint32(item.sub.size), n: item.n - i,
					sub: item.sub})
				return
			}
			g.scan(unsafe.Add(at, uintptr(i)*item.sub.size), item.sub)
			g.work += int(item.sub.size)
		}
	}
}

// blacken gives the arena a page that has nothing left to scan. If it was the open page, its free
// part may serve the next allocations.
func (g *collector) blacken(p *toPage) {
	invariant.Check(p.clean() && !p.black, "page %d: black with %d to scan", p.number, len(p.todo))
	a := g.arena
	p.black = true
	delete(g.grey, p.number)
	if !p.isOld() {
		g.pending -= p.length()
	}
	if p.old != nil {
		g.becomeOld(p)
		return
	}
	a.enter(p.page)
	if p != g.open {
		return
	}
	g.open = nil
	if int(p.size-p.used) > int(a.end-a.next)*granule {
		a.open(p.number, p.chunk)
	}
	g.freePages = append(g.freePages, p)
}

// reach is the barrier. It returns the memory of a handle to a page that is not in the arena's
// table: a grey page, which it makes black, or an old page, which it wakes. It returns nil if there
// is no such page.
func (g *collector) reach(h handle) unsafe.Pointer {
	p := g.grey[h.page()]
	if p == nil {
		return g.wake(h)
	}
	for !p.clean() {
		g.drain(p, g.work+maxChunk)
	}
	g.blacken(p)
	g.wake(h)
	return unsafe.Add(p.base, h.offset())
}
