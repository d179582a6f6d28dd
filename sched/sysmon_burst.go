package sched

import "github.com/gallop-go/gallop/internal/invariant"

// Blocking bursts: many tasks that block, one after the other.
//
// A thousand of them would take the slots of two workers five hundred times in turn, some
// milliseconds each. So when the workers that got the slots of blocked workers block as well, the
// monitor starts surplus workers: workers without a slot that run one task each. Every round has
// twice as many as the last round. The rounds go on while half of the last round is still out.
//
// Once the tasks no longer block, as many workers run turns as before, since a surplus worker
// becomes an idle worker after one turn. A round is not judged until all goroutines that wait for a
// processor have had one: the surplus workers may not even have begun.
//
// Tasks that block for a millisecond or two never cost their workers the slots, and surplus workers
// that take them are back at the next look. A thousand of them would delay later tasks by a second.
// They show in unused processors: work waits, all slots are awake, and yet fewer goroutines want to
// run than there are slots and processors. If most looks show that, there is another round as well,
// of four times as many, whether the last one is back or not.
//
// blockingBurst is the monitor's record of a burst. Guarded by the monitor's mu.
type blockingBurst struct {
	last   int64 // time of the last lost slot or new round, ns
	rounds int   // looks of the burst that have taken slots, or 1 if it began without; 0: no burst
	// starved rises by two with each look that finds slots blocked, and falls by one with any other
	// look.
	starved int
	surplus []*Worker
	grown   int64 // time of the start of surplus, ns
	out     int   // surplus workers of the last round that have not come back
}

// Limits of a burst.
const (
	burstCalmAfter = 20_000_000 // ns without a lost slot after which a burst is over
	// Surplus workers of the first round: few, since most blocked turns come alone.
	firstSurplus = 4
	maxSurplus   = 4096 // surplus workers of the largest round

	mostStarved = 8
)

// retakeDelay is the time after which a worker that was asked loses its slot while a processor is
// idle. In a burst it is the shortest time that is meaningful. Caller holds mu.
func (g *blockingBurst) retakeDelay() int64 {
	if g.rounds > 0 {
		return overdueAfter
	}
	return retakeAfter
}

// growBurst starts another round of surplus workers if the last ones are stuck and more work waits.
// retaken is the number of slots that this look has taken. Caller holds mu.
func (m *monitor) growBurst(now int64, retaken int) {
	g := &m.burst
	g.out = 0
	for _, w := range g.surplus {
		// A surplus worker that has come back is IDLE, or holds a slot.
		if w.state.isDetached() {
			g.out++
		}
	}
	round := m.slots.procs.round()
	if invariant.On {
		verifyRound(&m.slots.procs, round)
	}
	starves := m.starves()
	switch {
	case retaken > 0:
		g.rounds++
		g.last = now
	case g.starved > 0:
		g.rounds = max(g.rounds, 1)
	case 2*g.out < len(g.surplus) || now-g.last > burstCalmAfter+2*round:
		g.rounds, g.surplus, g.out = 0, nil, 0
		return
	}
	// Another round only if the last one has had its time and most of it is still out.
	if !starves && (g.rounds < 2 || 2*g.out < len(g.surplus) || g.out > 0 && now-g.grown < round) {
		return
	}
	// Twice as many as in the last round, so that a long queue is worked off soon.
	want := 2 * len(g.surplus)
	if starves {
		want *= 2
	}
	want = min(max(firstSurplus, want), maxSurplus)
	clear(g.surplus) // so that they can be collected
	g.surplus, g.grown = g.surplus[:0], now
	for range min(want, m.s.waiting()) {
		w := m.s.startSurplus()
		if w == nil {
			return
		}
		w.turn.begin(now)
		g.surplus = append(g.surplus, w)
		g.last = now
	}
	g.out = len(g.surplus)
}

// starves reports whether slots are blocked now and were at most of the last looks: work waits, and
// does not run although there are processors for it. A single look may come while a worker is about
// to run.
//
// A worker that looks at the network (network.yield) waits like a blocked goroutine, and its
// processor runs the monitor meanwhile. So it counts as active. Caller holds mu.
func (m *monitor) starves() bool {
	g, p, idle := &m.burst, &m.slots.procs, &m.s.idle
	if m.s.waiting() == 0 || idle.sleepers() > 0 || searching(idle.v.Load()) > 0 {
		g.starved = 0
		return false
	}
	// The number leaves out this goroutine, and a worker that looks at the network.
	p.look()
	active := p.active()
	if m.s.network.isLookedAt() {
		active++
	}
	if active >= min(p.n, uint64(len(m.s.slots))) {
		g.starved = max(g.starved-1, 0)
		return false
	}
	// Bounded, so that a burst that is over is forgotten after some looks.
	g.starved = min(g.starved+2, mostStarved)
	return g.starved > 2
}

// waiting returns the number of tasks that surplus workers would find. A stale figure costs a
// surplus worker without a task, or one more look. Any goroutine; advisory.
func (s *Scheduler) waiting() int {
	n := s.inject.len()
	for i := range s.slots {
		if w := s.slots[i].holder.Load(); w != nil {
			n += max(0, w.queue.newTasks.thief().len()) + max(0, w.queue.resumed.thief().len())
		}
	}
	return n
}

// startSurplus starts a worker without a slot for one task. It returns nil if the limit of detached
// workers is reached or the scheduler has ended. The worker is listed before it wakes, so the
// monitor moves the tasks that it makes runnable. Its state is DETACHED from the start: it holds
// the scheduler and has no bit in the idle word. Monitor only.
func (s *Scheduler) startSurplus() *Worker {
	if s.beginDetached() != detachOK {
		return nil
	}
	s.stop.left.Add(1) // the end waits for the worker
	w := s.idleWorkers.take()
	w.slot = noSlot
	w.state.word.StoreRelease(stateDetached)
	s.idleWorkers.addDetached(w)
	w.wakeUncounted()
	return w
}
