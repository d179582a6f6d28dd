package heap

import (
	"runtime"
	"strings"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// sharedBytes is the memory of a blob that several arenas may hold. Memory safety
// does not depend on the count: the bytes are Go memory, immutable, and every table
// that has them keeps them alive. With the counts, tests find blobs that were not released.
type sharedBytes struct {
	_      nocmp.Field
	number uint64 // its page number, in every arena that holds it
	text   string
	refs   seam.Count // arenas that hold it, and parcels on their way
}

// Counts of all shared blobs of the process. Any goroutine.
var blobsMade, blobsFreed, blobBytes seam.Count

// BlobStats counts the shared blobs of the process.
type BlobStats struct {
	Made  int64 // blobs made since the process began
	Live  int64 // blobs that an arena or a parcel holds
	Bytes int64 // of the live blobs
}

// Blobs returns the counts. Live is 0 when all arenas that held blobs are released, or
// were found unreachable by the GC, and all parcels are unpacked or discarded:
// a test can use this to look for leaks. A shared [Parcel] that was lost with a panic
// counts for ever. Any goroutine.
func Blobs() BlobStats {
	freed := blobsFreed.Load() // before made: Live is never negative
	made := blobsMade.Load()
	return BlobStats{Made: made, Live: made - freed, Bytes: blobBytes.Load()}
}

// newSharedBytes copies s. The caller has the first count.
func newSharedBytes(s string, r *Recycler) *sharedBytes {
	b := &sharedBytes{number: r.pageNumber(), text: strings.Clone(s)}
	b.refs.Add(1)
	blobsMade.Add(1)
	blobBytes.Add(int64(len(s)))
	return b
}

// retain adds a count; the caller has one already, so it is not 0. Any goroutine.
func (s *sharedBytes) retain() {
	n := s.refs.Add(1)
	invariant.Check(n > 1, "blob %d: revived, %d counts", s.number, n)
}

// release removes a count. Any goroutine.
func (s *sharedBytes) release() {
	n := s.refs.Add(-1)
	invariant.Check(n >= 0, "blob %d: released too often, %d counts", s.number, n)
	if n == 0 {
		blobsFreed.Add(1)
		blobBytes.Add(-int64(len(s.text)))
	}
}

// newBlobSet makes the set of an arena. From its first shared blob on, the arena
// has a cleanup: if the GC finds it unreachable, with
// its actor, the blobs are counted down.
func newBlobSet(a *Arena) *blobSet {
	b := &blobSet{held: map[uint64]*sharedBytes{}}
	runtime.AddCleanup(a, func(b *blobSet) {
		for number := range b.held {
			b.release(number)
		}
	}, b)
	return b
}

// Parcel is a blob on its way. It belongs to no arena and may be part of messages. It
// is one word, and its copies are the same parcel. The receiver unpacks it into an
// arena, once. The runtime discards a parcel in a dead letter. Any goroutine.
//
// The message of a behaviour that panics is no dead letter, and its parcels are not discarded,
// since the behaviour may have passed them on. If it has neither passed on, unpacked nor discarded
// a parcel, the GC frees the memory, but [Blobs] counts shared bytes as live for ever. So unpack
// first: blobs in the arena are counted down when the actor ends.
type Parcel struct{ p *parcel }

// parcel is the common part of the copies of a Parcel.
//
// Rejected: a cleanup of every shared parcel, which would count down parcels that were lost with a
// panic. Packing and unpacking took three times as long (87 and 253 ns) and made two allocations
// more.
type parcel struct {
	shared *sharedBytes // nil if the bytes are in text
	text   string
	off, n uint32
	gone   seam.Bool
}

// NewParcel makes a parcel of a copy of s, outside of any arena. If s is larger than
// [MaxObject], so that no arena would take it, NewParcel panics with an error that
// wraps [ErrArenaLimit]. Any goroutine.
func NewParcel(s string) Parcel {
	if len(s) <= SharedAbove {
		return Parcel{&parcel{text: strings.Clone(s)}}
	}
	if len(s) > MaxObject {
		panic(errTooLarge(uintptr(len(s))))
	}
	b := newSharedBytes(s, nil)
	return Parcel{&parcel{shared: b, n: uint32(len(s))}}
}

// Len returns the number of bytes.
func (p Parcel) Len() int {
	switch {
	case p.p == nil:
		return 0
	case p.p.shared == nil:
		return len(p.p.text)
	}
	return int(p.p.n)
}

// Unpack makes the bytes part of an arena. Up to [SharedAbove] bytes are copied; more bytes are
// shared in O(1). The zero Parcel is the empty blob. Unpack panics if the parcel was unpacked or
// discarded already. If the arena is full it panics with an error that wraps [ErrArenaLimit], and
// leaves the parcel as it was. The arena's owner only.
func (p Parcel) Unpack(a *Arena) Blob {
	if p.p == nil {
		return Blob{}
	}
	p.mustBeHere("Unpack") // first: a parcel that is gone needs no room
	if s := p.p.shared; s != nil && a.blobs.find(s.number) == nil {
		if err := a.mayHold(len(s.text)); err != nil {
			panic(err)
		}
	}
	if p.p.shared == nil {
		b := NewBlob(a, p.p.text)
		p.take("Unpack")
		return b
	}
	p.take("Unpack")
	if invariant.On {
		verifyBlob(p.p.shared, p.p.off, p.p.n)
	}
	a.hold(p.p.shared)
	return Blob{h: pageStart(p.p.shared.number), off: p.p.off, n: p.p.n}
}

// Discard ends a parcel that is not unpacked. It does nothing to a parcel that was
// unpacked or discarded already. Any goroutine.
func (p Parcel) Discard() {
	if p.p != nil && p.p.gone.CompareAndSwap(false, true) && p.p.shared != nil {
		p.p.shared.release()
	}
}

// take marks the parcel as gone.
func (p Parcel) take(op string) {
	if !p.p.gone.CompareAndSwap(false, true) {
		panicGone(op)
	}
}

// mustBeHere panics if the parcel is gone.
func (p Parcel) mustBeHere(op string) {
	if p.p.gone.Load() {
		panicGone(op)
	}
}

func panicGone(op string) {
	panic("gallop: heap: " + op + " of a parcel that was unpacked or discarded already")
}
