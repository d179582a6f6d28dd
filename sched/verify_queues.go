package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// What must hold of the queues, of pins, of who steers and of deterministic runs, in builds
// that check invariants.

// verifySlot checks, before the owner fills slot i of its ring, that nothing is lost by it.
func verifySlot(q *ownerEnd, i uint64, t *Task) {
	size, s := uint64(len(q.slots)), &q.slots[i&uint64(len(q.slots)-1)]
	invariant.Check(t != nil, "nothing is pushed to a ring")
	invariant.Check(size&(size-1) == 0, "a ring of %d slots", size)
	tail := seam.Peek(&q.tail)
	invariant.Check(tail == i || tail+1 == i && seam.Peek(&q.head) == i, "the owner of a ring is at %d, its tail at %d", i, tail)
	invariant.Check(s.task == nil, "slot %d of a ring is filled before it was emptied", i)
	invariant.Check(i-seam.Peek(&q.head) < size, "a ring of %d holds %d tasks", size, i-seam.Peek(&q.head))
}

// verifyClaimed checks what somebody has taken from slot h of a ring, and owns. The tail may be
// there already: the owner takes the newest, or was about to take the same task.
func verifyClaimed(r *ring, h uint64, t *Task) {
	invariant.Check(t != nil, "slot %d of a ring was claimed, and is empty", h)
	invariant.Check(seam.Peek(&r.tail)-h < 1<<63, "slot %d of a ring was claimed before it was published: tail %d", h, seam.Peek(&r.tail))
}

// holdsNothing tells whether nothing waits at a worker. Owner only, or where nobody runs.
func holdsNothing(q *runQueue) bool {
	return q.fresh.next == seam.Peek(&q.fresh.head) && q.others.next == seam.Peek(&q.others.head)
}

// verifyNewest checks a ring whose owner is about to take the newest task, in slot i.
func verifyNewest(q *ownerEnd, i uint64) {
	invariant.Check(seam.Peek(&q.tail) == i+1, "the newest task of a ring is in slot %d, its tail is %d", i, seam.Peek(&q.tail))
	invariant.Check(q.slots[i&uint64(len(q.slots)-1)].popped != i+1, "slot %d of a ring has a receipt before its task was taken", i)
}

// verifyShares checks who is next among the fresh and the others. Owner only.
func verifyShares(q *runQueue) {
	invariant.Check(q.freshLeft >= 0 && q.freshLeft <= freshTurns, "%d turns are left to fresh tasks", q.freshLeft)
	invariant.Check(!q.bottomDue || q.freshLeft == 0, "the oldest of the fresh is due, and %d turns are left to the newest", q.freshLeft)
	invariant.Check(q.others.next-q.seen < 1<<63, "task %d was seen, and the next is %d", q.seen, q.others.next)
}

// verifyRequeue checks a task that has had a turn and goes on.
func verifyRequeue(t *Task) {
	invariant.Check(!t.isFresh(), "a task that has run is fresh")
	invariant.Check(t.kind.pin == nil, "a task that belongs to a pin waits at a worker")
}

// verifyPut checks a next-slot before it is filled. Owner only.
func verifyPut(s *nextSlot, t *Task) {
	invariant.Check(t != nil, "nothing is put into a next-slot")
	invariant.Check(s.prepared(), "an empty next-slot is filled by its books: %d", s.filled)
	invariant.Check(seam.Peek(&s.full) == s.filled, "a next-slot shows filling %d, and has %d", seam.Peek(&s.full), s.filled)
}

// verifyTake checks a next-slot that the owner empties: O1 and O2 are done.
func verifyTake(s *nextSlot) {
	invariant.Check(s.prepared(), "a next-slot is emptied without O1: %d", s.filled)
	invariant.Check(s.task != nil, "an empty next-slot is emptied")
}

