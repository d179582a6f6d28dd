package heap_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/gallop-go/gallop/heap"
)

// link is a node of a doubly linked ring, with a text.
type link struct {
	value      int
	next, prev heap.Ptr[link]
	name       heap.String
}

// ring makes a ring of n links among garbage, and returns the first link.
func ring(a *heap.Arena, n int) heap.Ptr[link] {
	first := heap.New[link](a)
	first.Deref(a).next, first.Deref(a).prev = first, first
	for i := 1; i < n; i++ {
		heap.New[link](a) // garbage
		p, last := heap.New[link](a), first.Deref(a).prev
		*p.Deref(a) = link{value: i, next: first, prev: last,
			name: heap.NewString(a, strings.Repeat("n", i%50))}
		last.Deref(a).next, first.Deref(a).prev = p, p
	}
	return first
}

// mustBeRing walks a ring both ways.
func mustBeRing(t *testing.T, a *heap.Arena, first heap.Ptr[link], n int) {
	t.Helper()
	p, back := first, first
	for i := range n {
		q := p.Deref(a)
		if q.value != i || q.next.Deref(a).prev != p || q.name.Len() != i%50 ||
			len(strings.Trim(q.name.Deref(a), "n")) > 0 {
			t.Fatalf("link %d of %d is %+v", i, n, *q)
		}
		p, back = q.next, back.Deref(a).prev
	}
	if p != first || back != first {
		t.Fatal("the ring is open")
	}
}

// "Collect frees all objects that the roots do not lead to": cycles too, and keeps the rest.
func TestCollect(t *testing.T) {
	for _, n := range []int{1, 2, 10, 1000, 5000} {
		var a heap.Arena
		a.Bind(new(heap.Recycler))
		root := ring(&a, n)
		ring(&a, n) // a cycle that cannot be reached
		before, stale := a.Stats(), root
		for range 3 {
			a.Collect(heap.RootAt(&root))
			mustBeRing(t, &a, root, n)
		}
		if after := a.Stats(); after.Used > before.Used/2 || after.Reserved > 3*after.Used+1024 {
			t.Errorf("%d links: %+v became %+v", n, before, after)
		}
		wantPanic(t, "dead handle", func() { stale.Deref(&a) })
		a.Collect()
		if after := a.Stats(); after != (heap.Stats{}) {
			t.Errorf("without roots, %+v stays", after)
		}
	}
}

// Handles of every kind are found, at every place in a value.
func TestCollectFindsHandlesEverywhere(t *testing.T) {
	type inner struct {
		_    [3]byte
		text [2]heap.String
	}
	type row struct {
		blob heap.Blob
		in   [2]struct {
			n uint16
			s heap.Slice[inner]
		}
	}
	type state struct {
		_    map[string]int // Go pointers may stand beside handles
		name string
		rows [2]heap.Ptr[row]
		m    heap.Map[int, heap.Ptr[row]]
		tm   heap.TextMap[heap.Slice[heap.Ptr[row]]]
	}
	var a heap.Arena
	defer a.Release() // others count blobs
	s := state{name: "kept"}
	mk := func(v byte) heap.Ptr[row] {
		p, sl := heap.New[row](&a), heap.MakeSlice[inner](&a, 3)
		sl.At(&a, 2).text[1] = heap.NewString(&a, string(rune(v)))
		p.Deref(&a).in[1].s = sl
		p.Deref(&a).blob = heap.NewBlob(&a, strings.Repeat(string(rune(v)), int(v)))
		return p
	}
	check := func(p heap.Ptr[row], v byte) {
		t.Helper()
		r := p.Deref(&a)
		if got := r.in[1].s.At(&a, 2).text[1].Deref(&a); got != string(rune(v)) ||
			r.blob.Deref(&a) != strings.Repeat(got, int(v)) {
			t.Errorf("row %c has %q", v, got)
		}
	}
	s.rows[1] = mk('@')
	s.m.Put(&a, 7, mk('A'))
	rows := heap.MakeSlice[heap.Ptr[row]](&a, 40)
	*rows.At(&a, 39) = mk('!')
	s.tm.Put(&a, "key", rows)
	for range 3 {
		a.Collect(heap.RootAt(&s))
		check(s.rows[1], '@')
		got, _ := s.m.Get(&a, 7)
		check(got, 'A')
		rows, _ := s.tm.Get(&a, "key")
		check(*rows.At(&a, 39), '!')
	}
	if s.name != "kept" || !s.rows[0].IsZero() {
		t.Error("a collection changed what is no handle")
	}
}

