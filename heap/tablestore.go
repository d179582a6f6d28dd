package heap

import (
	"math/bits"
	"unsafe"
)

// tableStore has the slots of page tables that nobody uses, by the logarithm of their number.
// An arena that grows to sixteen chunks goes through four tables, and after a collection it
// begins again: left to Go's allocator they were most of the garbage that was left.
// Like the chunks in store it is bounded, and part of a [Recycler].
type tableStore [maxTableClass + 1][][]page

// The largest tables in store are those that survive Release, of keptPages slots.
const maxTableClass = 6

// keptTables is how many slots of tables of each size are in store at most: 64 KiB.
const keptTables = 64 << 10 / int(unsafe.Sizeof(page{}))

// takeTable returns n slots, a power of two, with anything in them. Owner worker only; a nil
// Recycler makes them.
func (r *Recycler) takeTable(n int) []page {
	class := bits.Len(uint(n)) - 1
	if r == nil || class > maxTableClass || len(r.tables[class]) == 0 {
		return make([]page, n)
	}
	store := r.tables[class]
	slots := store[len(store)-1]
	store[len(store)-1] = nil
	r.tables[class] = store[:len(store)-1]
	return slots
}

// putTable stores the slots of a table that nobody looks at any more, without the chunks
// that they lead to. Owner worker only.
func (r *Recycler) putTable(t *pageTable) {
	if r == nil || t.slots == nil {
		return
	}
	class := bits.Len(uint(t.size)) - 1
	if class > maxTableClass || (len(r.tables[class])+1)<<class > keptTables {
		return
	}
	slots := unsafe.Slice(t.slots, t.size)
	clear(slots)
	r.tables[class] = append(r.tables[class], slots)
}
