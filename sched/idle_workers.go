package sched

import (
	"slices"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// DefaultMaxDetached is the default of Config.MaxDetached: the number of blocked turns of a
// scheduler that may be detached, that is, run without a slot.
//
// Memory limits the number: a blocked turn costs a goroutine and a worker of about 2 KiB. A hundred
// thousand of them take less than a gigabyte.
const DefaultMaxDetached = 100_000

const (
	detachLimitGap = 1_000_000_000 // ns between two calls of OnDetachLimit

	// Entries of the rings of a worker made for a slot. It seldom keeps its slot for long, and
	// overflows to the inject queue. The ring of new tasks is made for the first new task.
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
// When many workers are cold, some of them are forgotten: see forget.
//
// Ownership: a worker on the hot or cold list belongs to the goroutine that holds mu; take hands it
// to its caller. A worker on the detached list belongs to itself, and the monitor takes from its
// queues as a thief.
type idleWorkers struct {
	s           *Scheduler
	detachedNow seam.Int32  // workers that run without a slot, each with a hold
	refused     seam.Uint64 // turns that kept their slots, or did not block, at the limit
	lastReport  seam.Int64  // time of the last call of OnDetachLimit, ns; 0: never

	// Guarded by mu.
	mu    seam.Mutex
	ended bool
	hot   []*Worker // parked, the last one used last
	cold  []*Worker // without a goroutine

	// Retaken or surplus workers that are still in their turns; see Worker.detachedAt.
	detached []*Worker
	nextLook int       // the place where someDetached continues
	made     []*Worker // all idle workers made later and not forgotten
	gone     *Worker   // the sum of the forgotten workers' figures; nil: none
	count    int       // workers ever made
	ids      int
	used     int64 // time of the last take, ns
	least    int   // the smallest number of hot workers since the time since
	since    int64 // the beginning of the time that least covers, ns
}

// init begins with no idle worker: New gives its workers the slots.
func (p *idleWorkers) init(s *Scheduler) {
	p.s = s
	p.ids = s.cfg.Workers
}

// nextID returns a number for another worker. Any goroutine.
func (p *idleWorkers) nextID() int {
	// Unlocked without defer, here and elsewhere: a deferred call adds two functions to every
	// program.
	p.mu.Lock()
	id := p.ids
	p.ids++
	p.mu.Unlock()
	return id
}

// take returns an idle worker, hot if possible. The caller owns it, gives it a slot or makes it a
// surplus worker, and wakes it. The caller owes it a count in stop.left; a slot comes with one. Any
// goroutine; the monitor calls it with its lock held.
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
	// attach calls the layer above, so mu is not held. The monitor's lock may be.
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

// addDetached lists a worker that is about to lose its slot without knowing it, so that the monitor
// moves the tasks that it makes runnable. It is called before the worker loses the slot, since park
// unlists the worker and may come at once. Monitor only.
func (p *idleWorkers) addDetached(w *Worker) {
	p.mu.Lock()
	p.detached = append(p.detached, w)
	w.detachedAt = len(p.detached)
	p.mu.Unlock()
}

// dropDetached unlists a worker that has kept its slot. Monitor only.
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

// park makes w a hot idle worker and reports whether it may wait. It may not after Stop. Called by
// w.
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

// putCold takes back a worker whose goroutine ends. Called by w. After putCold another goroutine
// may start w anew, so neither w nor live touches it.
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

// forget leaves the n workers that have been cold for the longest to the GC, except the workers of
// New. Their figures are added to gone. Both lists are copied, since other goroutines may read the
// old list of made workers; so forget is called only for a share of the workers that is worth the
// copy. Caller holds mu.
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

// sum returns a worker that never runs, with the sum of the figures of the forgotten workers and of
// old. Caller holds mu.
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

// cool ends hot idle workers if none was needed for keepHot; with all, it ends all of them at once.
// It reports whether hot idle workers or detached workers are left.
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

// trim ends the hot idle workers that were never needed during keepHot, while others were. One for
// each slot stays: it is likely to be needed soon. Monitor only.
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

// allDetached returns the listed detached workers. No other worker looks at the tasks that they
// have made runnable.
func (p *idleWorkers) allDetached() []*Worker {
	p.mu.Lock()
	lost := slices.Clone(p.detached)
	p.mu.Unlock()
	return lost
}

// someDetached appends up to n detached workers to some. Successive calls go round through the
// list.
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

// all returns the workers that were made as idle workers. One worker that never runs stands for the
// forgotten ones and has the sum of their figures. Any goroutine.
func (p *idleWorkers) all() []*Worker {
	p.mu.Lock()
	made, gone := p.made[:len(p.made):len(p.made)], p.gone
	p.mu.Unlock()
	if gone != nil {
		return append([]*Worker{gone}, made...)
	}
	return made
}

// DetachedStats are figures about blocked turns.
type DetachedStats struct {
	Detached   int    // turns that run without a slot now
	Goroutines int    // goroutines of workers without a slot, now
	Made       int    // idle workers ever made
	Refused    uint64 // turns that kept their slots, or did not block, at the limit
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
