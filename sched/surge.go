package sched

import "github.com/gallop-go/gallop/internal/invariant"

// A thousand tasks that block, one behind the other, would take the seats of two workers five
// hundred times in turn, some milliseconds each. When the workers that sat down in place of blocked
// ones block as well, the monitor lets extras run beside them: workers without a seat that take one
// task each. Every round has twice as many, for as long as half of the last ones have not come
// back. Once the tasks block no longer, as many workers run turns as before, since an extra gives
// up after one turn. That some have not come back says nothing of blocking until all that wait for
// a processor have had one: the extras may not even have begun.
type surge struct {
	last   int64 // when seats were lost last, ns
	rounds int   // how often in a row
	extras []*Worker
	grown  int64 // when they were started, ns
	out    int   // extras of the last round that have not come back
}

const (
	calmAfter  = 20_000_000 // ns without a lost seat after which a surge is over
	firstExtra = 4          // extras of the first round
)

// overdueFor is how long ago, in the present state, a worker must have been asked before it loses
// its seat while a processor is idle.
func (g *surge) overdueFor() int64 {
	if g.rounds > 0 {
		return urgent
	}
	return relief
}

// grow starts another round of extras if the last ones are stuck and more work waits.
// Caller holds mu.
func (m *monitor) grow(now int64, relieved int) {
	g := &m.surge
	g.out = 0
	for _, w := range g.extras {
		if w.duty.isAway() {
			g.out++
		}
	}
	round := m.watch.procs.round()
	if invariant.On {
		verifyRound(&m.watch.procs, round)
	}
	switch {
	case relieved > 0:
		g.rounds++
		g.last = now
	case 2*g.out < len(g.extras) || now-g.last > calmAfter+2*round:
		g.rounds, g.extras, g.out = 0, nil, 0
		return
	}
	if g.rounds < 2 || 2*g.out < len(g.extras) || g.out > 0 && now-g.grown < round {
		return
	}
	want := max(firstExtra, 2*len(g.extras))
	g.extras, g.grown = g.extras[:0], now
	for range min(want, m.s.inject.len()) {
		w := m.s.extra()
		if w == nil {
			return
		}
		w.turn.begin(now)
		g.extras = append(g.extras, w)
		g.last = now
	}
	g.out = len(g.extras)
}

// extra starts a worker without a seat for one task, or returns nil if there are
// enough. Monitor only.
func (s *Scheduler) extra() *Worker {
	if !s.goAway() {
		return nil
	}
	s.stop.left.Add(1)
	w := s.spares.take()
	w.seat = noSeat
	w.duty.f.StoreRelease(away)
	s.spares.stray(w)
	w.wakeIdly()
	return w
}
