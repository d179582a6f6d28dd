package sched

import (
	"time"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// How long the monitor waits between two looks.
const (
	lookSoon  = 500 * time.Microsecond // some turn has just lasted too long, or the governor wants to know
	lookAsked = time.Millisecond       // workers have been asked to come by
	lookCalm   = 3 * time.Millisecond   // all came by

	armedRarely = 1_000_000 // ns; armed less often than this, the monitor is disarmed as soon as all sleep, otherwise behind a look
)

// monitor looks after workers that are stuck in a turn. It is a timer, not a goroutine, armed when
// somebody wakes a worker or makes work that nobody was woken for. When all workers sleep it is
// stopped or left to expire, so that an idle scheduler costs nothing.
type monitor struct {
	s     *Scheduler
	armed seam.Bool
	disarmOnSleep seam.Bool  // the last worker to fall asleep is to disarm it; a hint
	stopped  seam.Count // not 0: stopped

	mu     seam.Mutex
	timer  *seam.Timer // guarded by mu
	ended  bool        // guarded by mu
	since  int64       // when it was armed last, ns; guarded by mu
	watch  watch       // guarded by mu
	burst  blockingBurst       // guarded by mu
	governor governor    // guarded by mu
	total   progress    // guarded by mu: what workers have done, as far as they were seen on seats
	someDetached   []*Worker   // guarded by mu: see freeStrays
}

func (m *monitor) init(s *Scheduler) {
	m.s = s
	m.watch.procs.n = goProcessors()
	m.governor.init(s.cfg.Workers)
	m.armed.Store(s.driver != nil) // and never is: it goes by the machine's time
}

// arm starts the timer if it does not run. One load if it does. Any goroutine.
func (m *monitor) arm() {
	if m.armed.Load() || !m.armed.CompareAndSwap(false, true) {
		return
	}
	now := m.s.cfg.Clock.Nanos()
	m.mu.Lock()
	if !m.ended {
		m.armed.Store(true) // mayRest may have disarmed it since
		m.disarmOnSleep.Store(now-m.since > armedRarely)
		m.since = now
		m.watch.asking = false
		m.governor.skipIdle(now, m.governor.seen)
		m.lookAtTurns(now)
		m.reset(lookSoon) // soon: all run, and may be in each other's way, of which the governor knows nothing yet
	}
	m.mu.Unlock()
}

// Watch makes sure that long turns are noticed, if any turn runs. It is to be called
// after [Admission.InjectWatched]. A worker that is about to fall asleep is first given
// the time to do so. Watch costs a load or two, as a rule. Any goroutine.
func (s *Scheduler) Watch() {
	if s.cfg.OnLongTurn == nil {
		return // as in wake
	}
	for n := 0; !s.idle.quiet() && !s.monitor.armed.Load(); n++ {
		if n == spinBudget {
			s.monitor.arm()
			return
		}
		seam.Spin()
	}
}

// reset sets the timer anew. Caller holds mu.
func (m *monitor) reset(d time.Duration) {
	if m.timer == nil {
		m.timer = seam.AfterFunc(d, m.tick)
		return
	}
	m.timer.Reset(d)
}

// stop ends the monitor; no tick runs when it returns, and none will.
func (m *monitor) stop() {
	m.stopped.Add(1)
	m.mu.Lock()
	m.ended = true
	if m.timer != nil {
		m.timer.Stop()
	}
	m.mu.Unlock()
}

// tick looks once, unless the monitor was disarmed when the timer had expired already. Only an
// armed monitor looks: otherwise a worker that its look wakes would arm it, and wait for its lock.
// A worker that fills a slot after mayRest's second look at the sleepers finds the monitor disarmed
// and arms it again; one that fills a slot before is awake at that look.
func (m *monitor) tick() {
	if m.stopped.Load() != 0 {
		return // a timer's goroutine that comes late touches nothing
	}
	m.mu.Lock()
	if !m.ended {
		m.watch.procs.n = goProcessors()
		if m.armed.Load() {
			if pause := m.look(m.s.cfg.Clock.Nanos()); !m.tryDisarm() {
				m.reset(pause)
				m.disarmOnSleep.Store(true)
			}
		}
	}
	m.mu.Unlock() // by hand, as in spares.nextID
}

// dozeOff disarms the monitor before its next look, if it may, since the last worker has fallen
// asleep: a timer that expires wakes a thread, and one that runs costs each goroutine that waits or
// yields a reading of the clock. It does not while fewer workers may be awake than there are, since
// mayRest forgets that limit. The monitor is disarmed already if another worker was the last
// meanwhile, or if a tick came first. Any goroutine.
func (m *monitor) disarmAtSleep() {
	m.mu.Lock()
	m.disarmOnSleep.Store(false)
	if m.armed.Load() && !m.ended && m.governor.limit == m.governor.workers && m.tryDisarm() {
		m.governor.look(m.s.cfg.Clock.Nanos(), m.progress(), 0)
	}
	m.mu.Unlock() // by hand, as in spares.nextID
}

// mayRest disarms the monitor if it need not look again before somebody arms it: all seats sleep,
// and no worker without a seat is a stray or is to be let go. A worker that wakes, or becomes one
// of those, after the looks here finds the monitor disarmed. Workers that are away and know it make
// no difference: what they make runnable goes where everybody looks. Caller holds mu.
func (m *monitor) tryDisarm() bool {
	if !m.s.idle.quiet() {
		return false
	}
	if invariant.On {
		verifyArmed(m)
	}
	m.s.limitAwake(m.governor.workers) // until the next tick: nobody would see that one is stuck. Before: it may wake one, who arms
	m.armed.Store(false)
	if (!m.s.idle.quiet() || m.s.idleWorkers.cool(false)) && m.armed.CompareAndSwap(false, true) {
		return false
	}
	if m.timer != nil {
		m.timer.Stop() // whoever has armed it by now is yet to set it
	}
	return true
}

// look does what there is to do now and returns when to look again. Caller holds mu.
func (m *monitor) look(now int64) time.Duration {
	m.freeStranded()
	m.freeDetached(now)
	m.s.idleWorkers.trim(now)
	asking, overdueFor := m.lookAtTurns(now)
	m.govern(now, overdueFor > 0)
	if m.burst.out > 0 || m.burst.starved > 0 || m.governor.hasty() {
		return lookSoon
	}
	pause := lookCalm
	if overdueFor > 0 { // it would have been relieved if anything waited: less and less often, but not so that others are asked too late
		pause = min(max(lookSoon, time.Duration(overdueFor/4)), lookCalm)
	}
	if asking {
		pause = min(pause, lookAsked)
	}
	return pause
}

// freeStranded moves a task on that has waited in one next-slot since the last
// look: its worker is stuck. Caller holds mu.
func (m *monitor) freeStranded() {
	for i := range m.s.slots {
		w := m.s.slots[i].holder.Load()
		if w == nil {
			continue
		}
		if stamp := w.next.stamp(); stamp == w.turn.stamp {
			m.s.freeNextSlot(w, stamp)
		} else { // so reserved, whose slot is never filled, is not written to
			w.turn.stamp = stamp
		}
	}
}

// free moves the task of the filling with that stamp from w's next-slot to the inject queue, and
// reports whether it was there. From the robbery to the injection the task is in no queue, and its
// worker may fall asleep, so the monitor holds the scheduler.
func (s *Scheduler) freeNextSlot(w *Worker, stamp uint32) (moved bool) {
	if !w.next.revocable(stamp) || !s.Hold() { // no hold for nothing: whoever waits for its end would look again, and so on
		return false
	}
	t := w.next.revoke(stamp)
	if t != nil {
		if invariant.On {
			checkLeave(t) // Inject enters it
		}
		s.Inject(t)
	}
	s.Release()
	return t != nil
}

// straysAtOnce is how many strays one look goes over, in some tens of microseconds.
const detachedAtOnce = 1024

// freeStrays moves on what workers without a seat have made runnable in turns that they began with
// one. Where there are very many, each look goes over a part of them, so that looks stay short; what
// one of a hundred thousand has made runnable waits up to 0.3 s then. Caller holds mu.
func (m *monitor) freeDetached(now int64) {
	m.someDetached = m.s.idleWorkers.someDetached(m.someDetached[:0], detachedAtOnce)
	for _, w := range m.someDetached {
		m.report(w, now)
		m.count(w)
		m.s.freeNextSlot(w, w.next.stamp()) // H5
		m.s.freeQueue(w)
	}
	clear(m.someDetached) // they may be forgotten
}

// drain moves what is in w's queue to the inject queue, where it is looked for.
func (s *Scheduler) freeQueue(w *Worker) {
	if w.queue.empty() || !s.Hold() {
		return
	}
	for t := w.queue.steal(); t != nil; t = w.queue.steal() {
		if invariant.On {
			checkLeave(t) // as in free
		}
		s.Inject(t)
	}
	s.Release()
}

// steer shows the governor how far the workers have come and does what it says. While
// a worker is stuck nobody may be kept asleep. Caller holds mu.
func (m *monitor) govern(now int64, overdue bool) {
	idle := &m.s.idle
	limit := m.governor.look(now, m.progress(), idle.awake(idle.v.Load()))
	if invariant.On {
		verifyGovernor(&m.governor)
	}
	if overdue && limit < m.governor.workers {
		m.governor.lift()
		limit = m.governor.limit
	}
	if uint32(limit) != idle.limit.Load() {
		m.s.limitAwake(limit)
	}
}

// progress returns what workers have done so far, as far as they have shown it. It looks at those
// that hold seats: to look at all that there are would take milliseconds where very many block. What
// a worker shows just before it loses its seat is counted when it holds one again; the governor goes
// by millions of units, and makes nothing of that. Caller holds mu.
func (m *monitor) progress() progress {
	for i := range m.s.slots {
		if w := m.s.slots[i].holder.Load(); w != nil && w != reserved {
			m.count(w)
		}
	}
	return m.total
}

// count adds what a worker has done since the last time. Caller holds mu.
func (m *monitor) count(w *Worker) {
	now, then := progress{units: w.spent.Load(), crossed: w.crossed.Load(), steals: w.count.steals.Load()}, &w.turn.counted
	m.total.units += now.units - then.units
	m.total.steals += now.steals - then.steals
	m.total.crossed += now.crossed - then.crossed
	*then = now
}

// restrain sets how many workers may be awake, 1 to all. Those in excess retire at
// their next look at the inject queue. One at a time.
func (s *Scheduler) limitAwake(limit int) {
	s.idle.limit.Store(uint32(limit)) // F1
	if s.workLeft() {                 // F2, after the store: whoever was not woken for it before is now
		s.notifyFromMonitor()
	}
}

// nudge is notify for the monitor, which has its lock in hand and must not bury. Whoever pushes
// after the end does the burying.
func (s *Scheduler) notifyFromMonitor() {
	if i, r := s.idle.wake(true); r == wokeOne {
		s.holder(i).wake(nil, true)
	}
}
