package sched

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// ErrStopped is the cause with which a task is terminated when the scheduler has stopped and no
// worker will run it. It is also the error of calls that come too late.
var ErrStopped = errors.New("gallop: scheduler stopped")

// Config says how a scheduler works. [New] checks it as a whole.
type Config struct {
	// Workers is the number of workers, from 1 to MaxWorkers.
	Workers int
	// Seed starts every choice that the scheduler leaves to chance, which is where each
	// worker begins to look for victims.
	Seed uint64
	// Clock tells the time; nil stands for the machine's clock.
	Clock seam.Clock
	// BindCPUs binds worker i to the i-th processor that this process may use, and its
	// goroutine to its thread. New fails with it where the platform cannot do that.
	BindCPUs bool
	// MaxDetached is how many turns may run without a slot, because they block, besides those
	// that Workers counts; 0 stands for DefaultMaxDetached.
	MaxDetached int
	// Attach makes what the layer above keeps for each worker. It runs in New, once for
	// each worker, and for each idle worker and each pin when that is first needed. It may run
	// with the monitor's lock held: it may call AllWorkers, Counters, Current and DetachedStats, but
	// must not make tasks runnable, hold or release, stop the scheduler, or call
	// Worker.LongTurn.
	Attach func(w *Worker) any
	// Merge adds up what Attach has made for workers that will not run any more: in the
	// result of the last call, which is nil at first and must stay as it is, and for those
	// workers. It runs under a lock: it may read, and nothing else.
	Merge func(soFar any, gone []*Worker) any
	// OnLongTurn is told of a turn that lasts for longer than LongTurn. It is told once, or
	// once between two calls of Worker.Blocking, while the turn still runs, in a goroutine
	// of its own. How long the turn has lasted is known to a few milliseconds;
	// Worker.LongTurn says which turn it is.
	//
	// It is not told of pinned workers, nor of turns within Worker.Blocking that have left
	// their slots. Stop does not wait for it.
	OnLongTurn func(w *Worker, atLeast time.Duration)
	// OnDetachLimit is told that a turn keeps its slot, although it blocks, because MaxDetached
	// turns are detached, and how many turns have kept theirs so far. It is called at most once a
	// second, in a goroutine of its own. Stop does not wait for it.
	OnDetachLimit func(soFar uint64)
	// LongTurn is the time after which OnLongTurn is told of a turn; at least 0.
	LongTurn time.Duration
	// Driver makes the scheduler deterministic; nil in production.
	Driver Driver
	// Publish runs on a worker when it publishes its counters: at every reading of the
	// clock, and before the worker sleeps, when it is AboutToPark. It must be quick and must
	// not block.
	Publish func(w *Worker)
	// Stopped runs once, at the end, when everything left over was discarded: what the layer
	// above has parked elsewhere must come to its end as well.
	Stopped func()
	// Parked is asked whether the scheduler counts as quiescent although n tasks hold it by
	// HoldParked, when nothing else does. A nil Parked means no. All workers are halted
	// meanwhile, so Parked must be quick; it may call AllWorkers, Counters and DetachedStats.
	Parked func(n int) bool
}

