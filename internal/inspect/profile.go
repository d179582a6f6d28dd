package inspect

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
)

// DefaultInterval is the time between two looks of a [Profiler].
const DefaultInterval = 10 * time.Millisecond

// Profiler samples the activity of the workers: a profile of actors. Any goroutine may call its
// methods.
type Profiler struct {
	sys  *kernel.System
	stop chan struct{}
	once sync.Once
	gone chan struct{}

	mu         sync.Mutex
	all, busy  uint64 // guarded by mu: looks at a worker, and looks that found a turn
	rounds     uint64 // guarded by mu: looks at all workers
	slots      slotLooks
	actors     topK[atWork]
	behaviours map[atWork]uint64 // guarded by mu
	workers    map[int]*seenWorker
}

// slotLooks counts looks at the system's own workers, or at those that stand in for them: in all, and
// those that found a turn. It is guarded by the profiler's mu.
type slotLooks struct{ all, busy uint64 }

// profileRest times the duration of a look is the least rest of the profiler after the look. It bounds
// the cost where thousands of turns block, each with a worker.
const profileRest = 100

// atWork is an actor with one of its behaviours, or a process; or, without a number, a behaviour of
// all actors of a type, or all processes of a type.
type atWork struct {
	typ, behaviour string
	actor, process uint64
}

// seenWorker is a worker over time. It is guarded by the profiler's mu.
type seenWorker struct {
	at          Worker
	since       time.Time // when the current turn was first seen
	looks, busy uint64
}

// Profile starts to look at the workers at each interval; 0 means DefaultInterval. It has one
// goroutine and one timer until [Profiler.Stop]. A look takes some 100 ns a worker and does not
// disturb it. Profile panics if the interval is negative. A profiler does not keep the system from
// being quiescent. It sees a stopped system as idle.
func Profile(sys *actor.System, every time.Duration) *Profiler {
	if every < 0 {
		panic("gallop: observe.Profile with a negative interval")
	}
	if every == 0 {
		every = DefaultInterval
	}
	p := &Profiler{sys: of(sys), stop: make(chan struct{}), gone: make(chan struct{})}
	p.Reset()
	guard.Go(func() { p.run(every) })
	return p
}

// run looks until Stop.
func (p *Profiler) run(every time.Duration) {
	defer close(p.gone)
	t := time.NewTicker(every)
	defer t.Stop()
	var next time.Time // if looks are dear, they are rarer
	for {
		select {
		case <-p.stop:
			return
		case now := <-t.C:
			if now.Before(next) {
				continue
			}
			begin := time.Now()
			p.look(now)
			next = begin.Add(profileRest * time.Since(begin))
		}
	}
}

// Stop ends the profile and waits for its goroutine. The counts stay readable.
func (p *Profiler) Stop() {
	p.once.Do(func() { close(p.stop) })
	<-p.gone
}

// Reset clears the counts, to begin a new window.
func (p *Profiler) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all, p.busy, p.rounds, p.slots = 0, 0, 0, slotLooks{}
	p.actors = topK[atWork]{}
	p.behaviours = map[atWork]uint64{}
	p.workers = map[int]*seenWorker{}
}

// look looks at each worker once.
func (p *Profiler) look(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rounds++
	busy, slots := busySlots(p.sys)
	p.slots.all += uint64(slots)
	p.slots.busy += uint64(busy)
	eachWorker(p.sys, func(w Worker) { p.saw(now, w) })
}

// saw counts one look at one worker. A surplus worker counts only while it runs a turn: then it
// stands in for a blocked worker or runs a pinned type. The caller holds mu.
func (p *Profiler) saw(now time.Time, w Worker) {
	o := p.workers[w.ID]
	if o == nil {
		o = &seenWorker{since: now}
		p.workers[w.ID] = o
	}
	if o.at.Actor != w.Actor || o.at.Process != w.Process || o.at.Behaviour != w.Behaviour || o.at.State != w.State {
		o.since = now
	}
	o.at = w
	o.looks++
	p.all++
	// A turn that blocks does not keep its worker busy.
	if w.State != WorkerRunning {
		return
	}
	o.busy++
	p.busy++
	p.actors.add(atWork{w.Type, w.Behaviour, w.Actor, w.Process})
	p.behaviours[atWork{typ: w.Type, behaviour: w.Behaviour}]++
}

// Samples returns the number of looks at workers, and the number of these that found a turn.
func (p *Profiler) Samples() (all, running uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all, p.busy
}

// Saturation returns the number of looks at the system's own workers, and the number of these that
// found a turn. A worker that stands in for one with a blocked turn is looked at in its place;
// pinned ones do not count.
func (p *Profiler) Saturation() (looks, busy uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.slots.all, p.slots.busy
}

// Rounds returns how often all workers were looked at. A figure of Busy.Samples divided by it is the
// number of workers that the actor kept busy, on average.
func (p *Profiler) Rounds() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rounds
}

// Busy is how often an actor, or a behaviour of a type, was seen at work.
type Busy struct {
	Type      string // of the actor
	Behaviour string // the running behaviour; "" for work of the runtime itself
	// Actor is the number of the actor, or Process that of the process; both are 0 if the figure is
	// for all of the type.
	Actor, Process uint64
	// Samples is the number of looks at which it ran. For an actor it may be too high by up to
	// TooMany: 256 actors are counted at a time, and a new one takes over the count of the rarest.
	Samples, TooMany uint64
	// Share is Samples divided by all looks at which a turn ran. Its standard error is below
	// 0.5/√(looks).
	Share float64
}

// Actors returns up to n actors, each with one of its behaviours, the busiest first. An entry with
// more than 1/256 of all the time is always included.
func (p *Profiler) Actors(n int) []Busy {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Busy
	for _, k := range p.actors.counted {
		all = append(all, k.of.counts(k.n, k.tooMany, p.busy))
	}
	slices.SortFunc(all, busiestFirst)
	return all[:max(0, min(n, len(all)))]
}

// Behaviours returns the behaviours that were seen at work, each for all actors of its type, the
// busiest first.
func (p *Profiler) Behaviours() []Busy {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Busy
	for of, n := range p.behaviours {
		all = append(all, of.counts(n, 0, p.busy))
	}
	slices.SortFunc(all, busiestFirst)
	return all
}

func (w atWork) counts(n, tooMany, of uint64) Busy {
	return Busy{w.typ, w.behaviour, w.actor, w.process, n, tooMany,
		float64(n) / float64(max(of, 1))}
}

func busiestFirst(a, b Busy) int {
	return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Type, b.Type),
		cmp.Compare(a.Behaviour, b.Behaviour), cmp.Compare(a.Actor, b.Actor),
		cmp.Compare(a.Process, b.Process))
}

// Workers returns the workers as of the last look, with their shares since the last Reset.
func (p *Profiler) Workers() []Worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Worker
	now := time.Now()
	for _, o := range p.workers {
		w := o.at
		w.Busy = float64(o.busy) / float64(o.looks)
		if w.State != WorkerIdle {
			w.For = now.Sub(o.since)
		}
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b Worker) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
