package kernel

import (
	"reflect"
	"slices"
	"sync"
	"time"
	"unsafe"
	"weak"

	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/internal/joint"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Inspector answers the questions that the packages inspect and flight ask about a system: see
// docs/decisions/0045-inspect.md. No code here calls its methods. So the linker drops them, and the
// code that only they need, from programs without these packages.
type Inspector struct{ S *System }

// InspectorOf returns the Inspector of a system.
func InspectorOf(s *System) *Inspector {
	s.MustBeStarted("inspect")
	return &Inspector{s}
}

// WorkerLook describes a worker as seen from outside.
type WorkerLook struct {
	ID               int
	Pinned, Blocking bool
	Type, Behaviour  string // of the turn that it runs; Type "": none
	Actor, Process   uint64 // the number of the actor or process; the other is 0
}

// LongTurnLook describes a turn that has lasted for long.
type LongTurnLook struct {
	Worker    int
	Who       ActorName
	Ref       AnyRef // zero: of a process
	Process   bool   // Who names a process
	Behaviour string
	Blocking  bool // in Blocking, or an Ask in the turn
	Lasted    time.Duration
	Stack     func() []byte // as that of sched.Worker
}

// ActorLook describes an actor as seen from outside, without its name and its status.
type ActorLook struct {
	Queued int // messages in its mailbox, counted up to a limit
	// As internal/inspect.Actor says.
	Overloaded, Muted, Suspended, Pinned bool
}

// inspection has the functions that the rest of the package calls once a system is inspected. The
// first call of an Inspector that needs it makes it, and it stays. Its functions are never nil.
// Only methods of Inspector set them, so that programs without package inspect do not link them.
type inspection struct {
	// born is called for each new actor that is in the sample or recorded, before any other
	// goroutine can know the actor.
	born func(e Env, a *Cell)
	// cut chooses a number below size: the place, in a worker's next block of size actor numbers,
	// of the spawn that goes the slow way. If it returns size, no spawn of the block does.
	cut func(size uint64) uint64
	// picks reports whether an actor that was spawned the slow way is in the sample or recorded.
	picks func(id uint64) bool
	held  func() (released func())
	dead  func(e Env, to *Cell, m *Message, d *Descriptor, reason error)
	// deadProcess is called for each message that no process will receive.
	deadProcess func(to *ActorName, message any, reason error, bestEffort bool)
	// dispatch is called for each table by which actors are about to dispatch, other than the table
	// of their type.
	dispatch func(t *TypeInfo, runs []RunFunc)

	// noted records an event k of actor a in the flight recorder. other is a second actor that
	// takes part, or nil.
	noted func(e Env, k flightlog.What, a, other *Cell)

	panicked func(e Env, p PanicReport)
	longTurn func(LongTurnReport)
	deadlock func(PressureDeadlock)

	// A *inspected. It is stored as an interface, because every program has the description of
	// System, and that would otherwise lead to the description of inspected.
	all any
}

// inspected is the state that a system keeps for package inspect.
type inspected struct {
	sys        *System                     // read-only
	flight     seam.Pointer[flightlog.Log] // nil: the system is not recorded
	population population
	holds      heldList
	letters    listeners[func(LetterLook)]
	panics     listeners[func(PanicReport)]
	longTurns  listeners[func(LongTurnReport)]
	deadlocks  listeners[func(PressureDeadlock)]
	labels     listeners[func(typ string) bool] // the types that have labels

	mu      sync.Mutex
	watches []*watch // guarded by mu: of this system
}

// on returns the state for package inspect. Its first call begins the inspection.
func (in *Inspector) on() *inspected {
	s := in.S
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

// listeners is a list of functions that are called for one kind of event. The functions that are in
// the list when an event begins are called for it.
type listeners[F any] struct {
	mu  sync.Mutex
	now seam.Pointer[[]*F] // changed under mu
}

// add adds a function to the list. remove takes it out.
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

// each calls visit with each function of the list. Any goroutine.
func (l *listeners[F]) each(visit func(F)) {
	if all := l.now.Load(); all != nil {
		for _, f := range *all {
			visit(*f)
		}
	}
}

// Weak returns a function that returns ref until the garbage collector has freed the actor, and the
// zero AnyRef from then on. It does not keep the actor alive.
func (in *Inspector) Weak(ref AnyRef) (get func() AnyRef) {
	w := weak.Make(ref.b)
	return func() AnyRef { return AnyRef{w.Value()} }
}

// IsLookedInto reports whether the inspection of the system has begun, by inspect.Begin or another
// function that needs it.
func (in *Inspector) IsLookedInto() bool { return in.S.inspected.Load() != nil }

// Processes returns the processes that were joined to the system, or nil.
func (in *Inspector) Processes() joint.Processes { return in.S.processes.load() }

// IsDeterministic reports whether the system runs with [WithDeterministic].
func (in *Inspector) IsDeterministic() bool { return in.S.Sim != nil }

// IsShuttingDown reports whether the system refuses messages from outside, since it is about to end.
func (in *Inspector) IsShuttingDown() bool { return in.S.Refusing.Load() }

// DatesWaits reports whether the dates of waits are reliable. The watch that dates them looks twice
// a second. On a clock that a test moves, it looks only when the test moves the clock.
func (in *Inspector) DatesWaits() bool { return in.S.Waits.On && in.S.Opts.Clock.Flows() }

// Clock returns the system's time in nanoseconds. The dates of waits are on the same scale.
func (in *Inspector) Clock() int64 { return in.S.Opts.Clock.Nanos() }

// Wall returns the system's time of day.
func (in *Inspector) Wall() time.Time { return in.S.Opts.Clock.Now() }

// EachType calls f for each type of which the system has had actors. bytes is the size of a state.
func (in *Inspector) EachType(f func(name string, behaviours []string, bytes int, pinned bool)) {
	all := in.S.types.all.Load()
	if all == nil {
		return
	}
	for _, k := range *all {
		if k == nil {
			continue
		}
		var names []string
		for _, d := range k.Typ.Decls[UserIDs:] {
			names = append(names, d.Name)
		}
		f(k.Typ.Name, names, k.Typ.stateBytes(), k.Typ.Pinned)
	}
}

// stateBytes returns the size of a state of the type.
func (t *TypeInfo) stateBytes() int { return int(reflect.TypeOf(t.State).Elem().Size()) }

// EachWorker calls f for each worker, with its running behaviour and actor, or its process.
func (in *Inspector) EachWorker(f func(WorkerLook)) {
	processes := in.Processes()
	for _, w := range in.S.Sched.AllWorkers() {
		l := WorkerLook{ID: w.ID(), Pinned: w.Pinned()}
		if _, d := glimpse(w); d.who != nil && d.typ.Sealed.Load() {
			l.Type, l.Behaviour, l.Actor = d.typ.Name, d.name(), peekID(d.who)
		} else if processes != nil {
			if who, _, ok := processOn(processes, w); ok {
				l.Type, l.Process = who.Type, who.ID
			}
		}
		l.Blocking = l.Type != "" && peekBlocking(w)
		f(l)
	}
}

// EachLongTurn calls f for each turn that has lasted for at least so long, and for each call of
// Blocking or of an Ask in a turn that has. An actor of a pinned type is included only if it
// blocks. The stacks of processes are those of joint.Processes.Stacks.
func (in *Inspector) EachLongTurn(least time.Duration, f func(LongTurnLook)) {
	s := in.S
	processes := in.Processes()
	now := s.Opts.Clock.Nanos()
	for _, w := range s.Sched.AllWorkers() {
		c, ok := w.Local().(*Turn)
		if !ok {
			continue
		}
		l := LongTurnLook{Worker: w.ID(), Stack: w.Stack}
		at, blocks := doing{}, false
		if at, l.Lasted, blocks = s.blocked.lasts(c, now); !blocks {
			_, at = glimpse(w)
			l.Lasted = w.Lasts()
		}
		if l.Blocking = blocks; l.Lasted < least {
			continue
		}
		if at.who != nil && at.typ.Sealed.Load() {
			l.Who, l.Behaviour, l.Ref = at.who.ActorName(), at.name(), refFound(at.who)
			f(l)
		} else if processes != nil {
			if who, stack, ok := processOn(processes, w); ok {
				l.Who, l.Process = ActorName{Type: who.Type, ID: who.ID, Name: who.Name}, true
				l.Stack = func() []byte { return stack(processes.Stacks()) }
				f(l)
			}
		}
	}
}

// BusySlots returns the number of busy workers and the number of workers of the system. A worker is
// busy while it runs a turn of an actor or a process. A stand-in counts in the place of the worker
// that it stands in for. Pinned workers and turns that block do not count.
func (in *Inspector) BusySlots() (busy, slots int) {
	for _, w := range in.S.Sched.AllWorkers() {
		if w.Running() != nil && !w.Pinned() && !w.LostSlot() && !peekBlocking(w) {
			busy++
		}
	}
	slots = in.S.Workers()
	return min(busy, slots), slots
}

// glimpse returns a hint about the work of a worker. d.who is nil if the worker runs no actor, or
// if its turn has ended meanwhile.
func glimpse(w *sched.Worker) (task *sched.Task, d doing) {
	c, ok := w.Local().(*Turn)
	if task = w.Running(); task == nil || !ok {
		return nil, doing{}
	}
	if d = c.peek(task); w.Running() != task {
		return nil, doing{}
	}
	return task, d
}

// peekBlocking reports, as a hint like Context.peek, whether a worker's turn is within Blocking.
//
//go:norace
//go:noinline
func peekBlocking(w *sched.Worker) bool { return w.InBlocking() }

// peekID returns the number of an actor that a peek has found: see peekSys.
//
//go:norace
//go:noinline
func peekID(a *Cell) uint64 { return a.ID }

// EachRunning calls f for each actor whose turn runs.
func (in *Inspector) EachRunning(f func(AnyRef)) {
	for _, w := range in.S.Sched.AllWorkers() {
		if _, d := glimpse(w); d.who != nil {
			f(refFound(d.who))
		}
	}
}

// refFound returns the ref of an actor that a peek has found. An actor that runs or waits was sent
// something before. The load of its mailbox's head pairs with that push. So the writes of its spawn
// are ordered before the reads of the caller.
func refFound(a *Cell) AnyRef {
	a.Box.Idle()
	return AnyRef{a}
}

// Look describes an actor as seen from outside. It counts no more than most of its messages.
func (in *Inspector) Look(ref AnyRef, most int) (who ActorName, s Status, l ActorLook) {
	a := ref.Must("inspect")
	s = a.Status()
	n := 0
	if s != StatusEnded {
		peekMail(a, func(uint64, uint16) bool { n++; return n < most })
	}
	l.Queued = n
	peekLoad(a, &l)
	l.Muted = l.Muted && a.BlockedOn.Parked()
	l.Suspended = peekLife(a).suspended || a.Flow.Load().Suspension() != nil
	l.Pinned = a.Typ().Pinned
	return a.ActorName(), s, l
}

// EachMail calls f with the behaviour of each message in an actor's mailbox, until f returns false.
// The name is "" for a message of the runtime's.
func (in *Inspector) EachMail(ref AnyRef, f func(behaviour string) bool) {
	a := ref.Must("inspect")
	if a.Status() == StatusEnded {
		return
	}
	decls := a.Typ().Decls
	peekMail(a, func(_ uint64, id uint16) bool {
		if isOwn(id) || int(id) >= len(decls) {
			return f("")
		}
		return f(decls[id].Name)
	})
}

// SystemOfRef returns the system of an actor.
func (in *Inspector) SystemOfRef(ref AnyRef) *System { return ref.Must("inspect").Sys() }

// StateType returns the name of the Go type of an actor's state, and its size.
func (in *Inspector) StateType(ref AnyRef) (name string, bytes int) {
	t := ref.Must("inspect").Typ()
	return reflect.TypeOf(t.State).Elem().String(), t.stateBytes()
}

// TypeOf returns the name of an actor's type.
func (in *Inspector) TypeOf(ref AnyRef) string { return ref.b.Typ().Name }

// EachName calls f for each name that is taken.
func (in *Inspector) EachName(f func(name string, ref AnyRef)) {
	in.S.Names.M.Range(func(name, of any) bool {
		if a, _ := of.(*Cell); a != nil {
			f(name.(string), AnyRef{a})
		}
		return true
	})
}

// EachListed calls f for each actor that its system must end itself when it stops.
func (in *Inspector) EachListed(f func(AnyRef)) {
	l := &in.S.StopList
	l.mu.Lock()
	all := l.All.Members()
	l.mu.Unlock()
	for _, a := range all {
		f(AnyRef{a})
	}
}

// EachPressed calls f for each actor under pressure that other actors wait for. which differs
// between two applications of pressure by one actor.
func (in *Inspector) EachPressed(f func(ref AnyRef, which uint32)) {
	w := &in.S.Deadlocks
	w.Mu.Lock()
	roots := slices.Clone(w.Roots)
	w.Mu.Unlock()
	for _, a := range roots {
		if which := a.Flow.Load().pressed.Load(); which != 0 && a.Gate.Waited(&GateMark) {
			f(AnyRef{a}, which)
		}
	}
}

// EachWait calls f for each actor who that waits for another actor to. The wait began before since,
// a date that waitWatch gives, or 0 if unknown. asks reports whether who waits for a reply.
func (in *Inspector) EachWait(f func(who, to AnyRef, since int64, asks bool)) {
	for _, o := range in.S.allWaits() {
		if o.asks || o.who.BlockedOn.Parked() {
			f(refFound(o.who), refFound(o.to), o.since, o.asks)
		}
	}
}

// BehaviourOf returns the name of the behaviour that an actor runs at the moment, or "".
func (in *Inspector) BehaviourOf(ref AnyRef) string {
	for _, w := range in.S.Sched.AllWorkers() {
		if _, d := glimpse(w); d.who == ref.b && d.typ.Sealed.Load() {
			return d.name()
		}
	}
	return ""
}

// HasMailFrom reports whether a message in an actor's mailbox is from another actor. It looks at a
// limited number of messages.
func (in *Inspector) HasMailFrom(ref, from AnyRef) bool {
	return waitEdge(ref.b, from.b, from.b).From != ""
}

// OnPanic calls f for each report of a panic, until stop is called.
func (in *Inspector) OnPanic(f func(PanicReport)) (stop func()) { return in.on().panics.add(f) }

// OnLongTurn calls f for each report of a long turn, until stop is called.
func (in *Inspector) OnLongTurn(f func(LongTurnReport)) (stop func()) {
	return in.on().longTurns.add(f)
}

// OnPressureDeadlock calls f for each report of a pressure deadlock, until stop is called.
func (in *Inspector) OnPressureDeadlock(f func(PressureDeadlock)) (stop func()) {
	return in.on().deadlocks.add(f)
}

// stateAt returns a pointer to an actor's state. Owner only.
func stateAt(a *Cell) any {
	at := a.Plus(unsafe.Sizeof(Cell{}))
	return reflect.NewAt(reflect.TypeOf(a.Typ().State).Elem(), at).Interface()
}
