package heap

import (
	"fmt"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// some returns a page with that number.
func some(number uint64) page {
	return page{number: number, chunk: chunk{base: unsafe.Pointer(new([16]byte))}}
}

// The model of a page table is a map.
func TestPageTableModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table pageTable
		numbers := rapid.SliceOfNDistinct(rapid.OneOf(rapid.Uint64Range(1, 300),
			rapid.Uint64Range(1, 1<<51-1)),
			0, 200, rapid.ID[uint64]).Draw(t, "numbers")
		twin := map[uint64]unsafe.Pointer{}
		for _, n := range numbers {
			table.put(some(n), nil)
			twin[n] = table.find(n).base
			if rapid.Bool().Draw(t, "near") {
				table.setNear(n, twin[n])
			}
		}
		for n, base := range twin {
			if got := table.at(pageStart(n) + 1); got != unsafe.Add(base, granule) {
				t.Fatalf("page %d is at %p, want %p", n, got, base)
			}
		}
		for _, n := range rapid.SliceOf(rapid.Uint64Range(0, 400)).Draw(t, "others") {
			if p := table.find(n); (p != nil) != (twin[n] != nil) {
				t.Fatalf("page %d found: %v, want %v", n, p != nil, twin[n] != nil)
			}
		}
	})
}

// "The numbers of one arena often form a stride, so they are spread": at
// the strides of actors that take turns on a worker, most pages are at home.
func TestStridesAreSpread(t *testing.T) {
	for _, stride := range []uint64{1, 2, 3, 7, 8, 64, 100, 1000, 1024, 4096, 1 << 20} {
		t.Run(fmt.Sprint(stride), func(t *testing.T) {
			var table pageTable
			const pages = 1000
			for i := range uint64(pages) {
				table.put(some(1+i*stride), nil)
			}
			start := 0
			for i := range uint64(pages) {
				if table.nth(table.startSlot(1+i*stride)).number == 1+i*stride {
					start++
				}
			}
			if start < pages/2 {
				t.Errorf("%d of %d pages are at home", start, pages)
			}
		})
	}
}

// The page that was near is as dead as all others, whether the slots are kept or
// not.
func TestForgetNear(t *testing.T) {
	for _, pages := range []uint64{1, 2, 10, keptPages} {
		var table pageTable
		for n := range pages {
			table.put(some(n+1), nil)
			table.setNear(n+1, table.find(n+1).base)
		}
		table.forget()
		for n := range pages + 1 {
			if !panics(func() { table.at(pageStart(n)) }) {
				t.Errorf("of %d pages, page %d is still there", pages, n)
			}
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// A table that was replaced by a larger one holds no memory.
func TestOutgrownTableIsEmpty(t *testing.T) {
	var a Arena
	for range 4 {
		MakeSlice[byte](&a, 2000)
	}
	if p := a.pages.one; p.base != nil {
		t.Errorf("page %d is in two tables", p.number)
	}
}

// "As few as possible": an arena takes two lines of a cache.
func TestArenaSize(t *testing.T) {
	if n := unsafe.Sizeof(Arena{}); n > 128 {
		t.Errorf("%d bytes", n)
	}
}

func TestTypeSetHoldsAll(t *testing.T) {
	var s *typeSet
	for i := range uintptr(1000) {
		word := 0x500000 + i*64
		if s.has(word) {
			t.Fatalf("%#x is in the set already", word)
		}
		before := s
		s = s.with(word)
		if before.has(word) || !s.has(word) || !s.has(0x500000) {
			t.Fatalf("%#x: the set was changed, or its copy was not", word)
		}
	}
}
