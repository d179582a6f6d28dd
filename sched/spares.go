package sched

import (
	"slices"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// DefaultSpares is how many workers of a scheduler may be in blocking turns at once
// besides those that Config.Workers counts, unless Config.Spares says otherwise.
const DefaultSpares = 1024

const (
	noSpareGap = 1_000_000_000 // ns between two calls of OnNoSpare
	spareRing  = 16            // slots of a spare's ring: it seldom has its seat for long, and overflows to the inject queue
	spareFresh = 256           // the same for fresh tasks
	keepHot    = 100_000_000   // ns that a spare waits for its next use before its goroutine ends
)

// spares are the workers without a seat.
//
//	COLD ──take──▶ seated, or an extra ──reseat, leaveSeat───▶ STRAY ──park──▶ HOT ──take──▶ …
//	  ▲                                                                         │
//	  └───────────────────────────── shelve ◀── goroutine ends ◀── dismiss ─────┘
type spares struct {
	s       *Scheduler
	away    seam.Int32  // workers that run without a seat, each with a hold
	refused seam.Uint64 // how many turns kept their seats because there were too many
	told    seam.Int64  // when OnNoSpare was told of one, ns; 0: never

	mu     seam.Mutex
	ended  bool      // guarded by mu
	hot    []*Worker // guarded by mu: parked, the last one used last
	cold   []*Worker // guarded by mu: without a goroutine
	strays []*Worker // guarded by mu: relieved or extra, and still in their turns
	made   []*Worker // guarded by mu: all that were made besides the first
	ids    int       // guarded by mu
	used   int64     // guarded by mu: when a spare was needed last, ns
}

func (p *spares) init(s *Scheduler) {
	p.s = s
	p.ids = s.cfg.Workers
}

// nextID returns a number for another worker. Any goroutine.
func (p *spares) nextID() int {
	p.mu.Lock() // unlocked by hand, here and elsewhere: a deferred call is two functions, and they are in every program
	id := p.ids
	p.ids++
	p.mu.Unlock()
	return id
}

// take returns a spare, hot if there is one. The caller owns the spare, seats it or makes it an
// extra, and wakes it. It owes the spare a count in stop.left; a seat comes with one. Any
// goroutine, the monitor among them, which holds its lock.
func (p *spares) take() *Worker {
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
	w = newWorker(p.s, p.nextID(), spareFresh, spareRing)
	w.attach() // it calls the layer above: not under this lock, but maybe under the monitor's
	p.mu.Lock()
	p.made = append(p.made, w)
	p.mu.Unlock()
	return w
}

// pick returns a hot spare, or a cold one, or nil. Caller holds mu.
func (p *spares) pick() *Worker {
	if w := takeLast(&p.hot); w != nil {
		p.s.stop.left.Add(-1) // it is counted by its seat now, or anew
		return w
	}
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
func (p *spares) stray(w *Worker) {
	p.mu.Lock()
	p.strays = append(p.strays, w)
	p.mu.Unlock()
}

// notStray is for a worker that has kept its seat. Monitor only.
func (p *spares) notStray(w *Worker) {
	p.mu.Lock()
	p.unbook(w)
	p.mu.Unlock()
}

// isStray tells whether w is booked as a stray. Any goroutine.
func (p *spares) isStray(w *Worker) bool { return slices.Contains(p.lost(), w) }

// unbook ends the booking of a stray, if there is one. Caller holds mu. A call, which keeps
// a small program small.
//
//go:noinline
func (p *spares) unbook(w *Worker) {
	if i := slices.Index(p.strays, w); i >= 0 {
		p.strays[i] = p.strays[len(p.strays)-1]
		takeLast(&p.strays)
	}
}

// park makes w a hot spare and reports whether it may wait; if not, the scheduler
// stops. Called by w.
func (p *spares) park(w *Worker) bool {
	p.mu.Lock()
	p.unbook(w)
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
func (p *spares) shelve(w *Worker) {
	p.mu.Lock()
	if invariant.On {
		verifyCold(p, w)
	}
	w.dismissed, w.started, w.seat = false, false, noSeat
	p.cold = append(p.cold, w)
	p.mu.Unlock()
}

// cool ends the hot spares if they have waited for long, or in any case with all. It reports
// whether hot spares or strays are left.
func (p *spares) cool(all bool) (left bool) {
	p.mu.Lock()
	if len(p.hot) > 0 && (all || p.s.cfg.Clock.Nanos()-p.used >= keepHot) {
		for _, w := range p.hot {
			w.dismissed = true
			w.unpark()
		}
		p.hot = nil
	}
	left = len(p.hot)+len(p.strays) > 0
	p.mu.Unlock()
	return left
}

// stop lets all spares go, and every worker that comes home later.
func (p *spares) stop() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.cool(true)
}

// lost returns the workers that may have made tasks runnable where nobody looks.
func (p *spares) lost() []*Worker {
	p.mu.Lock()
	lost := slices.Clone(p.strays)
	p.mu.Unlock()
	return lost
}

// everyone returns all workers that were made as spares. Any goroutine.
func (p *spares) everyone() []*Worker {
	p.mu.Lock()
	made := p.made[:len(p.made):len(p.made)]
	p.mu.Unlock()
	return made
}

// SpareStats says what has become of turns that block.
type SpareStats struct {
	Away       int    // turns that run without a seat now
	Goroutines int    // of workers without a seat, now
	Made       int    // spares that were ever made
	Refused    uint64 // how often a turn kept its seat because all spares were in use
}

// SpareStats returns the current figures. Any goroutine.
func (s *Scheduler) SpareStats() SpareStats {
	p := &s.spares
	p.mu.Lock()
	defer p.mu.Unlock()
	return SpareStats{
		Away:       int(p.away.Load()),
		Goroutines: int(p.away.Load()) + len(p.hot),
		Made:       len(p.made),
		Refused:    p.refused.Load(),
	}
}
