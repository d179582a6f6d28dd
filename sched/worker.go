package sched

import (
	"math/rand/v2"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Worker runs one task at a time. Its goroutine lasts from the first wake-up to the end of the
// scheduler, with two exceptions: the goroutine of an idle worker ends when the worker was not
// needed for long, and a goroutine that a turn has ended by Goexit is replaced. Methods are for the
// worker's own goroutine, from within RunTask, unless they say otherwise.
type Worker struct {
	// Read-only after New.
	sched *Scheduler
	id    int
	pin   *Pin // not nil: a pinned worker, with no slot and no run queue
	local any

	// Owner only.
	detached    bool   // the owner knows that it has no slot, and uses the inject queue
	asks        bool   // Schedule asks where a task goes: see setAsks
	blocking    bool   // the turn is within Blocking
	current     *Task  // whose turn runs, or ran last; nil while asleep
	victim      int    // the slot where the last search ended
	inRow       int    // turns from the next-slot without a look at the queue
	pollTurn    uint64 // the turn after which the inject queue is looked at
	injectShare int    // extra tasks that the next look there may take
	backlog     bool   // tasks are left in the inject queue: see enqueue
	budget      int    // units of work left before the clock is read
	sawWork     bool   // when it fell asleep, until its next look
	searching   bool   // counted in the idle word
	timeslice   timesliceAccount
	count       counts // its gauges are read by any goroutine
	inTurn      bool   // a crash now belongs to the task
	crashed     bool   // a turn has crashed, and the goroutine may be lost
	turnCheck   turnCheck
	pcg         rand.PCG
	chance      rand.Rand // of pcg
	cpus        cpus      // the thread's processors before it was bound
	goroutine   uint64    // the number of its goroutine; 0: none
	unlabelled  uint64    // see unlabel
	slice       sliceMeter
	sharing     sharing

	// Words that the owner and the monitor or thieves share.
	state workerState
	next  nextSlot
	queue runQueue

	// Written by the goroutine that wakes this worker, after it has cleared the slot's bit or taken
	// the worker from the idle workers, and before it grants the token.
	slot      int // noSlot: a surplus worker
	handed    *Task
	uncounted bool // woken with no task, and not counted as a searcher
	dismissed bool // woken to end its goroutine
	started   bool
	parker    seam.Parker
	thread    *thread // stands in for parker in a deterministic run

	turn turnRecord // guarded by the monitor's mu

	// Guarded by the mu of the idle workers.
	detachedAt int  // its place in the list of detached workers, from 1
	forgotten  bool // see idleWorkers.forget

	// Written by the owner, read by any goroutine.
	spent   seam.Gauge // units of work done
	crossed seam.Gauge // of these, units that came from another worker

	listener Listener // owner only, and rarely used; nil: none
	_        cacheline.Pad
}

// newWorker makes a worker without a slot. newTasks and resumed are the sizes of its rings.
func newWorker(s *Scheduler, id, newTasks, resumed int) *Worker {
	w := &Worker{sched: s, id: id, slot: noSlot, parker: seam.NewParker()}
	w.state.word.StoreRelease(stateIdle)
	w.queue.init(newTasks, resumed)
	w.timeslice.init(w)
	w.pcg.Seed(s.cfg.Seed, uint64(id)+1)
	w.chance = *rand.New(&w.pcg)
	return w
}

// attach calls Config.Attach for the worker.
func (w *Worker) attach() {
	if w.sched.cfg.Attach != nil {
		w.local = w.sched.cfg.Attach(w)
	}
}

// ID returns the worker's number, from 0. Workers that are made later and pinned workers have the
// numbers after New's workers. Any goroutine.
func (w *Worker) ID() int { return w.id }

// Local returns the worker's result of Config.Attach. Any goroutine.
func (w *Worker) Local() any { return w.local }

// Rand returns the worker's source of random numbers, which is started from the
// scheduler's seed.
func (w *Worker) Rand() *rand.Rand { return &w.chance }

// Turn returns the number of the running turn. It is unique among the turns of this worker.
func (w *Worker) Turn() uint64 { return w.count.turns }

// Stopping reports whether the scheduler stops. Any goroutine.
func (w *Worker) Stopping() bool { return w.sched.Stopping() }

// Dismissed reports whether the worker's goroutine is about to end because the idle worker was not
// needed for long. The worker may be needed again. Owner only.
func (w *Worker) Dismissed() bool { return w.dismissed }

// Pinned reports whether this is the worker of a Pin. Any goroutine.
func (w *Worker) Pinned() bool { return w.pin != nil }

// AboutToPark reports whether the worker is about to park: no turn is running or has just run.
// Owner only.
func (w *Worker) AboutToPark() bool { return w.current == nil }

// InBlocking reports whether the turn is within Blocking. There MustYield says nothing about the
// length of the turn. Owner only.
func (w *Worker) InBlocking() bool { return w.blocking }

// KeepsWork reports whether tasks that the worker makes runnable go to its own queues. They do
// while it has not lost its slot, as far as it can see, and has not left it. KeepsWork also reports
// true for a worker without a slot that was just made or is about to end its goroutine, which makes
// nothing runnable. One load. Owner only.
func (w *Worker) KeepsWork() bool {
	return w.pin == nil && !w.detached && !w.blocking && !w.state.isDetached()
}

// Overflows returns how many tasks had no room in the worker's queue. Owner only.
func (w *Worker) Overflows() uint64 { return w.count.overflows.Load() }

// Crossed counts n units of work that came from another worker, which costs transfers of cache
// lines. Where such units and thefts are rare, fewer workers could hardly do more, so the governor
// does not try. Crossed costs a plain store on amd64 and arm64; the governor sees it some time
// later. Owner only.
func (w *Worker) Crossed(n int) { w.crossed.Add(uint64(n)) }

// Alone reports whether no other worker with a slot is awake. One load. The answer may
// have changed already, so only speed may depend on it. Owner only.
func (w *Worker) Alone() bool { return w.sched.idle.awake(w.sched.idle.v.Load()) == 1 }

// Beside runs f in a goroutine of its own. The scheduler's end waits for f, and f's return
// synchronizes before that end. Beside costs a goroutine, and a locked instruction at each end.
// Owner only, while KeepsWork reports true: the end waits for such a worker itself, so the worker
// may count others in.
func (w *Worker) Beside(f func()) {
	s := w.sched
	s.stop.left.Add(1)
	if invariant.On {
		verifyBeside(w)
	}
	guard.Go(func() {
		defer s.stop.gone() // also after a Goexit
		f()
	})
}

// Detached reports whether the worker has lost or left its slot. It becomes an idle worker after
// this turn, unless it takes its slot back first. Owner only.
func (w *Worker) Detached() bool { return w.pin == nil && (w.detached || w.state.isDetached()) }

// LostSlot reports whether the worker has lost or left its slot, so that another stands in for it. A
// pinned worker has none to lose. It is a hint for reports. Any goroutine.
func (w *Worker) LostSlot() bool { return w.state.isDetached() }

// Schedule makes a task runnable from within a turn. The first task of a turn goes to the
// next-slot, where it runs next, cache-hot; for the exception see [Class.GoesOn]. All others go to
// the worker's queue, where other workers may steal them, and to the inject queue when that is
// full. New tasks run before resumed ones, within limits: see [Class.DepthFirst].
func (w *Worker) Schedule(t *Task) {
	if invariant.On {
		verifySchedule(w, t)
	}
	if t.class.pin != nil || w.asks {
		w.scheduleAside(t)
		return
	}
	if invariant.On {
		checkEnter(t)
	}
	if !w.next.put(t) {
		w.enqueueNew(t)
	} else if !w.sched.monitor.armed.Load() {
		w.sched.monitor.arm() // it frees t if this turn gets stuck
	}
}

// PrepareNext announces that the turn is about to end. See [ClassRunner].
func (w *Worker) PrepareNext() {
	if invariant.On {
		if w.inTurn {
			checkRelease(w, w.current)
		}
	}
	if !w.next.prepared() {
		w.next.prepare()
	}
}

// GiveUp is [Worker.PrepareNext] for a turn that may go on for long after the read-modify-write
// that gives its task up. The monitor cannot see a task in a prepared next-slot; GiveUp shows it
// again. It may be called after PrepareNext. If the next-slot has a task, GiveUp costs the same
// read-modify-write once more.
func (w *Worker) GiveUp() {
	if invariant.On {
		checkRelease(w, w.current)
	}
	w.next.show()
}

// Spend takes n units of work (messages or reductions) off the worker's budget. About every 50 µs
// the budget is used up. Then Spend reads the clock, publishes the counters and, from time to time,
// lets the process's other goroutines run. Owner only.
func (w *Worker) Spend(n int) {
	if w.budget -= n; w.budget <= 0 {
		w.refillBudget()
	}
}

// SpendGas is [Worker.Spend] for units that are not messages: they are left out when the worker
// computes the length of a message. Owner only.
func (w *Worker) SpendGas(n int) {
	w.sharing.gas += n
	w.Spend(n)
}

// Budget returns the number of units until Spend must be called: at least 1. Owner only.
func (w *Worker) Budget() int { return w.budget }
