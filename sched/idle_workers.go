package sched

import (
	"slices"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// DefaultMaxDetached is how many turns of a scheduler may be detached at once, which run
// without a slot because they block, unless Config.MaxDetached says otherwise.
//
// A blocked turn costs its goroutine and a worker of about 2 KiB, which is what bounds the number:
// a hundred thousand of them take less than a gigabyte.
const DefaultMaxDetached = 100_000

const (
	detachLimitGap = 1_000_000_000 // ns between two calls of OnDetachLimit

	// Entries of the rings of a worker that is made when a slot has none. It seldom has its slot for
	// long, and overflows to the inject queue. The ring of new tasks is made when the first one comes.
	idleRingSize    = 16
	idleNewRingSize = 256

	keepHot    = 100_000_000 // ns that an idle worker waits before its goroutine ends
	mostCooled = 4096        // goroutines that are told to end at once
	keepCold   = 64          // workers without a goroutine that are kept at least
)

// idleWorkers are the workers without a slot. A worker in no turn is hot, with a goroutine that is
// parked, or cold, with none.
//
//	COLD ──take──▶ in a slot, or surplus ──retake, leaveSlot──▶ DETACHED ──park──▶ HOT ──take──▶ …
//	  ▲                                                                             │
//	  └──────────────────────────── putCold ◀── goroutine ends ◀── dismiss ─────────┘
//
// A worker that is cold while many others are is forgotten: see forget.
//
// Ownership: a worker on the hot or cold list belongs to the goroutine that holds mu; take hands it
// to its caller. A worker on the detached list belongs to itself, and the monitor takes from its
// queues as a thief.
type idleWorkers struct {
	s           *Scheduler
	detachedNow seam.Int32  // workers that run without a slot, each with a hold
	refused     seam.Uint64 // turns that kept their slots at the limit
	lastReport  seam.Int64  // when OnDetachLimit was told of one, ns; 0: never

	// All of these are guarded by mu.
	mu    seam.Mutex
	ended bool
	hot   []*Worker // parked, the last one used last
	cold  []*Worker // without a goroutine

	// Retaken or surplus workers that are still in their turns; see Worker.detachedAt.
	detached []*Worker
	nextLook int       // where someDetached goes on
	made     []*Worker // all besides the first that are not forgotten
	gone     *Worker   // what the forgotten ones have done; nil: there are none
	count    int       // how many were ever made
	ids      int
	used     int64 // when an idle worker was needed last, ns
	least    int   // the fewest hot ones since then
	since    int64 // when the count of least began, ns
}

// init begins with no idle worker: those of the scheduler's own have the slots.
func (p *idleWorkers) init(s *Scheduler) {
	p.s = s
	p.ids = s.cfg.Workers
}

// nextID returns a number for another worker. Any goroutine.
func (p *idleWorkers) nextID() int {
	// Unlocked without defer, here and elsewhere: a deferred call is two functions, and they are in
	// every program.
	p.mu.Lock()
	id := p.ids
	p.ids++
	p.mu.Unlock()
	return id
}

// take returns an idle worker, hot if there is one. The caller owns it, gives it a slot or makes it
// a surplus worker, and wakes it. The caller owes it a count in stop.left; a slot comes with one.
// Any goroutine; the monitor calls it with its lock held.
func (p *idleWorkers) take() *Worker {
	now := p.s.cfg.Clock.Nanos()
	p.mu.Lock()
	p.used = now
	w := p.pick()
	p.mu.Unlock()
	if w != nil {
		if invariant.On {
			verifyTaken(w)
		}
		return w
	}
	w = newWorker(p.s, p.nextID(), idleNewRingSize, idleRingSize)
	// attach calls the layer above: not under this lock, but maybe under the monitor's.
	w.attach()
	p.mu.Lock()
	p.made = append(p.made, w)
	p.count++
	p.mu.Unlock()
	return w
}

// pick returns a hot idle worker, or a cold one, or nil. Caller holds mu.
func (p *idleWorkers) pick() *Worker {
	if w := takeLast(&p.hot); w != nil {
		p.s.stop.left.Add(-1) // it is counted by its slot now, or anew
		p.least = min(p.least, len(p.hot))
		return w
	}
	p.least = 0
	if len(p.cold) == 0 {
		return nil
	}
	w := p.cold[0]
	p.cold[0], p.cold = nil, p.cold[1:]
	return w
}

// takeLast takes the last worker off a list, or returns nil.
func takeLast(list *[]*Worker) *Worker {
	last := len(*list) - 1
	if last < 0 {
		return nil
	}
	w := (*list)[last]
	(*list)[last] = nil
	*list = (*list)[:last]
	return w
}

// addDetached lists a worker that does not know that it is without a slot, so that the monitor
// looks after what it makes runnable. Call it before the worker loses the slot: park unlists the
// worker, and may come at once. Monitor only.
func (p *idleWorkers) addDetached(w *Worker) {
	p.mu.Lock()
	p.detached = append(p.detached, w)
	w.detachedAt = len(p.detached)
	p.mu.Unlock()
}

// dropDetached is for a worker that has kept its slot. Monitor only.
func (p *idleWorkers) dropDetached(w *Worker) {
	p.mu.Lock()
	p.unlist(w)
	p.mu.Unlock()
}

// isDetached reports whether w is listed as detached. Any goroutine.
func (p *idleWorkers) isDetached(w *Worker) bool {
	p.mu.Lock()
	listed := w.detachedAt != 0
	p.mu.Unlock()
	return listed
}

// unlist takes w off the list of detached workers, if it is there. Caller holds mu.
func (p *idleWorkers) unlist(w *Worker) {
	at := w.detachedAt
	if at == 0 {
		return
	}
	if invariant.On {
		verifyDetached(p, w)
	}
	last := p.detached[len(p.detached)-1]
	p.detached[at-1], last.detachedAt = last, at
	takeLast(&p.detached)
	w.detachedAt = 0
}

// park makes w a hot idle worker and reports whether it may wait; if not, the scheduler stops.
// Called by w.
func (p *idleWorkers) park(w *Worker) bool {
	p.mu.Lock()
	p.unlist(w)
	ended := p.ended
	if !ended {
		p.hot = append(p.hot, w)
		if invariant.On {
			verifyHot(p, w)
		}
	}
	p.mu.Unlock()
	return !ended
}

// putCold takes back a worker whose goroutine ends. Called by w. Neither w nor live may touch w
// afterwards: a goroutine that takes it starts it anew.
func (p *idleWorkers) putCold(w *Worker) {
	p.mu.Lock()
	if invariant.On {
		verifyCold(p, w)
	}
	w.dismissed, w.started, w.slot = false, false, noSlot
	p.cold = append(p.cold, w)
	if excess := len(p.cold) - keepCold; excess >= max(keepCold, len(p.made)/4) {
		p.forget(excess)
	}
	p.mu.Unlock()
}

// forget leaves n workers that have been cold for the longest to the GC, but none of those that the
// scheduler began with. What they have done is added up in gone. Both lists are copied, since other
// goroutines may read the old list of those made; so forget is for a part of the workers that makes
// up for it. Caller holds mu.
func (p *idleWorkers) forget(n int) {
	var old, cold []*Worker
	for _, w := range p.cold {
		if w.forgotten = len(old) < n && w.id >= len(p.s.workers); w.forgotten {
			old = append(old, w)
		} else {
			cold = append(cold, w)
		}
	}
	made := make([]*Worker, 0, len(p.made))
	for _, w := range p.made {
		if !w.forgotten {
			made = append(made, w)
		}
	}
	if invariant.On {
		verifyForgotten(p, old, made)
	}
	p.cold, p.made, p.gone = cold, made, p.sum(old)
}

// sum returns a worker that never runs and has done what the forgotten ones have, and those in old.
// Caller holds mu.
func (p *idleWorkers) sum(old []*Worker) *Worker {
	sum := &Worker{sched: p.s, id: len(p.s.workers), slot: noSlot}
	if p.gone != nil {
		sum.local = p.gone.local
		sum.count.add(&p.gone.count)
	}
	for _, w := range old {
		sum.count.add(&w.count)
	}
	if merge := p.s.cfg.Merge; merge != nil {
		sum.local = merge(sum.local, old)
	}
	return sum
}

// cool ends hot idle workers if none was needed for long, or in any case, and all, with all. It
// reports whether hot idle workers or detached workers are left.
func (p *idleWorkers) cool(all bool) (left bool) {
	p.mu.Lock()
	switch {
	case all:
		p.dismiss(len(p.hot))
	case p.s.cfg.Clock.Nanos()-p.used >= keepHot:
		p.dismiss(min(len(p.hot), mostCooled))
	}
	left = len(p.hot)+len(p.detached) > 0
	p.mu.Unlock()
	return left
}

// trim ends hot idle workers that were too many for long, while others are needed now and then. One
// for each slot stays: it is likely to be needed soon. Monitor only.
func (p *idleWorkers) trim(now int64) {
	p.mu.Lock()
	if now-p.since >= keepHot {
		p.dismiss(max(0, min(p.least, len(p.hot), mostCooled)-len(p.s.slots)))
		p.since, p.least = now, len(p.hot)
	}
	p.mu.Unlock()
}

// dismiss ends the n hot idle workers that have waited for the longest. Caller holds mu.
func (p *idleWorkers) dismiss(n int) {
	if n == 0 {
		return
	}
	for _, w := range p.hot[:n] {
		w.dismissed = true
		w.unpark()
	}
	p.hot = slices.Delete(p.hot, 0, n)
}

// stop ends all idle workers, and every worker that becomes one later.
func (p *idleWorkers) stop() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.cool(true)
}

