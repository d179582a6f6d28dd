package heap

import (
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Region is a graph in memory of its own, with one owner, who may change it. The owner builds it
// and sends it in a message, and the receiver makes it part of its own arena, in O(chunks), without
// a copy. A Region is one word; its copies are the same region. The zero value is no region.
//
// Handles in a region must not lead out of it: they would be dead in the receiver's
// arena. Where invariants are checked, Move panics if there is such a handle.
type Region[T any] struct{ r *region }

// region is the memory to which a Region is a handle. Owner only, except for gone.
type region struct {
	arena Arena
	root  handle
	gone  seam.Bool // moved, joined or discarded
}

// ErrRegionGone says that a region was given away: it was moved, joined or discarded.
// Methods of a Region that is gone panic with an error that wraps ErrRegionGone. So
// do functions that make an object in the arena that the region had, except that TryNew,
// TryMakeSlice, TryNewString and TryNewBlob return such an error.
var ErrRegionGone = errors.New("gallop: heap: region is gone")

// NewRegion makes an empty region. Its chunks come from Go's allocator, because it may
// be built by one worker and freed by another; the arena that it joins recycles them.
// Any goroutine.
func NewRegion[T any]() Region[T] { return Region[T]{new(region)} }

// IsZero reports whether r is no region.
func (r Region[T]) IsZero() bool { return r.r == nil }

// Arena returns the memory to build in and to read from. It panics with ErrRegionGone
// if the region is gone. Owner only.
func (r Region[T]) Arena() *Arena { return &r.here("Arena").arena }

// Root returns the handle that SetRoot has set, or the nil handle. It panics
// with ErrRegionGone if the region is gone. Owner only.
func (r Region[T]) Root() Ptr[T] { return Ptr[T]{h: r.here("Root").root} }

// SetRoot sets the handle from which the receiver reaches the graph. It panics with
// ErrRegionGone if the region is gone, and it panics if p is not in the region. Owner only.
func (r Region[T]) SetRoot(p Ptr[T]) {
	g := r.here("SetRoot")
	if !p.IsZero() {
		p.Deref(&g.arena)
	}
	g.root = p.h
}

// Move gives the region away and returns the new Region for it. From then on r, all its copies, the
// arena that Arena returned and all handles into it are dead. So send r.Move(): handles that you
// kept can do no harm. A pointer that Deref returned can, since it leads to memory that now belongs
// to the receiver.
//
// Move panics with ErrRegionGone if the region is gone. It costs one allocation for a region of any
// size, and four more if it has had a shared blob. Owner only.
func (r Region[T]) Move() Region[T] {
	g := r.take("Move")
	if invariant.On {
		root := Ptr[T]{h: g.root}
		if w := g.arena.graph([]Root{RootAt(&root)}); w.dead > 0 {
			panic(fmt.Sprintf("gallop: heap: Move of a region with %d handles that lead out of it", w.dead))
		}
	}
	next := &region{root: g.root}
	g.arena.moveTo(&next.arena)
	return Region[T]{next}
}

// Join makes the region part of an arena and returns its root there. All handles that
// are in the region lead to the same objects as before, in that arena. Join costs a
// look-up per chunk. Owner of both only. It panics
//
//   - with ErrRegionGone if the region is gone, or a is the arena of a region that is
//     gone;
//   - with an error that wraps [ErrArenaLimit] if the arena's limit leaves no room for
//     the region, which stays as it was;
//   - if a is nil, or the region's own arena.
func (r Region[T]) Join(a *Arena) Ptr[T] {
	g := r.here("Join")
	switch a {
	case nil:
		panic("gallop: heap: Join with a nil Arena")
	case &g.arena:
		panic("gallop: heap: Join of a region with itself")
	}
	g.arena.Finish()
	if !a.allows(g.arena.reserved) {
		a.press()
		panic(a.refuse(uintptr(g.arena.reserved)))
	}
	r.take("Join")
	g.arena.mergeInto(a)
	return Ptr[T]{h: g.root}
}

// Discard frees a region that is no longer needed. It does nothing if the region is gone.
// Owner only.
func (r Region[T]) Discard() { r.r.discard() }

func (g *region) discard() {
	if g != nil && g.gone.CompareAndSwap(false, true) {
		g.arena.Bind(nil) // the caller may run on any worker, or on none
		g.arena.Release()
		g.arena.shut()
	}
}

// here returns the region, and panics if it is zero or gone.
func (r Region[T]) here(op string) *region {
	if r.r == nil {
		panic("gallop: heap: " + op + " of a zero Region: use NewRegion")
	}
	if r.r.gone.Load() {
		panic(fmt.Errorf("%w: %s of a region that was moved, joined or discarded", ErrRegionGone, op))
	}
	return r.r
}

// take is here for a call that gives the region away. Of several concurrent callers only one
// succeeds.
func (r Region[T]) take(op string) *region {
	g := r.here(op)
	if !g.gone.CompareAndSwap(false, true) {
		panic(fmt.Errorf("%w: %s at the same time as another", ErrRegionGone, op))
	}
	return g
}

// goneLimit is the limit of the arena of a region that is gone. It is less than the smallest chunk,
// so that only a request for a chunk, or for a blob, fails.
const goneLimit = -1

// shut makes the arena refuse all further objects. The caller empties it.
func (a *Arena) shut() { a.limit = goneLimit }

// moveTo moves the pages of a to b, which is empty, and leaves a empty and shut.
func (a *Arena) moveTo(b *Arena) {
	a.Finish()
	a.oneGeneration()
	a.retire()
	b.pages = a.pages
	b.next, b.end = a.next, a.end
	b.reserved, b.limit, b.threshold = a.reserved, a.limit, a.threshold
	if a.blobs != nil {
		b.blobs = newBlobSet(b)
		b.blobs.held, a.blobs.held = a.blobs.held, b.blobs.held
	}
	a.shut()
	a.abandon()
	if invariant.On {
		verifyMoved(a)
		verifyArena(b)
	}
}

// mergeInto makes all pages of a part of b, with the same numbers, and leaves a empty and
// shut. Of the two open chunks, the one with more room becomes the open chunk of b.
func (a *Arena) mergeInto(b *Arena) {
	a.oneGeneration()
	a.retire()
	for _, p := range a.pages.all() {
		switch {
		case p.free():
		case p.shared():
			s := a.blobs.held[p.number]
			delete(a.blobs.held, p.number)
			b.hold(s)
		default:
			b.enter(p)
		}
	}
	if a.end-a.next > b.end-b.next {
		near := a.pages.nearPlus1 - 1
		b.open(near, b.pages.find(near).chunk)
	}
	a.shut()
	a.abandon()
	b.noteDue()
	if invariant.On {
		verifyMoved(a)
		verifyArena(b)
	}
}
