package sched

import "github.com/gallop-go/gallop/internal/invariant"

// Which tasks a worker shares with other workers at once, and which it keeps for itself.
//
// The rule: no runnable task waits for longer than it takes to wake a worker, as long as a worker
// sleeps that may be awake. A task in a queue keeps the rule, since a worker is woken for it. The
// next-slot is the only place for which none is woken. So a task may go there only if the turn that
// makes it runnable ends soon.
//
// When a turn ends is not known, but two things tell:
//
//   - The turn has more messages in hand (Class.GoesOn).
//   - Units of work have lately gone on for long after they had made a task runnable. Most
//     behaviours send last. Those that send first and compute afterwards are found out so.
//
// Where messages are short the turn ends soon in any case, and another worker would cost more than
// it saves. There, and while only one worker may be awake, nothing is asked: Schedule looks at one
// flag, in which w.detached is included.
//
// Figures, and what was rejected: docs/decisions/0004-next-slot.md.
type sharing struct {
	gas     int   // of the budget spent since the clock was read, what was no message
	message int64 // moving average of a message's time, ns/16; it follows timesliceAccount.unit
	made    int64 // when the last unit of the budget made a task runnable, ns; 0: it has not
	after   int64 // moving average of how long such units went on after that, ns
}

const (
	shareFrom    = 500   // ns of a message, from which on turns share
	wakeTime     = 2_000 // ns from a wake-up to the first turn
	longestAfter = 8_000 // ns; a longer one may have been kept from its processor
)

// scheduleAside is Schedule for a task of a pin, for a worker without a slot, and for a worker that
// shares. Owner only.
func (w *Worker) scheduleAside(t *Task) {
	if t.class.pin != nil || w.detached {
		w.sched.Inject(t)
		return
	}
	if invariant.On {
		checkEnter(t)
	}
	if w.turnGoesOn() || !w.next.put(t) {
		w.enqueueNew(t)
		return
	}
	w.sched.monitor.arm() // as in Schedule
}

// turnGoesOn reports whether the turn is likely to last for another wakeTime. The unit that ends
// the budget is a sample: the clock is read after it in any case. Owner only.
func (w *Worker) turnGoesOn() bool {
	s := &w.sharing
	if w.budget == 1 && s.made == 0 {
		s.made = w.sched.cfg.Clock.Nanos()
	}
	if s.after >= wakeTime {
		return true
	}
	if !w.inTurn {
		return false
	}
	has := w.current.class.goesOn
	return has != nil && has(w, w.current)
}

// putBack keeps a task that was next, and that a task from outside overtakes, whose turn may last.
// Owner only.
func (w *Worker) putBack(t *Task) {
	if w.asks {
		w.enqueue(t)
		return
	}
	w.next.put(t)
	w.sched.monitor.arm() // it frees t if that turn gets stuck
}

// learnToShare takes in that n messages have taken elapsed nanoseconds. Owner only, with each
// reading of the clock.
func (w *Worker) learnToShare(now, elapsed int64, n int) {
	s := &w.sharing
	s.message += (16*elapsed/int64(max(n, 1)) - s.message) / 4
	if s.made != 0 {
		s.after += (min(now-s.made, longestAfter) - s.after) / 4
	}
}

// setDetached says whether the worker is without a slot. Owner only.
func (w *Worker) setDetached(detached bool) {
	w.detached = detached
	w.setAsks()
}

// setAsks has Schedule ask where a task goes, or put it into the next-slot. Owner only.
func (w *Worker) setAsks() {
	w.asks = w.detached || w.sharing.message >= 16*shareFrom && w.sched.idle.limit.Load() > 1
}
