//go:build gallop_explore

package sched

import (
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// ending is how an owner ends a turn and empties its slot.
type ending func(*nextSlot) *Task

// byIdling is the turn of a task that gives itself up: O1, its own RMW as O2, O3.
func byIdling(s *nextSlot) *Task {
	var giveUp seam.Uint32
	if !s.prepared() {
		s.prepare()
	}
	giveUp.Add(1)
	return s.takePrepared()
}

// byGoingOn is a turn that was about to end, and goes on for long. TestNextSlotShown checks that it
// is seen then.
func byGoingOn(s *nextSlot) *Task {
	s.prepare()
	s.revocation.CompareAndSwap(revokeNone, revokeNone) // O2
	s.show()
	seam.Point()
	return s.take()
}

// byTaking is any other turn: take brings its own fence.
func byTaking(s *nextSlot) *Task { return s.take() }

// robbing is an owner that fills its slot again and again, against a monitor that
// looks at it so many times: every filling is taken exactly once.
func robbing(fillings, looks int, end ending) func(*explore.Program) {
	return func(p *explore.Program) {
		d, s, left := newDeck(fillings), new(nextSlot), false
		p.Go(func() {
			for i := range fillings {
				if !s.put(d.card(i)) {
					p.Errorf("the slot was not free for task %d", i)
				}
				seam.Point() // the turn goes on
				d.take(end(s))
			}
			left = true
		})
		p.Go(func() {
			for range looks {
				d.take(s.revoke(s.stamp()))
			}
		})
		p.After(func() error {
			if s.revocation.Load() != revokeNone || !s.prepared() || s.task != nil || !left {
				p.Errorf("not at rest: revoke %d, full %d, task %v", s.revocation.Load(), s.stamp(), s.task)
			}
			return d.each()
		})
	}
}

// TestNextSlotOneTaker: owner and monitor never both take a filling, and one does.
//
// Mutants tried by hand: O1 after O3, M2 without the look at the stamp, M4 before
// M3, and the slot emptied before O3 are all refuted here. Dropping O2 is not:
// exploration is sequentially consistent, and there O2 is only a fence.
func TestNextSlotOneTaker(t *testing.T) {
	for name, end := range map[string]ending{"idling": byIdling, "going on": byGoingOn,
		"taking": byTaking} {
		t.Run(name, func(t *testing.T) { explore.Portfolio(t, robbing(3, 3, end)) })
	}
}

// TestNextSlotExhaustive: the same without a bound on preemptions.
func TestNextSlotExhaustive(t *testing.T) {
	for name, end := range map[string]ending{"idling": byIdling, "going on": byGoingOn,
		"taking": byTaking} {
		t.Run(name, func(t *testing.T) {
			cfg := explore.Config{Strategy: explore.Bounded(-1, 0)}
			if res := explore.Run(t, cfg, robbing(2, 2, end)); !res.Exhausted {
				t.Error(res)
			}
		})
	}
}

// TestNextSlotShown: a task that was prepared and is shown again can be revoked with its new stamp,
// and not with an older stamp.
func TestNextSlotShown(t *testing.T) {
	d, s := newDeck(1), new(nextSlot)
	s.put(d.card(0))
	old := s.stamp()
	s.prepare()
	if s.revoke(old) != nil || s.revoke(s.stamp()) != nil {
		t.Error("a prepared slot is revoked")
	}
	s.show()
	if s.revoke(old) != nil || s.revoke(s.stamp()) != d.card(0) {
		t.Error("a slot that is shown again is not revoked, or by its old stamp")
	}
	if s.show(); s.take() != nil || s.task != nil || s.revocation.Load() != revokeNone {
		t.Error("a slot that was revoked has something")
	}
}

// TestBug_K10_TaskRevokedWhileItsOwnerTakesIt: the owner used to clear the slot
// before it waited for the verdict of a monitor that had yet to read it, and the
// task was lost.
func TestBug_K10_TaskRevokedWhileItsOwnerTakesIt(t *testing.T) {
	cfg := explore.Config{Strategy: explore.Bounded(-1, 0)}
	if res := explore.Run(t, cfg, robbing(1, 1, byIdling)); !res.Exhausted {
		t.Error(res)
	}
}

// TestNextSlotStaleStamp: a monitor revokes only the filling whose stamp it has seen,
// even if it was delayed for a whole filling in between.
func TestNextSlotStaleStamp(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		d, s := newDeck(3), new(nextSlot)
		p.Go(func() {
			for i := range 3 {
				s.put(d.card(i))
				seam.Point()
				d.take(s.take())
			}
		})
		p.Go(func() {
			seen := s.stamp()
			p.Point()
			if got := s.revoke(seen); d.take(got) && d.index(got) != int(seen/2) {
				p.Errorf("filling %d seen, task %d revoked", seen/2, d.index(got))
			}
		})
		p.After(d.each)
	})
}
