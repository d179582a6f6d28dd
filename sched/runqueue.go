package sched

import "github.com/gallop-go/gallop/internal/invariant"

// Tasks that wait at a worker, behind its next-slot, are in two rings: fresh tasks, which have
// never run, and all others.
//
// The others take turns: the oldest is next. Of the fresh ones the newest is next. So a tree of
// tasks that make tasks is walked depth first, and no more of it exists at a time than a path and
// what branches off it. If tasks ran in the order in which they were made, all of a generation
// would exist before the next one begins: the inject queue, where it overflows to, the caches and
// Go's collector would have all of it to carry. Thieves take the oldest of the fresh, which has
// most still to come. That is the busy-leaves order of Cilk (Blumofe and Leiserson, 1999).
//
// Fresh tasks go before the others; otherwise a walk would be as wide as there are others. But
// after freshTurns of them, or after one when the oldest of the others has waited for a quantum of
// time, somebody else is due: the oldest of the others, or the oldest of the fresh, on which others
// may have been piled without end. The oldest of the fresh is due every 256th time. Where turns are
// long that alone would take seconds, so it is also due when it has been the oldest for 32 µs for
// each fresh task that waits, not counting a microsecond of each turn. Each time another path
// begins. When it was due after a millisecond, however many waited, skynet took three times the
// memory, and a tree whose turns are long was as wide as a generation. So the paths already begun
// hold up the next.
//
// All depends on the new end of the ring of the fresh, so that ring is large: tasks that find no
// room wait with the others, and are walked in the order in which they were made.
//
// Figures, and what was rejected: docs/decisions/0036-depth-first.md.
type runQueue struct {
	newTasks ring // the newest is next
	resumed  ring // the oldest is next

	// Owner only.
	newSize           int
	newLeft           int    // fresh ones that may still go before somebody else is due
	turnsOwed         uint   // how often somebody was
	seen              uint64 // the index behind the newest of the others at the last call of age
	oldestNew         uint64 // the index of the oldest of the fresh then
	since             int64  // when it was first seen there, ns
	oldestNewOwed     bool   // it is who is due
	oldestNewOwedLast bool   // it was the last time
}

const (
	maxNewInRow    = 256
	oldestNewEvery = 256 // every so often the oldest of the fresh is who is due

	newWait   = 32_000 // ns after which it is in any case, for each that waits
	shortTurn = 1_000  // ns of each turn that do not count

	noIndex = ^uint64(0) // no task is at this index
)

func (q *runQueue) init(newTasks, resumed int) {
	q.resumed.init(resumed, 0)
	q.newSize, q.newLeft, q.oldestNew = newTasks, maxNewInRow, noIndex
}

// begin is the rest of init, for a worker that is needed. Until then thieves find nothing in fresh.
func (q *runQueue) begin() {
	if q.newTasks.entries == nil {
		q.newTasks.init(q.newSize, 0)
	}
}

// pushFresh appends a fresh task and reports whether there was room. A worker that may be a spare
// makes its ring only here: a spare whose turns block needs none, as a rule. Owner only.
func (q *runQueue) pushNew(t *Task) bool {
	q.begin()
	return q.newTasks.owner().push(t)
}

// next takes what is to run next, or returns nil if nothing waits. Owner only.
func (q *runQueue) next() *Task {
	if q.newTasks.owner().len() != 0 {
		return q.nextOfBoth()
	}
	return q.resumed.owner().pop()
}

// nextOfBoth is next where there are fresh tasks, unless thieves have been faster. The task that is
// due is taken as a thief would take it.
func (q *runQueue) nextOfBoth() *Task {
	if invariant.On {
		verifyShares(q)
	}
	if q.newLeft > 0 {
		q.newLeft--
	} else if t := q.turnOwed().thief().steal(); t != nil {
		return t
	}
	if t := q.newTasks.owner().popNewest(); t != nil {
		return t
	}
	return q.resumed.thief().steal()
}

// due returns the ring whose oldest task is due.
func (q *runQueue) turnOwed() *ring {
	q.newLeft = maxNewInRow
	q.turnsOwed++
	q.oldestNewOwedLast = q.oldestNewOwed || q.turnsOwed%oldestNewEvery == 0
	q.oldestNewOwed = false
	if q.oldestNewOwedLast {
		return &q.newTasks
	}
	return &q.resumed
}

// age makes the oldest of the others due if it has waited since the last call, or the oldest of the
// fresh if it has been the oldest for long. Where both have waited they take turns. But nobody is
// due twice in a row: otherwise, where every turn lasts for a quantum, the newest of the fresh
// would never have one. now is the time, less shortTurn for each turn so far. Owner only.
func (q *runQueue) applyAging(now int64) {
	h := q.newTasks.head.Load() // says which it is: whoever takes the last one moves it on
	n := int64(q.newTasks.next - h)
	if n != 0 && h != q.oldestNew {
		q.oldestNew, q.since = h, now
	}
	newWaited := h == q.oldestNew && now-q.since >= n*newWait
	resumedWaited := int64(q.seen-q.resumed.head.Load()) > 0
	if (resumedWaited || newWaited) && q.newLeft != maxNewInRow {
		q.newLeft = 0
		q.oldestNewOwed = newWaited && !(resumedWaited && q.oldestNewOwedLast)
	}
	q.seen = q.resumed.next
}

// len returns how many wait. Owner only; exact except for thieves. A call, which keeps a small
// program small.
//
//go:noinline
func (q *runQueue) len() int { return q.newTasks.owner().len() + q.resumed.owner().len() }

// steal takes the task that has most still to come, or returns nil if there was nothing. Any
// goroutine.
func (q *runQueue) steal() *Task {
	if t := q.newTasks.thief().steal(); t != nil {
		return t
	}
	return q.resumed.thief().steal()
}

// empty tells whether there is nothing to steal. Any goroutine.
func (q *runQueue) empty() bool { return q.newTasks.thief().empty() && q.resumed.thief().empty() }

// enqueueNew is enqueue for a task that a turn has made runnable: it may be fresh.
func (w *Worker) enqueueNew(t *Task) {
	if t.isNew() && w.queue.pushNew(t) { // W1
		w.sched.notify() // W2 and on
		return
	}
	w.enqueue(t)
}

// enqueue puts a task behind the others that wait, where thieves find it, and sees to it that a
// thief looks.
//
// While tasks are left in the inject queue, half of the ring is kept free for them: if tasks that
// go on forever had all of it, those in the inject queue would never run. So a task that has run
// goes behind them, and all have their turns.
func (w *Worker) enqueue(t *Task) {
	q := w.queue.resumed.owner()
	kept := w.backlog && q.len() >= len(q.entries)/2
	if kept || !q.push(t) {
		w.backlog = true
		w.count.overflows.Add(1)
		w.sched.inject.push(t)
	}
	w.sched.notify()
}

// requeue puts a task that wants to go on behind everything that waits.
func (w *Worker) requeue(t *Task) {
	if invariant.On {
		verifyRequeue(t)
		checkEnter(t)
	}
	if w.queue.len() == 0 && w.next.put(t) {
		return
	}
	w.enqueue(t)
}
