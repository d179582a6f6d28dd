package heap_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/heap"
)

// twoGenerations makes arenas have an old generation from their first collection on,
// until the test ends.
func twoGenerations(t *testing.T) {
	heap.ForceGenerations(true)
	t.Cleanup(heap.UsualGenerations)
}

// mustBeYoung does the collection that is due. It must be of the young alone.
func mustBeYoung(t *testing.T, a *heap.Arena, roots ...heap.Root) {
	t.Helper()
	if !a.CollectDue(roots...) {
		t.Error("all was collected and not the young alone")
	}
}

// "Objects older than the last collection stay in place; the next collection copies only the
// young", once, and frees the unreachable ones.
func TestOldStays(t *testing.T) {
	twoGenerations(t)
	var a heap.Arena
	a.Bind(new(heap.Recycler))
	const n = 3000
	root := ring(&a, n)
	a.Collect(heap.RootAt(&root))
	old, before := root, a.Stats()
	at := old.Deref(&a)
	for range 3 {
		ring(&a, 100) // garbage
		mustBeYoung(t, &a, heap.RootAt(&root))
		if root != old || old.Deref(&a) != at {
			t.Fatal("an old object moved")
		}
		if s := a.Stats(); s != before {
			t.Errorf("%+v became %+v", before, s)
		}
		mustBeRing(t, &a, root, n)
	}
	made := heap.NewString(&a, strings.Repeat("n", 30))
	root.Deref(&a).name = made
	mustBeYoung(t, &a, heap.RootAt(&root))
	first := root.Deref(&a).name
	if first == made {
		t.Error("a young object did not move")
	}
	mustBeYoung(t, &a, heap.RootAt(&root))
	if root.Deref(&a).name != first {
		t.Error("a survivor was copied once more")
	}
	if got := first.Deref(&a); got != strings.Repeat("n", 30) {
		t.Errorf("it reads %q", got)
	}
}

// "A behaviour that writes to an old object has dereferenced it": objects to which only old objects
// lead survive, for old objects on all pages and handles of all kinds.
func TestOldLeadToYoung(t *testing.T) {
	twoGenerations(t)
	g := newGraphs(new(heap.Recycler))
	const rows = 400 // over several pages
	old := make([]*mirror, rows)
	list := heap.MakeSlice[heap.Ptr[vertex]](g.arena, rows)
	for i := range rows {
		p, w := g.vertex(50)
		*list.At(g.arena, i), old[i] = p, w
	}
	g.arena.Collect(heap.RootAt(&list))
	for round := range slots {
		for i := round; i < rows; i += 29 {
			to, w := g.vertex(60)
			p := *list.At(g.arena, i)
			g.link(p, old[i], round, to, w)
			old[i].text = strings.Repeat("x", 70+i)
			p.Deref(g.arena).text = heap.NewString(g.arena, old[i].text)
			p.Deref(g.arena).blob = heap.NewBlob(g.arena, old[i].text+"b")
		}
		mustBeYoung(t, g.arena, heap.RootAt(&list))
		for i := range rows {
			g.roots.at[0], g.twins[0] = *list.At(g.arena, i), old[i]
			g.mustBeTwins(t)
		}
	}
	g.arena.Release()
}

// TestOldLeadToYoung during a collection: a page is scanned because a behaviour dereferences an
// object, and the behaviour writes to the object before it dereferences another object on the page.
func TestOldLeadToYoung_ScannedForTheWriter(t *testing.T) {
	twoGenerations(t)
	var a heap.Arena
	a.Bind(new(heap.Recycler))
	const n, apart = 20_000, 500
	list := heap.MakeSlice[heap.Ptr[link]](&a, n)
	for i := range n {
		*list.At(&a, i) = heap.New[link](&a)
	}
	a.Begin(heap.RootAt(&list))
	for i := 0; i < n; i += apart {
		a.Step(1)
		list.At(&a, i).Deref(&a).name = heap.NewString(&a, strconv.Itoa(i))
	}
	a.Finish()
	mustBeYoung(t, &a, heap.RootAt(&list))
	for i := 0; i < n; i += apart {
		if got := list.At(&a, i).Deref(&a).name.Deref(&a); got != strconv.Itoa(i) {
			t.Errorf("the name of %d became %q", i, got)
		}
	}
}

// "Everything is collected when the arena has three times the bytes that the last whole collection
// left": old objects that cannot be reached are not kept for ever.
func TestOldGarbageIsBounded(t *testing.T) {
	var a heap.Arena
	a.Bind(new(heap.Recycler))
	const n = 5000
	root := ring(&a, n)
	a.Collect(heap.RootAt(&root))
	kept, young, whole := a.Stats().Reserved, 0, 0
	for range 30 {
		at := root
		for range 1500 { // links are taken out and put in again as new ones
			old := at.Deref(&a)
			p := heap.New[link](&a)
			*p.Deref(&a) = *old
			old.prev.Deref(&a).next, old.next.Deref(&a).prev = p, p
			if at == root {
				root = p
			}
			at = old.next
		}
		root = at // which will be renamed by the next round
		rename(&a, root)
		if s := a.Stats(); s.Reserved > 3*kept+512<<10 {
			t.Fatalf("%+v is held, %d was kept", s, kept)
		}
		switch {
		case !a.Due():
		case a.CollectDue(heap.RootAt(&root)):
			young++
		default:
			whole++
		}
	}
	mustBeRing(t, &a, root, n)
	if young < 2 || whole < 1 {
		t.Errorf("%d collections of the young, %d of all", young, whole)
	}
}

