package sched

import (
	"time"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// How long the monitor waits between two looks.
const (
	lookSoon  = 500 * time.Microsecond // a turn is overdue, or the governor measures
	lookAsked = time.Millisecond       // workers have been asked to come by
	lookCalm  = 3 * time.Millisecond   // all came by

	// ns. If the monitor is armed less often than this, it is disarmed as soon as all workers
	// sleep, and otherwise only after a look.
	armedRarely = 1_000_000
)

// monitor looks after workers that are stuck in a turn, as sysmon does in Go's scheduler. It frees
// what waits in their next-slots, asks them to come by, takes their slots (sysmon_blocked.go),
// starts surplus workers (sysmon_burst.go) and sets how many workers are awake
// (sysmon_governor.go).
//
// It is a timer, not a goroutine, armed when a goroutine wakes a worker, or makes work for which no
// worker is woken. When all workers sleep it is stopped or left to expire, so that an idle
// scheduler costs nothing.
//
// Ownership: what mu guards belongs to the goroutine that holds mu, as a rule that of the timer.
// armed is a word of its own, since arm is called on every wake-up. It is set by arm and cleared by
// tryDisarm, both of which look at the idle word afterwards, so that between them no worker that is
// awake stays without a monitor.
type monitor struct {
	s     *Scheduler
	armed seam.Bool

	// disarmOnSleep: the last worker to fall asleep is to disarm the monitor. A stale value costs
	// one look too many, or a disarming that tryDisarm refuses.
	disarmOnSleep seam.Bool
	stopped       seam.Count // not 0: stopped

	mu       seam.Mutex
	timer    *seam.Timer   // guarded by mu
	ended    bool          // guarded by mu
	since    int64         // when it was armed last, ns; guarded by mu
	slots    slotRecord    // guarded by mu
	burst    blockingBurst // guarded by mu
	governor governor      // guarded by mu

	// total is what workers have done, as far as they were seen in slots. Guarded by mu.
	total        progress
	someDetached []*Worker // guarded by mu: see freeDetached
}

// Locks: mu comes before the locks of the idle workers and of quiescence. A caller that holds mu
// must not arm, and must not discard tasks.

// init prepares the monitor, which is not armed yet.
func (m *monitor) init(s *Scheduler) {
	m.s = s
	m.slots.procs.n = goProcessors()
	m.governor.init(s.cfg.Workers)
	// In a deterministic run it counts as armed for good, so its timer is never started: it goes by
	// the machine's time.
	m.armed.Store(s.driver != nil)
}

// arm starts the timer if it does not run. It is called wherever a worker is woken, or work is left
// to workers that are awake. One load if the timer runs. The compare-and-swap lets one of several
// callers through, which alone sets the timer. Any goroutine that does not hold mu.
func (m *monitor) arm() {
	if m.armed.Load() || !m.armed.CompareAndSwap(false, true) {
		return
	}
	now := m.s.cfg.Clock.Nanos()
	m.mu.Lock()
	if !m.ended {
		m.armed.Store(true) // tryDisarm may have disarmed it since
		m.disarmOnSleep.Store(now-m.since > armedRarely)
		m.since = now
		m.slots.asking = false
		m.governor.skipIdle(now, m.governor.seen)
		m.lookAtTurns(now)
		// Soon: all workers run, and may be in each other's way, of which the governor knows
		// nothing yet.
		m.reset(lookSoon)
	}
	m.mu.Unlock()
}

// TimeTurns makes sure that long turns are noticed, if any turn runs. It is to be called
// after [Admission.InjectTimed]. A worker that is about to fall asleep is first given
// the time to do so. TimeTurns costs a load or two, as a rule. Any goroutine.
func (s *Scheduler) TimeTurns() {
	if s.cfg.OnLongTurn == nil {
		return // as in wake
	}
	for n := 0; !s.idle.quiet() && !s.monitor.armed.Load(); n++ {
		if n == spinBudget || s.Crowded() {
			s.monitor.arm()
			return
		}
		seam.Spin()
	}
}

// reset sets the timer anew. The timer is made at the first call, so that a scheduler that is never
// used has none. Caller holds mu.
func (m *monitor) reset(d time.Duration) {
	if m.timer == nil {
		m.timer = seam.AfterFunc(d, m.tick)
		return
	}
	// A timer that has expired already runs its tick, which waits for mu.
	m.timer.Reset(d)
}

// stop ends the monitor; no tick runs when it returns, and none will. So from here on no slot is
// taken from its worker. Once, behind P1, by the goroutine that stops the scheduler.
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
//
// A worker that fills a next-slot after tryDisarm's second look at the sleepers finds the monitor
// disarmed and arms it again; one that fills a next-slot before is awake at that look. The timer's
// goroutine only.
func (m *monitor) tick() {
	if m.stopped.Load() != 0 {
		return // a timer's goroutine that comes late touches nothing
	}
	m.mu.Lock()
	if !m.ended {
		m.slots.procs.n = goProcessors() // a program may change it at any time
		if m.armed.Load() {
			if pause := m.look(m.s.cfg.Clock.Nanos()); !m.tryDisarm() {
				m.reset(pause)
				m.disarmOnSleep.Store(true)
			}
		}
	}
	m.mu.Unlock() // without defer, as in idleWorkers.nextID
}

// disarmAtSleep disarms the monitor before its next look, if it may, since the last worker has
// fallen asleep: a timer that expires wakes a thread, and one that runs costs each goroutine that
// waits or yields a reading of the clock.
//
// It does not disarm while fewer workers may be awake than there are, since tryDisarm forgets that
// limit. The monitor is disarmed already if another worker was the last meanwhile, or if a tick
// came first. Any goroutine that does not hold mu.
func (m *monitor) disarmAtSleep() {
	m.mu.Lock()
	m.disarmOnSleep.Store(false)
	if m.armed.Load() && !m.ended && m.governor.limit == m.governor.workers && m.tryDisarm() {
		// The governor learns at once that all sleep, since no look will show it.
		m.governor.look(m.s.cfg.Clock.Nanos(), m.progress(), 0)
	}
	m.mu.Unlock() // without defer, as in idleWorkers.nextID
}

// tryDisarm disarms the monitor if it need not look again before it is armed: all slots sleep, no
// worker is listed as detached, and no idle worker is to end. A worker that wakes, or becomes one
// of those, after the looks here finds the monitor disarmed, and arms it. Workers that are detached
// and know it make no difference: what they make runnable goes to the inject queue. Caller holds
// mu.
func (m *monitor) tryDisarm() bool {
	if !m.s.idle.quiet() {
		return false
	}
	if invariant.On {
		verifyArmed(m)
	}
	// Until the next tick no look would find that a worker is stuck while others are kept asleep, so
	// all may be awake. Before armed is cleared: limitAwake may wake a worker, which arms.
	m.s.limitAwake(m.governor.workers)
	// The look behind this store pairs with the load in arm: of a worker that wakes now and this
	// goroutine, one sees the other.
	m.armed.Store(false)
	if (!m.s.idle.quiet() || m.s.idleWorkers.cool(false)) && m.armed.CompareAndSwap(false, true) {
		return false // a worker is awake: the monitor stays armed
	}
	if m.timer != nil {
		m.timer.Stop() // a goroutine that has armed it by now sets it later
	}
	return true
}

// look does what there is to do now and returns when to look again. It finds turns that are stuck
// by what has not changed since the last look, and never waits for a worker. Caller holds mu.
func (m *monitor) look(now int64) time.Duration {
	// Work that waits where no worker looks goes first: it is the only work that waits for a look.
	m.freeStranded()
	m.freeDetached(now)
	m.s.idleWorkers.trim(now)
	// Then the turns, since the governor wants to know whether one is stuck.
	asking, overdueFor := m.lookAtTurns(now)
	m.govern(now, overdueFor > 0)
	if m.burst.out > 0 || m.burst.starved > 0 || m.governor.hasty() {
		return lookSoon
	}
	pause := lookCalm
	// A turn that is overdue would have lost its slot if anything waited. So the looks become less
	// frequent, but not so much that other workers are asked too late.
	if overdueFor > 0 {
		pause = min(max(lookSoon, time.Duration(overdueFor/4)), lookCalm)
	}
	if asking {
		pause = min(pause, lookAsked)
	}
	return pause
}

// freeStranded moves on a task that has waited in one next-slot since the last look: its worker is
// stuck in a turn. Caller holds mu.
func (m *monitor) freeStranded() {
	for i := range m.s.slots {
		w := m.s.slots[i].holder.Load()
		if w == nil {
			continue
		}
		// The same stamp at two looks is the same filling: the task has waited in between.
		if stamp := w.next.stamp(); stamp == w.turn.stamp {
			m.s.freeNextSlot(w, stamp)
		} else { // never for reserved, which is not written to
			w.turn.stamp = stamp
		}
	}
}

// freeNextSlot moves the task of the filling with that stamp from w's next-slot to the inject
// queue, and reports whether it was there. From the revocation (M4) to the injection the task is in
// no queue, and its worker may fall asleep, so the monitor holds the scheduler. Monitor only.
func (s *Scheduler) freeNextSlot(w *Worker, stamp uint32) (moved bool) {
	// Hold comes before M1, so that no check for quiescence falls between M4 and the injection.
	// No hold is taken for nothing: a caller that waits for its end would look again, and so on.
	if !w.next.revocable(stamp) || !s.Hold() {
		return false
	}
	// From here on the task is in this goroutine's hand, or was taken by its worker.
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

// detachedAtOnce is how many detached workers one look goes over, in some tens of microseconds.
const detachedAtOnce = 1024

// freeDetached moves on what detached workers have made runnable in turns that they began with a
// slot. Where there are very many, each look goes over a part of them, so that looks stay short:
// what one of a hundred thousand has made runnable then waits up to 0.3 s. Caller holds mu.
func (m *monitor) freeDetached(now int64) {
	m.someDetached = m.s.idleWorkers.someDetached(m.someDetached[:0], detachedAtOnce)
	for _, w := range m.someDetached {
		// w may have ended its turn by now: then its queues are empty, and nothing is moved.
		m.report(w, now)
		m.count(w)
		m.s.freeNextSlot(w, w.next.stamp()) // H5
		m.s.freeQueue(w)
	}
	clear(m.someDetached) // they may be forgotten
}

// freeQueue moves what is in w's run queue to the inject queue, where other workers look. It holds
// the scheduler for the same reason as freeNextSlot. Monitor only.
func (s *Scheduler) freeQueue(w *Worker) {
	if w.queue.empty() || !s.Hold() {
		return
	}
	// The owner may push and pop meanwhile: each task goes to the one that claims it.
	for t := w.queue.steal(); t != nil; t = w.queue.steal() {
		if invariant.On {
			checkLeave(t) // as in freeNextSlot
		}
		s.Inject(t)
	}
	s.Release()
}

// govern shows the governor how far the workers have come and does what it says. It is the only
// place where fewer workers are let be awake than there are. While a worker is stuck in a turn no
// worker may be kept asleep. Caller holds mu.
func (m *monitor) govern(now int64, overdue bool) {
	idle := &m.s.idle
	g := &m.governor
	if d := m.progress(); overdue && g.limit < g.workers {
		g.skipIdle(now, d) // the figures are not those of a program that runs
	} else {
		g.look(now, d, idle.awake(idle.v.Load()))
	}
	limit := g.disturb(overdue && g.limit < g.workers)
	if invariant.On {
		verifyGovernor(g)
	}
	if uint32(limit) != idle.limit.Load() {
		m.s.limitAwake(limit)
	}
}

// progress returns what workers have done so far, as far as they have shown it. It looks at those
// that hold slots: to look at all that there are would take milliseconds where very many block.
// What a worker shows just before it loses its slot is counted when it holds one again; the
// governor goes by millions of units, and makes nothing of that. Caller holds mu.
func (m *monitor) progress() progress {
	for i := range m.s.slots {
		if w := m.s.slots[i].holder.Load(); w != nil && w != reserved {
			m.count(w)
		}
	}
	return m.total
}

// count adds what a worker has done since the last time. The gauges are written by the worker
// without a fence; a stale figure is counted at the next look. Caller holds mu.
func (m *monitor) count(w *Worker) {
	now, then := progress{
		units: w.spent.Load(), crossed: w.crossed.Load(), steals: w.count.steals.Load(),
	}, &w.turn.counted
	m.total.units += now.units - then.units
	m.total.steals += now.steals - then.steals
	m.total.crossed += now.crossed - then.crossed
	*then = now
}

// limitAwake sets how many workers may be awake, 1 to all. Those in excess retire at their next
// look at the inject queue. One call at a time: caller holds the monitor's mu.
func (s *Scheduler) limitAwake(limit int) {
	s.idle.limit.Store(uint32(limit)) // F1
	// After the store: a sender that read the old limit in W2' has woken no worker, and its work is
	// seen here.
	if s.workLeft() { // F2
		s.notifyFromMonitor()
	}
}

// notifyFromMonitor is notify for the monitor, which holds its lock and must not discard tasks,
// since that calls the layer above. A sender that pushes after the end discards what it pushed.
func (s *Scheduler) notifyFromMonitor() {
	// Neither wokeNone, where a worker is awake and this look has armed the monitor, nor wokeClosed
	// asks for more.
	if i, r := s.idle.wake(true); r == wokeOne {
		s.holder(i).wake(nil, true)
	}
}
