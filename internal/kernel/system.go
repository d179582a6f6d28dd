package kernel

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"github.com/gallop-go/gallop/internal/kernel/mpsc"
	"github.com/gallop-go/gallop/internal/kernel/timerwheel"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel/indexset"
	"github.com/gallop-go/gallop/internal/loglimit"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// System is the untyped part of an actor.System. Its methods are for any goroutine, unless they say
// otherwise.
type System struct {
	Opts  Options
	Done  doneSignal
	Sched *sched.Scheduler
	ids   seam.Uint64
	// held is the number of holds by Hold that are not released: awaitQuiet looks whether a
	// goroutine outside is still to act.
	held seam.Int64

	Refusing  seam.Bool     // outside senders are turned away
	Closing   chan struct{} // closed then
	Outside   outsideCounters
	lines     loglimit.Limit // of the log
	LongTurns longTurns
	blocked   blockedCalls
	StopList  stopList
	Deadlocks deadlockWatch
	Waits     waitWatch
	errands   errands
	Waiters   seam.Count                      // goroutines that wait in SendWait
	Timers    seam.Pointer[timerwheel.Timers] // nil until one is armed
	Bridges   seam.Pointer[bridges]           // nil until one is opened
	Names     names
	processes joined
	variants  sync.Map                 // *VariantInfo → *table, with interceptors
	Sim       *Simulation              // nil unless deterministic
	inspected seam.Pointer[Inspection] // nil until package internal/inspect needs it

	mu    sync.Mutex
	types typesInSystem // changed under mu
	asks  any           // guarded by mu: its *waitgraph.Graph
}

// NewSystem starts a system. It calls set, which sets the options.
func NewSystem(set func(*Options)) *System {
	s := &System{Opts: defaultOptions(), Closing: make(chan struct{})}
	s.Done.init()
	s.Deadlocks.Sys, s.Waits.sys = s, s
	set(&s.Opts)
	s.Sim = s.Opts.complete()
	s.Waits.On = s.Sim == nil
	if wrong := s.Opts.check(); wrong != "" {
		PanicMisuse("Start: ", wrong)
	}
	cfg := sched.Config{
		Workers:       s.Opts.Workers,
		MaxDetached:   s.Opts.MaxBlocked,
		Seed:          s.Opts.Seed,
		BindCPUs:      s.Opts.Bind,
		Attach:        func(w *sched.Worker) any { return s.NewContext(w) },
		LongTurn:      s.Opts.LongTurn,
		OnLongTurn:    s.longTurn,
		OnDetachLimit: s.noIdleWorker,
		Merge:         mergeContexts,
		Stopped:       s.ended,
		Publish:       func(w *sched.Worker) { w.Local().(*Turn).publish() },
	}
	s.Sim.direct(s, &cfg)
	if s.Opts.virtual != nil {
		cfg.Parked = s.Opts.virtual.parked(s)
	}
	sc, err := sched.New(cfg)
	if err != nil {
		PanicMisuse("Start: ", err.Error())
	}
	s.Sched = sc
	if s.Opts.virtual != nil {
		s.Opts.virtual.join(s)
	}
	return s
}

// SystemBase is embedded in a System of package actor, which has no other field.
type SystemBase struct{ system System }

const _ = -unsafe.Offsetof(SystemBase{}.system) // as in TurnBase

func (s *SystemBase) sender() Env {
	if s == nil {
		return nil
	}
	return &s.system
}

// Workers implements actor.System.Workers.
func (s *System) Workers() int {
	s.mustBeStarted("Workers")
	return s.Sched.Workers()
}

// Wait implements actor.System.Wait.
func (s *System) Wait(ctx context.Context) error {
	s.mustBeOutside("Wait")
	ctx = MustHave(ctx, "Wait")
	return s.public(s.Sched.WaitQuiet(ctx, false))
}

// Run implements actor.System.Run.
func (s *System) Run() error {
	s.mustBeOutside("Run")
	if err := s.Sched.WaitLast(); err != nil {
		return s.public(err)
	}
	s.refuseOutside()
	s.stop()
	s.Sched.WaitStopped()
	return nil
}

// Shutdown implements actor.System.Shutdown. If err is not nil, holders is the answer of Why.
func (s *System) Shutdown(ctx context.Context) (holders []Holder, err error) {
	s.mustBeOutside("Shutdown")
	ctx = MustHave(ctx, "Shutdown")
	s.refuseOutside()
	err = s.Sched.WaitQuiet(ctx, true)
	if errors.Is(err, sched.ErrStopped) {
		err = nil
	}
	if err != nil {
		holders = s.Why() // before the stop, which cuts much of it off
	}
	done := s.stop()
	if err != nil {
		return holders, err
	}
	select {
	case <-done:
		return nil, nil
	default:
	}
	select {
	case <-done:
		return nil, nil
	case <-ctx.Done():
		return s.Why(), ctx.Err()
	}
}

// Stop implements actor.System.Stop.
func (s *System) Stop() {
	s.mustBeOutside("Stop")
	s.refuseOutside()
	s.stop()
	s.Sched.WaitStopped()
}

// refuseOutside turns outside senders away from now on.
func (s *System) refuseOutside() {
	if !s.Refusing.Swap(true) {
		close(s.Closing)
	}
}

// stop begins the end and returns a channel that is closed when the end is reached.
func (s *System) stop() <-chan struct{} {
	if s.Opts.virtual != nil {
		s.Opts.virtual.leave(s)
	}
	if s.Sim != nil {
		s.Done.finish() // a Pipe takes its turns, and must come to its end
	}
	done := s.Sched.Stop()
	s.Waits.end()
	if t := s.Timers.Load(); t != nil { // after Stop: see MakeTimers
		t.Stop()
	}
	// After sched.Stop, so that the results of a Pipe that this ends do not run any more.
	s.Done.finish()
	return done
}

