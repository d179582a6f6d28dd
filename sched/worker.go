package sched

import (
	"math/rand/v2"
	"runtime"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Worker runs one task at a time. It is a goroutine that exists from its first wake-up
// to the end of its scheduler; that of a spare ends when nobody has needed it for long,
// and one that a turn has ended by Goexit is replaced. Methods are for the worker's own goroutine, from within
// RunTask, unless they say otherwise.
type Worker struct {
	// Read-only after New.
	sched *Scheduler
	id    int
	pin   *Pin // not nil: a pinned worker, which has no seat and no run queue
	local any

	// Owner only.
	detached    bool   // it knows that it has no seat: what it makes runnable goes to the inject queue
	blocking    bool   // the turn is within Blocking
	current     *Task  // the task whose turn runs, or ran last; nil while asleep
	victim      int    // the seat where the last search ended
	inRow       int    // turns taken from the next-slot without a look at the queue
	pollTurn    uint64 // the turn behind which the inject queue is looked at
	injectShare int    // tasks that the next look there may bring besides the one to run
	backlog     bool   // the last look there has left some, or a task has gone there since: see enqueue
	budget      int    // units of work left before the clock is read
	sawWork     bool   // when it fell asleep, until its next look
	searching   bool   // counted in the idle word
	timeslice   timesliceAccount
	count       counts // its gauges are read by anybody
	inTurn      bool   // a crash now is the task's
	crashed     bool   // a turn has, and its goroutine may be lost
	turnCheck   turnCheck
	pcg         rand.PCG
	chance      rand.Rand // of pcg
	cpus        cpus      // as its thread was when it was not bound yet
	goroutine   uint64    // which one it is; 0: none
	slice       sliceMeter

	state workerState
	next  nextSlot
	queue runQueue

	// Written by the one that wakes this worker, after it has cleared the seat's bit or taken the
	// worker from the spares, and before it grants the token.
	slot      int // noSeat: an extra
	handed    *Task
	uncounted bool // woken for nothing, and not counted as a searcher
	dismissed bool // woken to end its goroutine
	started   bool
	parker    seam.Parker
	thread    *thread // stands in for parker in a deterministic run; nil otherwise

	turn turnWatch // the monitor's

	// Guarded by the mu of the spares.
	detachedAt int  // its place among the strays, from 1; 0: it is none
	forgotten  bool // see spares.forget

	// Written by the owner, read by anybody.
	spent   seam.Gauge // units of work done
	crossed seam.Gauge // of these, what came from another worker
	_       cacheline.Pad
}

func newWorker(s *Scheduler, id, newTasks, resumed int) *Worker {
	w := &Worker{sched: s, id: id, slot: noSlot, parker: seam.NewParker()}
	w.state.word.StoreRelease(stateIdle)
	w.queue.init(newTasks, resumed)
	w.timeslice.init(w)
	w.pcg.Seed(s.cfg.Seed, uint64(id)+1)
	w.chance = *rand.New(&w.pcg)
	return w
}

func (w *Worker) attach() {
	if w.sched.cfg.Attach != nil {
		w.local = w.sched.cfg.Attach(w)
	}
}

// ID returns the worker's number, from 0. The numbers of spares and pinned workers
// follow those of the other workers. Any goroutine.
func (w *Worker) ID() int { return w.id }

// Local returns what Config.Attach made for this worker. Any goroutine.
func (w *Worker) Local() any { return w.local }

// Rand returns the worker's source of random numbers, which is started from the
// scheduler's seed.
func (w *Worker) Rand() *rand.Rand { return &w.chance }

// Turn returns the number of the turn that runs: no two of this worker have the same.
func (w *Worker) Turn() uint64 { return w.count.turns }

// Stopping reports whether the scheduler is on its way down. Any goroutine.
func (w *Worker) Stopping() bool { return w.sched.Stopping() }

// Dismissed reports whether the worker's goroutine is about to end, like that of a
// spare that nobody has needed for long. The worker may be needed again. Owner only.
func (w *Worker) Dismissed() bool { return w.dismissed }

// Pinned reports whether this is the worker of a Pin. Any goroutine.
func (w *Worker) Pinned() bool { return w.pin != nil }

// Resting reports whether no turn is running or has just run: the worker is about to
// sleep. Owner only.
func (w *Worker) AboutToPark() bool { return w.current == nil }

// InBlocking reports whether the turn is within Blocking, where MustYield says nothing
// about how long the turn has lasted. Owner only.
func (w *Worker) InBlocking() bool { return w.blocking }

// KeepsWork reports whether what the worker makes runnable comes to its own queues: it
// has not lost its seat, as far as it can see, and has not given it up. For a spare
// that was just made, or is about to end its goroutine, KeepsWork also reports true,
// although the spare has no seat: it makes nothing runnable then. One load. Owner only.
func (w *Worker) KeepsWork() bool {
	return w.pin == nil && !w.detached && !w.blocking && !w.state.isDetached()
}

// Spills returns how many tasks had no room in the worker's queue. Owner only.
func (w *Worker) Overflows() uint64 { return w.count.overflows.Load() }

// Crossed says that n units of work came from another worker, which costs transfers of
// cache lines. Where there are few of these, and few thefts, fewer workers could hardly
// do more, and are not tried. Crossed costs a plain store on amd64 and arm64; the
// governor sees it some time later. Owner only.
func (w *Worker) Crossed(n int) { w.crossed.Add(uint64(n)) }

// Alone reports whether no other worker with a seat is awake. One load. The answer may
// have changed already, so only speed may depend on it. Owner only.
func (w *Worker) Alone() bool { return w.sched.idle.awake(w.sched.idle.v.Load()) == 1 }

// Beside runs f in a goroutine of its own. The scheduler's end waits for f, and f's
// return synchronizes before that end. Beside costs a goroutine, and a locked
// instruction at each end. Owner only, while KeepsWork reports true: such a worker is
// itself waited for, and so may count others in.
func (w *Worker) Beside(f func()) {
	s := w.sched
	s.stop.left.Add(1)
	if invariant.On {
		verifyBeside(w)
	}
	go func() {
		defer s.stop.gone() // also behind a Goexit
		f()
	}()
}

// Stray reports whether the worker has lost its seat to another, so that it will be a
// spare after this turn, unless it takes its seat back first.
func (w *Worker) Detached() bool { return w.pin == nil && (w.detached || w.state.isDetached()) }

// Schedule makes a task runnable from within a turn. The first task of a turn goes to
// the next-slot, where it runs next, cache-hot. Later ones go to the worker's queue,
// where others may steal them, and to the inject queue when that is full. Tasks that
// have never run go before those that have, the newest first, but not for long: see
// [Kind.DepthFirst].
func (w *Worker) Schedule(t *Task) {
	if invariant.On {
		verifySchedule(w, t)
	}
	if t.class.pin != nil || w.detached {
		w.sched.Inject(t)
		return
	}
	if invariant.On {
		checkEnter(t)
	}
	if !w.next.put(t) {
		w.enqueueNew(t)
	} else if !w.sched.monitor.armed.Load() {
		w.sched.monitor.arm() // or nobody would free it from a turn that is stuck
	}
}

// PrepareNext announces that the turn is about to end. See [KindRunner].
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

// GiveUp is [Worker.PrepareNext] for a turn that may go on for long after the
// read-modify-write by which it gives its task up. It may be called even after
// PrepareNext. It is needed because the monitor sees nothing in a next-slot that is
// prepared. If there is something in the next-slot, GiveUp costs the same
// read-modify-write once more.
func (w *Worker) GiveUp() {
	if invariant.On {
		checkRelease(w, w.current)
	}
	w.next.show()
}

// Spend takes n units of work, messages or reductions, off the worker's credit. When
// the credit is used up, about every 50 µs, Spend reads the clock, publishes the
// counters and, if it is time, lets the process's other goroutines run.
func (w *Worker) Spend(n int) {
	if w.budget -= n; w.budget <= 0 {
		w.refillBudget()
	}
}

// Credit returns how much work may be done before Spend has to be called: at least 1.
func (w *Worker) Budget() int { return w.budget }

// begin is the start of the worker's goroutine after its first wake-up.
func (w *Worker) begin() {
	if w.queue.newSize > idleNewRingSize {
		w.queue.begin()
	}
	if t := w.acceptWake(); t != nil {
		w.next.put(t)
	}
	w.run()
}

// run serves until the scheduler stops. A panic of a turn costs the task its life
// and the worker nothing.
func (w *Worker) run() {
	w.bind()
	w.live(w.serve, w.run)
}

// bind binds the worker's thread to the processor of its seat, if that was asked for.
func (w *Worker) bind() {
	if w.sched.cfg.BindCPUs && w.slot != noSlot {
		runtime.LockOSThread()
		w.cpus = bindTo(w.slot, w.cpus)
	}
}

// serve runs turns until the scheduler stops or a turn crashes, and reports
// whether there is more to do.
func (w *Worker) serve() (more bool) {
	left := false
	defer func() {
		if !left {
			more = w.afterCrash(recover())
		}
	}()
	for t := w.firstTask(); t != nil; t = w.find(false) {
		for ; t != nil; t = w.nextTask() {
			if invariant.On {
				verifyBegin(w, t)
			}
			w.count.turns++
			w.current, w.inTurn = t, true
			again := t.runTurn(w)
			if invariant.On {
				verifyEnd(w, t, again)
			}
			w.inTurn = false
			if again {
				w.requeue(t)
			}
		}
	}
	left = true
	w.leave()
	return false
}

// oneTurn runs a turn of t, and reports whether t wants to go on. serve has it written out, which
// saves a call.
func (w *Worker) oneTurn(t *Task) (again bool) {
	w.current, w.inTurn = t, true
	w.count.turns++
	again = t.runTurn(w)
	if invariant.On {
		checkTurnEnd(w, t, again)
	}
	w.inTurn = false
	return again
}

// leave ends the worker's goroutine. What it has queued is buried by the one that stopped the
// scheduler.
func (w *Worker) leave() {
	s := w.sched
	w.notHere()
	w.current = nil // as in lieDown
	w.publish()
	if !w.state.becomeIdle() { // E1, or the monitor, still at its last look, takes a seat that nobody needs
		s.endDetached()
	}
	if w.dismissed {
		s.idleWorkers.putCold(w) // whoever takes it starts it anew: not ours any more
	}
	s.stop.gone()
}

// abandon buries what the worker had queued when it left. Only after it left.
func (w *Worker) discardQueues() {
	for _, t := range [...]*Task{w.next.take(), w.handed} {
		if t != nil {
			t.terminate(nil, ErrStopped)
		}
	}
	for t := w.queue.steal(); t != nil; t = w.queue.steal() {
		t.terminate(nil, ErrStopped)
	}
}

// firstTask is nextTask for a goroutine that has just begun: it may owe a search.
func (w *Worker) firstTask() *Task {
	if !w.searching {
		if w.slot == noSlot {
			return w.surplusTask()
		}
		if t := w.nextTask(); t != nil {
			return t
		}
	}
	return w.find(false)
}

// nextTask returns the task to run next, or nil if the worker has to look elsewhere or leave. The
// next-slot goes first, for a few turns in a row; the inject queue is looked at every few turns
// even if there is local work.
func (w *Worker) nextTask() *Task {
	invariant.Check(!w.searching, "worker %d takes a task while it counts as a searcher", w.id)
	if w.sched.stop.flag.Load() != 0 {
		return nil
	}
	if !w.state.isRunning() && !w.answer() {
		return nil // its seat is lost: see find
	}
	if w.count.turns >= w.pollTurn {
		if t := w.pollInTurn(); t != nil || w.state.isDetached() {
			return t
		}
	}
	next := w.next.task
	if next != nil {
		if w.inRow < maxInRow && w.next.prepared() && !w.next.revoked() { // O3; take, written out: what nearly every turn comes to
			w.next.clear()
			w.count.nextSlot++
			w.inRow++
			return next
		}
		if next = w.next.take(); next != nil {
			if w.inRow++; w.inRow > maxInRow && w.queue.len() == 0 {
				w.inRow = 0 // nobody waits, so nobody was overtaken
			}
			if w.inRow <= maxInRow {
				w.count.nextSlot++
				return next
			}
			w.enqueue(next)
		}
	}
	w.inRow = 0
	return w.queue.next()
}

// maxInRow is how many turns in a row may come from the next-slot ahead of the queue.
const maxInRow = 16

// pollInTurn looks at the inject queue although there may be local work. A task
// from there overtakes the one in the next-slot, which is filled anew so that the
// monitor can take it.
func (w *Worker) pollInTurn() *Task {
	w.pollTurn = w.count.turns + uint64(w.timeslice.pollInterval)
	if w.sched.idle.excess() {
		if !w.state.becomeIdle() { // E1
			return nil // its seat is lost, which nextTask sees
		}
		if w.retire() {
			return w.afterPark()
		}
		w.state.resume() // E3
	}
	t := w.poll()
	if t != nil {
		if !w.sched.inject.empty() {
			w.pollTurn = min(w.pollTurn, w.count.turns+uint64(w.queue.len()+1)) // about once round what waits here
		}
		if next := w.next.take(); next != nil {
			w.next.put(next)
			w.sched.monitor.arm() // begin and requeue have not: theirs was to run at once
		}
	}
	return t
}
