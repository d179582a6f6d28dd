package sched

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/gallop-go/gallop/internal/seam"
)

// ErrStopped is the cause that a task is given when the scheduler has stopped and
// nobody will run it, and the error of whoever comes too late.
var ErrStopped = errors.New("gallop: scheduler stopped")

// Config says how a scheduler works. New checks it as a whole.
type Config struct {
	// Workers is the number of workers, 1 to MaxWorkers.
	Workers int
	// Seed starts every choice that the scheduler leaves to chance: where each
	// worker begins to look for victims.
	Seed uint64
	// Clock tells the time; nil is the machine's.
	Clock seam.Clock
	// BindCPUs binds worker i to the i-th processor this process may use, and its
	// goroutine to its thread. It fails where the platform cannot.
	BindCPUs bool
	// Attach makes what the layer above keeps per worker. It runs in New, once
	// for each worker and, when it first runs, for each pin.
	Attach func(w *Worker) any
	// Publish runs on a worker when it publishes its counters: at every clock
	// reading and before it sleeps. It must be quick and must not block.
	Publish func(w *Worker)
	// Stopped runs once, in the end, when everything left over was buried: what the
	// layer above has parked somewhere else must come to its end as well.
	Stopped func()
}

func (c *Config) check() error {
	if c.Workers < 1 || c.Workers > MaxWorkers {
		return fmt.Errorf("gallop: %d workers: want 1 to %d", c.Workers, MaxWorkers)
	}
	if c.BindCPUs && !canBind {
		return errors.New("gallop: this platform cannot bind workers to processors")
	}
	return nil
}

// Scheduler runs tasks on a fixed set of workers. It starts no goroutine before
// there is work. All methods may be called from any goroutine.
type Scheduler struct {
	// Read-only after New.
	cfg     Config
	workers []*Worker
	procs   int        // Go's processors, GOMAXPROCS
	rand    *rand.Rand // New only

	// Who sleeps; every wake-up goes through it.
	idle idleWord
	// Work from outside.
	inject mpmcq
	// What keeps the scheduler from being quiet although its queues are empty.
	holds seam.Int64

	quiet   quiescence
	monitor monitor
	pins    pins
	stop    stopping
}

// New makes a scheduler, or says which part of cfg is wrong.
func New(cfg Config) (*Scheduler, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.Clock == nil {
		cfg.Clock = seam.SystemClock{}
	}
	s := &Scheduler{cfg: cfg, procs: runtime.GOMAXPROCS(0), rand: rand.New(rand.NewPCG(cfg.Seed, 0x9e3779b97f4a7c15))}
	s.inject.init(segmentCells)
	s.idle.init(cfg.Workers)
	s.stop.init(cfg.Workers)
	s.monitor.init(s)
	s.workers = make([]*Worker, cfg.Workers)
	for i := range s.workers {
		s.workers[i] = newWorker(s, i)
	}
	for _, w := range s.workers {
		w.victim = s.rand.IntN(cfg.Workers)
		w.attach()
	}
	return s, nil
}

// Workers returns the number of workers.
func (s *Scheduler) Workers() int { return len(s.workers) }

// Inject makes a task runnable from outside. If the scheduler has stopped for
// good the task dies at once with ErrStopped. An idle worker takes the task
// directly; otherwise it goes to the inject queue. What the caller did before
// synchronizes before the task's turn.
//
// Whoever takes a task over before it injects it, so that for a moment it is in
// nobody's queue, must keep the scheduler from being quiescent meanwhile: with
// Admit, or with Hold.
func (s *Scheduler) Inject(t *Task) {
	if t.pin != nil {
		t.pin.schedule(s, t)
		return
	}
	// The hand-over skips the queue. The compare-and-swap in wake publishes
	// nothing of t: the token does.
	if i, r := s.idle.wake(false); r == wokeOne {
		s.workers[i].wake(t)
		return
	}
	s.inject.push(t)
	s.notify()
}

// notify wakes a sleeper for work that has just been published, unless somebody
// searches. After the end nobody is left to wake: the caller buries what it
// finds, its own task among it.
func (s *Scheduler) notify() {
	switch i, r := s.idle.wake(true); r {
	case wokeOne:
		s.workers[i].wake(nil)
	case wokeClosed:
		s.bury()
	}
}

// bury ends every task of the inject queue. Only after the idle word was closed;
// any number of callers.
func (s *Scheduler) bury() {
	for t := s.inject.pop(); t != nil; t = s.inject.pop() {
		t.runner.TaskDied(nil, ErrStopped)
	}
}

// stopping is the way down: it counts the workers that may still run something.
type stopping struct {
	flag    seam.Uint32 // 1 from Stop on
	once    sync.Once
	left    seam.Int32
	workers chan struct{} // closed when the last worker is gone
	done    chan struct{} // closed when everything left over was buried
}

func (p *stopping) init(workers int) {
	p.left.Store(int32(workers))
	p.workers = make(chan struct{})
	p.done = make(chan struct{})
}

// gone counts one worker down.
func (p *stopping) gone() {
	if p.left.Add(-1) == 0 {
		close(p.workers)
	}
}

// Stop ends the scheduler: turns that run finish, and every task left over dies
// with ErrStopped. It returns a channel that is closed when all of that has
// happened and no goroutine of the scheduler is left. Stopping twice is the same
// as once. Any goroutine; it does not block.
func (s *Scheduler) Stop() <-chan struct{} {
	s.stop.once.Do(func() {
		s.halt()
		go s.finish()
	})
	return s.stop.done
}

// halt tells everyone that the scheduler stops. Once.
func (s *Scheduler) halt() {
	s.stop.flag.Store(1)
	s.monitor.stop()
	for _, w := range s.workers {
		if s.idle.rouse(w.id) {
			w.dismiss()
		}
	}
	s.pins.stop()
}

// finish waits for the workers and buries what they left.
func (s *Scheduler) finish() {
	<-s.stop.workers
	s.pins.wait()
	s.idle.close()
	for _, w := range s.workers {
		w.abandon()
	}
	s.pins.bury()
	s.bury()
	if f := s.cfg.Stopped; f != nil {
		f()
	}
	s.quiet.abort()
	close(s.stop.done)
}

// Stopping tells whether Stop was called.
func (s *Scheduler) Stopping() bool { return s.stop.flag.Load() != 0 }
