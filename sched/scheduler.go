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

// ErrStopped is the cause of a task's termination when the scheduler has stopped before the task
// could run. Calls that come after the stop return it as well.
var ErrStopped = errors.New("gallop: scheduler stopped")

// Config is the configuration of a scheduler. [New] checks it.
type Config struct {
	// Workers is the number of workers, from 1 to MaxWorkers.
	Workers int
	// Seed starts the random choices of the scheduler: where each worker begins to look for
	// victims.
	Seed uint64
	// Clock tells the time; nil stands for the machine's clock.
	Clock seam.Clock
	// BindCPUs binds worker i to the i-th processor that this process may use, and its goroutine to
	// its thread. Where the platform cannot do that, New returns an error.
	BindCPUs bool
	// MaxDetached is the number of blocked turns that may run without a slot, in addition to
	// Workers; 0 stands for DefaultMaxDetached.
	MaxDetached int
	// Attach returns the data that the layer above keeps for a worker. New calls it once for each
	// worker; for an idle worker or a pin it is called at the first use. The monitor's lock may be
	// held: Attach may call AllWorkers, Counters, Current and DetachedStats, but must not make
	// tasks runnable, hold or release, stop the scheduler, or call Worker.LongTurn.
	Attach func(w *Worker) any
	// Merge combines the data of workers that will never run again. soFar is the result of the last
	// call, nil at first; Merge must not modify it. Merge runs under a lock, so it may only read
	// the workers' data.
	Merge func(soFar any, gone []*Worker) any
	// OnLongTurn is called when a turn lasts longer than LongTurn: once a turn, or once between two
	// calls of Worker.Blocking. It runs in a goroutine of its own while the turn goes on. atLeast
	// is exact to a few milliseconds; Worker.LongTurn tells which turn it is.
	//
	// Pinned workers are not reported, nor are turns within Worker.Blocking that have left their
	// slots. Stop does not wait for OnLongTurn.
	OnLongTurn func(w *Worker, atLeast time.Duration)
	// OnDetachLimit is called when a blocked turn keeps its slot because MaxDetached turns are
	// detached. soFar is the number of such turns so far. It is called at most once a second, in a
	// goroutine of its own. Stop does not wait for it.
	OnDetachLimit func(soFar uint64)
	// LongTurn is the length from which a turn counts as long; at least 0.
	LongTurn time.Duration
	// Driver makes the scheduler deterministic; nil in production.
	Driver Driver
	// Publish is called on a worker when it publishes its counters: at every reading of the clock,
	// and before it sleeps (see Worker.AboutToPark). It must be quick and must not block.
	Publish func(w *Worker)
	// Stopped is called once, after the remaining tasks were discarded. The layer above ends its
	// parked tasks there.
	Stopped func()
	// Parked is called when only n holds by HoldParked are left. It reports whether the scheduler
	// counts as quiescent. A nil Parked means no. All workers are halted meanwhile, so Parked must
	// be quick; it may call AllWorkers, Counters and DetachedStats.
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
	workers []*Worker // made by New

	// The slots, their holders, and the sleepers. Every wake-up goes through idle.
	slots       []workerSlot
	idle        idleWord
	idleWorkers idleWorkers
	// Work from outside.
	inject mpmcq
	// The reasons against quiescence besides queued tasks: see Hold.
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

// New makes a scheduler. The error names the field of cfg that is wrong.
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
		s.network.nextLook.Store(never) // its time is virtual
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

// Inject makes a task runnable from outside. A sleeping worker takes the task directly; otherwise
// the task goes to the inject queue. If the scheduler has stopped, the task is terminated at once
// with ErrStopped. The caller's writes before Inject synchronize before the task's turn.
//
// A caller may take a task over before it injects it, so that the task is for a moment in no queue.
// It must keep the scheduler from being quiescent meanwhile, with Admit or with Hold.
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
// end there is no worker to wake: the caller discards the tasks in the inject queue, its own
// included.
func (s *Scheduler) notify() { s.notifyUnless(1) }

// notifyFor is notify for many waiting tasks whose messages are long: each of them is worth a
// worker of its own. A searcher that has found a task wakes the next worker, but such a chain of
// wake-ups would take longer than the work.
func (s *Scheduler) notifyFor(tasks int) {
	s.notifyUnless(max(1, min(tasks, s.idle.searchers)))
}

// notifyUnless is notify, except that it wakes a sleeper unless the given number of workers search.
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

// discardInject terminates every task of the inject queue. It is called after the idle word has
// been closed. Several goroutines may call it at the same time.
func (s *Scheduler) discardInject() {
	s.stop.beginDiscard()
	for t := s.inject.pop(); t != nil; t = s.inject.pop() {
		t.terminate(nil, ErrStopped)
	}
	s.stop.endDiscard()
}

// stopping counts the workers that may still run tasks while the scheduler stops.
type stopping struct {
	flag       seam.Uint32 // 1 from Stop on
	once       sync.Once
	left       seam.Int32
	workers    chan struct{} // closed when the last worker is gone
	discarders seam.Int32    // goroutines that discard, and one for finish
	last       sync.Once
	discarded  chan struct{} // closed when discarders is 0 for the first time
	done       chan struct{} // closed when all remaining tasks were discarded
}

func (p *stopping) init(workers int) {
	p.left.Store(int32(workers) + 1) // one for the monitor, until halt has ended it
	p.workers = make(chan struct{})
	p.discarders.Store(1)
	p.discarded = make(chan struct{})
	p.done = make(chan struct{})
}

// gone counts one worker down. It is not inlined, which keeps small programs small.
//
//go:noinline
func (p *stopping) gone() {
	if p.left.Add(-1) == 0 {
		close(p.workers)
	}
}

// beginDiscard counts in a goroutine that discards tasks, before it takes the first task out of its
// queue. finish looks at the queue before its own endDiscard, so it finds either the task or that
// goroutine.
func (p *stopping) beginDiscard() { p.discarders.Add(1) }

// endDiscard counts the goroutine out. Stop does not wait for a goroutine that begins to discard
// after the count has reached 0.
func (p *stopping) endDiscard() {
	if p.discarders.Add(-1) == 0 {
		p.last.Do(func() { close(p.discarded) })
	}
}

// Stop ends the scheduler. Running turns finish, and every remaining task is terminated with
// ErrStopped. The returned channel is closed when this is done and no goroutine of the scheduler is
// left. A second call returns the same channel.
//
// Stop does not block, with one exception: in a deterministic run, a call from outside the run
// returns only after the threads of the run have ended. Any goroutine.
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
// In a deterministic run the threads go on meanwhile.
func (s *Scheduler) WaitStopped() { s.untilClosed(s.stop.done) }

// end arranges for finish to run when the workers are gone.
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
	s.stop.gone() // from here on only Beside raises left
	for i := range s.slots {
		s.stopSlot(i) // P2
	}
	s.idleWorkers.stop()
	s.pins.stop()
}

// finish waits for the workers and discards their remaining tasks.
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
	s.untilClosed(s.stop.discarded) // other goroutines may still discard
	s.quiet.abort()
	close(s.stop.done)
}

// stopSlot tells the holder of a slot that the scheduler stops. A vacant slot is counted out here,
// as is a slot whose worker has never run.
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

// Stopping reports whether Stop was called. Once true, it stays true. It costs one load and a call:
// it is not inlined, which keeps small programs small. Code that checks before every task loads the
// flag itself. Any goroutine.
//
//go:noinline
func (s *Scheduler) Stopping() bool { return s.stop.flag.Load() != 0 }
