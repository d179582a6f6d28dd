package sched

import (
	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// The next-slot holds the task that the worker runs next: the first task that the running turn made
// runnable. It saves a pass through the ring: two locked instructions of the four that a message
// costs otherwise. No worker is woken for it, so one actor's ping-pong keeps one worker busy and
// not two.
//
// Rejected: a private slot, which would strand its task during a turn that blocks or runs long; and
// an ordinary shared one, which costs two locked instructions again.
//
// Chosen: a slot that is private while turns are short, and from which the monitor can revoke the
// task. It is Dekker's algorithm between the owner and the monitor, with the owner's half of the
// fence borrowed from the read-modify-write that ends a turn anyway.
//
//	owner                                     monitor (one at a time)
//	O1 full ← even    (prepare, release)      M1 revocation: none → asked   (RMW)
//	O2 read-modify-write that ends the turn   M2 full odd? no: revocation ← none, leave
//	O3 revocation = none? the owner has it    M3 read the task
//	O4 else wait until revocation ≠ asked;    M4 revocation ← taken
//	   taken: it is gone, revocation ← none
//
// Suppose both take the task of one filling. The monitor read that filling's odd value at M2, so O1
// was not visible at M2, so M1 < M2 < O1 < O2 < O3: the owner saw asked or taken at O3, waited, and
// saw taken at O4, so it did not take the task. Suppose neither takes it. Then the owner saw taken
// at O4, so M4 ran, and the monitor has it. full is a counter, odd while filled, so every filling
// has its own value, and the monitor revokes exactly the filling that it has seen. The choice of
// the filling is not part of this protocol: see freeStranded, freeDetached and
// monitor.retakeIfNeeded.

// States of the revocation. Only the monitor leaves none; only the owner leaves taken.
const (
	revokeNone = iota
	revokeAsked
	revokeTaken
)

// nextSlot is the next-slot of one worker. The zero value is empty.
type nextSlot struct {
	_ nocmp.Field
	// Owner only, except for the read at M3.
	task *Task
	// Written by the owner. Odd while the slot is filled.
	full   seam.Flag
	filled uint32 // the owner's own copy of full
	// Written by the monitor, reset by the owner.
	revocation seam.Uint32
	_          cacheline.Pad
}

// put fills the slot and reports whether it was free. Owner only.
func (s *nextSlot) put(t *Task) bool {
	if s.task != nil {
		return false
	}
	if invariant.On {
		verifyPut(s, t)
	}
	s.task = t
	s.filled++
	s.full.StoreRelease(s.filled) // publishes task; pairs with M2
	return true
}

// prepare announces that the owner is about to take the task in the slot. A read-modify-write (O2)
// must follow before takePrepared. Owner only, while the slot is not prepared.
func (s *nextSlot) prepare() {
	s.filled++
	s.full.StoreRelease(s.filled) // O1
}

// show takes prepare back, for a turn that goes on: the task in the slot becomes a new filling,
// which the monitor may revoke. If the monitor has revoked the last filling, revocation still says
// so, and keeps the monitor away until the owner has seen that. Owner only, before takePrepared.
func (s *nextSlot) show() {
	if s.task != nil {
		s.filled |= 1 // if it was prepared
		s.full.StoreRelease(s.filled)
	}
}

// prepared reports whether the slot is empty or its filling was prepared. Owner only.
func (s *nextSlot) prepared() bool { return s.filled&1 == 0 }

// take empties the slot and returns its task, or nil. Owner only, between two turns. A turn that
// ended by going idle has prepared the slot; after any other turn, take makes its own fence.
func (s *nextSlot) take() *Task {
	t := s.task
	if t == nil {
		return nil
	}
	if !s.prepared() || s.revoked() {
		return s.takeSlowly()
	}
	s.clear()
	return t
}

// revoked reports whether the owner has to wait for a verdict, or to read one. Owner only, if the
// slot is prepared.
func (s *nextSlot) revoked() bool { return s.revocation.Load() != revokeNone } // O3

// clear empties the slot. This is all of take that a prepared slot without a revocation needs.
// Owner only.
func (s *nextSlot) clear() {
	if invariant.On {
		verifyTake(s)
	}
	s.task = nil
}

// takeSlowly is the part of take that makes a fence or waits for a verdict.
func (s *nextSlot) takeSlowly() *Task {
	if !s.prepared() {
		s.prepare()
		s.revocation.CompareAndSwap(revokeNone, revokeNone) // O2
	}
	return s.takePrepared()
}

// takePrepared is take after prepare and a read-modify-write. Owner only. The slot is
// cleared last: before the verdict the monitor may still be about to read it.
func (s *nextSlot) takePrepared() *Task {
	if invariant.On {
		verifyTake(s)
	}
	lost := s.revocation.Load() != revokeNone && s.lost() // O3
	t := s.task
	s.task = nil
	if lost {
		return nil
	}
	return t
}

// lost waits for the monitor's verdict (O4). Owner only.
func (s *nextSlot) lost() bool {
	for s.revocation.Load() == revokeAsked {
		seam.Spin()
	}
	return s.revocation.CompareAndSwap(revokeTaken, revokeNone)
}

// stamp returns the counter that distinguishes fillings. Any goroutine. It is not inlined, which
// keeps small programs small.
//
//go:noinline
func (s *nextSlot) stamp() uint32 { return s.full.Load() }

// revocable reports whether the filling may be revoked. It may not while revocation keeps the
// verdict of the last one (M4) that the owner has not seen (O4). Monitor only.
func (s *nextSlot) revocable(stamp uint32) bool {
	return stamp&1 != 0 && s.revocation.Load() == revokeNone
}

// revoke takes the task away from the owner if the slot still has the filling with this stamp.
// Monitor only, one at a time.
func (s *nextSlot) revoke(stamp uint32) *Task {
	if stamp&1 == 0 || !s.revocation.CompareAndSwap(revokeNone, revokeAsked) { // M1
		return nil
	}
	if s.full.Load() != stamp { // M2
		s.revocation.Store(revokeNone)
		return nil
	}
	seam.Point() // M3 is a step of its own
	t := s.task  // M3
	if invariant.On {
		verifyRevoke(s, t, stamp)
	}
	s.revocation.Store(revokeTaken) // M4
	return t
}
