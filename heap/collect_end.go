package heap

import "github.com/gallop-go/gallop/internal/invariant"

// end drops from-space.
func (g *collector) end() {
	a := g.arena
	if open := g.open; open != nil {
		g.blacken(open)
	}
	if invariant.On {
		verifyEnd(g)
	}
	g.mustBeBlack()
	g.mustNotMiss()
	g.leave(a)
	a.recycler.putTable(&g.from)
	g.from = pageTable{}
	whole, keep := g.whole, g.keep
	g.putBack(a)
	if invariant.On {
		verifyArena(a)
	}
	if whole {
		if keep <= generationsFrom/2 {
			a.oneGeneration()
		}
		a.setThreshold(keep)
	}
}

// putBack drops the parts of the collector that it no longer needs. Without an old generation it
// drops the whole collector.
func (g *collector) putBack(a *Arena) {
	old := g.old
	g.reset()
	if old == nil {
		a.pages.gc = nil
		a.recycler.keepCollector(g)
		return
	}
	a.recycler.keepCollector(&collector{scratch: g.scratch})
	*g = collector{arena: a, old: old}
}

// leave drops from-space, except for the marked pages.
func (g *collector) leave(a *Arena) {
	for i := range g.from.all() {
		switch p := &g.from.all()[i]; {
		case !g.unmarked(i):
		case Poisoned && !p.stays():
			p.spoil() // and is not used again
		default:
			a.drop(p)
		}
	}
}

// unmarked reports whether slot i of from-space has a page that does not stay.
func (g *collector) unmarked(i int) bool {
	p := &g.from.all()[i]
	return !p.free() && !(p.stays() && g.marks[g.first[i]] != 0)
}

// reset clears the collector, except for its scratch memory, which it trims. No reference remains
// that would keep other memory alive.
func (g *collector) reset() {
	*g = collector{scratch: g.scratch}
	g.queue = g.queue[:0]
	clear(g.grey)
	clear(g.queue[:cap(g.queue)])
	clear(g.freePages[min(len(g.freePages), maxKeptPages):])
	g.freePages = g.freePages[:min(len(g.freePages), maxKeptPages)]
	room := maxKeptItems
	for _, p := range g.freePages {
		if room -= cap(p.todo); room < 0 {
			room += cap(p.todo)
			p.todo = nil
		}
		*p = toPage{todo: p.todo[:0]}
	}
}

// giveUp is end for an arena that is released: it drops to-space as well.
func (g *collector) giveUp() {
	a := g.arena
	for _, p := range g.grey {
		if !p.isOld() {
			a.drop(&p.page)
		}
	}
	g.leave(a)
	g.putBack(a)
}

// count adds the pages that are not in the arena's own table.
func (g *collector) count(s *Stats) {
	for _, p := range g.grey {
		if !p.isOld() {
			s.Reserved += p.length()
			s.add(&p.page)
		}
	}
	if g.old != nil {
		g.old.count(s)
	}
	for i := range g.from.all() {
		if p := &g.from.all()[i]; g.unmarked(i) {
			s.Reserved += p.length()
			s.add(p)
		}
	}
}

// add counts a page whose bytes are counted as reserved already.
func (s *Stats) add(p *page) {
	s.Chunks++
	s.Used += int(p.used)
}