// mustBeOutside panics if the caller is a behaviour or a process of this system, which would wait
// for itself. It costs a lock and a look-up in a map, 30 to 70 ns, and twice that if the program
// has processes. Where seam.Goroutine does not use an address, it takes about a microsecond.
func (s *System) mustBeOutside(call string) {
	s.mustBeStarted(call)
	if s.Sched.Current() != nil {
		PanicMisuse(call, " called from a behaviour, which would wait for itself")
	}
	if in, _ := processHere(); in == s.Sched {
		panicInProcess(call)
	}
}

// mustBeOutside panics if the caller is a behaviour or a process of any system: it would block its
// worker, or wait for itself.
func mustBeOutside(call string) {
	if _, me := CallerHere(); me != nil {
		PanicMisuse(call, " called from a behaviour, which would wait for itself")
	}
	if in, _ := processHere(); in != nil {
		panicInProcess(call)
	}
}

// mustBeStarted panics unless Start has returned s.
func (s *System) mustBeStarted(call string) {
	if s == nil || s.Sched == nil {
		PanicMisuse(call, " of a nil or zero System: use Start")
	}
}

// MustHave panics if ctx is nil, and returns ctx in a form whose methods cannot panic in the
// runtime. A call checks its context at once, and not only when it has to wait, which may be rare.
func MustHave(ctx context.Context, call string) context.Context {
	if !guard.IsContext(ctx) {
		noContext(call)
	}
	return guard.Guarded(ctx)
}

func noContext(call string) {
	PanicMisuse(call, " with a nil context: use context.Background")
}

// Hold implements actor.System.Hold.
func (s *System) Hold() (release func(), err error) {
	s.mustBeStarted("Hold")
	if s.Refusing.Load() || !s.Sched.Hold() {
		return func() {}, ErrSystemStopped
	}
	s.held.Add(1)
	released := func() {}
	if i := s.inspected.Load(); i != nil {
		released = (*i).Held()
	}
	var once sync.Once
	return func() {
		once.Do(func() {
			released()
			s.held.Add(-1)
			s.Sched.Release()
		})
	}, nil
}

// public turns the scheduler's errors into ours.
func (s *System) public(err error) error {
	if errors.Is(err, sched.ErrStopped) {
		return ErrSystemStopped
	}
	return err
}

// ended ends the things that are in no queue: processes, messages in the hands of bridges, payloads
// of timers, and actors under pressure. It is sched.Config.Stopped.
func (s *System) ended() {
	s.processes.end() // first: their deferred functions may send
	// Before it is known that the system has stopped: the goroutine that injects them terminates
	// them.
	s.StopList.wakeAll(s)
	if b := s.Bridges.Load(); b != nil {
		b.finish()
	}
	if t := s.Timers.Load(); t != nil {
		t.Finish(func(of *sched.Task, held *Message) { discardAll(s, cellOfTask(of), held) })
	}
	s.Deadlocks.end()
	s.blocked.stop()
}

// stopList has the actors that need one more turn when their system stops. There are two sorts:
//
//   - actors with mail that are in no queue: they wait for their children or their supervisor, or
//     have a stash. Their mail becomes dead letters like all other mail;
//   - actors with a link or a monitor to actors of other systems. Those must be told of the end,
//     or they would wait for it, and keep these actors in memory, for ever.
//
// That turn comes after the last worker has gone: no actor enters the list any more, since only a
// turn adds one.
type stopList struct {
	mu  seam.Mutex
	All indexset.Set[Cell] // guarded by mu
}

// stopEntry is an actor in the stop list of its system.
type stopEntry struct {
	Reasons int32 // the number of reasons to list it; owner of the actor only
	index   int   // guarded by the lock of the list; 0: it is not listed
}

// Add counts one reason why the actor is in the list. Owner of the actor only.
func (w *stopList) Add(a *Cell, x *Cold) {
	if x.Listed.Reasons++; x.Listed.Reasons == 1 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.All.Add(a, &x.Listed.index)
	}
}

// remove takes one reason away. Owner of the actor only.
func (w *stopList) remove(x *Cold) {
	if x.Listed.Reasons--; x.Listed.Reasons == 0 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.All.Remove(&x.Listed.index)
	}
}

// retain puts the actor in the list if other is of another system. The two are linked, or one
// watches the other. Owner of the actor only.
func (w *stopList) retain(a, other *Cell) {
	if other != nil && other.Sys() != a.Sys() {
		w.Add(a, a.Cold)
	}
}

// release undoes retain. Owner of the actor only.
func (w *stopList) release(a, other *Cell) {
	if other != nil && other.Sys() != a.Sys() {
		w.remove(a.Cold)
	}
}

// drop takes all reasons away.
func (w *stopList) drop(x *Cold) {
	if x.Listed.Reasons > 0 {
		x.Listed.Reasons = 1
		w.remove(x)
	}
}

// Members returns the actors in the list. Any goroutine.
func (w *stopList) Members() []*Cell {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.All.Members()
}

// wakeAll makes all actors in the list runnable, and so terminates them. It is called after all
// workers have gone.
func (w *stopList) wakeAll(s *System) {
	for _, a := range w.Members() {
		if a.WakeParked(s) || a.Box.Push(NewSignal(s, nil)) == mpsc.PushWoke {
			s.Sched.Inject(&a.Task)
		}
	}
}
