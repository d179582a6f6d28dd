package heap

import (
	"fmt"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
)

// The verifier. A collection that is done at once is compared with what was there before
// it: the same graph with the same contents (graph.go). One that is done in steps cannot
// be, because behaviours run meanwhile; at its end, everything that survived must be free
// of handles to what is let go, whatever the behaviours have done to it.

// verifying tells whether Collect compares. The tests of this package always do.
var verifying = invariant.On

// scannedRow is values that the collector is done with.
type scannedRow struct {
	at  unsafe.Pointer
	n   int
	sub *Layout
}

// note keeps in mind what is being scanned.
func (g *collector) note(at unsafe.Pointer, row greyItem) {
	if invariant.On {
		g.scanned = append(g.scanned, scannedRow{at, row.n, row.sub})
	}
}

// mustBeBlack panics if anything that was scanned leads to from-space now.
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
			panic(fmt.Sprintf("gallop: invariant: after a collection in steps a %v has handle %#x, to what is let go: "+
				"the collector has missed it, or it was kept out of its reach and put there", l.typ, uint64(h)))
		}
	}
}
