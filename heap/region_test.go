package heap_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
)

// ringRegion builds a ring of n links in a region.
func ringRegion(n int) heap.Region[link] {
	r := heap.NewRegion[link]()
	if n > 0 {
		r.SetRoot(ring(r.Arena(), n))
	}
	return r
}

// "the receiver makes it part of its own arena": together with its present objects, for several
// sizes of both, over collections.
func TestRegionJoins(t *testing.T) {
	sizes := []int{0, 1, 60, 3000}
	for _, here := range sizes {
		for _, there := range sizes {
			var a heap.Arena
			a.Bind(new(heap.Recycler))
			var roots struct{ own, got heap.Ptr[link] }
			if here > 0 {
				roots.own = ring(&a, here)
			}
			r := ringRegion(there)
			before, coming := a.Stats(), r.Arena().Stats()
			roots.got = r.Move().Join(&a)
			if after := a.Stats(); after.Chunks != before.Chunks+coming.Chunks ||
				after.Used != before.Used+coming.Used {
				t.Errorf("%+v and %+v became %+v", before, coming, after)
			}
			for range 2 {
				if here > 0 {
					mustBeRing(t, &a, roots.own, here)
				}
				if there > 0 {
					mustBeRing(t, &a, roots.got, there)
				}
				ring(&a, 100) // more objects fill free room
				a.Collect(heap.RootAt(&roots))
			}
		}
	}
}

// The free part of a region's open chunk serves the arena that it joins.
func TestRegionBringsItsRoom(t *testing.T) {
	var a heap.Arena
	ringRegion(1).Join(&a)
	if heap.New[link](&a); a.Stats().Chunks != 1 {
		t.Errorf("%+v for two links", a.Stats())
	}
}

// "From then on r, all its copies, the arena that Arena returned and all handles into it are dead",
// also after a panic between Move and the send.
func TestRegionGone(t *testing.T) {
	for name, give := range map[string]func(heap.Region[link]){
		"moved":     func(r heap.Region[link]) { r.Move() },
		"joined":    func(r heap.Region[link]) { r.Join(new(heap.Arena)) },
		"discarded": func(r heap.Region[link]) { r.Discard() },
		"panicked":  func(r heap.Region[link]) { recovered(func() { r.Move(); panic("half way") }) },
	} {
		t.Run(name, func(t *testing.T) {
			r := ringRegion(100)
			twin, arena, root := r, r.Arena(), r.Root()
			give(r)
			wantPanic(t, "dead handle", func() { root.Deref(arena) })
			for op, f := range map[string]func(){
				"Arena": func() { twin.Arena() }, "Root": func() { twin.Root() },
				"SetRoot": func() { twin.SetRoot(root) },
				"Move":    func() { twin.Move() }, "Join": func() { twin.Join(new(heap.Arena)) },
			} {
				if got := recovered(f); !strings.HasPrefix(got, "gallop: heap: region is gone: "+op) {
					t.Errorf("%s: %q", op, got)
				}
			}
			twin.Discard()
		})
	}
}

// "The arena that Arena returned" is dead: no object can be made in it, which would be lost, not
// even after it is released.
func TestRegionGoneArena(t *testing.T) {
	for name, give := range map[string]func(heap.Region[link]){
		"moved":     func(r heap.Region[link]) { r.Move() },
		"joined":    func(r heap.Region[link]) { r.Join(new(heap.Arena)) },
		"discarded": func(r heap.Region[link]) { r.Discard() },
	} {
		for _, n := range []int{0, 1, 3000} {
			r := ringRegion(n)
			a := r.Arena()
			give(r)
			mustTakeNothing(t, name, a)
			a.Release()
			mustTakeNothing(t, name+" and released", a)
		}
	}
}

// mustTakeNothing fails unless an arena refuses all objects, since its region is gone.
func mustTakeNothing(t *testing.T, name string, a *heap.Arena) {
	t.Helper()
	small, large, other := heap.NewParcel("x"), heap.NewParcel(text(1000)), ringRegion(1)
	defer large.Discard()
	for what, f := range map[string]func(){
		"New": func() { heap.New[link](a) }, "large": func() { heap.New[[100_000]byte](a) },
		"MakeSlice": func() {
			heap.MakeSlice[byte](a,
				heap.MaxObject+1)
		}, "NewString": func() { heap.NewString(a, "x") },
		"NewBlob": func() { heap.NewBlob(a, text(1000)) }, "Put": func() {
			new(heap.Map[int, int]).Put(a,
				1, 1)
		},
		"small": func() { small.Unpack(a) }, "Unpack": func() { large.Unpack(a) },
		"Join": func() { other.Join(a) }, "empty": func() { ringRegion(0).Join(a) },
		"SetLimit": func() { a.SetLimit(0) },
	} {
		if got := recovered(f); !strings.HasPrefix(got, heap.ErrRegionGone.Error()) {
			t.Errorf("%s in the arena of a region that was %s: %q", what, name, got)
		}
	}
	if _, err := heap.TryNew[link](a); !errors.Is(err, heap.ErrRegionGone) ||
		a.Stats() != (heap.Stats{}) {
		t.Errorf("%s: %v, and %+v is held", name, err, a.Stats())
	}
	mustBeRing(t, other.Arena(), other.Root(), 1) // as it was
}

