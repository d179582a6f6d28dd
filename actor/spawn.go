package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Spawn makes an actor of type t with the given state and returns its ref. It does not
// block. The actor runs when somebody sends it a message; until then it is a piece of
// memory of about 100 bytes and the state. What the caller did before the Spawn
// synchronizes before the actor's behaviours.
//
// If the system has stopped, Spawn returns an actor that has ended already: what is
// sent to it becomes a dead letter. Spawn panics if a behaviour of t has no method.
//
// If a behaviour wakes the new actor, the actor's first turn usually comes before those
// of other actors that wait. So a tree of actors is walked depth first, and few of them
// live at a time.
func (t *Type[S]) Spawn(from Sender, state S) Ref[S] {
	a := newBody(t, from)
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
	split(from) // or panics, before init has run
	infoOf(t).made("Spawn").seal()
	c := new(cellOf[S]) // and no newBody: an init that panics has made no actor
	init(&c.state)
	c.cell.init(&t.info, from)
	if t.info.onStart != nil {
		c.cell.launch(from)
	}
	return Ref[S]{&c.cell}
}

// newBody makes an actor of type t.
func newBody[S any](t *Type[S], from Sender) *cell {
	if t == nil || !t.info.sealed.Load() {
		infoOf(t).made("Spawn").seal()
	}
	c := new(cellOf[S])
	c.cell.init(&t.info, from)
	return &c.cell
}

// init brings a new body to life. Its caller owns it.
func (a *cell) init(t *typeInfo, from Sender) {
	ctx, sys := split(from)
	k := sys.types.of(t)
	var err error
	if k == nil {
		k, err = sys.newTypeInSystem(t)
	}
	// The body is touched by a plain store first. Before a store of a pointer Go checks for nil, by
	// a read. In new memory the kernel answers the read with a page of zeros, and the store with
	// another page, for which it interrupts all processors.
	if ctx != nil {
		a.id = ctx.newID()
	} else {
		a.id = sys.ids.Add(1)
	}
	a.task.InitKind(&k.Kind)
	if k.special {
		a.became = sys.sim != nil
		sys.sim.born(a, t)
		if t.hasFlow() {
			a.initFlow(t)
		}
	}
	if invariant.On {
		verifyNew(a)
	}
	switch {
	case err != nil || ctx == nil && sys.refusing.Load():
		a.neverLived()
	case ctx != nil:
		ctx.count.spawned.Add(1)
	default:
		sys.outside.spawned.Add(1)
	}
}

// unspawn uncounts an actor that was spawned from outside: its system refuses already.
func (s *System) unspawn() { s.outside.spawned.Add(^uint64(0)) }

// verifyNew checks an actor before its ref is known.
func verifyNew(a *cell) {
	invariant.Check(seam.Peek(&a.box.head) == nil && a.in == inbox{}, "%v has mail, and was not spawned yet", a)
	invariant.Check(a.load&^(backpressure.Counted|backpressure.Bounded) == 0, "%v begins with a load of %#x", a, a.load)
	invariant.Check(len(a.shared().runs) == len(a.shared().typ.decls), "%v dispatches %d of %d behaviours", a, len(a.shared().runs), len(a.shared().typ.decls))
}