// rename gives the links of a ring the values that they should have from first on.
func rename(a *heap.Arena, first heap.Ptr[link]) {
	for i, p := 0, first; ; i++ {
		q := p.Deref(a)
		if q.value = i; q.name.Len() != i%50 {
			q.name = heap.NewString(a, strings.Repeat("n", i%50))
		}
		if p = q.next; p == first {
			return
		}
	}
}

// An old blob is held until the next whole collection, even if it cannot be reached. A young blob
// is held while it can be reached.
func TestBlobsOfGenerations(t *testing.T) {
	twoGenerations(t)
	type row struct{ blobs [3]heap.Blob }
	var a heap.Arena
	defer a.Release()
	before := heap.Blobs().Live
	live := func(want int64, when string) {
		t.Helper()
		if got := heap.Blobs().Live - before; got != want {
			t.Errorf("%s: %d blobs, want %d", when, got, want)
		}
	}
	text := strings.Repeat("b", 100)
	state := heap.New[row](&a)
	roots := heap.RootAt(&state)
	state.Deref(&a).blobs[0] = heap.NewBlob(&a, text+"0")
	state.Deref(&a).blobs[1] = heap.NewBlob(&a, text+"1")
	a.Collect(roots)
	state.Deref(&a).blobs[2] = heap.NewBlob(&a, text+"2")
	heap.NewBlob(&a, text)
	live(4, "made")
	mustBeYoung(t, &a, roots)
	live(3, "one was young and lost")
	mustBeYoung(t, &a, roots)
	for i, b := range state.Deref(&a).blobs {
		if b.Deref(&a) != text+string(rune('0'+i)) {
			t.Errorf("blob %d reads %q", i, b.Deref(&a))
		}
	}
	parcel := state.Deref(&a).blobs[1].Pack(&a)
	state.Deref(&a).blobs[1] = heap.Blob{}
	mustBeYoung(t, &a, roots)
	live(3, "one is old and lost")
	state.Deref(&a).blobs[1] = parcel.Unpack(&a)
	state.Deref(&a).blobs[0] = heap.Blob{}
	a.Collect(roots)
	live(2, "all were collected")
	mustBeYoung(t, &a, roots)
	if got := state.Deref(&a).blobs[1].Deref(&a); got != text+"1" {
		t.Errorf("a blob that came back reads %q", got)
	}
	a.Release()
	live(0, "released")
}

// A limit that has refused a request is a reason to collect everything.
func TestLimitCollectsTheOld(t *testing.T) {
	twoGenerations(t)
	var a heap.Arena
	a.SetLimit(400_000)
	root := heap.MakeSlice[heap.Slice[byte]](&a, 10)
	for i := range 4 {
		*root.At(&a, i) = heap.MakeSlice[byte](&a, 50_000)
	}
	a.Collect(heap.RootAt(&root))
	clear(root.Deref(&a)) // the old objects are garbage now
	mustBeYoung(t, &a, heap.RootAt(&root))
	if s := a.Stats(); s.Used < 200_000 {
		t.Fatalf("a collection of the young left %+v", s)
	}
	if _, err := heap.TryMakeSlice[byte](&a, 300_000); err == nil {
		t.Fatal("there was room")
	}
	if !a.Due() || a.CollectDue(heap.RootAt(&root)) {
		t.Error("not all was collected")
	}
	if _, err := heap.TryMakeSlice[byte](&a, 300_000); err != nil {
		t.Error(err)
	}
}

// Large objects become old without being moved. The objects to which a large row of handles leads
// are found. Large objects that cannot be reached are freed by the next whole collection.
func TestLargeObjectsGrowOld(t *testing.T) {
	twoGenerations(t)
	var a heap.Arena
	var roots struct {
		row heap.Slice[heap.Ptr[link]]
		raw heap.Slice[byte]
	}
	roots.row = heap.MakeSlice[heap.Ptr[link]](&a, 100_000)
	a.Collect(heap.RootAt(&roots))
	roots.raw = heap.MakeSlice[byte](&a, 1<<20)
	*roots.raw.At(&a, 1<<20-1) = 7
	row := roots.row.At(&a, 0)
	for i := range 3 {
		*roots.row.At(&a, 33_333*i) = ring(&a, 3+i)
		mustBeYoung(t, &a, heap.RootAt(&roots))
		for j := range i + 1 {
			mustBeRing(t, &a, *roots.row.At(&a, 33_333*j), 3+j)
		}
	}
	if roots.row.At(&a, 0) != row || *roots.raw.At(&a, 1<<20-1) != 7 {
		t.Error("a large object changed")
	}
	roots.raw = heap.Slice[byte]{}
	mustBeYoung(t, &a, heap.RootAt(&roots))
	if a.Collect(heap.RootAt(&roots)); a.Stats().Reserved > 810_000 {
		t.Errorf("%+v stays", a.Stats())
	}
}

