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
// goroutine, armed by the first wake-up and left to expire when all workers sleep,
// so that an idle scheduler costs nothing.
type monitor struct {
	s     *Scheduler
	armed seam.Bool

	mu     seam.Mutex
	timer  *time.Timer // guarded by mu
	ended  bool        // guarded by mu
	stamps []uint32    // guarded by mu: the next-slots as seen last time
}

func (m *monitor) init(s *Scheduler) {
	m.s = s
	m.stamps = make([]uint32, s.cfg.Workers)
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

// tick looks once. Whoever wakes a worker after the first look at the sleepers
// finds the monitor disarmed and arms it again.
func (m *monitor) tick() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return
	}
	m.freeStranded()
	if m.s.idle.quiet() {
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
