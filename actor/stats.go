package actor

import (
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Stats has counters of a system's work since its start. They are exact after [System.Wait],
// [System.Run], [System.Shutdown] and [System.Stop]. While the system works, the counters need not
// fit together: those of messages and turns, also of turns from the next-slot, are updated after
// about 50 µs of work and whenever a worker goes to sleep; all others are updated at once.
type Stats struct {
	// Workers has the figures of every worker. The idle workers, which stand in for workers with
	// blocked turns, follow as one entry, and the workers of pinned types come last.
	Workers []WorkerStats

	Messages    uint64 // behaviours run, and requests that an interceptor has answered instead
	Spawned     uint64 // actors spawned
	Stopped     uint64 // actors that ended, panics included
	Panics      uint64 // behaviours and processes that panicked or called runtime.Goexit
	DeadLetters uint64 // messages that will not run
	// BestEffort is the part of DeadLetters that was for behaviours declared BestEffort.
	BestEffort uint64
	Mutes      uint64 // times a sender was muted
	Unmutes    uint64 // times a muted sender was released
	// Times a muted sender was released although its receiver was under pressure.
	Exempted          uint64
	PressureDeadlocks uint64 // reports of pressure deadlocks, see PressureDeadlock
	Injected          uint64 // turns that came in through the inject queue
	Steals            uint64 // actors taken from another worker
	Parks             uint64 // times a worker went to sleep
	// Turns run; the alarm of a timer that was canceled may still take one after all else.
	Turns uint64

	// Times a behaviour that blocked kept its worker because too many blocked already.
	TooManyBlocked uint64
}

// WorkerStats has counters of one worker's work.
type WorkerStats struct {
	Turns       uint64 // turns run
	Messages    uint64 // as in Stats
	Steals      uint64 // actors taken from another worker
	StealMisses uint64 // tries that found nothing
	Parks       uint64 // times it went to sleep
	Wakes       uint64 // times it was woken
	Yields      uint64 // times it let the process's other goroutines run
	NextSlot    uint64 // turns taken from the next-slot
	Injected    uint64 // turns taken from the inject queue
	Spills      uint64 // actors that did not fit into the local queue

	// Surplus reports that the entry adds up all idle workers.
	Surplus bool
	// Pinned reports that the worker belongs to a pinned type.
	Pinned bool
}

// counters are a worker's own counters. The owner writes them. The count of messages changes all
// the time, and is published now and then: see publish.
type counters struct {
	messages uint64 // taken out of a mailbox or invoked. Owner only
	// notRun is the part of messages that ran no behaviour of the user's: the runtime's own, and
	// refused or stashed messages. Owner only.
	notRun                                                                     uint64
	shownMessages                                                              seam.Gauge
	spawned, stopped, panics, deadLetters, mutes, unmutes, released, deadlocks seam.Gauge
	// bestEffort is a part of deadLetters.
	bestEffort seam.Gauge
}

// publish is sched.Config.Publish: it runs each time that a worker's quantum is spent, and whenever
// the worker falls asleep or leaves. It reviews the biases only at the end of a quantum, except on
// a worker without a slot. A review whenever the worker falls asleep would make an ask dearer, and
// the pauses of the biases too short.
func (c *kernelTurn) publish() {
	// The difference is too small while the running message is in notRun and not yet in messages.
	if n := c.count.messages - c.count.notRun; int64(n-c.count.shownMessages.Load()) > 0 {
		c.count.shownMessages.StoreRelease(n)
	}
	resting := c.w.AboutToPark()
	if !resting || !c.w.KeepsWork() {
		c.reviewBias()
	}
	if resting {
		c.forgetTurn()
		if c.w.Stopping() || c.w.Dismissed() {
			c.dropCaches()
		}
	}
}

// add adds the counters of a worker that does not run. The caller owns both.
func (n *counters) add(o *counters) {
	n.shownMessages.Add(o.shownMessages.Load())
	n.spawned.Add(o.spawned.Load())
	n.stopped.Add(o.stopped.Load())
	n.panics.Add(o.panics.Load())
	n.deadLetters.Add(o.deadLetters.Load())
	n.mutes.Add(o.mutes.Load())
	n.unmutes.Add(o.unmutes.Load())
	n.released.Add(o.released.Load())
	n.deadlocks.Add(o.deadlocks.Load())
}

// mergeContexts is sched.Config.Merge. It keeps the counters of workers that will not run any more,
// in a context that belongs to no worker.
func mergeContexts(soFar any, gone []*sched.Worker) any {
	sum := new(kernelTurn)
	if soFar != nil {
		sum.count.add(&soFar.(*kernelTurn).count)
	}
	for _, w := range gone {
		sum.count.add(&w.Local().(*kernelTurn).count)
	}
	return sum
}

// outsideCounters count events in goroutines that are no workers.
type outsideCounters struct {
	spawned, stopped, panics, deadLetters, bestEffort, unmutes seam.Uint64
}

// Stats implements [System.Stats].
func (s *kernelSystem) Stats() Stats {
	s.mustBeStarted("Stats")
	st := Stats{
		Spawned:     s.outside.spawned.Load(),
		Stopped:     s.outside.stopped.Load(),
		Panics:      s.outside.panics.Load(),
		DeadLetters: s.outside.deadLetters.Load(),
		BestEffort:  s.outside.bestEffort.Load(),
		Unmutes:     s.outside.unmutes.Load(),

		TooManyBlocked: s.sched.DetachedStats().Refused,
	}
	detached := -1
	for _, w := range s.sched.AllWorkers() {
		c := w.Local().(*kernelTurn)
		st.addCounters(&c.count)
		n := workerStats(w.Counters(), c.count.shownMessages.Load())
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
	st.Spawned += n.spawned.Load()
	st.Stopped += n.stopped.Load()
	st.Panics += n.panics.Load()
	st.DeadLetters += n.deadLetters.Load()
	st.BestEffort += n.bestEffort.Load()
	st.Mutes += n.mutes.Load()
	st.Unmutes += n.unmutes.Load()
	st.Exempted += n.released.Load()
	st.PressureDeadlocks += n.deadlocks.Load()
}

func (st *Stats) addTotals(w WorkerStats) {
	st.Turns += w.Turns
	st.Steals += w.Steals
	st.Parks += w.Parks
	st.Injected += w.Injected
}
