package sched

import (
	"time"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// The pauses between two looks of the monitor.
const (
	lookSoon  = 500 * time.Microsecond // a turn is overdue, or the governor measures
	lookAsked = time.Millisecond       // workers have been asked to answer
	lookCalm  = 3 * time.Millisecond   // all have answered

	// ns. A monitor that is armed less often than this is disarmed as soon as all workers sleep.
	// Otherwise it is disarmed only after a look.
	armedRarely = 1_000_000
)

// monitor watches for workers that are stuck in a turn, as sysmon does in Go's scheduler. It frees
// the tasks in their next-slots, asks them to answer, takes their slots (sysmon_blocked.go), starts
// surplus workers (sysmon_burst.go) and sets the number of awake workers (sysmon_governor.go).
//
// It is a timer, not a goroutine. It is armed when work is made for which no worker is woken and,
// with Config.OnLongTurn, when a worker is woken. When all workers sleep it is stopped or left to
// expire, so that an idle scheduler costs nothing.
//
// Ownership: the fields that mu guards belong to the goroutine that holds mu, usually that of the
// timer. armed is a word of its own, since arm is called often. It is set by arm and cleared by
// tryDisarm. A caller of arm has seen an awake worker in the idle word, or has made a worker awake
// there, before arm loads armed. tryDisarm looks at the idle word after it has cleared armed. So
// one of the two sees the other.
type monitor struct {
	s     *Scheduler
	armed seam.Bool

	// disarmOnSleep tells the last worker to fall asleep to disarm the monitor. A stale value costs
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

	// total is the progress of all workers, as far as they were seen in slots. Guarded by mu.
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
	// In a deterministic run the monitor counts as armed for good. So its timer, which uses the
	// machine's time, is never started.
	m.armed.Store(s.driver != nil)
}

// arm starts the timer if it does not run: see monitor. It costs one load if the timer runs. Of
// several callers the compare-and-swap lets one through, and that caller sets the timer. Any
// goroutine that does not hold mu.
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
		// Soon: all workers run, and may be in each other's way. The governor does not know that
		// yet.
		m.reset(lookSoon)
	}
	m.mu.Unlock()
}

// TimeTurns arms the monitor if any turn runs, so that long turns are noticed. It is called after
// [Admission.InjectTimed]. A worker that is about to fall asleep is first given the time to do so.
// TimeTurns usually costs a load or two. Any goroutine.
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

// stop ends the monitor. When it returns no tick runs, and none will, so no slot is taken from its
// worker any more. Called once, after P1, by the goroutine that stops the scheduler.
func (m *monitor) stop() {
	m.stopped.Add(1)
	m.mu.Lock()
	m.ended = true
	if m.timer != nil {
		m.timer.Stop()
	}
	m.mu.Unlock()
}

