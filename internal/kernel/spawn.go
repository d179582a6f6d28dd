package kernel

import (
	"unsafe"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// newCell returns a new actor of type t, whose state is zero. S is the state of t. e is the
// spawner's. Package actor has a twin for its generic code, which takes a Sender.
func newCell[S any](t *TypeInfo, e Env) *Cell {
	if t == nil || !t.Sealed.Load() {
		t.Made("Spawn").Seal()
	}
	a := new(CellOf[S])
	if c := e.Turn(); c == nil || !c.InitCell(&a.Cell, t) {
		a.Cell.Init(t, e)
	}
	return &a.Cell
}

// InitCell makes a new cell an actor of type t, and reports true. It leaves that to Init, and reports
// false, for the first actor of a type in a system, and if the worker has used up its numbers. The
// caller owns the cell. c may be nil.
func (c *Turn) InitCell(a *Cell, t *TypeInfo) bool {
	if c == nil || c.Sys == nil {
		return false
	}
	k := c.Sys.types.of(t)
	ids := &c.ids
	if k == nil || ids.next == ids.end {
		return false
	}
	// Stored before the class: see begin.
	a.ID = ids.next
	ids.next++
	a.begin(k)
	c.Count.Spawned.Add(1)
	return true
}

// Init makes a new cell an actor of type t. The caller owns the cell. Any goroutine.
func (a *Cell) Init(t *TypeInfo, e Env) {
	sys := e.InSystem()
	var err error
	k := sys.types.of(t)
	if k == nil {
		k, err = sys.newTypeInSystem(t)
	}
	sampled := false
	a.ID, sampled = newID(e)
	a.begin(k)
	if err != nil || e.mayAct() != nil {
		a.neverLived()
		return
	}
	if sampled {
		(*sys.inspected.Load()).Born(e, a)
	}
	countSpawned(e)
}

// begin links a new actor to its type in the system. Its id must have been stored before, so that
// the first access to the cell is a plain store. A store of a pointer begins with a read, Go's
// check for nil. In new memory the kernel answers a read with a page of zeros, and then the store
// with another page, for which it interrupts all processors.
func (a *Cell) begin(k *TypeInSystem) {
	a.Task.InitClass(&k.Class)
	if k.special {
		a.Became = k.Sys.Sim != nil
		k.Sys.Sim.born(a, k.Typ)
		k.Policy.init(a)
	}
	if invariant.On {
		verifyNew(a)
	}
}

// unspawn uncounts an actor that was spawned from outside: its system refuses already.
func (s *System) unspawn() { s.Outside.Spawned.Add(^uint64(0)) }

// TypeInSystem has the data that all actors of a type in a system share: the scheduler's class, the
// type, the system and the batch. An actor reaches it by one word, in its task. It is read-only
// once it is published.
type TypeInSystem struct {
	sched.Class // first: see Cell.Shared
	Typ         *TypeInfo
	Sys         *System
	runs        []RunFunc // the type's own dispatch table
	Policy      mailPolicy
	batch       uint32
	// Biased: a worker that wakes such an actor may get a bias. It is false for pinned actors and
	// for actors whose mail is counted.
	Biased  bool
	bounded bool // its mailbox has a bound
	special bool // its cells do not begin as zeros: see begin
}

// The conversions below need these fields to be first. This does not compile otherwise.
const (
	_ = -unsafe.Offsetof(TypeInSystem{}.Class)
	_ = -unsafe.Offsetof(Cell{}.Task)
)

// Shared returns the kind of the actor: the task leads to the kind's first field. Any goroutine.
func (a *Cell) Shared() *TypeInSystem { return (*TypeInSystem)(unsafe.Pointer(a.Task.Class())) }

// cellOfTask returns the actor that a task belongs to. The task must be one of an actor: see
// CellOrNil.
func cellOfTask(t *sched.Task) *Cell { return (*Cell)(unsafe.Pointer(t)) }

// CellOrNil returns the actor that a task belongs to, or nil if it belongs to none. Any
// goroutine.
func CellOrNil(t *sched.Task) *Cell {
	switch t.Class().Runner().(type) {
	case *TypeInSystem, boundedTurns:
		return cellOfTask(t)
	}
	return nil
}

// isNew reports whether an actor has had no turn yet. Its owner only.
func isNew(t *sched.Task) bool { return cellOfTask(t).Progress&begun == 0 }

// Typ returns the actor's type. Any goroutine.
func (a *Cell) Typ() *TypeInfo { return a.Shared().Typ }

// Sys returns the actor's system. Any goroutine.
func (a *Cell) Sys() *System { return a.Shared().Sys }

func (a *Cell) batch() int { return int(a.Shared().batch) }

// gasLimit is how many reductions a turn may spend.
func (k *TypeInSystem) gasLimit() int {
	if k.Typ.Gas != 0 {
		return k.Typ.Gas
	}
	return k.Sys.Opts.Gas
}

// typesInSystem are the kinds of a system, by the numbers of their types.
//
// A spawn loads the list without a lock: add's Store, under the system's mu, publishes the
// kind, and of's Load sees it whole or not at all.
type typesInSystem struct{ all seam.Pointer[[]*TypeInSystem] }

// of returns the kind of a type, or nil if there is none yet.
func (ks *typesInSystem) of(t *TypeInfo) *TypeInSystem {
	if all := ks.all.Load(); all != nil && int(t.number) < len(*all) {
		return (*all)[t.number]
	}
	return nil
}

// each calls f for each kind, in the order of their numbers. Any goroutine.
func (ks *typesInSystem) each(f func(*TypeInSystem)) {
	if all := ks.all.Load(); all != nil {
		for _, k := range *all {
			if k != nil {
				f(k)
			}
		}
	}
}

// add publishes k and returns it, or returns the kind that another goroutine was faster to publish.
// Under the system's mu.
func (ks *typesInSystem) add(k *TypeInSystem) *TypeInSystem {
	if o := ks.of(k.Typ); o != nil {
		return o
	}
	all := make([]*TypeInSystem, k.Typ.number+1)
	if old := ks.all.Load(); old != nil {
		all = make([]*TypeInSystem, max(len(*old), len(all)))
		copy(all, *old)
	}
	all[k.Typ.number] = k
	ks.all.Store(&all)
	return k
}

// newTypeInSystem makes the kind of the first actor of its type in s. t is sealed. It fails if the
// thread of a pinned type cannot be started, since the system has stopped.
func (s *System) newTypeInSystem(t *TypeInfo) (k *TypeInSystem, err error) {
	k = &TypeInSystem{Typ: t, Sys: s, runs: s.intercepted(t, t.Table.Runs), batch: uint32(t.Batch)}
	k.Policy = t.policy()
	k.bounded = t.Bound.Limit != 0
	k.special = k.Policy != PlainMail{} || s.Sim != nil
	k.Biased = !k.special && !t.Pinned // a simulation must not depend on when the kernel answers
	if k.batch == 0 {
		k.batch = uint32(s.Opts.Batch)
	}
	k.batch = uint32(min(int(k.batch), k.gasLimit())) // a message is a reduction
	var pin *sched.Pin
	if t.Pinned {
		pin, err = s.Sched.NewPin() // attaches a context, which takes mu
	}
	if k.bounded {
		k.Init(boundedTurns{k}, pin)
	} else {
		k.Init(k, pin)
	}
	k.DepthFirst(isNew)
	k.GoesOn(HasMail)
	if err != nil {
		return k, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k = s.types.add(k)
	if i := s.inspected.Load(); i != nil && s.Sim == nil {
		(*i).Dispatch(t, k.runs)
	}
	return k, nil // a thread that came second stays idle until the end
}

// verifyNew checks an actor before its ref is known.
func verifyNew(a *Cell) {
	invariant.Check(a.Box.PeekIdle() && a.In.IsZero(), "%v has mail, and was not spawned yet", a)
	invariant.Check(a.Load&^(backpressure.Counted|backpressure.Bounded) == 0,
		"%v begins with a load of %#x", a, a.Load)
	invariant.Check(len(a.Shared().runs) == len(a.Shared().Typ.Decls),
		"%v dispatches %d of %d behaviours", a, len(a.Shared().runs), len(a.Shared().Typ.Decls))
}
