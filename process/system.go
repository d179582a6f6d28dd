package process

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// System is a set of processes and the workers that run them. All methods may be called from any
// goroutine. The zero value is not ready: use [Start]. A System must not be copied.
type System struct {
	_        nocmp.Field
	sched    *sched.Scheduler
	class    sched.Class
	clock    seam.Clock
	seed     uint64
	stepwise bool // a deterministic run
	timers   timers
	registry registry
	names    names
	reports  reports
	pools    [shards]pool
	joined   joined
	retiring seam.Mutex // see endCoroutine
}

// Config says how a [System] works. The zero value is ready.
type Config struct {
	// Workers is the number of workers; 0 stands for the number of processors that Go uses.
	Workers int
	// Seed, if not 0, makes the run deterministic: one process runs at a time, the seed decides
	// which runnable process goes on, and time passes when none is runnable.
	Seed uint64
	// DeadLetters is told of each message that no process will receive. The goroutine that finds
	// out waits for it, so it must be quick. A panic in it is logged. It may be nil.
	DeadLetters func(DeadLetter)
	// Panic is told of each process that panics or calls runtime.Goexit, when its deferred
	// functions have run. The process waits for it. A panic in it is logged. If Panic is nil, the
	// panic of the process is logged, with its stack.
	Panic func(PanicReport)
	// Logger is where the system reports; nil stands for slog.Default.
	Logger *slog.Logger
}

// DeadLetter is a message that was not received because its process had ended, or ended.
type DeadLetter struct {
	// To is the process that it was sent to.
	To Process
	// Message is the message.
	Message any
	// Reason is why it was not received: that of the end of the process, [ErrNoProcess] for a normal
	// end, or [ErrOverloaded].
	Reason error
	// BestEffort says that the process is one WithBestEffort: there is no need to worry.
	BestEffort bool
}

// Start makes a system. It starts no goroutine before there is work. It panics if a field of cfg is
// wrong.
func Start(cfg Config) *System {
	s := &System{clock: seam.SystemClock{}, seed: cfg.Seed}
	s.reports.dead, s.reports.panicked, s.reports.logger = cfg.DeadLetters, cfg.Panic, cfg.Logger
	sc := sched.Config{Workers: cfg.Workers, Seed: cfg.Seed, Stopped: s.unwindAll}
	if cfg.Workers == 0 {
		sc.Workers = min(runtime.GOMAXPROCS(0), sched.MaxWorkers)
	}
	if cfg.Seed != 0 {
		sc.Driver = s.driver(cfg.Seed)
	}
	sc.Clock = s.clock
	var err error
	if s.sched, err = sched.New(sc); err != nil {
		misuse("Start: " + err.Error())
	}
	s.init()
	return s
}

func (s *System) init() {
	seam.FindThreadLock()
	s.class.Init(&turns{s}, nil)
	s.class.GoesOn(goesOn)
	s.timers.init(s)
	if s.stepwise {
		deterministicRuns.Add(1)
	}
}

// driver makes the run deterministic, with a clock of its own.
func (s *System) driver(seed uint64) sched.Driver {
	clock := seam.NewVirtualClock(time.Unix(946_684_800, 0), 0)
	s.clock, s.stepwise = flowing{clock}, true
	chance := rand.NewPCG(seed, 0x2545f4914f6cdd1d)
	return sched.NewDriver(sched.Turns{
		Choose: func(ready []int, _ int) int { return ready[chance.Uint64()%uint64(len(ready))] },
		Idle: func() bool {
			at, ok := clock.Next()
			if ok {
				clock.MoveTo(at)
			}
			return ok
		},
	})
}

// flowing is a virtual clock that goes on when no process can.
type flowing struct{ *seam.VirtualClock }

// Flows is true.
func (flowing) Flows() bool { return true }

func (s *System) env() (*System, *sched.Worker) {
	if s.sched == nil {
		s.mustBeReady(callee())
	}
	return s, nil
}

// mustBeReady panics if the system is nil or zero.
func (s *System) mustBeReady(call string) {
	if s == nil || s.sched == nil {
		misuse(call + " with a nil or zero System: use Start")
	}
}

// Wait blocks until the system is quiet: no process can go on by itself, and no timer is armed.
// Processes that wait for each other, or for goroutines outside, do not keep it from that; see
// [System.Blocked]. Wait returns ctx's error if ctx ends first, and [ErrStopped] if the system has
// stopped. It panics in a process or behaviour of the system, which would wait for
// itself; so do [System.Run] and [System.Stop].
func (s *System) Wait(ctx context.Context) error {
	must(ctx != nil, "System.Wait: the context is nil")
	s.mustBeOutside("Wait")
	if err := s.sched.WaitQuiet(guard.Guarded(ctx), false); err != nil {
		return stopError(err)
	}
	return nil
}

// Run waits until the system is quiet, as [System.Wait] does, then stops it, and returns the
// processes that were blocked for ever at that moment.
func (s *System) Run() []Blocked {
	s.mustBeOutside("Run")
	_ = s.Wait(context.Background())
	blocked := s.Blocked()
	s.Stop()
	return blocked
}

// Stop ends the system. Running turns finish. Then each remaining process is unwound through its
// deferred functions, one after the other, for the reason [ErrStopped]. A process that waits while
// it is unwound ends at that wait. Stop waits for all of that, and afterwards no goroutine of the
// system is left.
func (s *System) Stop() {
	s.mustBeOutside("Stop")
	if actors := s.joined.actors; actors != nil {
		actors.Stop()
		return
	}
	s.sched.Stop()
	s.sched.WaitStopped()
}

// Now returns the time by the system's clock.
func (s *System) Now() time.Time {
	s.mustBeReady("Now")
	return s.clock.Now()
}

func stopError(err error) error {
	if err == sched.ErrStopped {
		return ErrStopped
	}
	return err
}

// poolOf returns the pool of a worker.
func (s *System) poolOf(w *sched.Worker) *pool { return &s.pools[shardOf(w)] }

const shards = 16

func shardOf(w *sched.Worker) int {
	if w == nil {
		return 0
	}
	return w.ID() % shards
}

// unwindAll ends all processes after the workers have left.
func (s *System) unwindAll() {
	for p := s.registry.close(); p != nil; p = s.registry.any() {
		s.unwindOne(p)
	}
	s.timers.close()
	for i := range s.pools {
		for _, c := range s.pools[i].close() {
			s.endCoroutine(c)
		}
	}
	if s.stepwise {
		deterministicRuns.Add(-1)
	}
}

// unwindOne ends a process that no worker will run again.
func (s *System) unwindOne(p *Proc) {
	if p.state.Load() == ended {
		return
	}
	p.w = nil
	if p.co == nil {
		p.reason = ErrStopped
		p.finish(nil)
		p.state.Store(ended)
		return
	}
	p.cause.Store(&cancel{reason: ErrStopped, hard: true})
	for p.left != leftEnd {
		p.state.Store(running)
		co := s.resume(p, nil)
		if p.left == leftEnd {
			s.endHere(co, nil)
		} else {
			co.parked(p)
		}
	}
}
