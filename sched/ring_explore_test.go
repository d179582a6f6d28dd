//go:build gallop_explore

package sched

import (
	"fmt"
	"math"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// sharingRing is an owner that pushes so many tasks through a ring of two entries,
// popping when it is full, and so many thieves with so many tries each: every task
// is taken once, and every taker sees them in order.
func sharingRing(start uint64, tasks, thieves, tries int) func(*explore.Program) {
	return func(p *explore.Program) {
		d, r := newDeck(tasks), new(ring)
		r.init(2, start)
		stolenFrom(p, d, r, thieves, tries)
		p.Go(func() {
			k := taker{last: -1}
			for i := range tasks {
				for !r.owner().push(d.card(i)) {
					if !took(p, d, &k, r.owner().pop()) {
						seam.Spin() // a thief has claimed an entry and left no receipt
					}
				}
			}
			for took(p, d, &k, r.owner().pop()) {
			}
		})
		p.After(d.each)
	}
}

// stolenFrom is a ring with so many thieves, each with so many tries.
func stolenFrom(p *explore.Program, d *deck, r *ring, thieves, tries int) {
	for range thieves {
		k := taker{last: -1}
		p.Go(func() {
			for range tries {
				took(p, d, &k, r.thief().steal())
			}
		})
	}
}

// took notes a task for a taker, which must see rising numbers.
func took(p *explore.Program, d *deck, k *taker, t *Task) bool {
	if !d.take(t) {
		return false
	}
	if k.take(d.index(t)); k.err != nil {
		p.Errorf("%v", k.err)
	}
	return true
}

// TestRingConservation: each task exactly once, in order, with the entries reused
// and the counters wrapping around.
//
// Mutants tried by hand: a push that trusts head instead of the receipts, a thief
// that leaves its receipt before it reads, a thief that advances head by a store.
func TestRingConservation(t *testing.T) {
	for _, start := range []uint64{0, math.MaxUint64 - 1} {
		t.Run(fmt.Sprint(start), func(t *testing.T) { explore.Portfolio(t, sharingRing(start, 4, 2, 2)) })
	}
}

// TestRingExhaustive: a small one without a bound on preemptions.
func TestRingExhaustive(t *testing.T) {
	cfg := explore.Config{Strategy: explore.Bounded(-1, 0)}
	if res := explore.Run(t, cfg, sharingRing(0, 3, 1, 2)); !res.Exhausted {
		t.Error(res)
	}
}

// divingRing is an owner that pushes tasks into a ring of two entries and takes the newest again,
// or the oldest, as way says for each: 0 takes nothing. Every task is taken once, and thieves see
// them in order.
func divingRing(start uint64, way []func(*ownerEnd) *Task, thieves,
	tries int) func(*explore.Program) {
	return func(p *explore.Program) {
		d, r := newDeck(len(way)), new(ring)
		r.init(2, start)
		stolenFrom(p, d, r, thieves, tries)
		p.Go(func() {
			for i, pop := range way {
				for !r.owner().push(d.card(i)) {
					if !d.take(r.owner().popNewest()) {
						seam.Spin() // as in sharingRing
					}
				}
				if pop != nil {
					d.take(pop(r.owner()))
				}
			}
			for d.take(r.owner().popNewest()) {
			}
			if !r.thief().empty() {
				p.Errorf("the newest is not to be had, and the ring is not empty")
			}
		})
		p.After(d.each)
	}
}

// dives are the ends from which the owner takes a task after each push.
var dives = []struct {
	name string
	way  []func(*ownerEnd) *Task
}{
	{"newest", []func(*ownerEnd) *Task{(*ownerEnd).popNewest, (*ownerEnd).popNewest,
		(*ownerEnd).popNewest}},
	{"either", []func(*ownerEnd) *Task{nil, (*ownerEnd).popNewest, (*ownerEnd).pop,
		(*ownerEnd).popNewest}},
	{"old and new", []func(*ownerEnd) *Task{(*ownerEnd).pop, nil, (*ownerEnd).popNewest, nil}},
	{"when full", []func(*ownerEnd) *Task{nil, nil, nil, nil}},
}

// TestRingNewest: as TestRingConservation, for an owner that takes from both ends.
func TestRingNewest(t *testing.T) {
	for _, d := range dives {
		for _, start := range []uint64{0, math.MaxUint64 - 1} {
			t.Run(fmt.Sprint(d.name, " ", start), func(t *testing.T) {
				explore.Portfolio(t,
					divingRing(start, d.way, 2, 2))
			})
		}
	}
}

// TestRingNewestExhaustive: small ones without a bound on preemptions.
func TestRingNewestExhaustive(t *testing.T) {
	for _, d := range dives {
		t.Run(d.name, func(t *testing.T) {
			cfg := explore.Config{Strategy: explore.Bounded(-1, 0)}
			if res := explore.Run(t, cfg, divingRing(0, d.way[:2], 1, 2)); !res.Exhausted {
				t.Error(res)
			}
		})
	}
}

// TestRingSleepyThief: a thief that loses its processor between claim and receipt
// blocks the reuse of its entry and nothing else: owner and other thief go on.
func TestRingSleepyThief(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		d, r, asleep := newDeck(3), new(ring), true
		r.init(2, 0)
		r.owner().push(d.card(0))
		r.owner().push(d.card(1))
		h := r.head.Add(1) - 1 // claimed task 0, and sleeps
		p.Go(func() {
			d.take(r.thief().steal())
		})
		p.Go(func() {
			d.take(r.owner().pop())
			if r.owner().push(d.card(2)) {
				p.Errorf("the entry was filled again before its task was read")
			}
			asleep = false
		})
		p.Go(func() {
			p.Await(func() bool { return !asleep })
			s := &r.entries[h&1]
			d.take(s.task)
			s.task = nil
			s.stolen.Store(h + 1)
		})
		p.After(func() error {
			if !r.owner().push(d.card(2)) {
				return fmt.Errorf("no room after the receipt")
			}
			d.take(r.owner().pop())
			return d.each()
		})
	})
}