// verifyRob checks M3: between M1 and M4 the owner keeps off.
func verifyRob(s *nextSlot, t *Task, stamp uint32) {
	invariant.Check(stamp&1 == 1, "the monitor robs an empty next-slot: %d", stamp)
	invariant.Check(seam.Peek(&s.revoke) == revokeAsked, "the monitor robs a next-slot that it has not asked for: %d", seam.Peek(&s.revoke))
	invariant.Check(t != nil, "the monitor finds nothing in filling %d of a next-slot", stamp)
}

// verifyTask checks what goes through the inject queue.
func verifyTask(q *mpmcq, t *Task) {
	invariant.Check(t != nil && t != &takenMark, "a mark is a task of the inject queue")
}

// verifyFull checks a segment behind which another begins: each of its cells was claimed.
func verifyFull(s *segment) {
	invariant.Check(seam.Peek(&s.enq) >= uint64(len(s.cells)), "a segment of the inject queue is left with %d of %d cells claimed", seam.Peek(&s.enq), len(s.cells))
	invariant.Check(len(s.cells) > 0, "a segment of the inject queue has no cells")
}

// verifyPassed checks a segment that poppers leave behind.
func verifyPassed(s *segment) {
	invariant.Check(seam.Peek(&s.deq) >= uint64(len(s.cells)), "a segment of the inject queue is left behind with %d of %d cells popped", seam.Peek(&s.deq), len(s.cells))
}

// verifyResume checks who goes back on duty: only the owner moves it from ASIDE.
func verifyResume(d *duty) {
	v := seam.Peek(&d.f)
	invariant.Check(v == aside, "a worker goes on duty that is not aside: %d", v)
}

// verifyTurn checks what a pin's worker believes when it begins a turn.
func verifyTurn(p *Pin, t *Task) {
	invariant.Check(t.kind.pin == p, "a pin runs a task of another")
	invariant.Check(p.w.pin == p, "a pin without a worker of its own")
	bookTurn(p.w, t)
	invariant.Check(!p.w.inTurn, "a pin begins a turn within another")
	invariant.Check(seam.Peek(&p.s.holds) > 0, "a pinned task runs and does not hold the scheduler")
	invariant.Check(!seam.Peek(&p.asleep), "a pin runs a turn in its sleep")
}

// verifyAway checks the count of workers without a seat: each has a hold, and no more are
// allowed than there may be, but for those who are just being refused.
func verifyAway(s *Scheduler, away int32) {
	invariant.Check(away >= 0, "%d workers run without a seat", away)
	invariant.Check(seam.Peek(&s.holds) > 0, "a worker comes home and held nothing")
}

// verifyRelief checks a seat that changes hands: from w, which has lost it, to a spare.
func verifyRelief(s *Scheduler, i int, w, spare *Worker) {
	invariant.Check(i >= 0 && i < len(s.seats), "seat %d of %d", i, len(s.seats))
	invariant.Check(spare != reserved && spare.pin == nil, "worker %d is relieved by one who cannot", w.id) // itself it may be: its turn has just ended
	invariant.Check(seam.Peek(&s.seats[i].holder) == w, "seat %d is taken from worker %d, who does not hold it", i, w.id)
	invariant.Check(seam.Peek(&s.stop.left) > 1, "a worker is relieved and nobody is counted: %d", seam.Peek(&s.stop.left))
}

// verifyVacant checks a worker that leaves its seat in a turn.
func verifyVacant(w *Worker) {
	invariant.Check(w.inTurn, "worker %d leaves its seat and is in no turn", w.id)
	invariant.Check(w.slot.task == nil, "worker %d leaves its seat with a task in its next-slot", w.id)
	invariant.Check(holdsNothing(&w.queue), "worker %d leaves its seat with tasks in its queue", w.id)
	invariant.Check(seam.Peek(&w.sched.seats[w.seat].holder) == w, "worker %d leaves seat %d, which another holds", w.id, w.seat)
}

