package heap

import "testing"

// fillTables puts n tables with a number of slots into a store.
func fillTables(r *Recycler, n, slots int) {
	for range n {
		var t pageTable
		t.install(make([]page, slots))
		r.putTable(&t)
	}
}

// "Tables ... are kept likewise, in a quarter of that", except for large tables. A
// Recycler that keeps nothing, or was dropped, has no tables.
func TestTablesAreBounded(t *testing.T) {
	for _, x := range []struct {
		r           *Recycler
		slots, want int
	}{
		{new(Recycler), firstSlots, defaultPerClass / 4 / pageBytes / firstSlots},
		{new(Recycler), keptPages, defaultPerClass / 4 / pageBytes / keptPages},
		{new(Recycler), 2 * keptPages, 0},
		{NewRecycler(0), firstSlots, 0},
	} {
		fillTables(x.r, 10_000, x.slots)
		held := 0
		for _, class := range x.r.tables {
			held += len(class)
		}
		if held != x.want {
			t.Errorf("%d tables of %d slots are kept, want %d", held, x.slots, x.want)
		}
		x.r.Drop()
		for range 10_000 {
			if got := x.r.takeTable(x.slots); len(got) != x.slots {
				t.Fatalf("%d slots, want %d", len(got), x.slots)
			}
		}
	}
}

// A table in store keeps no chunk alive.
func TestTablesInStoreAreEmpty(t *testing.T) {
	var r Recycler
	var a Arena
	a.Bind(&r)
	var root Ptr[pair]
	for range 1000 {
		root = New[pair](&a)
	}
	a.Collect(RootAt(&root))
	found := 0
	for _, class := range r.tables {
		for _, slots := range class {
			found++
			for _, p := range slots {
				if p != (page{}) {
					t.Fatalf("a table in store leads to page %d", p.number)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no table is in store after a collection of several chunks")
	}
}
