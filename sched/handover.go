package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Hand-over: a turn that blocks must not keep a processor's worth of work waiting.
//
// The scheduler has a fixed number of seats, each with its bit in the idle word. It has any number
// of workers, goroutines with their rings, of which one at a time holds a seat. A turn that blocks
// costs its worker the seat: the goroutine cannot be taken out of the turn, so the seat is, and a
// spare worker sits down. Tasks that waited go to the inject queue. When the turn returns, its
// worker has no seat; it leaves what it has to others and becomes a spare.
//
// Rejected: moving the worker's queues to the spare, as Go moves a P from one M to another. The
// ring's only owner may be about to push; taking the ring would put a fence into every push. Seats
// are only looked at by workers that search, sleep or wake.
//
// README.md has the steps and the proof.

// seat is a place in the idle word. Its holder changes hands like this:
//
//	         reseat                                      in a turn, bit clear
//	worker ───────────────────────────────────▶ spare
//	   │ leaveSeat: AWAY, then set the bit, then holder ← nil
//	   ▼                       whoever clears the bit
//	vacant ───────────────────▶ reserved ─────▶ spare
//	   │ retakeSeat: ASIDE, then holder ← me, then clear the bit
//	   ▼
//	worker
//
// A seat is vacant if its holder is nil; a holder that is AWAY is about to make it so. The holder
// matters to those that have cleared the bit and to those that want a vacant seat. To thieves it is
// a hint.
type workerSlot struct {
	holder seam.Pointer[Worker]
}

// noSeat is the seat of a worker that has none.
const noSlot = -1

// reserved is the holder of a seat for which somebody fetches a spare. It has nothing,
// does nothing, and is never written to.
var reserved = func() *Worker {
	w := new(Worker)
	w.state.word.StoreRelease(stateIdle)
	return w
}()

// claim reserves the seat if it is vacant, and otherwise returns its holder. The caller has cleared
// the seat's bit. claim waits for a holder that is about to leave: reserving the seat in its place
// could take it from one that has come back. And it looks at the holder twice: the first look may
// have found a worker that has left since and is on its way back, so that it is not AWAY any more,
// while another has sat down.
func (c *workerSlot) claim() (holder *Worker) {
	for {
		h := c.holder.Load()
		switch {
		case h == nil:
			if c.holder.CompareAndSwap(nil, reserved) { // fails if somebody sits down again
				return nil
			}
		case h.state.isDetached():
			seam.Spin() // from its bit to its holder it is two steps
		case c.holder.Load() == h:
			return h // he sleeps or waits for the token, so he stays
		}
	}
}

// sit gives w the seat i. Caller owns both.
func (w *Worker) occupy(i int) {
	w.slot = i
	w.injectShare = 0
	w.sched.slots[i].holder.Store(w)
}

// holder returns the worker on seat i, whose bit the caller has cleared. If the seat was vacant a
// spare takes it.
func (s *Scheduler) holder(i int) *Worker {
	w := s.slots[i].claim()
	if w == nil {
		w = s.idleWorkers.take()
		w.occupy(i)
	}
	return w
}

// Blocking calls f, which may block for long, without keeping others from running: the
// worker leaves its seat, and what is queued behind the turn is run by others at once.
// Afterwards the worker takes its seat back if that is still vacant. On a pinned
// worker, inside of another Blocking, or when all spares are in use, Blocking just
// calls f.
//
// It costs some ten locked instructions if nothing waits, and the wake-up of a spare if
// something does.
func (w *Worker) Blocking(f func()) {
	if w.blocking {
		f()
		return
	}
	w.blocking = true
	left, _ := w.leaveSlot()
	defer w.unblock(left)
	f()
}

// TryBlocking is [Worker.Blocking], except that it does not call f if all spares are in use, where
// f would keep the worker from others. It reports whether it has called f.
func (w *Worker) TryBlocking(f func()) bool {
	outer := w.blocking // with its seat given up, or kept for lack of a spare
	left, lacking := w.leaveSlot()
	if lacking {
		return false
	}
	w.blocking = true
	defer func() { w.unblock(left); w.blocking = outer }()
	f()
	return true
}

// unblock ends Blocking, for which the worker may have left its seat.
func (w *Worker) unblock(left bool) {
	w.blocking = false
	if left {
		w.retakeSlot()
	}
}

// leaveSeat gives the seat up in the middle of a turn and reports whether it did; if not, lacking
// reports whether it should have, and all spares are in use. As in lieDown the bit is set first and
// then all queues are looked at, so that either the worker sees what comes in or the one that brings
// it sees the bit.
func (w *Worker) leaveSlot() (left, lacking bool) {
	s := w.sched
	if w.detached {
		return false, false
	}
	switch s.beginDetached() { // L1
	case detachAtLimit:
		s.reportDetachLimit()
		return false, true
	case detachEnded:
		return false, false
	}
	if !w.state.leaveSlot() { // L2
		s.endDetached() // the monitor was faster, and has sent it away before
		w.detached = true
		return false, false
	}
	w.detached = true
	s.stop.left.Add(1) // the seat keeps its own count
	w.moveToInject()   // L3
	if invariant.On {
		verifyVacant(w)
	}
	s.idle.announce(w.slot, false)    // L4
	s.slots[w.slot].holder.Store(nil) // L5; whoever has cleared the bit waits for it
	if s.workLeft() {                 // L6
		s.notify()
	}
	return true, false
}

