package sched

import "github.com/gallop-go/gallop/internal/invariant"

// A thousand tasks that block, one behind the other, would take the seats of two workers five
// hundred times in turn, some milliseconds each. When the workers that sat down in place of blocked
// ones block as well, the monitor lets extras run beside them: workers without a seat that take one
// task each. Every round has twice as many, for as long as half of the last ones have not come
// back. Once the tasks block no longer, as many workers run turns as before, since an extra gives
// up after one turn. That some have not come back says nothing of blocking until all that wait for
// a processor have had one: the extras may not even have begun.
//
// Tasks that block for a millisecond or two never cost their workers the seats, and extras that take
// them are back at the next look. A thousand of them would hold up what comes behind for a second.
// They are found by what they leave unused: work waits, all seats are awake, and yet fewer
// goroutines want to run than there are seats and processors. Where that is so at most looks, there
// is another round as well, of four times as many, whatever has become of the last one.
type blockingBurst struct {
	last    int64 // when seats were lost last, or another round began, ns
	rounds  int   // how often in a row
	starved int   // by two more with each look that finds seats blocked, by one less with each other
	surplus []*Worker
	grown   int64 // when they were started, ns
	out     int   // extras of the last round that have not come back
}

const (
	burstCalmAfter = 20_000_000 // ns without a lost seat after which a surge is over
	firstSurplus   = 4          // extras of the first round
	maxSurplus     = 4096       // and of the largest

	mostStarved = 8
)

// overdueFor is how long ago, in the present state, a worker must have been asked before it loses
// its seat while a processor is idle.
func (g *blockingBurst) retakeDelay() int64 {
	if g.rounds > 0 {
		return overdueAfter
	}
	return retakeAfter
}

// grow starts another round of extras if the last ones are stuck and more work waits.
// Caller holds mu.
func (m *monitor) growBurst(now int64, relieved int) {
	g := &m.burst
	g.out = 0
	for _, w := range g.surplus {
		if w.state.isDetached() {
			g.out++
		}
	}
	round := m.watch.procs.round()
	if invariant.On {
		verifyRound(&m.watch.procs, round)
	}
	starves := m.starves()
	switch {
	case relieved > 0:
		g.rounds++
		g.last = now
	case g.starved > 0:
		g.rounds = max(g.rounds, 1)
	case 2*g.out < len(g.surplus) || now-g.last > burstCalmAfter+2*round:
		g.rounds, g.surplus, g.out = 0, nil, 0
		return
	}
	if !starves && (g.rounds < 2 || 2*g.out < len(g.surplus) || g.out > 0 && now-g.grown < round) {
		return
	}
	want := 2 * len(g.surplus)
	if starves {
		want *= 2
	}
	want = min(max(firstSurplus, want), maxSurplus)
	clear(g.surplus) // they may be forgotten
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

// starves reports whether seats are found blocked now and have been at most of the last looks: work
// waits, and is not run although there are processors for it. A single look may come while a worker
// is about to run. The monitor is one of those that run, and a worker that looks at the network for
// all (network.yield) is not blocked, although it seems so: it does that to let the monitor run.
// Caller holds mu.
func (m *monitor) starves() bool {
	g, p, idle := &m.burst, &m.watch.procs, &m.s.idle
	if m.s.waiting() == 0 || idle.sleepers() > 0 || searching(idle.v.Load()) > 0 {
		g.starved = 0
		return false
	}
	p.look()
	active := p.active()
	if m.s.network.isLookedAt() {
		active++
	}
	if active >= min(p.n, uint64(len(m.s.slots))) {
		g.starved = max(g.starved-1, 0)
		return false
	}
	g.starved = min(g.starved+2, mostStarved)
	return g.starved > 2
}

// waiting returns how many tasks an extra would find. Any goroutine; advisory.
func (s *Scheduler) waiting() int {
	n := s.inject.len()
	for i := range s.slots {
		if w := s.slots[i].holder.Load(); w != nil {
			n += max(0, w.queue.newTasks.thief().len()) + max(0, w.queue.resumed.thief().len())
		}
	}
	return n
}

// extra starts a worker without a seat for one task, or returns nil if there are
// enough. Monitor only.
func (s *Scheduler) startSurplus() *Worker {
	if s.beginDetached() != detachOK {
		return nil
	}
	s.stop.left.Add(1)
	w := s.idleWorkers.take()
	w.slot = noSlot
	w.state.word.StoreRelease(stateDetached)
	s.idleWorkers.addDetached(w)
	w.wakeUncounted()
	return w
}
