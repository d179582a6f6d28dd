package sched

import "github.com/gallop-go/gallop/internal/invariant"

// Tasks that wait at a worker, behind its next-slot, are in two rings: new tasks, which have never
// run, and resumed ones, which have.
//
// Resumed tasks take turns: the oldest runs next (FIFO). Of the new tasks the newest runs next
// (LIFO). So a tree of tasks that make tasks is walked depth first, and no more of it exists at a
// time than a path and what branches off it. If tasks ran in the order in which they were made, all
// of a generation would exist before the next one begins: the inject queue, where it overflows to,
// the caches and the GC would have all of it to carry. Thieves take the oldest new task, which has
// most still to come. That is the busy-leaves order of Cilk (Blumofe and Leiserson, 1999).
//
// New tasks go first; otherwise a walk would be as wide as there are resumed tasks. But after
// maxNewInRow of them, or after one when the oldest resumed task has waited for a quantum of time,
// another task is owed a turn: the oldest resumed one, or the oldest new one, on which others may
// have been piled without end. The oldest new task is owed every 256th of these turns. Where turns
// are long that alone would take seconds, so it is also owed one when it has been the oldest for 32
// µs for each new task that waits, not counting a microsecond of each turn. Each time another path
// begins. When it was owed a turn after a millisecond, however many waited, skynet took three times
// the memory, and a tree whose turns are long was as wide as a generation. So the paths already
// begun hold up the next.
//
// All depends on the newest end of the ring of new tasks, so that ring is large: tasks that find no
// room wait with the resumed ones, and are walked in the order in which they were made.
//
// Figures, and what was rejected: docs/decisions/0004-next-slot.md.
type runQueue struct {
	newTasks ring // the newest is next
	resumed  ring // the oldest is next

	// Owner only.
	newSize   int
	newLeft   int  // new tasks that may still go first
	turnsOwed uint // how often another task was owed a turn

	// What the last call of applyAging saw.
	seen      uint64 // the index behind the newest resumed task
	oldestNew uint64 // the index of the oldest new task
	since     int64  // when it was first seen there, ns

	oldestNewOwed     bool // it is the task that is owed the next turn
	oldestNewOwedLast bool // it was the last time
}

const (
	maxNewInRow    = 256
	oldestNewEvery = 256 // how often it is the oldest new task's turn

	newWait   = 32_000 // ns until it is in any case, for each that waits
	shortTurn = 1_000  // ns of each turn that do not count

	noIndex = ^uint64(0) // no task is at this index
)

// init gives the rings their sizes. The ring of new tasks is made by begin.
func (q *runQueue) init(newTasks, resumed int) {
	q.resumed.init(resumed, 0)
	q.newSize, q.newLeft, q.oldestNew = newTasks, maxNewInRow, noIndex
}

// begin is the rest of init, for a worker that is needed. Until then thieves find no new tasks.
// Owner only.
func (q *runQueue) begin() {
	if q.newTasks.entries == nil {
		q.newTasks.init(q.newSize, 0)
	}
}

// pushNew appends a new task and reports whether there was room. A worker that is made when a slot
// has none makes its ring only here: if its turns block it needs none, as a rule. Owner only.
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

// nextOfBoth is next where there are new tasks, unless thieves have been faster. The task that is
// owed a turn is taken as a thief would take it. Owner only.
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

// turnOwed returns the ring whose oldest task is owed the next turn. Owner only.
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

// applyAging makes the next turn the oldest resumed task's, if it has waited since the last call,
// or the oldest new task's, if it has been the oldest for long. Where both have waited they take
// turns. But neither is owed two turns in a row: otherwise, where every turn lasts for a quantum,
// the newest of the new tasks would never have one. now is the time, less shortTurn for each turn
// so far. Owner only.
func (q *runQueue) applyAging(now int64) {
	h := q.newTasks.head.Load() // says which task it is
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

// len returns how many tasks wait. It is exact except for thieves. It is a call of its own, which
// keeps a small program small. Owner only.
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

// empty reports whether there is nothing to steal. Any goroutine.
func (q *runQueue) empty() bool { return q.newTasks.thief().empty() && q.resumed.thief().empty() }

// enqueueNew is enqueue for a task that a turn has made runnable: it may be new. Owner only.
func (w *Worker) enqueueNew(t *Task) {
	if t.isNew() && w.queue.pushNew(t) { // W1
		w.notify() // W2 and on
		return
	}
	w.enqueue(t)
}

// enqueue puts a task behind the resumed ones that wait, where thieves find it, and sees to it that
// a thief looks.
//
// While tasks are left in the inject queue, half of the ring is kept free for them: if tasks that
// go on forever had all of it, those in the inject queue would never run. So a task that has run
// goes behind them, and all have their turns. Owner only.
func (w *Worker) enqueue(t *Task) {
	q := w.queue.resumed.owner()
	kept := w.backlog && q.len() >= len(q.entries)/2
	if kept || !q.push(t) {
		w.backlog = true
		w.count.overflows.Add(1)
		w.sched.inject.push(t)
	}
	w.notify()
}

// notify wakes a sleeper for what was put into the worker's queue. Owner only.
func (w *Worker) notify() {
	if w.asks {
		w.sched.notifyFor(w.queue.len())
	} else {
		w.sched.notify()
	}
}

// requeue puts a task that wants to go on behind everything that waits. Owner only.
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
