package sched

import "github.com/gallop-go/gallop/internal/invariant"

// Sharing decides which tasks a worker offers to other workers at once, and which it keeps.
//
// The rule: while a worker sleeps that may be awake, no runnable task waits for longer than a
// wake-up takes. A task in a queue keeps the rule, since a worker is woken for it. Only the
// next-slot wakes no worker. So a task may go there only if the turn that makes it runnable ends
// soon.
//
// The end of a turn is not known, but two signs predict it:
//
//   - The turn has more messages to handle (Class.GoesOn).
//   - Units of work have lately gone on for long after they had made a task runnable. Most
//     behaviours send last; this finds behaviours that send first and compute afterwards.
//
// Where messages are short the turn ends soon in any case, and another worker would cost more than
// it saves. Then, and while only one worker may be awake, neither sign is read: Schedule loads one
// flag, which includes w.detached.
//
// Figures and rejected designs: docs/decisions/0004-next-slot.md.
type sharing struct {
	gas     int   // units of the budget, since the last reading of the clock, that were no messages
	message int64 // moving average of a message's time, ns/16; it follows timesliceAccount.unit
	made    int64 // time when the last unit of the budget made a task runnable, ns; 0: it has not
	after   int64 // moving average of the time that such units went on after that, ns
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

// turnGoesOn reports whether the turn is likely to last for another wakeTime. The last unit of the
// budget is a sample, since the clock is read after it in any case. Owner only.
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

// putBack keeps the task of the next-slot, which a task from outside overtakes. The turn of that
// other task may last. Owner only.
func (w *Worker) putBack(t *Task) {
	if w.asks {
		w.enqueue(t)
		return
	}
	w.next.put(t)
	w.sched.monitor.arm() // it frees t if that turn gets stuck
}

// learnToShare records that n messages have taken elapsed nanoseconds. Owner only, with each
// reading of the clock.
func (w *Worker) learnToShare(now, elapsed int64, n int) {
	s := &w.sharing
	s.message += (16*elapsed/int64(max(n, 1)) - s.message) / 4
	if s.made != 0 {
		s.after += (min(now-s.made, longestAfter) - s.after) / 4
	}
}

// setDetached records whether the worker is without a slot. Owner only.
func (w *Worker) setDetached(detached bool) {
	w.detached = detached
	w.setAsks()
}

// setAsks sets whether Schedule decides where a task goes, or always tries the next-slot first.
// Owner only.
func (w *Worker) setAsks() {
	w.asks = w.detached || w.sharing.message >= 16*shareFrom && w.sched.idle.limit.Load() > 1
}
