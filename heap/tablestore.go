package heap

import "math/bits"

// tableStore keeps the slots of unused page tables, by the logarithm of their number. An arena that
// grows to sixteen chunks uses four tables, one after the other, and again after each collection. A
// [Recycler] keeps chunks, so if it kept no tables, they would be most of the garbage. Part of a
// Recycler.
type tableStore [maxTableClass + 1][][]page

// The largest tables in store have keptPages slots, since larger ones do not survive Release.
const maxTableClass = 6

// takeTable returns n slots, a power of two, with arbitrary contents. Owner worker only; a nil
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

// putTable stores the slots of a table that is no longer used. It clears them: the chunks to which
// they led have other owners by now. Owner worker only.
func (r *Recycler) putTable(t *pageTable) {
	slots := t.table()
	if r == nil || slots == nil {
		return
	}
	class := bits.Len(uint(len(slots))) - 1
	if class > maxTableClass || (len(r.tables[class])+1)<<class > r.tableBound() {
		return
	}
	clear(slots)
	r.tables[class] = append(r.tables[class], slots)
}

// tableBound returns the number of slots of tables that are kept of each size. They take a quarter
// of the bytes that are kept of each size of chunks.
func (r *Recycler) tableBound() int { return r.bound() / 4 / pageBytes }
