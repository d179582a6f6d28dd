package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Invariants of slots that change hands, and of pins, which have no slot, for builds that check
// them.

// verifyResume checks a worker that runs turns again: only the owner moves the state from IDLE.
func verifyResume(s *workerState) {
	v := seam.Peek(&s.word)
	invariant.Check(v == stateIdle, "a worker goes running that is not aside: %d", v)
}

// verifyTurn checks the state of a pin's worker that begins a turn.
func verifyTurn(p *Pin, t *Task) {
	invariant.Check(t.class.pin == p, "a pin runs a task of another")
	invariant.Check(p.w.pin == p, "a pin without a worker of its own")
	checkTurnBegin(p.w, t)
	invariant.Check(!p.w.inTurn, "a pin begins a turn within another")
	invariant.Check(seam.Peek(&p.s.holds) > 0, "a pinned task runs and does not hold the scheduler")
	invariant.Check(!seam.Peek(&p.asleep), "a pin runs a turn in its sleep")
}

// verifyDetachedCount checks the count of workers without a slot: each has a hold, and there are no
// more than are allowed. Any goroutine, which has counted one out in detachedNow, and not in the
// scheduler.
func verifyDetachedCount(s *Scheduler, detached int32) {
	invariant.Check(detached >= 0 && int(detached) < s.cfg.MaxDetached,
		"%d workers run without a slot, of %d that may", detached, s.cfg.MaxDetached)
	invariant.Check(seam.Peek(&s.holds) > 0, "a worker comes home and held nothing")
}

// verifyRetake checks a slot that changes hands: from w, which has lost it, to an idle worker.
func verifyRetake(s *Scheduler, i int, w, idle *Worker) {
	invariant.Check(i >= 0 && i < len(s.slots), "slot %d of %d", i, len(s.slots))
	// The idle worker may be w itself, whose turn has just ended.
	invariant.Check(idle != reserved && idle.pin == nil,
		"worker %d is relieved by one who cannot", w.id)
	invariant.Check(seam.Peek(&s.slots[i].holder) == w,
		"slot %d is taken from worker %d, who does not hold it", i, w.id)
	invariant.Check(seam.Peek(&s.stop.left) > 1,
		"a worker is relieved and nobody is counted: %d", seam.Peek(&s.stop.left))
}

// verifyVacant checks a worker that leaves its slot in a turn.
func verifyVacant(w *Worker) {
	invariant.Check(w.inTurn, "worker %d leaves its slot and is in no turn", w.id)
	invariant.Check(w.next.task == nil, "worker %d leaves its slot with a task in its next-slot", w.id)
	invariant.Check(holdsNothing(&w.queue), "worker %d leaves its slot with tasks in its queue", w.id)
	invariant.Check(seam.Peek(&w.sched.slots[w.slot].holder) == w,
		"worker %d leaves slot %d, which another holds", w.id, w.slot)
}