// Bad calls, each with its message.
func TestRegionMisuse(t *testing.T) {
	var zero heap.Region[link]
	zero.Discard()
	if !zero.IsZero() || ringRegion(1).IsZero() {
		t.Error("IsZero")
	}
	wantPanic(t, "gallop: heap: Arena of a zero Region: use NewRegion", func() { zero.Arena() })
	r := ringRegion(1000)
	var a heap.Arena
	wantPanic(t, "dead handle", func() { r.SetRoot(heap.New[link](&a)) })
	wantPanic(t, "gallop: heap: Join of a region with itself", func() { r.Join(r.Arena()) })
	a.SetLimit(10_000)
	wantPanic(t, "arena limit exceeded", func() { r.Join(&a) })
	mustBeRing(t, r.Arena(), r.Root(), 1000) // as it was
	r.Root().Deref(r.Arena()).prev = heap.New[link](new(heap.Arena))
	if invariant.On {
		wantPanic(t, "gallop: heap: Move of a region with 1 handles that lead out of it",
			func() { r.Move() })
	} else {
		p := r.Move().Join(new(heap.Arena))
		wantPanic(t, "dead handle", func() { p.Deref(new(heap.Arena)) })
	}
}

// Blobs go with their region, and are counted once per arena.
func TestRegionTakesBlobsAlong(t *testing.T) {
	before := heap.Blobs()
	var a heap.Arena
	own := heap.NewBlob(&a, text(1000))
	r := heap.NewRegion[heap.Blob]()
	for _, b := range []heap.Blob{own.Pack(&a).Unpack(r.Arena()),
		heap.NewBlob(r.Arena(), text(2000))} {
		p := heap.New[heap.Blob](r.Arena())
		*p.Deref(r.Arena()) = b
		r.SetRoot(p)
	}
	root := r.Move().Join(&a)
	if root.Deref(&a).Deref(&a) != text(2000) || own.Deref(&a) != text(1000) {
		t.Error("the blobs are others")
	}
	mustLive(t, before, 2)
	a.Collect(heap.RootAt(&root))
	mustLive(t, before, 1)
	lost := heap.NewRegion[int]()
	heap.NewBlob(lost.Arena(), text(100))
	lost.Move().Discard()
	mustLive(t, before, 1)
	a.Release()
	mustLive(t, before, 0)
}

// Regions may come in while a collection is under way.
func TestRegionJoinsDuringCollection(t *testing.T) {
	var a heap.Arena
	roots := struct{ own, got heap.Ptr[link] }{own: ring(&a, 5000)}
	a.Begin(heap.RootAt(&roots))
	a.Step(1000)
	roots.got = ringRegion(3000).Join(&a)
	a.Finish()
	mustBeRing(t, &a, roots.own, 5000)
	mustBeRing(t, &a, roots.got, 3000)
	a.Collect(heap.RootAt(&roots))
	mustBeRing(t, &a, roots.got, 3000)
}

// Move takes the counts of the region along.
func TestRegionKeepsItsCounts(t *testing.T) {
	r := ringRegion(1000)
	before := r.Arena().Stats()
	if after := r.Move().Arena().Stats(); after.Reserved != before.Reserved ||
		after.Chunks != before.Chunks {
		t.Errorf("%+v, and before it moved %+v", after, before)
	}
}

// Several goroutines move the same region at the same time, by mistake. One of them succeeds.
func TestRegionOneMoves(t *testing.T) {
	for range 100 {
		r := ringRegion(10)
		var wg sync.WaitGroup
		moved := make(chan heap.Region[link], 4)
		for range 4 {
			wg.Go(func() { recovered(func() { moved <- r.Move() }) })
		}
		wg.Wait()
		if len(moved) != 1 {
			t.Fatalf("%d moved it", len(moved))
		}
		got := <-moved
		mustBeRing(t, got.Arena(), got.Root(), 10)
	}
}

// A region that is being collected is whole when it moves, and when it joins.
func TestRegionMovesDuringItsCollection(t *testing.T) {
	for _, moves := range []int{0, 1, 2} {
		r, n := heap.NewRegion[link](), 3000
		top := ring(r.Arena(), n)
		r.Arena().Begin(heap.RootAt(&top))
		r.Arena().Step(10_000)
		r.SetRoot(top)
		for range moves {
			r = r.Move()
		}
		var a heap.Arena
		a.Bind(new(heap.Recycler))
		own := ring(&a, n)
		joined := r.Join(&a)
		mustBeRing(t, &a, joined, n)
		mustBeRing(t, &a, own, n)
		a.Collect(heap.RootAt(&joined), heap.RootAt(&own))
		mustBeRing(t, &a, joined, n)
		mustBeRing(t, &a, own, n)
	}
}
