package actor

import (
	"context"
	"errors"
	"sync"

	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/actor/internal/timerwheel"

	"github.com/gallop-go/gallop/actor/internal/indexset"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/loglimit"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// kernelSystem is the untyped part of a [System].
type kernelSystem struct {
	opts  options
	done  doneSignal
	sched *sched.Scheduler
	ids   seam.Uint64
	// held is the number of holds by Hold that are not released: awaitQuiet looks whether a
	// goroutine outside is still to act.
	held seam.Int64

	refusing  seam.Bool     // outside senders are turned away
	closing   chan struct{} // closed then
	outside   outsideCounters
	lines     loglimit.Limit // of the log
	longTurns longTurns
	blocked   blockedCalls
	stopList  stopList
	deadlocks deadlockWatch
	waits     waitWatch
	errands   errands
	waiters   seam.Count                      // goroutines that wait in SendWait
	timers    seam.Pointer[timerwheel.Timers] // nil until one is armed
	bridges   seam.Pointer[bridges]           // nil until one is opened
	names     names
	processes joined
	variants  sync.Map                 // *variantInfo → *table, with interceptors
	sim       *simulation              // nil unless deterministic
	inspected seam.Pointer[inspection] // nil until package inspect needs it

	mu    sync.Mutex
	types typesInSystem // changed under mu
	asks  any           // guarded by mu: its *waitgraph.Graph
}

// newSystem is Start.
func newSystem(opts []Option) *kernelSystem {
	s := &kernelSystem{opts: defaultOptions(), closing: make(chan struct{})}
	s.done.init()
	s.deadlocks.sys, s.waits.sys = s, s
	for _, o := range opts {
		if o == nil {
			s.opts.wrong = append(s.opts.wrong, "a nil option")
			continue
		}
		o.setSystem(&s.opts)
	}
	s.sim = s.opts.complete()
	s.waits.on = s.sim == nil
	if wrong := s.opts.check(); wrong != "" {
		panicMisuse("Start: ", wrong)
	}
	cfg := sched.Config{
		Workers:       s.opts.workers,
		MaxDetached:   s.opts.maxBlocked,
		Seed:          s.opts.seed,
		BindCPUs:      s.opts.bind,
		Attach:        func(w *sched.Worker) any { return s.face().kernel().newContext(w) },
		LongTurn:      s.opts.longTurn,
		OnLongTurn:    s.longTurn,
		OnDetachLimit: s.noIdleWorker,
		Merge:         mergeContexts,
		Stopped:       s.ended,
		Publish:       func(w *sched.Worker) { w.Local().(*kernelTurn).publish() },
	}
	s.sim.direct(s, &cfg)
	if s.opts.virtual != nil {
		cfg.Parked = s.opts.virtual.parked(s.face())
	}
	sc, err := sched.New(cfg)
	if err != nil {
		panicMisuse("Start: ", err.Error())
	}
	s.sched = sc
	if s.opts.virtual != nil {
		s.opts.virtual.join(s.face())
	}
	return s
}

// kernelSystemBase is embedded in a [System], which is nothing else.
type kernelSystemBase struct{ system kernelSystem }

func (s *kernelSystemBase) sender() env {
	if s == nil {
		return nil
	}
	return &s.system
}

// Workers implements [System.Workers].
func (s *kernelSystem) Workers() int {
	s.mustBeStarted("Workers")
	return s.sched.Workers()
}

// Wait implements [System.Wait].
func (s *kernelSystem) Wait(ctx context.Context) error {
	s.mustBeOutside("Wait")
	ctx = mustHave(ctx, "Wait")
	return s.public(s.sched.WaitQuiet(ctx, false))
}

// Run implements [System.Run].
func (s *kernelSystem) Run() error {
	s.mustBeOutside("Run")
	if err := s.sched.WaitLast(); err != nil {
		return s.public(err)
	}
	s.refuseOutside()
	s.stop()
	s.sched.WaitStopped()
	return nil
}

// Shutdown implements [System.Shutdown].
func (s *kernelSystem) Shutdown(ctx context.Context) error {
	s.mustBeOutside("Shutdown")
	ctx = mustHave(ctx, "Shutdown")
	s.refuseOutside()
	err := s.sched.WaitQuiet(ctx, true)
	if errors.Is(err, sched.ErrStopped) {
		err = nil
	}
	if err != nil {
		err = &ShutdownError{Holders: s.Why(), Err: err} // before the stop, which cuts much of it off
	}
	done := s.stop()
	if err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	default:
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return &ShutdownError{Holders: s.Why(), Err: ctx.Err()}
	}
}

// Stop implements [System.Stop].
func (s *kernelSystem) Stop() {
	s.mustBeOutside("Stop")
	s.refuseOutside()
	s.stop()
	s.sched.WaitStopped()
}

// refuseOutside turns outside senders away from now on.
func (s *kernelSystem) refuseOutside() {
	if !s.refusing.Swap(true) {
		close(s.closing)
	}
}

