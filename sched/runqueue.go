package sched

import "github.com/gallop-go/gallop/internal/invariant"

// Tasks that wait at a worker, apart from its next-slot, are in two rings: new tasks, which have
// never run, and resumed tasks, which have.
//
// Resumed tasks take turns: the oldest runs next (FIFO). Of the new tasks the newest runs next
// (LIFO). So a tree of tasks that make tasks is walked depth first, and only one path and its
// branches exist at a time. In the order of creation, a whole generation would exist before the
// next one begins: a burden for the inject queue, to which it overflows, for the caches and for the
// GC. Thieves take the oldest new task, which has the largest subtree. This is the busy-leaves
// order of Cilk (Blumofe and Leiserson, 1999).
//
// New tasks go first; otherwise a walk would be as wide as the number of resumed tasks. Another
// task is owed a turn after maxNewInRow new tasks, or after one new task when the oldest resumed
// task has waited for a quantum of time. The owed turn goes to the oldest resumed task. Every 256th
// of these turns goes to the oldest new task, on which others may have been piled without end.
// Where turns are long that alone would take seconds. So the oldest new task is also owed a turn
// when it has been the oldest for 32 µs for each waiting new task, not counting a microsecond of
// each turn. Each such turn begins another path. With a fixed wait of a millisecond instead, skynet
// took three times the memory, and a tree with long turns was as wide as a generation. Hence the
// wait grows with the paths already begun.
//
// The depth-first walk needs room at the newest end of the ring of new tasks, so that ring is
// large. Tasks that find no room wait with the resumed ones, and run in the order of creation.
//
// Figures and rejected designs: docs/decisions/0004-next-slot.md.
type runQueue struct {
	newTasks ring // the newest is next
	resumed  ring // the oldest is next

	// Owner only.
	newSize   int
	newLeft   int  // new tasks that may still go first
	turnsOwed uint // turns that were owed to another task

	// State of the last call of applyAging.
	seen      uint64 // the index after the newest resumed task
	oldestNew uint64 // the index of the oldest new task
	since     int64  // the time when it was first seen as the oldest, ns

	oldestNewOwed     bool // the oldest new task is owed the next turn
	oldestNewOwedLast bool // it was owed the last owed turn
}

const (
	maxNewInRow    = 256
	oldestNewEvery = 256 // of so many owed turns one goes to the oldest new task

	newWait   = 32_000 // ns, for each waiting new task, until the oldest is owed a turn
	shortTurn = 1_000  // ns of each turn that do not count as waiting

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

// pushNew appends a new task and reports whether there was room. A worker made for a slot makes its
// ring only here: if its turns block it usually needs none. Owner only.
func (q *runQueue) pushNew(t *Task) bool {
	q.begin()
	return q.newTasks.owner().push(t)
}

// next takes the task to run next, or returns nil if no task waits. Owner only.
func (q *runQueue) next() *Task {
	if q.newTasks.owner().len() != 0 {
		return q.nextOfBoth()
	}
	return q.resumed.owner().pop()
}

// nextOfBoth is next for a queue with new tasks, unless thieves have taken them by now. It takes
// the owed task as a thief would. Owner only.
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

// applyAging gives the next turn to the oldest resumed task if that has waited since the last call,
// or to the oldest new task if that has been the oldest for long. If both have waited they take
// turns. Neither gets two owed turns in a row. Otherwise, where every turn lasts for a quantum, the
// newest of the new tasks would never have one. now is the time, less shortTurn for each turn so
// far. Owner only.
func (q *runQueue) applyAging(now int64) {
	h := q.newTasks.head.Load() // identifies the oldest new task
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

// len returns the number of waiting tasks. It is exact except for thieves. It is not inlined, which
// keeps small programs small. Owner only.
//
//go:noinline
func (q *runQueue) len() int { return q.newTasks.owner().len() + q.resumed.owner().len() }

// steal takes the oldest new task, or else the oldest resumed one, or returns nil. Any goroutine.
func (q *runQueue) steal() *Task {
	if t := q.newTasks.thief().steal(); t != nil {
		return t
	}
	return q.resumed.thief().steal()
}

// empty reports whether there is nothing to steal. Any goroutine.
func (q *runQueue) empty() bool { return q.newTasks.thief().empty() && q.resumed.thief().empty() }

// enqueueNew is enqueue for a task, new or resumed, that a turn has made runnable. Owner only.
func (w *Worker) enqueueNew(t *Task) {
	if t.isNew() && w.queue.pushNew(t) { // W1
		w.notify() // W2 and on
		return
	}
	w.enqueue(t)
}

// enqueue puts a task after the waiting resumed ones, where thieves find it, and wakes a worker if
// none searches.
//
// While tasks are left in the inject queue, half of the ring is kept free for them: otherwise
// endless tasks could fill it, and the tasks in the inject queue would never run. A task that finds
// its half full goes to the end of the inject queue, so all have their turns. Owner only.
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

// notify wakes a sleeper for the tasks in the worker's queue. Owner only.
func (w *Worker) notify() {
	if w.asks {
		w.sched.notifyFor(w.queue.len())
	} else {
		w.sched.notify()
	}
}

// requeue queues a task that has more to do, after all waiting tasks. Owner only.
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
