package heap

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
)

// Blob is a handle to immutable bytes in an [Arena]. The zero value is the empty blob;
// see [Ptr] for the rules of handles.
//
// A blob of up to [SharedAbove] bytes is part of the arena. A larger blob has memory of its own,
// which counts the arenas that hold it. So handing a blob to another
// actor is O(1): see [Parcel].
type Blob struct {
	h      handle
	off, n uint32
}

// SharedAbove is the size in bytes up to which blobs are copied; larger blobs are
// shared.
const SharedAbove = 64

func (Blob) partKind() partKind { return partBlob }

// NewBlob makes a blob of a copy of s. It panics with an error that wraps
// [ErrArenaLimit] if the arena is full. Owner only.
func NewBlob(a *Arena, s string) Blob {
	b, err := TryNewBlob(a, s)
	if err != nil {
		panic(err)
	}
	return b
}

// TryNewBlob is NewBlob, but returns an error that wraps [ErrArenaLimit] if the arena
// is full. Owner only.
func TryNewBlob(a *Arena, s string) (Blob, error) {
	if len(s) <= SharedAbove {
		t, err := TryNewString(a, s)
		return Blob{h: t.h, n: uint32(t.n)}, err
	}
	if err := a.mayHold(len(s)); err != nil {
		return Blob{}, err
	}
	b := newSharedBytes(s, a.recycler)
	a.hold(b)
	return b.whole(), nil
}

// Len returns the number of bytes.
func (b Blob) Len() int { return int(b.n) }

// IsZero reports whether b is the empty blob.
func (b Blob) IsZero() bool { return b.n == 0 }

// Deref returns the bytes in place, without a copy. They come as a string because they are
// immutable. The string is valid only until the behaviour returns: use strings.Clone for a string
// that is kept. Deref costs as much as [Ptr.Deref] and panics as it does, except that the empty
// blob is "" in every arena. Owner only.
func (b Blob) Deref(a *Arena) string {
	if b.n == 0 {
		return ""
	}
	return unsafe.String((*byte)(unsafe.Add(a.pages.at(b.h), b.off)), b.n)
}

// Slice returns the bytes from i up to j of b as a blob. Shared bytes are not copied;
// the part keeps the whole alive in this arena. Slice panics if i or j is out of range,
// if there is no room for a copy, and as Deref does. Owner only.
func (b Blob) Slice(a *Arena, i, j int) Blob {
	if i < 0 || j < i || j > int(b.n) {
		panic(fmt.Sprintf("gallop: heap: bytes %d to %d of a blob of %d", i, j, b.n))
	}
	shared := a.sharedBehind(b) != nil // first: it panics if b is dead, be the part empty or not
	if i == j {
		return Blob{}
	}
	if !shared {
		return NewBlob(a, b.Deref(a)[i:j])
	}
	return Blob{h: b.h, off: b.off + uint32(i), n: uint32(j - i)}
}

// Pack makes a parcel of the blob, for a message: the bytes stay in this arena and will
// be in the receiver's as well. It panics as Deref does. Owner only.
//
// Pack costs an allocation of a few words. Up to [SharedAbove] bytes, even if they are
// part of larger ones, are copied by a second allocation; the copy keeps nothing else
// alive.
func (b Blob) Pack(a *Arena) Parcel {
	s := a.sharedBehind(b)
	if s == nil || b.n <= SharedAbove {
		return Parcel{&parcel{text: strings.Clone(b.Deref(a))}}
	}
	if invariant.On {
		verifyBlob(s, b.off, b.n)
	}
	s.retain()
	return Parcel{&parcel{shared: s, off: b.off, n: b.n}}
}

// sharedBehind returns the shared bytes of which b is a part, or nil if b is not shared. It panics
// if b is dead.
func (a *Arena) sharedBehind(b Blob) *sharedBytes {
	if b.n == 0 {
		return nil
	}
	a.pages.at(b.h)
	return a.blobs.find(b.h.page())
}

// mayHold reports whether the limit leaves room for a blob.
func (a *Arena) mayHold(n int) error {
	if n > MaxObject || !a.allows(n) {
		a.press()
		return a.refuse(uintptr(n))
	}
	return nil
}

// hold makes shared bytes, of which the caller has a count, part of the arena.
func (a *Arena) hold(s *sharedBytes) {
	if a.blobs == nil {
		a.blobs = newBlobSet(a)
	}
	if a.blobs.find(s.number) != nil {
		a.rescue(s)
		s.release() // one count per arena
		return
	}
	a.blobs.put(s)
	a.enter(s.page())
	a.noteDue()
}

// rescue marks bytes that the arena holds already, so that a running collection keeps them although
// it may have found no handle to them.
func (a *Arena) rescue(s *sharedBytes) {
	if g := a.pages.gc; g != nil && g.look(s.number) {
		g.mark(g.lastPage, 1, nil)
	}
}

// page returns the bytes as a page.
func (s *sharedBytes) page() page {
	n := uint32(len(s.text))
	return page{s.number, chunk{base: unsafe.Pointer(unsafe.StringData(s.text)), size: n | sharedBit,
		used: n}}
}

// whole returns a handle to all of the bytes, for arenas that hold them.
func (s *sharedBytes) whole() Blob { return Blob{h: pageStart(s.number), n: uint32(len(s.text))} }

// blobSet has the shared blobs that an arena holds. It is not part of the arena, so
// that they can be counted down after the GC has found the arena unreachable.
type blobSet struct{ held map[uint64]*sharedBytes }

// find returns the bytes of a number. The set may be nil.
func (b *blobSet) find(number uint64) *sharedBytes {
	if b == nil {
		return nil
	}
	return b.held[number]
}

func (b *blobSet) put(s *sharedBytes) { b.held[s.number] = s }

// release removes the bytes of a number, which the set has, and counts them down.
func (b *blobSet) release(number uint64) {
	s := b.held[number]
	invariant.Check(s != nil, "blob %d is not held", number)
	delete(b.held, number)
	s.release()
}
