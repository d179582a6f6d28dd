//go:build gallop_explore

package heap

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// shipment is a region that several threads give away at the same time, by a mistake of the user's,
// and a receiver for the moved region.
type shipment struct {
	p      *explore.Program
	before BlobStats
	region Region[stop]
	moved  seam.Pointer[Region[stop]] // the mailbox of the receiver
	arenas [2]Arena                   // of the thread that joins directly, and of the receiver
	won    []string
}

// stop is a node of a list in the region.
type stop struct {
	next Ptr[stop]
	n    int
	note Blob
}

const shipped = "a note of more than sixty-four bytes, so that it is shared by all arenas that " +
	"hold it"

// newShipment makes a region with three stops and a shared note.
func newShipment(p *explore.Program) *shipment {
	s := &shipment{p: p, before: Blobs(), region: NewRegion[stop]()}
	a := s.region.Arena()
	note := NewBlob(a, shipped)
	for n := range 3 {
		to := New[stop](a)
		*to.Deref(a) = stop{s.region.Root(), n, note}
		s.region.SetRoot(to)
	}
	return s
}

// try records a caller that has got the region. For all other callers it must be gone.
func (s *shipment) try(who string, f func()) {
	defer func() {
		switch err, _ := recover().(error); {
		case err == nil:
			s.won = append(s.won, who)
		case !errors.Is(err, ErrRegionGone):
			s.p.Errorf("%s: %v", who, err)
		}
	}()
	f()
}

// read checks that all stops are there, in an arena that the region has joined.
func (s *shipment) read(a *Arena, at Ptr[stop]) {
	n := 2
	for ; !at.IsZero(); at = at.Deref(a).next {
		if x := at.Deref(a); x.n != n || x.note.Deref(a) != shipped {
			s.p.Errorf("stop %d is %d with the note %q", n, x.n, x.note.Deref(a))
		}
		n--
	}
	if n != -1 {
		s.p.Errorf("%d stops are missing", n+1)
	}
}

// audit checks that one caller got the region, and that after the release of the arenas nothing
// holds the note.
func (s *shipment) audit() error {
	if len(s.won) != 1 {
		return fmt.Errorf("the region went to %v", s.won)
	}
	for i := range s.arenas {
		s.arenas[i].Release()
	}
	if now := Blobs(); now.Live != s.before.Live || now.Bytes != s.before.Bytes {
		return fmt.Errorf("%+v of blobs, and %+v before", now, s.before)
	}
	return nil
}

// TestRegion_Explored: of several threads that move, join and discard a region at the same time one
// succeeds. The contents arrive complete, and no memory is left over.
func TestRegion_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		s := newShipment(p)
		done := false
		p.Go(func() {
			s.try("move", func() { r := s.region.Move(); s.moved.Store(&r) })
			done = true
		})
		p.Go(func() { s.try("join", func() { s.read(&s.arenas[0], s.region.Join(&s.arenas[0])) }) })
		p.Go(func() {
			if s.region.r.gone.Load() { // Discard does not report whether it did anything
				return
			}
			s.region.Discard()
		})
		p.Go(func() {
			p.Await(func() bool { return done })
			if r := s.moved.Load(); r != nil {
				s.read(&s.arenas[1], r.Join(&s.arenas[1]))
			}
		})
		p.After(func() error {
			if len(s.won) == 0 { // so it was discarded
				s.won = append(s.won, "discard")
			}
			return s.audit()
		})
	})
}

// TestParcel_Explored: a parcel is unpacked or discarded once, while another arena releases the
// same note.
func TestParcel_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		before := Blobs()
		var holder, receiver Arena
		note := NewBlob(&holder, shipped)
		parcel := note.Pack(&holder)
		unpacked := false
		p.Go(func() {
			defer func() {
				r := recover()
				if f, ok := r.(invariant.Failure); ok {
					panic(f) // a failed check, and not the panic of a parcel that is gone
				}
				unpacked = r == nil
			}()
			seam.Point() // the counts of blobs are no points, and each thread may be the first
			if got := parcel.Unpack(&receiver).Deref(&receiver); got != shipped {
				p.Errorf("the note says %q", got)
			}
		})
		p.Go(func() { seam.Point(); parcel.Discard() })
		p.Go(func() { seam.Point(); holder.Release() })
		p.After(func() error {
			if now := Blobs(); unpacked != (now.Live == before.Live+1) {
				return fmt.Errorf("unpacked: %v, and %+v of blobs after %+v", unpacked, now, before)
			}
			receiver.Release()
			if now := Blobs(); now.Live != before.Live || now.Bytes != before.Bytes {
				return fmt.Errorf("%+v of blobs, and %+v before", now, before)
			}
			return nil
		})
	})
}
