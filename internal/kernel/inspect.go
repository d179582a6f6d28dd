package kernel

import (
	"time"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/flightlog"
	"github.com/gallop-go/gallop/sched"
)

// Package internal/inspect looks into a system, and package flight records it: see
// docs/decisions/0045-inspect.md. The kernel knows of them only that an [Inspection] may have to be
// told of events. By the functions here they look at workers, actors and dispatch tables. The kernel
// itself calls few of these functions. So the linker drops the others from programs that have
// neither of the two packages.

// Inspection has the functions that the kernel calls once a system is inspected. Package
// internal/inspect implements it, and no other package does, so that programs without it link none
// of its code.
type Inspection interface {
	// Born is called for each new actor that is in the sample or recorded, before any other
	// goroutine can know the actor.
	Born(e Env, a *Cell)
	// Cut chooses a number below size: the place, in a worker's next block of size actor numbers,
	// of the spawn that goes the slow way. If it returns size, no spawn of the block does.
	Cut(size uint64) uint64
	// Picks reports whether an actor that was spawned the slow way is in the sample or recorded.
	Picks(id uint64) bool
	// Held is called for each Hold, and released when the hold is released.
	Held() (released func())
	// Dead is called for each message of d to an actor that will not run.
	Dead(e Env, to *Cell, m *Message, d *Descriptor, reason error)
	// DeadProcess is called for each message that no process will receive.
	DeadProcess(to *ActorName, message any, reason error, bestEffort bool)
	// Dispatch is called for each table by which actors are about to dispatch, other than the table
	// of their type.
	Dispatch(t *TypeInfo, runs []RunFunc)
	// Noted records an event k of actor a in the flight recorder. other is a second actor that
	// takes part, or nil.
	Noted(e Env, k flightlog.What, a, other *Cell)

	// Panicked, LongTurn and Deadlock are called for each report, before the user's hook.
	Panicked(e Env, p PanicReport)
	LongTurn(LongTurnReport)
	Deadlock(PressureDeadlock)
}

// Inspect begins the inspection of the system by i, unless it has begun. It returns the system's
// inspection, which stays for ever. Any goroutine.
func (s *System) Inspect(i Inspection) Inspection {
	if s.inspected.CompareAndSwap(nil, &i) {
		return i
	}
	return s.Inspection()
}

// Inspection returns the inspection of the system, or nil if it has not begun. Any goroutine.
func (s *System) Inspection() Inspection {
	if i := s.inspected.Load(); i != nil {
		return *i
	}
	return nil
}

// IsInspected reports whether the inspection of the system has begun. Any goroutine.
func (s *System) IsInspected() bool { return s.inspected.Load() != nil }

// WorkerLabels records the last labels of the worker's goroutine, for profiles. It has numbers only, because a pointer would lead from Turn to the description of its type
// in every program.
type WorkerLabels struct {
	Of         uint64 // the number of the labels; 0: none
	Left       int    // messages until the labels are set again
	Unlabelled uint64 // see [sched.Worker.Unlabelled]
}

// EachType calls f for each type of which the system has had actors, in the order of their first
// spawn in the process. Any goroutine.
func (s *System) EachType(f func(*TypeInfo)) {
	s.types.each(func(k *TypeInSystem) { f(k.Typ) })
}

// EachTable calls f for each table by which actors of the system dispatch. A table that comes into
// use later is passed to Inspection.Dispatch. Any goroutine.
func (s *System) EachTable(f func(t *TypeInfo, runs []RunFunc)) {
	if s.Sim != nil {
		for t, own := range s.Sim.ownTables() {
			f(t.typ, own.Runs)
		}
		return
	}
	s.types.each(func(k *TypeInSystem) {
		f(k.Typ, k.runs)
		k.Typ.variants.Each(func(v *VariantInfo) { f(k.Typ, s.variantOf(v).Runs) })
	})
}

// Glimpse is a hint about the work of a worker, as seen by any other goroutine.
type Glimpse struct {
	// Actor is the actor whose turn it is; nil: the worker runs none. The writes of its spawn may
	// not be visible to the caller before [Cell.Found].
	Actor           *Cell
	ID              uint64 // its number
	Type, Behaviour string // its type, and the behaviour or callback that runs
}

// GlimpseOf looks at the turn of a worker. The result is zero if the worker runs no actor, or if
// its turn has ended meanwhile. Any goroutine.
func GlimpseOf(w *sched.Worker) Glimpse {
	c, ok := w.Local().(*Turn)
	task := w.Running()
	if task == nil || !ok {
		return Glimpse{}
	}
	d := c.peek(task)
	if w.Running() != task {
		return Glimpse{}
	}
	return d.glimpse()
}

// BlockedGlimpse looks at a worker whose turn is in a call of Blocking or of an Ask, and returns
// for how long. ok is false if there is no such call. now is the time of the system's clock. Any
// goroutine.
func (s *System) BlockedGlimpse(w *sched.Worker, now int64) (g Glimpse, lasted time.Duration,
	ok bool) {
	c, ok := w.Local().(*Turn)
	if !ok {
		return Glimpse{}, 0, false
	}
	d, lasted, ok := s.blocked.lasts(c, now)
	return d.glimpse(), lasted, ok
}

// glimpse returns d as a Glimpse. It is zero if no turn of an actor was seen.
func (d doing) glimpse() Glimpse {
	if d.who == nil || !d.typ.Sealed.Load() {
		return Glimpse{}
	}
	return Glimpse{d.who, peekID(d.who), d.typ.Name, d.name()}
}

// PeekBlocking reports whether a worker's turn is within Blocking. As Turn.peek, it is hidden from
// the race detector, and so are the functions below. Their results are hints. Any goroutine.
//
//go:norace
//go:noinline
func PeekBlocking(w *sched.Worker) bool { return w.InBlocking() }

// Found returns the ref of an actor that a peek has found. An actor that runs or waits was sent
// something before. The load of its mailbox's head pairs with that push. So the writes of its spawn
// are ordered before the reads of the caller. Any goroutine.
func (a *Cell) Found() AnyRef {
	a.Box.Idle()
	return AnyRef{a}
}

// peekID returns the number of an actor that a peek has found: see peekSys.
//
//go:norace
//go:noinline
func peekID(a *Cell) uint64 { return a.ID }

// PeekBegun reports whether an actor has had a turn. Then its spawn is over, because an actor is
// made runnable after its spawn. Any goroutine.
//
//go:norace
//go:noinline
func PeekBegun(a *Cell) bool { return a.Progress&begun != 0 }

// PeekLoad returns the load of an actor. Any goroutine.
//
//go:norace
//go:noinline
func PeekLoad(a *Cell) backpressure.Load { return a.Load }

// PeekSuspended reports whether an actor waits for its restart. Any goroutine.
func PeekSuspended(a *Cell) bool {
	return peekLife(a).suspended || a.Flow.Load().Suspension() != nil
}
