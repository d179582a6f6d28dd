package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold, in builds that check invariants, of seats that change hands, and of pins, which
// have no seat.

// verifyResume checks a worker that goes back on duty: only the owner moves the duty from ASIDE.
func verifyResume(s *workerState) {
	v := seam.Peek(&s.word)
	invariant.Check(v == stateIdle, "a worker goes on duty that is not aside: %d", v)
}

// verifyTurn checks what a pin's worker believes when it begins a turn.
func verifyTurn(p *Pin, t *Task) {
	invariant.Check(t.class.pin == p, "a pin runs a task of another")
	invariant.Check(p.w.pin == p, "a pin without a worker of its own")
	checkTurnBegin(p.w, t)
	invariant.Check(!p.w.inTurn, "a pin begins a turn within another")
	invariant.Check(seam.Peek(&p.s.holds) > 0, "a pinned task runs and does not hold the scheduler")
	invariant.Check(!seam.Peek(&p.asleep), "a pin runs a turn in its sleep")
}

// verifyAway checks the count of workers without a seat: each has a hold, and there are no more
// than are allowed. Any goroutine, which has counted one out in away, and not in the scheduler.
func verifyDetachedCount(s *Scheduler, detached int32) {
	invariant.Check(detached >= 0 && int(detached) < s.cfg.MaxDetached, "%d workers run without a seat, of %d that may", detached, s.cfg.MaxDetached)
	invariant.Check(seam.Peek(&s.holds) > 0, "a worker comes home and held nothing")
}

// verifyRelief checks a seat that changes hands: from w, which has lost it, to a spare.
func verifyRetake(s *Scheduler, i int, w, idle *Worker) {
	invariant.Check(i >= 0 && i < len(s.slots), "seat %d of %d", i, len(s.slots))
	invariant.Check(idle != reserved && idle.pin == nil, "worker %d is relieved by one who cannot", w.id) // itself it may be: its turn has just ended
	invariant.Check(seam.Peek(&s.slots[i].holder) == w, "seat %d is taken from worker %d, who does not hold it", i, w.id)
	invariant.Check(seam.Peek(&s.stop.left) > 1, "a worker is relieved and nobody is counted: %d", seam.Peek(&s.stop.left))
}

// verifyVacant checks a worker that leaves its seat in a turn.
func verifyVacant(w *Worker) {
	invariant.Check(w.inTurn, "worker %d leaves its seat and is in no turn", w.id)
	invariant.Check(w.next.task == nil, "worker %d leaves its seat with a task in its next-slot", w.id)
	invariant.Check(holdsNothing(&w.queue), "worker %d leaves its seat with tasks in its queue", w.id)
	invariant.Check(seam.Peek(&w.sched.slots[w.slot].holder) == w, "worker %d leaves seat %d, which another holds", w.id, w.slot)
}
