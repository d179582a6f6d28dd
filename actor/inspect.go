package actor

import (
	"reflect"
	"sync"
	"time"
	"unsafe"
	"weak"

	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// inspector is what package inspect sees of a system: see docs/decisions/0045-inspect.md. Package
// inspect calls its methods by way of interfaces, and no code here does, so that the linker drops
// them, and all that only they need, from programs without that package.
type inspector struct{ s *System }

// inspectorOf is access.InspectorOf.
func inspectorOf(sys any) any {
	s := sys.(*System)
	s.mustBeStarted("inspect")
	return &inspector{s}
}

// inspection is what the rest of the package calls while a system is looked into. It is made by the
// first look that needs it, and stays. Its functions are never nil, and are set by methods of
// inspector, so that programs without package inspect do not link them.
type inspection struct {
	// born hears of each actor that is in the sample or recorded, once others may see it.
	born func(e env, a *cell)
	// cut chooses one of the next numbers of a worker: 0 is the first.
	cut func(size uint64) uint64
	// picks reports whether an actor whose spawn goes the slow way is in the sample or recorded.
	picks func(id uint64) bool
	held  func() (released func())
	dead  func(e env, to *cell, m *message, d *descriptor, reason error)
	// deadProcess hears of each message that no process will receive.
	deadProcess func(to *ActorName, message any, reason error, bestEffort bool)
	// dispatch sees each table that an actor is about to dispatch by, and that is not the type's own.
	dispatch func(t *typeInfo, runs []runFunc)

	// noted hears what happens to an actor, with another one, which may be nil, for the recorder.
	noted func(e env, k flightlog.What, a, other *cell)

	panicked func(e env, p PanicReport)
	longTurn func(LongTurnReport)
	deadlock func(PressureDeadlock)

	// A *inspected, behind an interface: the description of its type would be in every program, since
	// that of System leads here.
	all any
}

// inspected is what is kept for package inspect.
type inspected struct {
	sys        *System                     // read-only
	flight     seam.Pointer[flightlog.Log] // nil: the system is not recorded
	population population
	holds      heldList
	letters    listeners[deadLetterHeard]
	panics     listeners[func(PanicReport)]
	longTurns  listeners[func(LongTurnReport)]
	deadlocks  listeners[func(PressureDeadlock)]
	labels     listeners[func(typ string) bool] // which types have labels

	mu      sync.Mutex
	watches []*watch // guarded by mu: of this system
}

// on begins to look into the system, and returns what is kept.
func (in *inspector) on() *inspected {
	s := in.s
	if i := s.inspected.Load(); i != nil {
		return i.all.(*inspected)
	}
	all := &inspected{sys: s}
	i := &inspection{all: all, cut: all.population.cut, held: all.heldOutside,
		born:        all.bornIn,
		picks:       all.picksOutside,
		dead:        all.heardDead,
		deadProcess: all.heardDeadProcess,
		dispatch:    all.dispatch,
		noted:       all.noted,
		panicked:    all.panickedIn,
		longTurn:    all.lasted,
		deadlock:    all.deadlocked,
	}
	if !s.inspected.CompareAndSwap(nil, i) {
		return s.inspected.Load().all.(*inspected)
	}
	return all
}

// listeners are functions that hear of something. A call sees those that were there when it began.
type listeners[F any] struct {
	mu  sync.Mutex
	now seam.Pointer[[]*F] // changed under mu
}

// add adds a function, until remove is called.
func (l *listeners[F]) add(f F) (remove func()) {
	p := &f
	l.change(func(all []*F) []*F { return append(all, p) })
	return func() {
		l.change(func(all []*F) []*F {
			left := all[:0]
			for _, o := range all {
				if o != p {
					left = append(left, o)
				}
			}
			return left
		})
	}
}

func (l *listeners[F]) change(f func([]*F) []*F) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*F
	if old := l.now.Load(); old != nil {
		all = append(all, *old...)
	}
	all = f(all)
	l.now.Store(&all)
}

// each calls visit with each. Any goroutine.
func (l *listeners[F]) each(visit func(F)) {
	if all := l.now.Load(); all != nil {
		for _, f := range *all {
			visit(*f)
		}
	}
}

// Weak returns a function that returns ref as long as the GC has not taken the actor, and the zero
// AnyRef from then on.
func (in *inspector) Weak(ref AnyRef) (get func() AnyRef) {
	w := weak.Make(ref.b)
	return func() AnyRef { return AnyRef{w.Value()} }
}

// IsLookedInto reports whether the system is: whether inspect.Begin or the like was called.
func (in *inspector) IsLookedInto() bool { return in.s.inspected.Load() != nil }

