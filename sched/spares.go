package sched

import (
	"slices"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// DefaultSpares is how many workers of a scheduler may be in blocking turns at once
// besides those that Config.Workers counts, unless Config.Spares says otherwise.
//
// A blocked turn costs its goroutine and a worker of about 2 KiB, which is what bounds the number:
// a hundred thousand of them take less than a gigabyte.
const DefaultMaxDetached = 100_000

const (
	detachLimitGap = 1_000_000_000 // ns between two calls of OnNoSpare
	idleRingSize  = 16            // slots of a spare's ring: it seldom has its seat for long, and overflows to the inject queue
	idleNewRingSize = 256           // the same for fresh tasks; made when the first one comes
	keepHot    = 100_000_000   // ns that a spare waits for its next use before its goroutine ends
	mostCooled = 4096          // goroutines of spares that are told to end at once
	keepCold   = 64            // workers without a goroutine that are kept at least
)

// spares are the workers without a seat.
//
//	COLD ──take──▶ seated, or an extra ──reseat, leaveSeat───▶ STRAY ──park──▶ HOT ──take──▶ …
//	  ▲                                                                         │
//	  └───────────────────────────── shelve ◀── goroutine ends ◀── dismiss ─────┘
//
// A worker that is cold while many others are is forgotten: see forget.
type idleWorkers struct {
	s       *Scheduler
	detachedNow    seam.Int32  // workers that run without a seat, each with a hold
	refused seam.Uint64 // how many turns kept their seats because there were too many
	lastReport    seam.Int64  // when OnNoSpare was told of one, ns; 0: never

	mu     seam.Mutex
	ended  bool      // guarded by mu
	hot    []*Worker // guarded by mu: parked, the last one used last
	cold   []*Worker // guarded by mu: without a goroutine
	detached []*Worker // guarded by mu: relieved or extra, and still in their turns; see Worker.strayAt
	nextLook   int       // guarded by mu: where someStrays goes on
	made   []*Worker // guarded by mu: all that were made besides the first, and are not forgotten
	gone   *Worker   // guarded by mu: what the forgotten ones have done; nil: there are none
	count  int       // guarded by mu: how many were ever made
	ids    int       // guarded by mu
	used   int64     // guarded by mu: when a spare was needed last, ns
	least  int       // guarded by mu: the fewest hot ones since then
	since  int64     // guarded by mu: when the count of least began, ns
}

func (p *idleWorkers) init(s *Scheduler) {
	p.s = s
	p.ids = s.cfg.Workers
}

// nextID returns a number for another worker. Any goroutine.
func (p *idleWorkers) nextID() int {
	p.mu.Lock() // unlocked by hand, here and elsewhere: a deferred call is two functions, and they are in every program
	id := p.ids
	p.ids++
	p.mu.Unlock()
	return id
}

// take returns a spare, hot if there is one. The caller owns the spare, seats it or makes it an
// extra, and wakes it. It owes the spare a count in stop.left; a seat comes with one. Any
// goroutine, the monitor among them, which holds its lock.
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
	w.attach() // it calls the layer above: not under this lock, but maybe under the monitor's
	p.mu.Lock()
	p.made = append(p.made, w)
	p.count++
	p.mu.Unlock()
	return w
}

// pick returns a hot spare, or a cold one, or nil. Caller holds mu.
func (p *idleWorkers) pick() *Worker {
	if w := takeLast(&p.hot); w != nil {
		p.s.stop.left.Add(-1) // it is counted by its seat now, or anew
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

// stray books a worker that does not know that it is without a seat, so that the monitor looks
// after what it makes runnable. Call it before the worker loses the seat: park ends the booking,
// and may come at once. Monitor only.
func (p *idleWorkers) addDetached(w *Worker) {
	p.mu.Lock()
	p.detached = append(p.detached, w)
	w.detachedAt = len(p.detached)
	p.mu.Unlock()
}

// notStray is for a worker that has kept its seat. Monitor only.
func (p *idleWorkers) dropDetached(w *Worker) {
	p.mu.Lock()
	p.unlist(w)
	p.mu.Unlock()
}

// isStray reports whether w is booked as a stray. Any goroutine.
func (p *idleWorkers) isDetached(w *Worker) bool {
	p.mu.Lock()
	booked := w.detachedAt != 0
	p.mu.Unlock()
	return booked
}

// unbook ends the booking of a stray, if there is one. Caller holds mu.
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

// park makes w a hot spare and reports whether it may wait; if not, the scheduler
// stops. Called by w.
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

// shelve takes back a worker whose goroutine ends. Called by w; neither w nor live may touch w
// afterwards.
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

// forget leaves n workers that have been cold for the longest to the garbage collector, but none of
// those that the scheduler began with. What they have done is added up in gone. Both lists are
// copied, since others may read the old one of those made; so forget is for a part of them that makes
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

// cool ends hot spares if none was needed for long, or in any case, and all, with all. It reports
// whether hot spares or strays are left.
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

// trim ends hot spares that were too many for long, while others are needed now and then. A spare
// for each seat stays: it is likely to be needed soon. Monitor only.
func (p *idleWorkers) trim(now int64) {
	p.mu.Lock()
	if now-p.since >= keepHot {
		p.dismiss(max(0, min(p.least, len(p.hot), mostCooled)-len(p.s.slots)))
		p.since, p.least = now, len(p.hot)
	}
	p.mu.Unlock()
}

// dismiss ends the n hot spares that have waited for the longest. Caller holds mu.
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

// stop lets all spares go, and every worker that comes home later.
func (p *idleWorkers) stop() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.cool(true)
}

// lost returns the workers that may have made tasks runnable where nobody looks.
func (p *idleWorkers) allDetached() []*Worker {
	p.mu.Lock()
	lost := slices.Clone(p.detached)
	p.mu.Unlock()
	return lost
}

// someStrays appends up to n strays to some: others each time, until all have had their turn.
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

// strayCount returns how many strays there are. Any goroutine.
func (p *idleWorkers) detachedCount() int {
	p.mu.Lock()
	n := len(p.detached)
	p.mu.Unlock()
	return n
}

// everyone returns all workers that were made as spares, except for those that were forgotten. What
// those have done is told of a worker that never runs. Any goroutine.
func (p *idleWorkers) all() []*Worker {
	p.mu.Lock()
	made, gone := p.made[:len(p.made):len(p.made)], p.gone
	p.mu.Unlock()
	if gone != nil {
		return append([]*Worker{gone}, made...)
	}
	return made
}

// SpareStats says what has become of turns that block.
type DetachedStats struct {
	Detached       int    // turns that run without a seat now
	Goroutines int    // of workers without a seat, now
	Made       int    // spares that were ever made
	Refused    uint64 // how often a turn kept its seat because all spares were in use
}

// SpareStats returns the current figures. Any goroutine.
func (s *Scheduler) DetachedStats() DetachedStats {
	p := &s.idleWorkers
	p.mu.Lock()
	defer p.mu.Unlock()
	return DetachedStats{
		Detached:       int(p.detachedNow.Load()),
		Goroutines: int(p.detachedNow.Load()) + len(p.hot),
		Made:       p.count,
		Refused:    p.refused.Load(),
	}
}
