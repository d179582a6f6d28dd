package sched

import "unsafe"

// Counters is what a worker has done. Kept in plain words by the worker and
// published without a fence: about every 50 µs of work, and before it sleeps, so
// that the figures are exact once the scheduler is quiescent.
type Counters struct {
	Turns       uint64 // turns run
	Steals      uint64 // tasks taken from another worker
	StealMisses uint64 // victims that had nothing
	Parks       uint64 // times it went to sleep
	Wakes       uint64 // times it was woken
	Yields      uint64 // times it let the process's other goroutines run
	NextSlot    uint64 // turns taken from the next-slot
	Injected    uint64 // tasks fetched from the inject queue
	Spills      uint64 // tasks that did not fit into the ring
}

const numCounters = 9

// stealsAt is the place of Steals among the fields.
const stealsAt = 1

const _ = -(unsafe.Sizeof(Counters{}) - numCounters*8) // it has no other fields

// publish makes the worker's counters visible. Owner only. It takes them as an array and copies nothing:
// who is asked something comes by after each answer.
func (w *Worker) publish() {
	for i, v := range (*[numCounters]uint64)(unsafe.Pointer(&w.count)) {
		w.published[i].Publish(v)
	}
	if f := w.sched.cfg.Publish; f != nil {
		f(w)
	}
}

// Counters returns what the worker published last. Any goroutine.
func (w *Worker) Counters() Counters {
	var v [numCounters]uint64
	for i := range v {
		v[i] = w.published[i].Load()
	}
	return Counters{
		Turns: v[0], Steals: v[1], StealMisses: v[2], Parks: v[3], Wakes: v[4],
		Yields: v[5], NextSlot: v[6], Injected: v[7], Spills: v[8],
	}
}

// crew returns all workers there ever were, but pinned ones: those that the scheduler
// began with, then the spares.
func (s *Scheduler) crew() []*Worker {
	return append(s.workers[:len(s.workers):len(s.workers)], s.spares.everyone()...)
}

// Crew returns all workers that there are or have been: those that the scheduler began
// with, then spares, then pinned ones, so that somebody may add up what they have
// done. Any goroutine.
func (s *Scheduler) Crew() []*Worker {
	all := s.crew()
	for _, p := range s.pins.all() {
		all = append(all, p.w)
	}
	return all
}

// Counters returns what everyone in the crew published last. Any goroutine.
func (s *Scheduler) Counters() []Counters {
	crew := s.Crew()
	all := make([]Counters, len(crew))
	for i, w := range crew {
		all[i] = w.Counters()
	}
	return all
}