// allDetached returns the workers that may have made tasks runnable where no other worker looks.
func (p *idleWorkers) allDetached() []*Worker {
	p.mu.Lock()
	lost := slices.Clone(p.detached)
	p.mu.Unlock()
	return lost
}

// someDetached appends up to n detached workers to some: other ones each time, until all have had
// their turn.
func (p *idleWorkers) someDetached(some []*Worker, n int) []*Worker {
	p.mu.Lock()
	for range min(n, len(p.detached)) {
		if p.nextLook >= len(p.detached) {
			p.nextLook = 0
		}
		some = append(some, p.detached[p.nextLook])
		p.nextLook++
	}
	p.mu.Unlock()
	return some
}

// detachedCount returns how many workers are listed as detached. Any goroutine.
func (p *idleWorkers) detachedCount() int {
	p.mu.Lock()
	n := len(p.detached)
	p.mu.Unlock()
	return n
}

// all returns all workers that were made as idle workers, except for those that were forgotten.
// What those have done is shown by a worker that never runs. Any goroutine.
func (p *idleWorkers) all() []*Worker {
	p.mu.Lock()
	made, gone := p.made[:len(p.made):len(p.made)], p.gone
	p.mu.Unlock()
	if gone != nil {
		return append([]*Worker{gone}, made...)
	}
	return made
}

// DetachedStats says what has become of turns that block.
type DetachedStats struct {
	Detached   int    // turns that run without a slot now
	Goroutines int    // of workers without a slot, now
	Made       int    // idle workers that were ever made
	Refused    uint64 // how often a turn kept its slot at the limit
}

// DetachedStats returns the current figures. Any goroutine.
func (s *Scheduler) DetachedStats() DetachedStats {
	p := &s.idleWorkers
	p.mu.Lock()
	defer p.mu.Unlock()
	return DetachedStats{
		Detached:   int(p.detachedNow.Load()),
		Goroutines: int(p.detachedNow.Load()) + len(p.hot),
		Made:       p.count,
		Refused:    p.refused.Load(),
	}
}