// "Pinned large objects are not copied", and are freed if they cannot be reached.
func TestLargeObjectsStay(t *testing.T) {
	var a heap.Arena
	var roots struct {
		row heap.Slice[heap.Ptr[link]]
		raw heap.Slice[byte]
	}
	roots.row = heap.MakeSlice[heap.Ptr[link]](&a, 100_000)
	roots.raw = heap.MakeSlice[byte](&a, 1<<20)
	lost := heap.MakeSlice[byte](&a, 1<<20)
	*roots.row.At(&a, 77_777) = ring(&a, 3)
	row, raw := roots.row.At(&a, 0), roots.raw.At(&a, 0)
	a.Collect(heap.RootAt(&roots))
	mustBeRing(t, &a, *roots.row.At(&a, 77_777), 3)
	if roots.row.At(&a, 0) != row || roots.raw.At(&a, 0) != raw {
		t.Error("a large object moved")
	}
	wantPanic(t, "dead handle", func() { lost.Deref(&a) })
	if s := a.Stats(); s.Reserved > 1<<20+800_000+4096 {
		t.Errorf("%+v stays", s)
	}
}

// "It is time when the arena has twice the bytes that the last collection left, and at least 16
// KiB."
func TestDue(t *testing.T) {
	var a heap.Arena
	r, due := new(heap.Recycler), 0
	r.OnDue(func() { due++ })
	a.Bind(r)
	var root struct{ keep heap.Slice[heap.Slice[byte]] }
	root.keep = heap.MakeSlice[heap.Slice[byte]](&a, 100)
	fillTo := func(bytes int) {
		for a.Stats().Reserved <= bytes && !a.Due() {
			heap.MakeSlice[byte](&a, 500)
		}
	}
	if fillTo(10_000); a.Due() || due != 0 {
		t.Errorf("due at %+v", a.Stats())
	}
	if fillTo(16 << 10); !a.Due() || due == 0 {
		t.Errorf("not due at %+v", a.Stats())
	}
	for i := range 100 {
		*root.keep.At(&a, i) = heap.MakeSlice[byte](&a, 1000)
	}
	a.Collect(heap.RootAt(&root))
	live := a.Stats().Used
	if fillTo(2*live - 64<<10); a.Due() {
		t.Errorf("due at %+v of %d live", a.Stats(), live)
	}
	factor := 2
	if heap.Poisoned {
		factor = 3 // in such builds all arenas have generations
	}
	if fillTo(4 * live); !a.Due() || a.Stats().Reserved > factor*live+64<<10 {
		t.Errorf("not due at %+v of %d live", a.Stats(), live)
	}
}

// An arena is due before it reaches its limit, and when the limit has refused a request.
func TestDueByLimit(t *testing.T) {
	var a heap.Arena
	r, due := new(heap.Recycler), 0
	r.OnDue(func() { due++ })
	a.Bind(r)
	root := heap.MakeSlice[byte](&a, 100_000)
	a.Collect(heap.RootAt(&root))
	a.SetLimit(150_000)
	if _, err := heap.TryMakeSlice[byte](&a, 90_000); err == nil || !a.Due() || due == 0 {
		t.Errorf("%v; due: %v, told %d times", err, a.Due(), due)
	}
	root = heap.Slice[byte]{}
	a.Collect(heap.RootAt(&root))
	if _, err := heap.TryMakeSlice[byte](&a, 90_000); err != nil {
		t.Error(err)
	}
	a.Release()
	a.SetLimit(8 << 10)
	for !a.Due() {
		if _, err := heap.TryNew[link](&a); err != nil {
			t.Fatalf("%v and not due", err)
		}
	}
}

// A limit that is far away makes nothing due, however far.
func TestHugeLimitsMakeNothingDue(t *testing.T) {
	const most = int(^uint(0) >> 1)
	for _, limit := range []int{most / 4, most/3 + 1, most / 2, most/2 + 1, most - 1, most} {
		var a heap.Arena
		a.SetLimit(limit)
		root := ring(&a, 100)
		if a.Due() {
			t.Errorf("with a limit of %d due at %+v", limit, a.Stats())
		}
		if a.Collect(heap.RootAt(&root)); a.Due() {
			t.Errorf("with a limit of %d due behind a collection, at %+v", limit, a.Stats())
		}
	}
}

