package sched

import "github.com/gallop-go/gallop/internal/seam"

// Counters are the figures of one worker. The worker writes them without a fence. Turns and
// NextSlot are published about every 50 µs of work, and before the worker sleeps; the others at
// once. So the figures may disagree while the worker works. All are exact once the scheduler is
// quiescent.
type Counters struct {
	Turns       uint64 // turns run
	Steals      uint64 // tasks taken from another worker
	StealMisses uint64 // looks at victims without a task
	Parks       uint64 // times it went to sleep
	Wakes       uint64 // times it was woken
	Yields      uint64 // times it let the process's other goroutines run
	NextSlot    uint64 // turns taken from the next-slot
	Injected    uint64 // tasks fetched from the inject queue
	Overflows   uint64 // tasks that did not fit into their worker's queue
}

// counts are a worker's counters. Turns and next-slot turns change with each turn, so they are
// plain words that are published now and then.
type counts struct {
	turns, nextSlot                                                uint64 // owner only
	shownTurns, shownNextSlot                                      seam.Gauge
	steals, stealMisses, parks, wakes, yields, injected, overflows seam.Gauge
}

// add adds the figures of a worker that does not run. The caller owns both.
func (n *counts) add(o *counts) {
	n.shownTurns.Add(o.shownTurns.Load())
	n.shownNextSlot.Add(o.shownNextSlot.Load())
	n.steals.Add(o.steals.Load())
	n.stealMisses.Add(o.stealMisses.Load())
	n.parks.Add(o.parks.Load())
	n.wakes.Add(o.wakes.Load())
	n.yields.Add(o.yields.Load())
	n.injected.Add(o.injected.Load())
	n.overflows.Add(o.overflows.Load())
}

// publish makes the worker's counters visible. Owner only.
func (w *Worker) publish() {
	w.count.shownTurns.StoreRelease(w.count.turns)
	w.count.shownNextSlot.StoreRelease(w.count.nextSlot)
	if f := w.sched.cfg.Publish; f != nil {
		f(w)
	}
}

// Counters returns the worker's figures, as last published. Any
// goroutine.
func (w *Worker) Counters() Counters {
	n := &w.count
	wakes := n.wakes.Load() // before parks, so that wakes <= parks
	return Counters{
		Turns: n.shownTurns.Load(), Steals: n.steals.Load(), StealMisses: n.stealMisses.Load(),
		Parks: n.parks.Load(), Wakes: wakes, Yields: n.yields.Load(), NextSlot: n.shownNextSlot.Load(),
		Injected: n.injected.Load(), Overflows: n.overflows.Load(),
	}
}

// unpinned returns all workers except pinned ones: first the workers of New, then idle workers made
// later.
func (s *Scheduler) unpinned() []*Worker {
	return append(s.workers[:len(s.workers):len(s.workers)], s.idleWorkers.all()...)
}

// AllWorkers returns all workers, past ones included, for callers that add up figures: first those
// of New, then those made later, then pinned ones. All forgotten idle workers are represented by
// one worker with the sum of their figures: see Config.Merge. Any goroutine.
func (s *Scheduler) AllWorkers() []*Worker {
	all := s.unpinned()
	for _, p := range s.pins.all() {
		all = append(all, p.w)
	}
	return all
}

// Queued estimates the number of runnable tasks that wait for a worker, pinned tasks excluded. Any
// goroutine.
func (s *Scheduler) Queued() int {
	n := s.inject.len()
	for _, w := range s.unpinned() {
		n += w.queue.newTasks.thief().len() + w.queue.resumed.thief().len()
	}
	return n
}

// Counters returns the figures of all workers, as last published. Any goroutine.
func (s *Scheduler) Counters() []Counters {
	workers := s.AllWorkers()
	all := make([]Counters, len(workers))
	for i, w := range workers {
		all[i] = w.Counters()
	}
	return all
}
