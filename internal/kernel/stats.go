package kernel

import (
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Stats is actor.Stats, which documents it.
type Stats struct {
	Workers []WorkerStats

	Messages          uint64
	Spawned           uint64
	Stopped           uint64
	Panics            uint64
	DeadLetters       uint64
	BestEffort        uint64
	Mutes             uint64
	Unmutes           uint64
	Exempted          uint64
	PressureDeadlocks uint64
	Injected          uint64
	Steals            uint64
	Parks             uint64
	Turns             uint64

	TooManyBlocked uint64

	Restarts      uint64
	ErrorRestarts uint64
	LongTurns     uint64
	LongTurnsNow  int
}

// WorkerStats is actor.WorkerStats, which documents it.
type WorkerStats struct {
	Turns       uint64
	Messages    uint64
	Steals      uint64
	StealMisses uint64
	Parks       uint64
	Wakes       uint64
	Yields      uint64
	NextSlot    uint64
	Injected    uint64
	Spills      uint64

	Surplus bool
	Pinned  bool
}

// counters are a worker's own counters. The owner writes them. The count of messages changes all
// the time, and is published now and then: see publish.
type counters struct {
	messages uint64 // taken out of a mailbox or invoked. Owner only
	// NotRun is the part of messages that ran no behaviour of the user's: the runtime's own, and
	// refused or stashed messages. Owner only.
	NotRun                                                                     uint64
	shownMessages                                                              seam.Gauge
	Spawned, Stopped, panics, deadLetters, mutes, unmutes, released, deadlocks seam.Gauge
	// BestEffort is a part of deadLetters, and errorRestarts of restarts.
	bestEffort, restarts, errorRestarts seam.Gauge
}

// publish is sched.Config.Publish: it runs each time that a worker's quantum is spent, and whenever
// the worker falls asleep or leaves. It reviews the biases only at the end of a quantum, except on
// a worker without a slot. A review whenever the worker falls asleep would make an ask dearer, and
// the pauses of the biases too short.
func (c *Turn) publish() {
	// The difference is too small while the running message is in NotRun and not yet in messages.
	if n := c.Count.messages - c.Count.NotRun; int64(n-c.Count.shownMessages.Load()) > 0 {
		c.Count.shownMessages.StoreRelease(n)
	}
	resting := c.W.AboutToPark()
	if !resting || !c.W.KeepsWork() {
		c.reviewBias()
	}
	if resting {
		c.forgetTurn()
		if c.W.Stopping() || c.W.Dismissed() {
			c.dropCaches()
		}
	}
}

// add adds the counters of a worker that does not run. The caller owns both.
func (n *counters) add(o *counters) {
	n.shownMessages.Add(o.shownMessages.Load())
	n.Spawned.Add(o.Spawned.Load())
	n.Stopped.Add(o.Stopped.Load())
	n.panics.Add(o.panics.Load())
	n.deadLetters.Add(o.deadLetters.Load())
	n.mutes.Add(o.mutes.Load())
	n.unmutes.Add(o.unmutes.Load())
	n.released.Add(o.released.Load())
	n.deadlocks.Add(o.deadlocks.Load())
	n.bestEffort.Add(o.bestEffort.Load())
	n.restarts.Add(o.restarts.Load())
	n.errorRestarts.Add(o.errorRestarts.Load())
}

// mergeContexts is sched.Config.Merge. It keeps the counters of workers that will not run any more,
// in a Turn that belongs to no worker.
func mergeContexts(soFar any, gone []*sched.Worker) any {
	sum := new(Turn)
	if soFar != nil {
		sum.Count.add(&soFar.(*Turn).Count)
	}
	for _, w := range gone {
		sum.Count.add(&w.Local().(*Turn).Count)
	}
	return sum
}

// outsideCounters count events in goroutines that are no workers.
type outsideCounters struct {
	Spawned, Stopped, panics, deadLetters, bestEffort, unmutes seam.Uint64
}

// Stats implements actor.System.Stats.
func (s *System) Stats() Stats {
	s.mustBeStarted("Stats")
	st := Stats{
		Spawned:     s.Outside.Spawned.Load(),
		Stopped:     s.Outside.Stopped.Load(),
		Panics:      s.Outside.panics.Load(),
		DeadLetters: s.Outside.deadLetters.Load(),
		BestEffort:  s.Outside.bestEffort.Load(),
		Unmutes:     s.Outside.unmutes.Load(),

		TooManyBlocked: s.Sched.DetachedStats().Refused,
		LongTurns:      s.LongTurns.found.Load(),
		LongTurnsNow:   s.blocked.longNow(),
	}
	detached := -1
	for _, w := range s.Sched.AllWorkers() {
		c := w.Local().(*Turn)
		st.addCounters(&c.Count)
		if w.Running() != nil && !PeekBlocking(w) && w.LongTurn() != nil && !s.blocked.has(c) {
			st.LongTurnsNow++
		}
		n := workerStats(w.Counters(), c.Count.shownMessages.Load())
		n.Pinned = w.Pinned()
		st.addTotals(n)
		switch {
		case w.ID() < s.Workers() || n.Pinned:
			st.Workers = append(st.Workers, n)
		case detached < 0:
			detached, n.Surplus = len(st.Workers), true
			st.Workers = append(st.Workers, n)
		default:
			st.Workers[detached].add(n)
		}
	}
	return st
}

func workerStats(n sched.Counters, messages uint64) WorkerStats {
	return WorkerStats{
		Turns: n.Turns, Messages: messages, Steals: n.Steals, StealMisses: n.StealMisses, Parks: n.Parks,
		Wakes:  n.Wakes,
		Yields: n.Yields, NextSlot: n.NextSlot, Injected: n.Injected, Spills: n.Overflows,
	}
}

// add adds another worker's figures.
func (w *WorkerStats) add(o WorkerStats) {
	w.Turns += o.Turns
	w.Messages += o.Messages
	w.Steals += o.Steals
	w.StealMisses += o.StealMisses
	w.Parks += o.Parks
	w.Wakes += o.Wakes
	w.Yields += o.Yields
	w.NextSlot += o.NextSlot
	w.Injected += o.Injected
	w.Spills += o.Spills
}

func (st *Stats) addCounters(n *counters) {
	st.Messages += n.shownMessages.Load()
	st.Spawned += n.Spawned.Load()
	st.Stopped += n.Stopped.Load()
	st.Panics += n.panics.Load()
	st.DeadLetters += n.deadLetters.Load()
	st.BestEffort += n.bestEffort.Load()
	st.Mutes += n.mutes.Load()
	st.Unmutes += n.unmutes.Load()
	st.Exempted += n.released.Load()
	st.PressureDeadlocks += n.deadlocks.Load()
	st.Restarts += n.restarts.Load()
	st.ErrorRestarts += n.errorRestarts.Load()
}

func (st *Stats) addTotals(w WorkerStats) {
	st.Turns += w.Turns
	st.Steals += w.Steals
	st.Parks += w.Parks
	st.Injected += w.Injected
}
