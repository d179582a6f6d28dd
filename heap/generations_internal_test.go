package heap

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"
)

// What collections of the young alone would cost, beside what there is: the figures of
// docs/decisions/0014-a-heap-of-its-own.md. An actor has 4 MiB alive, a tree of nodes of
// 32 bytes, and makes 64 KiB of garbage with every message. The parts that would be new
// are done on the same memory, with the collector's own scan; nothing here is a collector.

const (
	oldBytes   = 4 << 20
	perMessage = 64 << 10
)

type leafed struct {
	value, weight uint64
	left, right   Ptr[leafed]
}

var typeOfLeafed = reflect.TypeFor[leafed]()

func growTree(a *Arena, n int) Ptr[leafed] {
	if n == 0 {
		return Ptr[leafed]{}
	}
	p := New[leafed](a)
	l, r := growTree(a, (n-1)/2), growTree(a, n-1-(n-1)/2)
	p.Deref(a).left, p.Deref(a).right = l, r
	return p
}

// message is what the actor does: garbage, and a path through what it has.
func message(a *Arena, root Ptr[leafed], chance *rand.Rand) {
	for range perMessage / 32 {
		New[leafed](a).Deref(a).value = 1
	}
	walkDown(a, root, chance)
}

// oldGeneration is an arena with what lives, and the record of its objects that a
// generation without headers needs: where each is, by page.
type oldGeneration struct {
	a       Arena
	root    Ptr[leafed]
	starts  [][]uint16
	bases   []unsafe.Pointer
	shadows [][]byte
}

func newOldGeneration() *oldGeneration {
	o := new(oldGeneration)
	o.a.Bind(NewRecycler(16 << 20))
	o.root = growTree(&o.a, oldBytes/32)
	o.a.Collect(RootAt(&o.root))
	o.a.retire()
	for _, p := range o.a.pages.all() {
		if p.number == noPage {
			continue
		}
		var starts []uint16
		for at := uint32(0); at < p.used; at += 32 {
			starts = append(starts, uint16(at/granule))
		}
		o.starts, o.bases = append(o.starts, starts), append(o.bases, p.base)
		o.shadows = append(o.shadows, bytes.Clone(p.bytes(p.used)))
	}
	return o
}

// young returns a collector whose from-space is 4 MiB of others.
func young() *collector {
	var a Arena
	growTree(&a, oldBytes/32)
	g := &collector{scratch: scratch{grey: map[uint64]*toPage{}}}
	g.begin(&a)
	return g
}

// scanPage looks for handles to the young on one old page.
func (o *oldGeneration) scanPage(g *collector, i int, l *Layout) {
	for _, s := range o.starts[i] {
		g.scan(unsafe.Add(o.bases[i], uintptr(s)*granule), l)
	}
}

func BenchmarkGenerations(b *testing.B) {
	chance := rand.New(rand.NewPCG(1, 1))
	layout := LayoutOf(typeOfLeafed)
	b.Run("message/copied whole", func(b *testing.B) {
		o := newOldGeneration()
		for b.Loop() {
			message(&o.a, o.root, chance)
			if o.a.Due() {
				o.a.Collect(RootAt(&o.root))
			}
		}
	})
	b.Run("message/never collected", func(b *testing.B) {
		o, garbage := newOldGeneration(), Arena{}
		garbage.Bind(NewRecycler(16 << 20))
		for b.Loop() {
			message(&garbage, Ptr[leafed]{}, chance)
			if garbage.reserved > oldBytes {
				garbage.Release()
			}
			walkDown(&o.a, o.root, chance)
		}
	})
	b.Run("all old pages scanned", func(b *testing.B) {
		o, g := newOldGeneration(), young()
		for b.Loop() {
			for i := range o.bases {
				o.scanPage(g, i, layout)
			}
		}
	})
	b.Run("all old pages compared with a copy", func(b *testing.B) {
		o, same := newOldGeneration(), 0
		for b.Loop() {
			for i, s := range o.shadows {
				if bytes.Equal(s, unsafe.Slice((*byte)(o.bases[i]), len(s))) {
					same++
				}
			}
		}
	})
	b.Run("touched pages found by their misses", func(b *testing.B) {
		o, g := newOldGeneration(), young()
		o.benchTouched(b, g, chance, layout)
	})
}

// benchTouched is what a table that forgets the old pages at every collection of 256 KiB
// costs: an entry again for each page that four messages touch, and its scan.
func (o *oldGeneration) benchTouched(b *testing.B, g *collector, chance *rand.Rand, l *Layout) {
	numbers := map[uint64]int{}
	n := 0
	for _, p := range o.a.pages.all() {
		if p.number != noPage {
			numbers[p.number] = n
			n++
		}
	}
	touched, total := map[int]bool{}, 0
	for b.Loop() {
		for range 4 {
			for p := o.root; !p.IsZero(); {
				touched[numbers[p.h.page()]] = true
				q := p.Deref(&o.a)
				if p = q.left; chance.IntN(2) == 0 {
					p = q.right
				}
			}
		}
		for i := range touched {
			o.scanPage(g, i, l)
		}
		total += len(touched)
		clear(touched)
	}
	b.ReportMetric(float64(total)/float64(b.N), "pages/op")
}

// walkDown is a path from the root to a leaf, with a write to each node.
func walkDown(a *Arena, root Ptr[leafed], chance *rand.Rand) {
	for p := root; !p.IsZero(); {
		q := p.Deref(a)
		q.weight++
		if p = q.left; chance.IntN(2) == 0 {
			p = q.right
		}
	}
}

func BenchmarkYoung(b *testing.B) {
	chance := rand.New(rand.NewPCG(1, 1))
	o := newOldGeneration()
	n, y := 0, 0
	for b.Loop() {
		message(&o.a, o.root, chance)
		if o.a.Due() {
			o.a.BeginDue(RootAt(&o.root))
			if o.a.pages.gc.whole {
				n++
			}
			o.a.Finish()
			y++
		}
	}
	b.ReportMetric(float64(n), "whole")
	b.ReportMetric(float64(y), "all")
}