// verifyGovernor checks the governor's figures.
func verifyGovernor(g *governor) {
	invariant.Check(g.limit >= 1 && g.limit <= g.workers, "the governor lets %d of %d workers be awake", g.limit, g.workers)
	invariant.Check(g.phase >= steady && g.phase <= trial, "the governor is in phase %d", g.phase)
	invariant.Check(g.pause >= firstPause && g.pause <= maxPause, "the governor pauses for %d ns", g.pause)
	invariant.Check(g.phase != trial || g.before >= 1 && g.before <= g.workers, "the governor tries %d behind %d workers", g.limit, g.before)
	invariant.Check(g.apartFor >= 0 && g.apartFor <= apartLooks, "the governor has tried nothing for %d looks", g.apartFor)
	invariant.Check(g.seen.units >= g.then.units && g.seen.crossed >= g.then.crossed && g.seen.steals >= g.then.steals,
		"the workers had done %v, and have done %v", g.then, g.seen)
	invariant.Check(g.awake >= 0 && g.awake <= g.samples*g.workers, "%d workers were awake in %d looks", g.awake, g.samples)
}

// verifySurge checks the books of those who work without a seat. Caller holds mu.
func verifySurge(g *surge) {
	invariant.Check(g.rounds > 0 || len(g.extras) == 0, "%d extras in no surge", len(g.extras))
}

// verifyRound checks how long a goroutine may have to wait for a processor. Caller holds the monitor's mu.
func verifyRound(p *processors, round int64) {
	invariant.Check(p.n > 0, "Go has %d processors", p.n)
	invariant.Check(round == 0 || round >= slice && round <= maxRound, "%d wait for %d processors, for %d ns", p.runnable, p.n, round)
}

// verifyPace checks what the worker has learnt of its pace. Owner only.
func verifyPace(p *pace, credit int) {
	invariant.Check(p.granted >= 1 && p.granted <= maxCredit, "a credit of %d is granted", p.granted)
	invariant.Check(p.unit >= 0, "a unit of work takes %d/16 ns", p.unit)
	invariant.Check(p.pollInterval >= minPoll && p.pollInterval <= maxPoll, "the inject queue is looked at every %d turns", p.pollInterval)
	invariant.Check(credit == p.granted, "a credit of %d is granted, and %d is there", p.granted, credit)
	invariant.Check(p.earned >= 0 && p.earned <= slice, "a worker may run for %d ns", p.earned)
	invariant.Check(p.yielded <= p.last, "a worker has let others run at %d ns, and it is %d", p.yielded, p.last)
}

// verifySpent checks that work is only ever done once.
func verifySpent(w *Worker) {
	invariant.Check(w.pace.units >= w.spent.Load(), "worker %d has done %d units, and has shown %d", w.id, w.pace.units, w.spent.Load())
	invariant.Check(w.pace.charged >= 0 && w.pace.charged < w.pace.granted, "of a credit of %d, %d were charged", w.pace.granted, w.pace.charged)
	invariant.Check(w.credit <= w.pace.granted, "worker %d has more credit than it was given: %d", w.id, w.credit)
}

// verifyReady checks those of whom one is chosen: in order, each once. Caller holds mu.
func verifyReady(d *driver) {
	for i, id := range d.ready {
		invariant.Check(i == 0 || d.ready[i-1] < id, "threads %d and %d can go on, in this order", d.ready[max(i-1, 0)], id)
	}
	invariant.Check(len(d.ready) <= len(d.threads), "%d of %d threads can go on", len(d.ready), len(d.threads))
}

// verifyBaton checks that a thread which is given the baton has none.
func verifyBaton(t *thread) {
	invariant.Check(len(t.baton) == 0, "thread %d is given a second baton", t.id)
}

// verifyAdmission checks an admission that ends.
func verifyAdmission(a Admission) {
	invariant.Check(a.s != nil, "an admission that was not granted is used")
	invariant.Check(a.worker >= -1 && a.worker < len(a.s.seats), "an admission has worker %d", a.worker)
	invariant.Check(a.worker >= 0 || seam.Peek(&a.s.holds) > 0, "an admission without a worker holds nothing")
}