// Survivors of the same size take no more memory than before: a full arena that is collected is
// not over its limit.
func TestSurvivorsStayWithinTheLimit(t *testing.T) {
	for limit := 2 << 10; limit <= 64<<10; limit += 1 << 10 {
		for _, size := range []int{16, 700, 1000, 2100, 5000} {
			var a heap.Arena
			a.SetLimit(limit)
			var live []heap.Slice[byte]
			for s, err := heap.TryMakeSlice[byte](&a, size); err == nil; s, err = heap.TryMakeSlice[byte](&a,
				size) {
				live = append(live, s)
			}
			roots := make([]heap.Root, len(live))
			for i := range live {
				roots[i] = heap.RootAt(&live[i])
			}
			a.Collect(roots...)
			if got := a.Stats().Reserved; got > limit {
				t.Fatalf("%d objects of %d bytes take %d bytes behind a collection, with a limit of %d",
					len(live), size, got, limit)
			}
		}
	}
}

// Handles that are not followed are refused with their path.
func TestHiddenHandlesRefused(t *testing.T) {
	type ok struct {
		own *struct {
			a heap.Arena // the handles beside it belong to this arena
			p heap.Ptr[int]
		}
		r heap.Region[link]
		p [2]heap.Ptr[int]
	}
	heap.RootAt(new(ok))
	for want, f := range map[string]func(){
		"behind m[]":      func() { heap.RootAt(&struct{ m map[int]heap.Ptr[int] }{}) },
		"behind m[key]":   func() { heap.RootAt(&struct{ m map[heap.String]int }{}) },
		"behind s[].next": func() { heap.RootAt(&struct{ s []link }{}) },
		"behind p*":       func() { heap.RootAt(&struct{ p *heap.Blob }{}) },
		"behind c[]":      func() { heap.RootAt(&struct{ c chan heap.Map[int, int] }{}) },
		"behind a.b[]*":   func() { heap.RootAt(&struct{ a struct{ b [3]*heap.String } }{}) },
		"behind named[]": func() { // its arena has an owner, who collects it
			heap.RootAt(&struct {
				a     *heap.Arena
				named map[string]heap.String
			}{})
		},
		"behind own*.p": func() {
			heap.RootAt(&struct {
				own *struct {
					a *heap.Arena
					p heap.Ptr[int]
				}
			}{})
		},
	} {
		if got := recovered(f); !strings.HasPrefix(got, "gallop: heap: ") ||
			!strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	type disguised heap.Ptr[int]
	wantPanic(t, "keeps handles out of the collector's reach, behind h",
		func() { heap.RootAt(new(disguised)) })
}

// A handle that was made from another with unsafe makes a collection panic, before it does harm.
func TestMistypedHandle(t *testing.T) {
	var a heap.Arena
	small := heap.New[int32](&a)
	big := *(*heap.Ptr[[500]int])(unsafe.Pointer(&small))
	if got := recovered(func() { a.Collect(heap.RootAt(&big)) }); !strings.Contains(got,
		"gallop: heap: handle") && !strings.Contains(got, "gallop: invariant: object") {
		t.Errorf("a mistyped handle got %q", got)
	}
}

// A collection that is under way ends with its arena.
func TestReleaseWhileCollecting(t *testing.T) {
	for name, begin := range begins {
		t.Run(name, func(t *testing.T) { testReleaseWhileCollecting(t, begin) })
	}
}

func testReleaseWhileCollecting(t *testing.T, begin func(a *heap.Arena, roots ...heap.Root)) {
	twoGenerations(t)
	var a, b heap.Arena
	r := heap.NewRecycler(16 << 20)
	a.Bind(r)
	b.Bind(r)
	root := ring(&a, 5000)
	a.Collect(heap.RootAt(&root))
	root.Deref(&a).prev.Deref(&a).next = ring(&a, 1000)
	begin(&a, heap.RootAt(&root))
	before := a.Stats()
	a.Step(10_000)
	if s := a.Stats(); s.Used < before.Used || s.Reserved < s.Used || s.Chunks <= 1 {
		t.Errorf("in the middle of a collection %+v became %+v", before, s)
	}
	mustGiveBack(t, &a, r)
	if a.Collecting() || a.Stats() != (heap.Stats{}) {
		t.Errorf("%+v is left", a.Stats())
	}
	wantPanic(t, "dead handle", func() { root.Deref(&a) })
	again, other := ring(&a, 3000), ring(&b, 3000) // of the same chunks, each used once
	mustBeRing(t, &a, again, 3000)
	mustBeRing(t, &b, other, 3000)
}
