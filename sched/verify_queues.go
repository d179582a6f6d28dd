package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Invariants of the queues and of the ways into them, for builds that check them.

// verifyRingEntry checks, before the owner fills entry i of its ring, that filling it loses
// nothing.
func verifyRingEntry(q *ownerEnd, i uint64, t *Task) {
	size, s := uint64(len(q.entries)), &q.entries[i&uint64(len(q.entries)-1)]
	invariant.Check(t != nil, "nothing is pushed to a ring")
	invariant.Check(size&(size-1) == 0, "a ring of %d entries", size)
	tail := seam.Peek(&q.tail)
	invariant.Check(tail == i || tail+1 == i && seam.Peek(&q.head) == i,
		"the owner of a ring is at %d, its tail at %d", i, tail)
	invariant.Check(s.task == nil, "entry %d of a ring is filled before it was emptied", i)
	invariant.Check(i-seam.Peek(&q.head) < size,
		"a ring of %d holds %d tasks", size, i-seam.Peek(&q.head))
}

// verifyClaimed checks a task that the caller has taken from entry h of a ring, and owns. The tail
// may be there already: the owner takes the newest task, or was about to take the same one.
func verifyClaimed(r *ring, h uint64, t *Task) {
	invariant.Check(t != nil, "entry %d of a ring was claimed, and is empty", h)
	invariant.Check(seam.Peek(&r.tail)-h < 1<<63,
		"entry %d of a ring was claimed before it was published: tail %d", h, seam.Peek(&r.tail))
}

// holdsNothing reports whether a worker's run queue is empty. Owner only, or where no worker runs.
func holdsNothing(q *runQueue) bool {
	return q.newTasks.next == seam.Peek(&q.newTasks.head) &&
		q.resumed.next == seam.Peek(&q.resumed.head)
}

// verifyNewest checks a ring whose owner is about to take the newest task, in entry i.
func verifyNewest(q *ownerEnd, i uint64) {
	invariant.Check(seam.Peek(&q.tail) == i+1,
		"the newest task of a ring is in entry %d, its tail is %d", i, seam.Peek(&q.tail))
	invariant.Check(q.entries[i&uint64(len(q.entries)-1)].popped != i+1,
		"entry %d of a ring has a receipt before its task was taken", i)
}

// verifyShares checks which task is next among new and resumed ones. Owner only.
func verifyShares(q *runQueue) {
	invariant.Check(q.newLeft >= 0 && q.newLeft <= maxNewInRow,
		"%d turns are left to new tasks", q.newLeft)
	invariant.Check(!q.oldestNewOwed || q.newLeft == 0,
		"the oldest of the new tasks is due, and %d turns are left to the newest", q.newLeft)
	invariant.Check(q.resumed.next-q.seen < 1<<63,
		"task %d was seen, and the next is %d", q.seen, q.resumed.next)
}

// verifyRequeue checks a task that has had a turn and goes on.
func verifyRequeue(t *Task) {
	invariant.Check(!t.isNew(), "a task that has run is new")
	invariant.Check(t.class.pin == nil, "a task that belongs to a pin waits at a worker")
}

// verifyPut checks a next-slot before it is filled. Owner only.
func verifyPut(s *nextSlot, t *Task) {
	invariant.Check(t != nil, "nothing is put into a next-slot")
	invariant.Check(s.prepared(), "an empty next-slot is filled by its count: %d", s.filled)
	invariant.Check(seam.Peek(&s.full) == s.filled,
		"a next-slot shows filling %d, and has %d", seam.Peek(&s.full), s.filled)
}

// verifyTake checks a next-slot that the owner empties: O1 and O2 are done.
func verifyTake(s *nextSlot) {
	invariant.Check(s.prepared(), "a next-slot is emptied without O1: %d", s.filled)
	invariant.Check(s.task != nil, "an empty next-slot is emptied")
}

// verifyRevoke checks M3: between M1 and M4 the owner does not change the slot.
func verifyRevoke(s *nextSlot, t *Task, stamp uint32) {
	invariant.Check(stamp&1 == 1, "the monitor revokes an empty next-slot: %d", stamp)
	invariant.Check(seam.Peek(&s.revocation) == revokeAsked,
		"the monitor revokes a next-slot that it has not asked for: %d", seam.Peek(&s.revocation))
	invariant.Check(t != nil, "the monitor finds nothing in filling %d of a next-slot", stamp)
}

// verifyTask checks a task that goes through the inject queue.
func verifyTask(q *mpmcq, t *Task) {
	invariant.Check(t != nil && t != &takenMark, "a mark is a task of the inject queue")
}

// verifyFull checks a segment that another one follows: each of its cells was claimed.
func verifyFull(s *segment) {
	invariant.Check(seam.Peek(&s.enq) >= uint64(len(s.cells)),
		"a segment of the inject queue is left with %d of %d cells claimed",
		seam.Peek(&s.enq), len(s.cells))
	invariant.Check(len(s.cells) > 0, "a segment of the inject queue has no cells")
}

// verifyPassed checks a segment that poppers leave.
func verifyPassed(s *segment) {
	invariant.Check(seam.Peek(&s.deq) >= uint64(len(s.cells)),
		"a segment of the inject queue is left behind with %d of %d cells popped",
		seam.Peek(&s.deq), len(s.cells))
}

// verifyAdmission checks an admission that ends.
func verifyAdmission(a Admission) {
	invariant.Check(a.s != nil, "an admission that was not granted is used")
	invariant.Check(a.worker >= -1 && a.worker < len(a.s.slots),
		"an admission has worker %d", a.worker)
	invariant.Check(a.worker >= 0 || seam.Peek(&a.s.holds) > 0,
		"an admission without a worker holds nothing")
}