// Processes returns the *process.System that was joined to the system, or nil.
func (in *inspector) Processes() any {
	if sys := in.s.processes.sys.Load(); sys != nil {
		return *sys
	}
	return nil
}

// IsDeterministic reports whether the system is ([WithDeterministic]).
func (in *inspector) IsDeterministic() bool { return in.s.sim != nil }

// IsShuttingDown reports whether messages from outside are refused: the system is about to end.
func (in *inspector) IsShuttingDown() bool { return in.s.refusing.Load() }

// DatesWaits reports whether waits have dates that can be relied on: the looks that date them come
// twice a second. Where a test moves the time they come whenever it does.
func (in *inspector) DatesWaits() bool { return in.s.waits.on && in.s.opts.clock.Flows() }

// Clock is the system's time, as the dates of waits have it.
func (in *inspector) Clock() int64 { return in.s.opts.clock.Nanos() }

// Wall is the system's time of day.
func (in *inspector) Wall() time.Time { return in.s.opts.clock.Now() }

// EachType calls f for the types that the system has had actors of.
func (in *inspector) EachType(f func(name string, behaviours []string, bytes int, pinned bool)) {
	all := in.s.types.all.Load()
	if all == nil {
		return
	}
	for _, k := range *all {
		if k == nil {
			continue
		}
		var names []string
		for _, d := range k.typ.decls[userIDs:] {
			names = append(names, d.name)
		}
		f(k.typ.name, names, k.typ.stateBytes(), k.typ.pinned)
	}
}

// stateBytes is the size of a state.
func (t *typeInfo) stateBytes() int { return int(reflect.TypeOf(t.state).Elem().Size()) }

// EachWorker calls f for each worker.
func (in *inspector) EachWorker(f func(access.WorkerLook)) {
	processes := in.s.processes.sys.Load()
	for _, w := range in.s.sched.AllWorkers() {
		l := access.WorkerLook{ID: w.ID(), Pinned: w.Pinned()}
		if _, d := glimpse(w); d.who != nil && d.typ.sealed.Load() {
			l.Type, l.Behaviour, l.Actor = d.typ.name, d.name(), peekID(d.who)
		} else if processes != nil {
			if who, _, ok := processOn(*processes, w); ok {
				l.Type, l.Process = who.Type, who.ID
			}
		}
		l.Blocking = l.Type != "" && peekBlocking(w)
		f(l)
	}
}

// EachLongTurn calls f for each turn that has lasted for at least so long, and for each call of
// Blocking or of an Ask in a turn that has. An actor of a pinned type is included only if it
// blocks. The stacks are those of access.StacksOfProcesses.
func (in *inspector) EachLongTurn(least time.Duration, f func(access.LongTurnLook)) {
	s := in.s
	processes := s.processes.sys.Load()
	now := s.opts.clock.Nanos()
	for _, w := range s.sched.AllWorkers() {
		c, ok := w.Local().(*Context)
		if !ok {
			continue
		}
		l := access.LongTurnLook{Worker: w.ID(), Stack: w.Stack}
		at, blocks := doing{}, false
		if at, l.Lasted, blocks = s.blocked.lasts(c, now); !blocks {
			_, at = glimpse(w)
			l.Lasted = w.Lasts()
		}
		if l.Blocking = blocks; l.Lasted < least {
			continue
		}
		if at.who != nil && at.typ.sealed.Load() {
			l.Who, l.Behaviour, l.Ref = at.who.actorName(), at.name(), refFound(at.who)
			f(l)
		} else if processes != nil {
			if who, stack, ok := processOn(*processes, w); ok {
				l.Who, l.Process = ActorName{Type: who.Type, ID: who.ID, Name: who.Name}, true
				l.Stack = func() []byte { return stack(access.StacksOfProcesses()) }
				f(l)
			}
		}
	}
}

// glimpse looks at what a worker does. who is nil if it does nothing for an actor, or if its turn
// has ended meanwhile.
func glimpse(w *sched.Worker) (task *sched.Task, d doing) {
	c, ok := w.Local().(*Context)
	if task = w.Running(); task == nil || !ok {
		return nil, doing{}
	}
	if d = c.peek(task); w.Running() != task {
		return nil, doing{}
	}
	return task, d
}

// peekBlocking reports whether a worker's turn blocks, as Context.peek does.
//
//go:norace
//go:noinline
func peekBlocking(w *sched.Worker) bool { return w.InBlocking() }

// peekID returns the number of an actor that was found by a peek: see peekSys.
//
//go:norace
//go:noinline
func peekID(a *cell) uint64 { return a.id }

