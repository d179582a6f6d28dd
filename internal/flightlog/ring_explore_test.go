//go:build gallop_explore

package flightlog

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// wrapping has an owner that fills a ring of two events repeatedly, and a reader. Each event that
// is read was written so, the events are in order, and none is counted twice.
func wrapping(events, reads int, lap uint64) func(*explore.Program) {
	return func(p *explore.Program) {
		r := newRing(0, 2, lap, Sparse, frozen)
		first := (lap - 1) * 2
		p.Go(func() {
			for s := range uint64(events) {
				if !put(r, first+s) {
					p.Errorf("the owner is told to leave")
				}
			}
		})
		p.Go(func() {
			for range reads {
				tail := r.tail()
				for i, e := range tail.Events {
					if !whole(e) || i > 0 && e.Sequence <= tail.Events[i-1].Sequence {
						p.Errorf("torn: %+v", tail.Events)
					}
				}
				if n := uint64(len(tail.Events)) + tail.Torn + tail.Before - first; n > uint64(events) {
					p.Errorf("%d events of %d: %+v", n, events, tail)
				}
			}
		})
		p.After(func() error {
			if tail := r.tail(); tail.Torn != 0 || len(tail.Events) != min(2, events) {
				return fmt.Errorf("at the end: %+v", tail)
			}
			return nil
		})
	}
}

// TestRing_WrapExplored runs wrapping in all orders with up to two preemptions, from the first lap
// and from the lap after which the number of the lap wraps around.
//
// Mutants tried by hand: a reader that does not compare the first word, an owner that stores head
// before the words are complete.
func TestRing_WrapExplored(t *testing.T) {
	for _, lap := range []uint64{1, lapMask} {
		t.Run(fmt.Sprint(lap), func(t *testing.T) {
			cfg := explore.Config{Strategy: explore.Bounded(2, 0)}
			if res := explore.Run(t, cfg, wrapping(6, 2, lap)); !res.Exhausted {
				t.Error(res)
			}
		})
	}
}

// TestRing_LeaveExplored: an owner that is asked at any moment to read the clock and to leave has
// left at the end, and all its events are whole.
func TestRing_LeaveExplored(t *testing.T) {
	cfg := explore.Config{Strategy: explore.Bounded(2, 0)}
	res := explore.Run(t, cfg, func(p *explore.Program) {
		r, n := newRing(0, 2, 1, 1, frozen), uint64(0)
		p.Go(func() {
			for n < 3 && put(r, n) {
				n++
			}
		})
		p.Go(func() { r.askForStamp() })
		p.Go(func() { r.close() })
		p.After(func() error {
			if put(r, n) {
				return fmt.Errorf("the owner has not left after %d events", n)
			}
			for _, e := range r.tail().Events {
				if !whole(e) {
					return fmt.Errorf("torn: %+v", e)
				}
			}
			return nil
		})
	})
	if !res.Exhausted {
		t.Error(res)
	}
}
