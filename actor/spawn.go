package actor

import (
	"unsafe"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Spawn makes an actor of type t with the given state and returns its ref. It does not
// block. The actor runs when it is sent a message; until then it is about 100 bytes of
// memory and the state. Everything that the caller did before the Spawn synchronizes before
// the actor's behaviours.
//
// If the system has stopped, Spawn returns an actor that has ended already: a message to
// it becomes a dead letter. Spawn panics if a behaviour of t has no method.
//
// If a behaviour wakes the new actor, the actor's first turn usually comes before the turns
// of other actors that wait. So a tree of actors is walked depth first, and few of them
// live at a time.
func (t *Type[S]) Spawn(from Sender, state S) Ref[S] {
	a := newCell(t, from)
	*stateOf[S](a) = state
	if t.info.onStart != nil {
		a.launch(from)
	}
	return Ref[S]{a}
}

// SpawnFunc is [Type.Spawn] for states that must not be copied: init is called once,
// with the zero state in its final place, before SpawnFunc returns. If init panics, so
// does SpawnFunc, and there is no actor. SpawnFunc panics if init is nil.
func (t *Type[S]) SpawnFunc(from Sender, init func(*S)) Ref[S] {
	if init == nil {
		panic("gallop: SpawnFunc: a nil function")
	}
	envOf(from) // or panics, before init has run
	infoOf(t).made("Spawn").seal()
	c := new(cellOf[S]) // and no newCell: if init panics there must be no actor
	init(&c.state)
	c.cell.init(&t.info, from)
	if t.info.onStart != nil {
		c.cell.launch(from)
	}
	return Ref[S]{&c.cell}
}

// newCell makes an actor of type t.
func newCell[S any](t *Type[S], from Sender) *cell {
	if t == nil || !t.info.sealed.Load() {
		infoOf(t).made("Spawn").seal()
	}
	c := new(cellOf[S])
	c.cell.init(&t.info, from)
	return &c.cell
}

// init makes a new cell an actor of type t. Its caller owns the cell.
func (a *cell) init(t *typeInfo, from Sender) {
	if f, inside := from.(*Context); inside && f != nil && f.kernel().sys != nil {
		c := f.kernel()
		k := c.sys.types.of(t)
		if ids := &c.ids; k != nil && ids.next != ids.end {
			// Stored before the class: see begin.
			a.id = ids.next
			ids.next++
			a.begin(k)
			c.count.spawned.Add(1)
			return
		}
	}
	a.initSlow(t, envOf(from))
}

// initSlow is init for the first actor of a type in a system, for a worker that has used up its
// numbers, and for callers outside of behaviours.
func (a *cell) initSlow(t *typeInfo, e env) {
	sys := e.system()
	var err error
	k := sys.types.of(t)
	if k == nil {
		k, err = sys.newTypeInSystem(t)
	}
	sampled := false
	a.id, sampled = e.newID()
	a.begin(k)
	if err != nil || e.mayAct() != nil {
		a.neverLived()
		return
	}
	if sampled {
		sys.inspected.Load().born(e, a)
	}
	e.countSpawned()
}

// begin links a new actor to its type in the system. Its id must have been stored before, so that
// the first access to the cell is a plain store. A store of a pointer begins with a read, Go's
// check for nil. In new memory the kernel answers a read with a page of zeros, and then the store
// with another page, for which it interrupts all processors.
func (a *cell) begin(k *typeInSystem) {
	a.task.InitClass(&k.Class)
	if k.special {
		a.became = k.sys.sim != nil
		k.sys.sim.born(a, k.typ)
		k.policy.init(a)
	}
	if invariant.On {
		verifyNew(a)
	}
}

// unspawn uncounts an actor that was spawned from outside: its system refuses already.
func (s *kernelSystem) unspawn() { s.outside.spawned.Add(^uint64(0)) }

// typeInSystem has the data that all actors of a type in a system share: the scheduler's class, the
// type, the system and the batch. An actor reaches it by one word, in its task. It is read-only
// once it is published.
type typeInSystem struct {
	sched.Class // first: see cell.shared
	typ         *typeInfo
	sys         *kernelSystem
	runs        []runFunc // the type's own dispatch table
	policy      mailPolicy
	batch       uint32
	// biased: a worker that wakes such an actor may get a bias. It is false for pinned actors and
	// for actors whose mail is counted.
	biased  bool
	bounded bool // its mailbox has a bound
	special bool // its cells do not begin as zeros: see begin
}

// The conversions below need these fields to be first. This does not compile otherwise.
const (
	_ = -unsafe.Offsetof(typeInSystem{}.Class)
	_ = -unsafe.Offsetof(cell{}.task)
)

// shared returns the kind of the actor: the task leads to the kind's first field.
func (a *cell) shared() *typeInSystem { return (*typeInSystem)(unsafe.Pointer(a.task.Class())) }

// cellOfTask returns the actor that a task belongs to. The task must be one of an actor: see
// cellOrNil.
func cellOfTask(t *sched.Task) *cell { return (*cell)(unsafe.Pointer(t)) }

// cellOrNil returns the actor that a task belongs to, or nil if it belongs to none.
func cellOrNil(t *sched.Task) *cell {
	switch t.Class().Runner().(type) {
	case *typeInSystem, boundedTurns:
		return cellOfTask(t)
	}
	return nil
}

// isNew reports whether an actor has had no turn yet. Its owner only.
func isNew(t *sched.Task) bool { return cellOfTask(t).progress&begun == 0 }

func (a *cell) typ() *typeInfo     { return a.shared().typ }
func (a *cell) sys() *kernelSystem { return a.shared().sys }

func (a *cell) batch() int { return int(a.shared().batch) }

// gasLimit is how many reductions a turn may spend.
func (k *typeInSystem) gasLimit() int {
	if k.typ.gas != 0 {
		return k.typ.gas
	}
	return k.sys.opts.gas
}

// typesInSystem are the kinds of a system, by the numbers of their types.
//
// A spawn loads the list without a lock: add's Store, under the system's mu, publishes the
// kind, and of's Load sees it whole or not at all.
type typesInSystem struct{ all seam.Pointer[[]*typeInSystem] }

// of returns the kind of a type, or nil if there is none yet.
func (ks *typesInSystem) of(t *typeInfo) *typeInSystem {
	if all := ks.all.Load(); all != nil && int(t.number) < len(*all) {
		return (*all)[t.number]
	}
	return nil
}

// add publishes k and returns it, or returns the kind that another goroutine was faster to publish.
// Under the system's mu.
func (ks *typesInSystem) add(k *typeInSystem) *typeInSystem {
	if o := ks.of(k.typ); o != nil {
		return o
	}
	all := make([]*typeInSystem, k.typ.number+1)
	if old := ks.all.Load(); old != nil {
		all = make([]*typeInSystem, max(len(*old), len(all)))
		copy(all, *old)
	}
	all[k.typ.number] = k
	ks.all.Store(&all)
	return k
}

// newTypeInSystem makes the kind of the first actor of its type in s. t is sealed. It fails if the
// thread of a pinned type cannot be started, since the system has stopped.
func (s *kernelSystem) newTypeInSystem(t *typeInfo) (k *typeInSystem, err error) {
	k = &typeInSystem{typ: t, sys: s, runs: s.intercepted(t, t.table.runs), batch: uint32(t.batch)}
	k.policy = t.policy()
	k.bounded = t.bound.limit != 0
	k.special = k.policy != plainMail{} || s.sim != nil
	k.biased = !k.special && !t.pinned // a simulation must not depend on when the kernel answers
	if k.batch == 0 {
		k.batch = uint32(s.opts.batch)
	}
	k.batch = uint32(min(int(k.batch), k.gasLimit())) // a message is a reduction
	var pin *sched.Pin
	if t.pinned {
		pin, err = s.sched.NewPin() // attaches a context, which takes mu
	}
	if k.bounded {
		k.Init(boundedTurns{k}, pin)
	} else {
		k.Init(k, pin)
	}
	k.DepthFirst(isNew)
	k.GoesOn(hasMail)
	if err != nil {
		return k, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k = s.types.add(k)
	if i := s.inspected.Load(); i != nil && s.sim == nil {
		i.dispatch(t, k.runs)
	}
	return k, nil // a thread that came second stays idle until the end
}

// verifyNew checks an actor before its ref is known.
func verifyNew(a *cell) {
	invariant.Check(a.box.PeekIdle() && a.in.IsZero(), "%v has mail, and was not spawned yet", a)
	invariant.Check(a.load&^(backpressure.Counted|backpressure.Bounded) == 0,
		"%v begins with a load of %#x", a, a.load)
	invariant.Check(len(a.shared().runs) == len(a.shared().typ.decls),
		"%v dispatches %d of %d behaviours", a, len(a.shared().runs), len(a.shared().typ.decls))
}
