package sched

import "github.com/gallop-go/gallop/internal/invariant"

// What waits at a worker, behind its next-slot, is in two rings: those that have run before, and the fresh
// ones, which have not.
//
// The former take turns: the oldest is next. Of the fresh ones the newest is. So a tree of
// tasks that make tasks is walked depth first, and no more of it exists at a time than a path and what
// branches off it. In the order of their making, what exists is all of a generation before
// the next one begins: the inject queue, where it overflows to, the caches and Go's collector have all
// of it to carry. Thieves take the oldest of the fresh, which has most still to come.
// That is the busy-leaves order of Cilk (Blumofe and Leiserson, 1999).
//
// Fresh tasks go before the others, or a walk would be as wide as there are others; but not for long: behind
// freshTurns of them comes one of the others, and sooner if it has waited for a quantum of time.
//
// Figures, and what was rejected: docs/decisions/0036-depth-first.md.
type runQueue struct {
	fresh ring // the newest is next
	ring  ring // the oldest is next

	// Owner only.
	freshLeft int    // turns of fresh tasks until one of the others is due
	waited    bool   // some of the others waited at the last call of age,
	oldest    uint64 // and that was the index of the oldest of them
}

// freshTurns is how many turns in a row fresh tasks may take while others wait: what a task
// makes at once should fit.
const freshTurns = ringSize

func (q *runQueue) init(size int) {
	q.fresh.init(size, 0)
	q.ring.init(size, 0)
	q.freshLeft = freshTurns
}

// next takes what is to run next, or returns nil if nothing waits. Owner only.
func (q *runQueue) next() *Task {
	if q.fresh.owner().len() != 0 {
		return q.nextOfBoth()
	}
	return q.ring.owner().pop()
}

// nextOfBoth is next where there are fresh tasks, unless thieves have been faster.
func (q *runQueue) nextOfBoth() *Task {
	if invariant.On {
		verifyShares(q)
	}
	if q.freshLeft > 0 {
		q.freshLeft--
		if t := q.fresh.owner().popNewest(); t != nil {
			return t
		}
	}
	q.freshLeft = freshTurns
	if t := q.ring.owner().pop(); t != nil {
		return t
	}
	return q.fresh.owner().popNewest()
}

// age lets the oldest of those that are not fresh go next if it has waited since the last call. Owner only.
func (q *runQueue) age() {
	oldest := q.ring.head.Load()
	if q.waited && oldest == q.oldest {
		q.freshLeft = 0
	}
	q.waited, q.oldest = oldest != q.ring.next, oldest
}

// len returns how many wait. Owner only; exact but for thieves.
func (q *runQueue) len() int { return q.fresh.owner().len() + q.ring.owner().len() }

// steal takes what has most still to come, or returns nil if there was nothing. Any goroutine.
func (q *runQueue) steal() *Task {
	if t := q.fresh.thief().steal(); t != nil {
		return t
	}
	return q.ring.thief().steal()
}

// empty tells whether there is nothing to steal. Any goroutine.
//
//go:noinline
func (q *runQueue) empty() bool { return q.fresh.thief().empty() && q.ring.thief().empty() }

// enqueueNew is enqueue for a task that a turn has made runnable: it may be fresh.
func (w *Worker) enqueueNew(t *Task) {
	if t.isFresh() && w.queue.fresh.owner().push(t) {
		w.sched.notify()
		return
	}
	w.enqueue(t)
}

// enqueue puts a task behind those that wait, where thieves find it, and sees to it that one looks.
func (w *Worker) enqueue(t *Task) {
	if !w.queue.ring.owner().push(t) {
		w.count.spills.Add(1)
		w.sched.inject.push(t)
	}
	w.sched.notify()
}

// requeue puts a task that wants to go on behind everything that waits.
func (w *Worker) requeue(t *Task) {
	if invariant.On {
		verifyRequeue(t)
		bookIn(t)
	}
	if w.queue.len() == 0 && w.slot.put(t) {
		return
	}
	w.enqueue(t)
}