// EachRunning calls f for the actors whose turns run.
func (in *inspector) EachRunning(f func(AnyRef)) {
	for _, w := range in.s.sched.AllWorkers() {
		if _, d := glimpse(w); d.who != nil {
			f(refFound(d.who))
		}
	}
}

// refFound returns the ref of an actor that was found by a peek. What runs or waits was sent
// something before, and the load of its mailbox's head pairs with that push: so what its spawn has
// written is ordered before what the caller reads.
func refFound(a *cell) AnyRef {
	a.box.Idle()
	return AnyRef{a}
}

// Look returns how an actor looks from outside. It counts up to most of its messages.
func (in *inspector) Look(ref AnyRef, most int) (who ActorName, s Status, l access.ActorLook) {
	a := targetOf("inspect", ref)
	s = a.status()
	n := 0
	if s != StatusEnded {
		peekMail(a, func(uint64, uint16) bool { n++; return n < most })
	}
	l.Queued = n
	peekLoad(a, &l)
	l.Muted = l.Muted && a.blockedOn.Parked()
	l.Suspended = peekLife(a).suspended || a.flow.Load().suspension() != nil
	l.Pinned = a.typ().pinned
	return a.actorName(), s, l
}

// SystemOfRef returns the system of an actor.
func (in *inspector) SystemOfRef(ref AnyRef) *System { return targetOf("inspect", ref).sys() }

// StateType returns the name of the Go type of an actor's state, and its size.
func (in *inspector) StateType(ref AnyRef) (name string, bytes int) {
	t := targetOf("inspect", ref).typ()
	return reflect.TypeOf(t.state).Elem().String(), t.stateBytes()
}

// TypeOf returns the name of an actor's type.
func (in *inspector) TypeOf(ref AnyRef) string { return ref.b.typ().name }

// EachName calls f for each name that is taken.
func (in *inspector) EachName(f func(name string, ref AnyRef)) {
	in.s.names.m.Range(func(name, of any) bool {
		if a, _ := of.(*cell); a != nil {
			f(name.(string), AnyRef{a})
		}
		return true
	})
}

// EachListed calls f for the actors that the end of their system must not overlook.
func (in *inspector) EachListed(f func(AnyRef)) {
	l := &in.s.stopList
	l.mu.Lock()
	all := l.all.Members()
	l.mu.Unlock()
	for _, a := range all {
		f(AnyRef{a})
	}
}

// EachPressed calls f for the actors under pressure for which others wait.
func (in *inspector) EachPressed(f func(AnyRef)) {
	w := &in.s.deadlocks
	w.mu.Lock()
	var roots []*cell
	for _, a := range w.roots {
		if a.flow.Load().pressed.Load() != 0 && a.gate.Waited(&gateMark) {
			roots = append(roots, a)
		}
	}
	w.mu.Unlock()
	for _, a := range roots {
		f(AnyRef{a})
	}
}

// EachWait calls f for each actor that waits for another, with the date that waitWatch gives. By
// the date at the latest, it waited.
func (in *inspector) EachWait(f func(who, to AnyRef, since int64, asks bool)) {
	for _, o := range in.s.allWaits() {
		if o.asks || o.who.blockedOn.Parked() {
			f(refFound(o.who), refFound(o.to), o.since, o.asks)
		}
	}
}

// BehaviourOf returns what an actor runs at the moment; "" if it does not.
func (in *inspector) BehaviourOf(ref AnyRef) string {
	for _, w := range in.s.sched.AllWorkers() {
		if _, d := glimpse(w); d.who == ref.b && d.typ.sealed.Load() {
			return d.name()
		}
	}
	return ""
}

// HasMailFrom reports whether one of an actor's messages, up to a limit, is from another.
func (in *inspector) HasMailFrom(ref, from AnyRef) bool {
	return waitEdge(ref.b, from.b, from.b).From != ""
}

// OnPanic, OnLongTurn and OnPressureDeadlock have f called for each report, until stop is called.
func (in *inspector) OnPanic(f func(PanicReport)) (stop func()) { return in.on().panics.add(f) }

// OnLongTurn is as OnPanic says.
func (in *inspector) OnLongTurn(f func(LongTurnReport)) (stop func()) {
	return in.on().longTurns.add(f)
}

// OnPressureDeadlock is as OnPanic says.
func (in *inspector) OnPressureDeadlock(f func(PressureDeadlock)) (stop func()) {
	return in.on().deadlocks.add(f)
}

// stateAt returns a pointer to an actor's state. Owner only.
func stateAt(a *cell) any {
	at := a.plus(unsafe.Sizeof(cell{}))
	return reflect.NewAt(reflect.TypeOf(a.typ().state).Elem(), at).Interface()
}