// "The new bytes are as many as the older bytes that may have to be scanned, and at least 256 KiB":
// an arena is due early if little of it was touched, and when it has doubled if all of it was.
func TestDueByWhatIsTouched(t *testing.T) {
	for _, all := range []bool{false, true} {
		var a heap.Arena
		a.Bind(new(heap.Recycler))
		const n = 20_000
		root := list(&a, n)
		a.Collect(heap.RootAt(&root))
		kept := a.Stats().Reserved
		for p := root; all && !p.IsZero(); p = p.Deref(&a).next {
		}
		for !a.Due() {
			heap.New[node](&a)
		}
		made, want := a.Stats().Reserved-kept, 256<<10
		if all {
			want = kept
		}
		if made < want || made > want+70_000 {
			t.Errorf("all touched: %v; due after %d bytes, want %d", all, made, want)
		}
		mustBeYoung(t, &a, heap.RootAt(&root))
	}
}

// An arena that has become small has one generation again. When it has become large, it has two.
func TestGenerationsComeAndGo(t *testing.T) {
	if heap.Poisoned {
		t.Skip("with poison, every arena has two generations") // the smallest, too
	}
	var a heap.Arena
	a.Bind(new(heap.Recycler))
	for range 2 {
		root := list(&a, 10_000)
		a.Collect(heap.RootAt(&root))
		mustBeYoung(t, &a, heap.RootAt(&root))
		root = list(&a, 1000)
		a.Collect(heap.RootAt(&root))
		if a.CollectDue(heap.RootAt(&root)) {
			t.Error("a small arena has two generations")
		}
		for range 3 {
			a.Collect(heap.RootAt(&root))
		}
	}
}

// A region with generations moves and joins whole, old and young. Its objects are young in the
// arena that it joins.
func TestRegionsWithGenerations(t *testing.T) {
	twoGenerations(t)
	const n = 2000
	r := heap.NewRegion[link]()
	top, garbage := ring(r.Arena(), n), ring(r.Arena(), 100)
	r.Arena().Collect(heap.RootAt(&top), heap.RootAt(&garbage))
	mustBeYoung(t, r.Arena(), heap.RootAt(&top))
	r.SetRoot(top)
	var a heap.Arena
	a.Bind(new(heap.Recycler))
	var roots struct{ own, got heap.Ptr[link] }
	roots.own = ring(&a, n)
	a.Collect(heap.RootAt(&roots))
	ring(&a, 10)
	coming, here := r.Arena().Stats(), a.Stats()
	sender := r.Arena()
	r = r.Move()
	mustBeRing(t, r.Arena(), top, n)
	wantPanic(t, dead, func() { top.Deref(r.Arena()).prev.Deref(sender) })
	roots.got = r.Join(&a)
	if s := a.Stats(); s.Chunks != here.Chunks+coming.Chunks ||
		s.Reserved != here.Reserved+coming.Reserved || s.Used != here.Used+coming.Used {
		t.Errorf("%+v and %+v became %+v", here, coming, s)
	}
	stale := roots.got
	mustBeYoung(t, &a, heap.RootAt(&roots))
	wantPanic(t, dead, func() { stale.Deref(&a) })
	mustBeYoung(t, &a, heap.RootAt(&roots))
	mustBeRing(t, &a, roots.own, n)
	mustBeRing(t, &a, roots.got, n)
	if s := a.Stats(); s.Used > here.Used+coming.Used {
		t.Errorf("%+v is left of %+v and %+v", s, here, coming)
	}
}

// mustGiveBack releases an arena. Every chunk of it must be in store afterwards, once.
func mustGiveBack(t *testing.T, a *heap.Arena, r *heap.Recycler) {
	t.Helper()
	want := a.Stats().Reserved + r.Stats().Held
	a.Release()
	if got := r.Stats().Held; got != want && !heap.Poisoned { // poisoned chunks are not used again
		t.Errorf("%d bytes are in store, want %d", got, want)
	}
}

// Old pages, touched or not, are dropped with their arena, once.
func TestReleaseOfGenerations(t *testing.T) {
	twoGenerations(t)
	var a, b heap.Arena
	r := heap.NewRecycler(16 << 20)
	a.Bind(r)
	b.Bind(r)
	const n = 2000
	root := ring(&a, n)
	a.Collect(heap.RootAt(&root))
	for p, i := root, 0; i < n/2; i++ {
		p = p.Deref(&a).next
	}
	root = ring(&a, 100)
	mustGiveBack(t, &a, r)
	again, other := ring(&a, n), ring(&b, n) // of the same chunks, each used once
	mustBeRing(t, &a, again, n)
	mustBeRing(t, &b, other, n)
}