// retakeSeat ends Blocking: the worker sits again if its seat is vacant. If somebody else clears
// the bit before it can, that one finds the worker there, and owes it a token.
func (w *Worker) retakeSlot() {
	s := w.sched
	w.state.word.StoreRelease(stateIdle)                // B1; before: AWAY would mean that the seat is vacant
	if !s.slots[w.slot].holder.CompareAndSwap(nil, w) { // B2
		w.state.word.StoreRelease(stateDetached)
		return
	}
	cleared := s.idle.retract(w.slot) // B3
	if !cleared {
		w.park()
	}
	w.resumeSlot()
	if !cleared {
		w.acceptWakeInTurn()
	}
}

// takeToken takes over, in the middle of a turn, what the worker was woken for.
func (w *Worker) acceptWakeInTurn() {
	if t := w.acceptWake(); t != nil {
		w.enqueue(t)
	}
	if w.searching {
		w.found()
	}
}

// sitAgain takes the worker's own seat back, whose bit has just been cleared.
func (w *Worker) resumeSlot() {
	if invariant.On {
		verifyAwake(w)
	}
	w.occupy(w.slot)
	w.detached = false
	w.state.resume() // B4
	if w.sched.cfg.OnLongTurn != nil {
		w.sched.monitor.arm() // as in wake
	}
	w.sched.stop.left.Add(-1)
	w.sched.endDetached()
}

// absence is what became of an attempt to run without a seat.
type detachResult int

const (
	detachOK      detachResult = iota
	detachAtLimit              // all spares are in use
	detachEnded                // the scheduler is quiescent for good
)

// goAway counts in one more worker that runs without a seat, and holds the scheduler for it, unless
// there are too many, or the scheduler has ended. Counting in first and looking then would let two
// workers refuse each other the last spare.
func (s *Scheduler) beginDetached() detachResult {
	for {
		n := s.idleWorkers.detachedNow.Load()
		if int(n) >= s.cfg.MaxDetached {
			return detachAtLimit
		}
		if s.idleWorkers.detachedNow.CompareAndSwap(n, n+1) {
			break
		}
	}
	if !s.Hold() {
		s.idleWorkers.detachedNow.Add(-1)
		return detachEnded
	}
	return detachOK
}

// comeHome counts it out.
func (s *Scheduler) endDetached() {
	if invariant.On {
		verifyDetachedCount(s, seam.Peek(&s.idleWorkers.detachedNow)-1)
	}
	s.idleWorkers.detachedNow.Add(-1)
	s.Release()
}

// lackSpare counts a turn that keeps its seat, or does not block, because all spares are in use, and
// tells the layer above, outside of the turn and at most once in a second. Any goroutine.
func (s *Scheduler) reportDetachLimit() {
	soFar := s.idleWorkers.refused.Add(1)
	f := s.cfg.OnDetachLimit
	if f == nil || s.driver != nil {
		return
	}
	last, now := s.idleWorkers.lastReport.Load(), s.cfg.Clock.Nanos()
	if (last == 0 || now-last >= detachLimitGap) && s.idleWorkers.lastReport.CompareAndSwap(last, now) {
		go f(soFar)
	}
}

// reseat takes seat i from w, whose turn has lasted too long, and gives it to a spare.
// It reports whether it did. Monitor only.
func (s *Scheduler) retake(i int, w *Worker) bool {
	switch s.beginDetached() { // H1
	case detachAtLimit:
		if !w.turn.refused { // it is tried again and again
			w.turn.refused = true
			s.reportDetachLimit()
		}
		return false
	case detachEnded:
		return false
	}
	// Both come before H2. Once w is relieved its turn may end, and w may leave, or come back as
	// the very spare that is taken for its seat; then it is no stray any more.
	s.stop.left.Add(1)           // for w; the seat keeps its own
	s.idleWorkers.addDetached(w) // H1
	if !w.state.detach() {       // H2
		s.idleWorkers.dropDetached(w)
		s.stop.gone()
		s.endDetached()
		return false
	}
	idle := s.idleWorkers.take() // H3
	if invariant.On {
		verifyRetake(s, i, w, idle)
	}
	idle.occupy(i)
	idle.wakeUncounted() // the bit is clear, and it counts as nobody's searcher
	return true
}

// giveUp ends the turns of a worker without a seat (E4). What it has queued goes to others,
// and it waits as a spare until it is needed. It returns what to run then, or nil when
// the worker has to leave.
func (w *Worker) waitIdle() *Task {
	s := w.sched
	for {
		if w.moveToInject() {
			s.notify()
		}
		w.timeslice.stale, w.detached, w.current = true, false, nil
		w.count.parks.Add(1)
		w.publish()
		w.state.word.StoreRelease(stateIdle)
		stays := s.idleWorkers.park(w) // from here on others may seat it
		s.monitor.arm()                // or nobody would let it go when it is not needed
		s.endDetached()                // after the tasks it had were queued
		if !stays {
			return nil
		}
		w.park()
		w.count.wakes.Add(1)
		switch {
		case w.dismissed:
			return nil
		case w.slot != noSlot:
			w.bind()
			return w.afterPark()
		}
		w.acceptWake() // for nothing, as an extra
		if t := w.takeOne(); t != nil {
			return t
		}
	}
}

// extraTask is the first task of an extra, or what comes after it.
func (w *Worker) surplusTask() *Task {
	if t := w.takeOne(); t != nil {
		return t
	}
	return w.waitIdle()
}

// takeOne returns one task from anywhere for a worker without a seat.
func (w *Worker) takeOne() *Task {
	w.detached = true
	if w.sched.stop.flag.Load() != 0 {
		return nil
	}
	if t := w.sched.inject.pop(); t != nil {
		w.count.injected.Add(1)
		return t
	}
	return w.steal()
}
