package sched

import (
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// monitorPeriod is how often the monitor looks while workers are awake. A task in
// the next-slot of a worker that is stuck in one turn runs elsewhere after at most
// two periods.
const monitorPeriod = time.Millisecond

// monitor looks after workers that are stuck in a turn. It is a timer and no
// goroutine, armed when a next-slot is filled and left to expire when all workers
// sleep, so that an idle scheduler costs nothing.
type monitor struct {
	s     *Scheduler
	armed seam.Bool

	mu     seam.Mutex
	timer  *time.Timer // guarded by mu
	ended  bool        // guarded by mu
	stamps []uint32    // guarded by mu: the next-slots as seen last time
	spent  []uint64    // guarded by mu: the workers' units of work as seen last time
	still  []int       // guarded by mu: looks since they last changed
	govern governor    // guarded by mu
}

func (m *monitor) init(s *Scheduler) {
	m.s = s
	m.stamps = make([]uint32, s.cfg.Workers)
	m.spent = make([]uint64, s.cfg.Workers)
	m.still = make([]int, s.cfg.Workers)
	m.govern.init(s.cfg.Workers)
}

// arm starts the timer if it does not run. One load if it does. Any goroutine.
func (m *monitor) arm() {
	if m.armed.Load() || !m.armed.CompareAndSwap(false, true) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reset()
}

// reset sets the timer anew. Caller holds mu.
func (m *monitor) reset() {
	switch {
	case m.ended:
	case m.timer == nil:
		m.timer = time.AfterFunc(monitorPeriod, m.tick)
	default:
		m.timer.Reset(monitorPeriod)
	}
}

// stop ends the monitor; no tick runs when it returns, and none will.
func (m *monitor) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	if m.timer != nil {
		m.timer.Stop()
	}
}

// tick looks once. Whoever fills a slot after the second look at the sleepers finds
// the monitor disarmed and arms it again; who fills it before is awake then.
func (m *monitor) tick() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return
	}
	m.freeStranded()
	m.steer()
	if m.s.idle.quiet() {
		m.s.restrain(len(m.s.workers)) // until the next tick: nobody would see that one is stuck
		m.armed.Store(false)
		if m.s.idle.quiet() || !m.armed.CompareAndSwap(false, true) {
			return
		}
	}
	m.reset()
}

// freeStranded moves a task on that has waited in one next-slot since the last
// look: its worker is stuck. From the robbery to the injection the task is in no
// queue, and its worker may fall asleep, so the monitor holds the scheduler.
// Caller holds mu.
func (m *monitor) freeStranded() {
	for i, w := range m.s.workers {
		stamp := w.slot.stamp()
		if stamp == m.stamps[i] && stamp&1 != 0 && m.s.Hold() {
			if t := w.slot.rob(stamp); t != nil {
				m.s.Inject(t)
			}
			m.s.Release()
		}
		m.stamps[i] = stamp
	}
}

// patience is how many looks a worker may stand still before it counts as stuck,
// while others are kept asleep.
const patience = 5

// steer shows the governor how far the workers have come and does what it says. A
// worker that is awake and comes no further is stuck, or has long turns: then nobody
// may be kept asleep. Caller holds mu.
func (m *monitor) steer() {
	idle := &m.s.idle
	v := idle.v.Load()
	total, stuck := m.progress(v)
	limit := m.govern.look(m.s.cfg.Clock.Nanos(), total, idle.awake(v))
	if stuck && limit < m.govern.workers {
		m.govern.lift()
		limit = m.govern.limit
	}
	if uint32(limit) != idle.limit.Load() {
		m.s.restrain(limit)
	}
}

// restrain sets how many workers may be awake, 1 to all. Those in excess retire at
// their next look at the inject queue. One at a time.
func (s *Scheduler) restrain(limit int) {
	s.idle.limit.Store(uint32(limit))
	if !s.workLeft() { // after the store: whoever was not woken for it before is now
		return
	}
	// Not notify: it buries after the end, and the monitor has its lock in hand.
	// Whoever pushes after the end buries himself.
	if i, r := s.idle.wake(true); r == wokeOne {
		s.workers[i].wake(nil)
	}
}

// progress returns the units of work done so far, and whether a worker that is awake
// in v has not done any for long. Caller holds mu.
func (m *monitor) progress(v uint64) (total uint64, stuck bool) {
	for i, w := range m.s.workers {
		units := w.spent.Load()
		total += units
		m.still[i]++
		if units != m.spent[i] || v&(1<<i) != 0 {
			m.still[i] = 0
		}
		m.spent[i] = units
		if m.still[i] > 0 {
			w.late.Store(true) // advice: should the turn end at this moment, the next one ends early
		}
		stuck = stuck || m.still[i] >= patience
	}
	return total, stuck
}
