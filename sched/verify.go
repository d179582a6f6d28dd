package sched

import (
	"math/bits"
	"slices"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Invariants of workers, for builds that check them. An explorer can split none of these checks,
// since they read contended words by seam.Peek.

// verifySchedule checks a task that a turn makes runnable.
func verifySchedule(w *Worker, t *Task) {
	invariant.Check(t.class != nil, "worker %d makes a task runnable that was never prepared", w.id)
	invariant.Check(t.class.pin != nil || w.detached || w.pin == nil,
		"the worker %d of a pin queues for itself", w.id)
}

// verifyBegin checks the state of a worker that begins a turn of t.
func verifyBegin(w *Worker, t *Task) {
	invariant.Check(t.class != nil, "worker %d runs a task that was never prepared", w.id)
	invariant.Check(t.class.pin == nil, "worker %d runs a task that belongs to a pin", w.id)
	invariant.Check(!w.inTurn, "worker %d begins a turn within another", w.id)
	invariant.Check(!w.searching, "worker %d runs a turn while it counts as a searcher", w.id)
	invariant.Check(w.handed == nil, "worker %d runs a turn and was handed another task", w.id)
	invariant.Check(w.started && !w.dismissed,
		"worker %d runs a turn: started %v, dismissed %v", w.id, w.started, w.dismissed)
	checkTurnBegin(w, t)
	verifyFigures(w)
	verifyWorkerSlot(w)
}

// verifyChain checks a turn that ends, and goes on as one of t.
func verifyChain(w *Worker, t *Task) {
	verifyEnd(w, w.current, false)
	w.inTurn = false
	verifyBegin(w, t)
	w.inTurn = true
}

// verifyTerminate counts out a task that its runner takes over. The task was in the hand of w, or
// the caller found it in a queue and discards it.
func verifyTerminate(t *Task, w *Worker) {
	if w == nil {
		checkLeave(t)
		return
	}
	invariant.Check(w.current == t, "a task dies in a worker's hand that has another")
	checkRelease(w, t)
}

// verifyFigures checks the worker's own figures.
func verifyFigures(w *Worker) {
	invariant.Check(w.budget >= 1, "worker %d begins a turn with a budget of %d", w.id, w.budget)
	invariant.Check(w.inRow >= 0 && w.inRow <= maxInRow,
		"worker %d has taken %d in a row from its next-slot", w.id, w.inRow)
	invariant.Check(w.injectShare >= 0 && w.injectShare <= maxInjectShare,
		"worker %d fetches %d tasks", w.id, w.injectShare)
	invariant.Check(w.victim >= 0 && w.victim <= len(w.sched.slots),
		"worker %d has revoked slot %d", w.id, w.victim)
}

// verifyWorkerSlot checks that a worker that thinks it has a slot holds it, unless it was detached
// a moment ago. The state is read after the holder: detach goes the other way.
func verifyWorkerSlot(w *Worker) {
	invariant.Check(w.slot >= noSlot && w.slot < len(w.sched.slots),
		"worker %d has slot %d", w.id, w.slot)
	if w.slot == noSlot {
		invariant.Check(w.detached, "worker %d has no slot and does not know it", w.id)
		return
	}
	holds := seam.Peek(&w.sched.slots[w.slot].holder) == w
	invariant.Check(holds || seam.Peek(&w.state.word) == stateDetached,
		"worker %d is running, and another holds its slot %d", w.id, w.slot)
}

// verifyEnd checks the state of a worker after a turn of t.
func verifyEnd(w *Worker, t *Task, again bool) {
	invariant.Check(w.current == t, "worker %d ends a turn that it did not begin", w.id)
	invariant.Check(w.inTurn, "worker %d ends a turn twice", w.id)
	checkTurnEnd(w, t, again)
}

// verifyRebalance checks a worker that takes tasks from another although it may have some. No other
// worker sees the tasks in its hand, so it must be awake, and between two turns.
func verifyRebalance(w, victim *Worker) {
	invariant.Check(!w.inTurn && w.slot != noSlot && !w.detached,
		"worker %d levels in a turn or without a slot", w.id)
	invariant.Check(!w.searching, "worker %d levels while it counts as a searcher", w.id)
	invariant.Check(w != victim, "worker %d revokes itself", w.id)
}

// verifyAsleep checks, before a worker announces that it sleeps, that it has nothing: its bit says
// so to a check for quiescence.
func verifyAsleep(w *Worker) {
	invariant.Check(w.pin == nil && w.slot != noSlot, "worker %d without a slot sleeps on one", w.id)
	invariant.Check(w.current == nil && !w.inTurn, "worker %d falls asleep in a turn", w.id)
	invariant.Check(w.next.task == nil, "worker %d falls asleep with a task in its next-slot", w.id)
	invariant.Check(holdsNothing(&w.queue), "worker %d falls asleep with tasks in its queue", w.id)
	invariant.Check(w.handed == nil && !w.uncounted, "worker %d was woken before it fell asleep", w.id)
	invariant.Check(seam.Peek(&w.state.word) == stateIdle,
		"worker %d falls asleep and is running", w.id)
	verifyAwake(w)
}

// verifyAwake checks that the bit of a worker that runs is clear.
func verifyAwake(w *Worker) {
	v := seam.Peek(&w.sched.idle.v)
	invariant.Check(w.slot == noSlot || !w.sched.idle.peekBit(w.slot),
		"worker %d is awake, and sleeps by the idle word %#x", w.id, v)
	invariant.Check(!w.searching || searching(v) > 0,
		"worker %d searches, and nobody does by the idle word %#x", w.id, v)
}

// verifyToken checks the state of a worker that has taken its token.
func verifyToken(w *Worker) {
	invariant.Check(w.started, "worker %d has a token, and no goroutine", w.id)
	invariant.Check(w.handed == nil || !w.uncounted,
		"worker %d was woken for nothing, and handed a task", w.id)
	invariant.Check(!w.searching, "worker %d slept while it counted as a searcher", w.id)
}

// verifyWake checks a worker that the caller is about to wake, and owns.
func verifyWake(w *Worker, t *Task, timed bool) {
	invariant.Check(w != reserved, "a slot that is reserved is woken")
	invariant.Check(w.handed == nil, "worker %d is handed a second task", w.id)
	invariant.Check(timed || t != nil, "worker %d is woken to search, and no turn is timed", w.id)
	if t != nil {
		mustBeInOnePlace(t)
		invariant.Check(t.class.pin == nil, "worker %d is handed a task that belongs to a pin", w.id)
	}
}

// verifyIdleWord checks a word that is about to become the idle word.
func verifyIdleWord(w *idleWord, v, n uint64) {
	invariant.Check(v&frozenBit == 0, "the idle word %#x is frozen, and changes to %#x", v, n)
	invariant.Check(searching(n) <= w.workers, "%d of %d workers search", searching(n), w.workers)
	if w.leaves != nil {
		invariant.Check(n&sleepMask <= w.all, "%d of %d workers sleep", n&sleepMask, w.all)
		return
	}
	invariant.Check(n&sleepMask&^w.all == 0, "the idle word %#x has bits of no worker", n)
	invariant.Check(bits.OnesCount64((v^n)&sleepMask) <= 1,
		"the idle word goes from %#x to %#x in one step", v, n)
}

// peekBit reports whether worker i sleeps.
func (w *idleWord) peekBit(i int) bool {
	if w.leaves == nil {
		return seam.Peek(&w.v)&(1<<i) != 0
	}
	leaf, bit := w.leaf(i)
	return seam.Peek(&leaf.bits)&bit != 0
}

// verifyLeafBit checks that worker i is awake before it sets its bit.
func verifyLeafBit(leaf *idleLeaf, bit uint64, i int) {
	invariant.Check(seam.Peek(&leaf.bits)&bit == 0, "worker %d falls asleep twice", i)
}

// verifyAwakeBit checks that worker i is awake in v, before it is put to sleep.
func verifyAwakeBit(w *idleWord, v uint64, i int, wasSearching bool) {
	invariant.Check(i >= 0 && i < w.workers, "worker %d of %d falls asleep", i, w.workers)
	invariant.Check(w.leaves != nil || v&(1<<i) == 0, "worker %d falls asleep twice: %#x", i, v)
	invariant.Check(!wasSearching || searching(v) > 0,
		"worker %d has searched, and nobody does: %#x", i, v)
}

// verifyFrozen checks that a quiescence check is on, before it is ended.
func verifyFrozen(w *idleWord) {
	v := seam.Peek(&w.v)
	invariant.Check(v == w.all|frozenBit, "a quiescence check ends in the idle word %#x", v)
}

// verifyQuiet checks that the scheduler has no work. It is called while the idle word is frozen and
// the check has found quiescence. A sender that pushes to the inject queue after the check has
// looked at it waits for the end of the freeze, and learns there that it was too late. So that
// queue may have work again. Caller holds the quiescence's mu.
func verifyQuiet(s *Scheduler) {
	verifyFrozen(&s.idle)
	for i := range s.slots {
		w := seam.Peek(&s.slots[i].holder)
		if w == nil || w == reserved {
			continue
		}
		invariant.Check(w.slot == i, "worker %d holds slot %d, and thinks it is %d", w.id, i, w.slot)
		invariant.Check(w.next.task == nil, "quiescent, and worker %d has a task in its next-slot", w.id)
		invariant.Check(holdsNothing(&w.queue), "quiescent, and worker %d has tasks in its queue", w.id)
		invariant.Check(!w.inTurn, "quiescent, and worker %d is in a turn", w.id)
	}
}

// verifyHolds checks both counts of holds, as a check for quiescence has read them.
func verifyHolds(holds int64) {
	invariant.Check(unparkedHolds(holds) >= 0,
		"%d hold, and may go on by themselves", unparkedHolds(holds))
	invariant.Check(holds >= 0, "%d hold, and are parked", holds/oneParkedHold)
}

// verifyWaiters checks the count of the waiters for quiescence. Caller holds mu.
func verifyWaiters(q *quiescence) {
	invariant.Check(int(seam.Peek(&q.asked)) == len(q.wait),
		"%d wait for quiescence, %d are counted", len(q.wait), seam.Peek(&q.asked))
	invariant.Check(!q.end || len(q.wait) == 0, "%d wait for quiescence behind the end", len(q.wait))
}

// verifyStopped checks that a stopped scheduler has no task left.
func verifyStopped(s *Scheduler) {
	invariant.Check(seam.Peek(&s.stop.left) == 0,
		"the scheduler ends, and %d workers are left", seam.Peek(&s.stop.left))
	invariant.Check(seam.Peek(&s.idleWorkers.detachedNow) == 0,
		"the scheduler ends, and %d workers are away", seam.Peek(&s.idleWorkers.detachedNow))
	invariant.Check(s.monitor.ended, "the scheduler ends before its monitor")
	for _, w := range s.unpinned() {
		invariant.Check(w.next.task == nil, "worker %d has left a task in its next-slot", w.id)
		invariant.Check(holdsNothing(&w.queue), "worker %d has left tasks in its queue", w.id)
	}
}

// verifyHot checks an idle worker that has begun to wait. Caller holds mu.
func verifyHot(p *idleWorkers, w *Worker) {
	invariant.Check(len(p.hot)+len(p.cold) <= len(p.made)+len(p.s.workers),
		"%d idle workers of %d", len(p.hot)+len(p.cold), len(p.made)+len(p.s.workers))
	invariant.Check(w.detachedAt == 0, "idle worker %d waits and is in a turn", w.id)
	// With more, the checks would take a time that is quadratic in their number.
	if len(p.hot) < 100 {
		invariant.Check(!slices.Contains(p.cold, w), "idle worker %d is hot and cold", w.id)
		invariant.Check(slices.Index(p.hot, w) == len(p.hot)-1, "idle worker %d waits twice", w.id)
	}
	invariant.Check(w.started && !w.inTurn,
		"idle worker %d waits: started %v, in a turn %v", w.id, w.started, w.inTurn)
}

// verifyDetached checks the place of a detached worker in the list. Caller holds mu.
func verifyDetached(p *idleWorkers, w *Worker) {
	invariant.Check(w.detachedAt <= len(p.detached) && p.detached[w.detachedAt-1] == w,
		"worker %d is not detached worker %d of %d", w.id, w.detachedAt, len(p.detached))
}

// verifyForgotten checks forgotten workers and the remaining ones. Caller holds mu.
func verifyForgotten(p *idleWorkers, old, made []*Worker) {
	invariant.Check(len(old)+len(made) == len(p.made),
		"%d of %d idle workers are forgotten, and %d are left", len(old), len(p.made), len(made))
	for _, w := range old {
		verifyTaken(w)
		invariant.Check(!w.started && w.slot == noSlot && w.detachedAt == 0,
			"worker %d is forgotten: started %v, on slot %d", w.id, w.started, w.slot)
	}
}

// verifyCold checks a worker whose goroutine ends. Caller holds mu.
func verifyCold(p *idleWorkers, w *Worker) {
	invariant.Check(w.dismissed, "worker %d ends its goroutine, and nobody said so", w.id)
	invariant.Check(len(p.hot)+len(p.cold) >= 100 || !slices.Contains(p.hot, w) &&
		!slices.Contains(p.cold, w), "worker %d is an idle worker twice", w.id)
}

// verifyTaken checks an idle worker that no other goroutine can reach any more.
func verifyTaken(w *Worker) {
	invariant.Check(w.pin == nil, "the worker %d of a pin is taken for an idle worker", w.id)
	invariant.Check(w.handed == nil && w.current == nil && !w.inTurn,
		"idle worker %d has something in hand", w.id)
	invariant.Check(w.next.task == nil, "idle worker %d has a task in its next-slot", w.id)
	invariant.Check(seam.Peek(&w.state.word) == stateIdle,
		"idle worker %d is running: %d", w.id, seam.Peek(&w.state.word))
	invariant.Check(!w.dismissed, "idle worker %d was dismissed", w.id)
}

// verifyTurnRecord checks that the monitor asked the worker of a turn before now. Caller holds the
// monitor's mu.
func verifyTurnRecord(w *Worker, now int64) {
	invariant.Check(w.turn.since > 0, "worker %d was not asked in a turn that lasts", w.id)
	invariant.Check(w.turn.since <= now,
		"worker %d was asked at %d, and now is %d", w.id, w.turn.since, now)
}

// verifyBeside checks a worker that begins something for which the end waits, as it does for the
// worker.
func verifyBeside(w *Worker) {
	invariant.Check(seam.Peek(&w.sched.stop.left) > 1,
		"worker %d begins something, and has left", w.id)
}