// tick looks once, unless the monitor was disarmed after the timer had expired. Only an armed
// monitor looks: otherwise a worker that its look wakes would arm it, and wait for its lock.
//
// A worker that fills a next-slot after tryDisarm's second look at the sleepers finds the monitor
// disarmed and arms it again. A worker that fills a next-slot earlier is awake at that look. The
// timer's goroutine only.
func (m *monitor) tick() {
	if m.stopped.Load() != 0 {
		return // a late goroutine of the timer touches nothing
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

// disarmAtSleep disarms the monitor before its next look, since the last worker has fallen asleep.
// An expiring timer wakes a thread, and a running one costs each goroutine that waits or yields a
// reading of the clock.
//
// It does not disarm while the governor limits the awake workers, since tryDisarm forgets the
// limit. The monitor may be disarmed already: by another last worker, or by a tick. Any goroutine
// that does not hold mu.
func (m *monitor) disarmAtSleep() {
	m.mu.Lock()
	m.disarmOnSleep.Store(false)
	if m.armed.Load() && !m.ended && m.governor.limit == m.governor.workers && m.tryDisarm() {
		// The governor learns at once that all sleep, since no look will show it.
		m.governor.look(m.s.cfg.Clock.Nanos(), m.progress(), 0)
	}
	m.mu.Unlock() // without defer, as in idleWorkers.nextID
}

// tryDisarm disarms the monitor if three conditions hold: all slots sleep, no worker is listed as
// detached, and no idle worker is to end. A worker that changes this after the looks here finds the
// monitor disarmed, and arms it. Detached workers that know that they are make no difference: the
// tasks that they make runnable go to the inject queue. Caller holds mu.
func (m *monitor) tryDisarm() bool {
	if !m.s.idle.quiet() {
		return false
	}
	if invariant.On {
		verifyArmed(m)
	}
	// All workers may be awake from here on: until the next tick no look would find a stuck worker
	// while others are kept asleep. This comes before armed is cleared, since limitAwake may wake a
	// worker, which arms.
	m.s.limitAwake(m.governor.workers)
	// The look after this store pairs with the load in arm. If a worker wakes now, either that
	// worker or this goroutine sees the other.
	m.armed.Store(false)
	if (!m.s.idle.quiet() || m.s.idleWorkers.cool(false)) && m.armed.CompareAndSwap(false, true) {
		return false // a worker is awake: the monitor stays armed
	}
	if m.timer != nil {
		m.timer.Stop() // a goroutine that has armed it by now sets it later
	}
	return true
}

// look does the monitor's work and returns the pause until the next look. It recognises a stuck
// turn by a state that has not changed since the last look, and never waits for a worker. Caller
// holds mu.
func (m *monitor) look(now int64) time.Duration {
	// Tasks that wait where no worker looks come first: they depend on this look.
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
	// An overdue turn would have lost its slot if a task waited. So the looks become less frequent,
	// but not so much that other workers are asked too late.
	if overdueFor > 0 {
		pause = min(max(lookSoon, time.Duration(overdueFor/4)), lookCalm)
	}
	if asking {
		pause = min(pause, lookAsked)
	}
	return pause
}

// freeStranded moves a task that has been in the same next-slot since the last look to the inject
// queue: its worker is stuck in a turn. Caller holds mu.
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
	// Without a filling no hold is taken: a goroutine that waits for the end of the hold would look
	// again, and so on.
	if !w.next.revocable(stamp) || !s.Hold() {
		return false
	}
	// Either this goroutine owns the task now, or the worker has taken it.
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

// detachedAtOnce is the number of detached workers that one look handles, in some tens of
// microseconds.
const detachedAtOnce = 1024

// freeDetached moves tasks that detached workers have made runnable, in turns begun with a slot, to
// the inject queue. Each look handles a limited number of workers, so that looks stay short. With a
// hundred thousand of them a task may wait up to 0.3 s. Caller holds mu.
func (m *monitor) freeDetached(now int64) {
	m.someDetached = m.s.idleWorkers.someDetached(m.someDetached[:0], detachedAtOnce)
	for _, w := range m.someDetached {
		// w may have ended its turn by now; then its queues are empty.
		m.report(w, now)
		m.count(w)
		m.s.freeNextSlot(w, w.next.stamp()) // H5
		m.s.freeQueue(w)
	}
	clear(m.someDetached) // so that forgotten workers can be collected
}

// freeQueue moves the tasks in w's run queue to the inject queue, where other workers look. It
// holds the scheduler for the same reason as freeNextSlot. Monitor only.
func (s *Scheduler) freeQueue(w *Worker) {
	if w.queue.empty() || !s.Hold() {
		return
	}
	// The owner may push and pop meanwhile: each task goes to the goroutine that claims it.
	for t := w.queue.steal(); t != nil; t = w.queue.steal() {
		if invariant.On {
			checkLeave(t) // as in freeNextSlot
		}
		s.Inject(t)
	}
	s.Release()
}

// govern shows the governor the progress of the workers and applies its limit. This is the only
// place that limits awake workers to fewer than there are. While a worker is stuck in a turn no
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

// progress returns the workers' progress, as last published. It looks at the holders of slots: a
// look at all workers would take milliseconds where very many block. A worker that publishes just
// before it loses its slot is counted when it holds one again; among millions of units the governor
// does not notice. Caller holds mu.
func (m *monitor) progress() progress {
	for i := range m.s.slots {
		if w := m.s.slots[i].holder.Load(); w != nil && w != reserved {
			m.count(w)
		}
	}
	return m.total
}

// count adds a worker's progress since the last call. The worker writes the gauges without a fence;
// a stale figure is made up for at the next look. Caller holds mu.
func (m *monitor) count(w *Worker) {
	now, then := progress{
		units: w.spent.Load(), crossed: w.crossed.Load(), steals: w.count.steals.Load(),
	}, &w.turn.counted
	m.total.units += now.units - then.units
	m.total.steals += now.steals - then.steals
	m.total.crossed += now.crossed - then.crossed
	*then = now
}

// limitAwake sets the number of workers that may be awake, from 1 to all. Excess workers retire at
// their next look at the inject queue. One call at a time: caller holds the monitor's mu.
func (s *Scheduler) limitAwake(limit int) {
	s.idle.limit.Store(uint32(limit)) // F1
	// After the store: a sender that read the old limit in W2' has woken no worker, and this look
	// sees its work.
	if s.workLeft() { // F2
		s.notifyFromMonitor()
	}
}

// notifyFromMonitor is notify for the monitor, which holds its lock and must not discard tasks,
// since that calls the layer above. A sender that pushes after the end discards its task itself.
func (s *Scheduler) notifyFromMonitor() {
	// The other results need nothing more: after wokeNone a worker is awake and this look has armed
	// the monitor; after wokeClosed the scheduler has ended.
	if i, r := s.idle.wake(true); r == wokeOne {
		s.holder(i).wake(nil, true)
	}
}