// text is fmt.Sprintf: fmt.Errorf sorts its arguments, and every program would link that.
func text(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func (c *Config) check() error {
	if c.Workers < 1 || c.Workers > MaxWorkers {
		return errors.New(text("gallop: %d workers: want 1 to %d", c.Workers, MaxWorkers))
	}
	if c.MaxDetached < 0 {
		return errors.New(text("gallop: %d idle workers: want at least 0", c.MaxDetached))
	}
	if c.LongTurn < 0 {
		return errors.New("gallop: a long turn below 0")
	}
	if c.BindCPUs && !canBind {
		return errors.New("gallop: this platform cannot bind workers to processors")
	}
	return nil
}

// Scheduler runs tasks on a fixed set of workers. It starts no goroutine before there
// is work. All methods may be called from any goroutine.
type Scheduler struct {
	// Read-only after New.
	cfg     Config
	workers []*Worker // those that it began with

	// Which worker has which slot, and which sleep there; every wake-up goes through idle.
	slots       []workerSlot
	idle        idleWord
	idleWorkers idleWorkers
	// Work from outside.
	inject mpmcq
	// What keeps the scheduler from being quiet although its queues are empty: see Hold.
	holds seam.Int64

	quiet   quiescence
	monitor monitor
	network network
	stop    stopping
	pins    pins
	driver  Driver // nil unless the run is deterministic

	_     cacheline.Pad
	crowd crowding // written with each call from outside
}

// New makes a scheduler. The error says which part of cfg is wrong.
func New(cfg Config) (*Scheduler, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.Clock == nil {
		cfg.Clock = seam.SystemClock{}
	}
	if cfg.MaxDetached == 0 {
		cfg.MaxDetached = DefaultMaxDetached
	}
	s := &Scheduler{cfg: cfg}
	if s.driver = cfg.Driver; s.driver != nil {
		s.network.nextLook.Store(never) // it goes by its own time alone
		s.driver.bind(s)
	}
	s.inject.init(segmentCells)
	s.idle.init(cfg.Workers)
	s.stop.init(cfg.Workers)
	s.monitor.init(s)
	s.workers = make([]*Worker, cfg.Workers)
	s.slots = make([]workerSlot, cfg.Workers)
	s.idleWorkers.init(s)
	for i := range s.workers {
		s.workers[i] = newWorker(s, i, newRingSize, ringSize)
		s.workers[i].occupy(i)
	}
	chance := rand.NewPCG(cfg.Seed, 0x9e3779b97f4a7c15)
	for _, w := range s.workers {
		w.victim = int(chance.Uint64() % uint64(cfg.Workers)) // the same on 32-bit machines
		w.attach()
	}
	return s, nil
}

// Workers returns the number of workers.
func (s *Scheduler) Workers() int { return len(s.workers) }

// Inject makes a task runnable from outside. A worker that sleeps takes the task directly;
// otherwise the task goes to the inject queue. If the scheduler has stopped for good, the task is
// terminated at once with ErrStopped. What the caller did before synchronizes before the task's
// turn.
//
// A caller that takes a task over before it injects it, so that the task is for a moment in no
// queue, must keep the scheduler from being quiescent meanwhile: with Admit, or with Hold.
func (s *Scheduler) Inject(t *Task) {
	if invariant.On {
		checkEnter(t)
	}
	if t.class.pin != nil {
		t.class.pin.schedule(s, t)
		return
	}
	// The hand-over skips the queue. The compare-and-swap in wake publishes
	// nothing of t: the token does.
	if i, r := s.idle.wake(false); r == wokeOne {
		s.holder(i).wake(t, true)
		return
	}
	s.inject.push(t) // W1
	s.notify()
}

// notify wakes a sleeper for work that has just been published, unless a worker searches. After the
// end no worker is left to wake: the caller discards what it finds, its own task included.
func (s *Scheduler) notify() { s.notifyUnless(1) }

// notifyFor is notify where messages are long, and so many tasks wait: each of them is worth a
// worker of its own. A searcher wakes the next worker when it has found a task, but a chain of
// wake-ups would take longer than the work.
func (s *Scheduler) notifyFor(tasks int) {
	s.notifyUnless(max(1, min(tasks, s.idle.searchers)))
}

// notifyUnless is notify, but wakes no sleeper only if so many workers search.
func (s *Scheduler) notifyUnless(searchers int) {
	switch i, r := s.idle.wakeUnless(searchers, true); r {
	case wokeOne:
		s.holder(i).wake(nil, true)
	case wokeClosed: // A4
		s.discardInject()
	case wokeNone:
		s.monitor.arm() // a worker that is awake may be stuck
	}
}

// discardInject terminates every task of the inject queue. Only after the idle word was closed; any
// number of callers.
func (s *Scheduler) discardInject() {
	s.stop.beginDiscard()
	for t := s.inject.pop(); t != nil; t = s.inject.pop() {
		t.terminate(nil, ErrStopped)
	}
	s.stop.endDiscard()
}

// stopping is the way down: it counts the workers that may still run something.
type stopping struct {
	flag       seam.Uint32 // 1 from Stop on
	once       sync.Once
	left       seam.Int32
	workers    chan struct{} // closed when the last worker is gone
	discarders seam.Int32    // how many discard, and one until finish has
	last       sync.Once
	discarded  chan struct{} // closed when discards is 0 for the first time
	done       chan struct{} // closed when everything left over was discarded
}

func (p *stopping) init(workers int) {
	p.left.Store(int32(workers) + 1) // one for the monitor, until halt has ended it
	p.workers = make(chan struct{})
	p.discarders.Store(1)
	p.discarded = make(chan struct{})
	p.done = make(chan struct{})
}

// gone counts one worker down. It is a call of its own, which keeps a small program small.
//
//go:noinline
func (p *stopping) gone() {
	if p.left.Add(-1) == 0 {
		close(p.workers)
	}
}

// beginDiscard counts a goroutine in that discards tasks, before it takes the first one out of its
// queue. So finish, which looks at the queue before its endDiscard, finds either the task or that
// goroutine.
func (p *stopping) beginDiscard() { p.discarders.Add(1) }

// endDiscard counts it out. Stop does not wait for a goroutine that begins to discard when none was
// left.
func (p *stopping) endDiscard() {
	if p.discarders.Add(-1) == 0 {
		p.last.Do(func() { close(p.discarded) })
	}
}

// Stop ends the scheduler: turns that run finish, and every task left over is terminated with
// ErrStopped. It returns a channel that is closed when all of that has happened and no goroutine of
// the scheduler is left. Stopping twice is the same as stopping once.
//
// Stop does not block; but in a deterministic run, if the caller takes no part in it, Stop lets the
// threads of the run go on until they have ended. Any goroutine.
func (s *Scheduler) Stop() <-chan struct{} {
	s.stop.once.Do(func() {
		s.halt()
		s.end()
	})
	if s.driver != nil {
		s.driver.finish()
	}
	return s.stop.done
}

// WaitStopped waits until the channel that Stop returns is closed. It must not be called in a turn.
// In a deterministic run its threads go on meanwhile.
func (s *Scheduler) WaitStopped() { s.untilClosed(s.stop.done) }

// end makes sure that finish runs when the workers are gone.
func (s *Scheduler) end() {
	if s.driver != nil {
		s.driver.end(func() bool { return isClosed(s.stop.workers) }, s.finish)
		return
	}
	guard.Go(s.finish)
}

// untilClosed waits until c is closed.
func (s *Scheduler) untilClosed(c <-chan struct{}) {
	if s.driver != nil {
		s.driver.untilClosed(c)
		return
	}
	seam.Await(func() bool { return isClosed(c) })
	<-c
}

// halt tells all workers that the scheduler stops. Once.
func (s *Scheduler) halt() {
	s.stop.flag.Store(1) // P1
	s.monitor.stop()
	s.stop.gone() // from here on left only falls, but for Beside
	for i := range s.slots {
		s.stopSlot(i) // P2
	}
	s.idleWorkers.stop()
	s.pins.stop()
}

// finish waits for the workers and discards what they left.
func (s *Scheduler) finish() {
	<-s.stop.workers
	for _, p := range s.pins.all() {
		s.untilClosed(p.gone)
	}
	s.network.close()
	s.idle.close()                   // P3
	for _, w := range s.unpinned() { // P4
		w.discardQueues()
	}
	s.pins.discard()
	s.discardInject()
	if invariant.On {
		verifyStopped(s)
	}
	if f := s.cfg.Stopped; f != nil {
		f()
	}
	s.stop.endDiscard()
	s.untilClosed(s.stop.discarded) // by goroutines that took tasks out before
	s.quiet.abort()
	close(s.stop.done)
}

// stopSlot tells the holder of a slot that the scheduler stops. A vacant slot is counted out here,
// and so is one whose worker has never run.
func (s *Scheduler) stopSlot(i int) {
	if s.wakeForStop(i) {
		s.dismissSlot(i)
	} else if h := s.slots[i].holder.Load(); h != nil {
		h.state.yieldSoon()
	}
}

// dismissSlot ends the worker of a slot whose bit the caller has cleared.
func (s *Scheduler) dismissSlot(i int) {
	if h := s.slots[i].claim(); h != nil {
		h.dismiss()
	} else {
		s.stop.gone()
	}
}

// Stopping reports whether Stop was called; once true, it stays true. It costs one
// load, in a call that is not inlined, which keeps small programs small: code that asks
// before every task has its own. Any goroutine.
//
//go:noinline
func (s *Scheduler) Stopping() bool { return s.stop.flag.Load() != 0 }