// stop begins the end and returns a channel that is closed when the end is reached.
func (s *kernelSystem) stop() <-chan struct{} {
	if s.opts.virtual != nil {
		s.opts.virtual.leave(s.face())
	}
	if s.sim != nil {
		s.done.finish() // a Pipe takes its turns, and must come to its end
	}
	done := s.sched.Stop()
	s.waits.end()
	if t := s.timers.Load(); t != nil { // after Stop: see makeTimers
		t.Stop()
	}
	// After sched.Stop, so that the results of a Pipe that this ends do not run any more.
	s.done.finish()
	return done
}

// mustBeOutside panics if the caller is a behaviour or a process of this system, which would wait
// for itself. It costs a lock and a look-up in a map, 30 to 70 ns, and twice that if the program
// has processes. Where seam.Goroutine does not use an address, it takes about a microsecond.
func (s *kernelSystem) mustBeOutside(call string) {
	s.mustBeStarted(call)
	if s.sched.Current() != nil {
		panicMisuse(call, " called from a behaviour, which would wait for itself")
	}
	if in, _ := processHere(); in == s.sched {
		panicInProcess(call)
	}
}

// mustBeOutside panics if the caller is a behaviour or a process of any system: it would block its
// worker, or wait for itself.
func mustBeOutside(call string) {
	if _, me := callerHere(); me != nil {
		panicMisuse(call, " called from a behaviour, which would wait for itself")
	}
	if in, _ := processHere(); in != nil {
		panicInProcess(call)
	}
}

// mustBeStarted panics unless Start has returned s.
func (s *kernelSystem) mustBeStarted(call string) {
	if s == nil || s.sched == nil {
		panicMisuse(call, " of a nil or zero System: use Start")
	}
}

// mustHave panics if ctx is nil, and returns ctx in a form whose methods cannot panic in the
// runtime. A call checks its context at once, and not only when it has to wait, which may be rare.
func mustHave(ctx context.Context, call string) context.Context {
	if !guard.IsContext(ctx) {
		noContext(call)
	}
	return guard.Guarded(ctx)
}

func noContext(call string) {
	panicMisuse(call, " with a nil context: use context.Background")
}

// Hold implements [System.Hold].
func (s *kernelSystem) Hold() (release func(), err error) {
	s.mustBeStarted("Hold")
	if s.refusing.Load() || !s.sched.Hold() {
		return func() {}, ErrSystemStopped
	}
	s.held.Add(1)
	released := func() {}
	if i := s.inspected.Load(); i != nil {
		released = i.held()
	}
	var once sync.Once
	return func() {
		once.Do(func() {
			released()
			s.held.Add(-1)
			s.sched.Release()
		})
	}, nil
}

// public turns the scheduler's errors into ours.
func (s *kernelSystem) public(err error) error {
	if errors.Is(err, sched.ErrStopped) {
		return ErrSystemStopped
	}
	return err
}

// ended ends the things that are in no queue: processes, messages in the hands of bridges, payloads
// of timers, and actors under pressure. It is sched.Config.Stopped.
func (s *kernelSystem) ended() {
	s.processes.end() // first: their deferred functions may send
	// Before it is known that the system has stopped: the goroutine that injects them terminates
	// them.
	s.stopList.wakeAll(s)
	if b := s.bridges.Load(); b != nil {
		b.finish()
	}
	if t := s.timers.Load(); t != nil {
		t.Finish(func(of *sched.Task, held *message) { discardAll(s, cellOfTask(of), held) })
	}
	s.deadlocks.end()
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
	all indexset.Set[cell] // guarded by mu
}

// stopEntry is an actor in the stop list of its system.
type stopEntry struct {
	reasons int32 // the number of reasons to list it; owner of the actor only
	index   int   // guarded by the lock of the list; 0: it is not listed
}

// add counts one reason why the actor is in the list. Owner of the actor only.
func (w *stopList) add(a *cell, x *coldState) {
	if x.listed.reasons++; x.listed.reasons == 1 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all.Add(a, &x.listed.index)
	}
}

// remove takes one reason away. Owner of the actor only.
func (w *stopList) remove(x *coldState) {
	if x.listed.reasons--; x.listed.reasons == 0 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all.Remove(&x.listed.index)
	}
}

// retain puts the actor in the list if other is of another system. The two are linked, or one
// watches the other. Owner of the actor only.
func (w *stopList) retain(a, other *cell) {
	if other != nil && other.sys() != a.sys() {
		w.add(a, a.cold)
	}
}

// release undoes retain. Owner of the actor only.
func (w *stopList) release(a, other *cell) {
	if other != nil && other.sys() != a.sys() {
		w.remove(a.cold)
	}
}

// drop takes all reasons away.
func (w *stopList) drop(x *coldState) {
	if x.listed.reasons > 0 {
		x.listed.reasons = 1
		w.remove(x)
	}
}

// wakeAll makes all actors in the list runnable, and so terminates them. It is called after all
// workers have gone.
func (w *stopList) wakeAll(s *kernelSystem) {
	w.mu.Lock()
	all := w.all.Members()
	w.mu.Unlock()
	for _, a := range all {
		if a.wakeParked(s) || a.box.Push(newSignal(s, nil)) == mpsc.PushWoke {
			s.sched.Inject(&a.task)
		}
	}
}
