package actor

import "github.com/gallop-go/gallop/internal/kernel"

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
	*kernel.StateOf[S](a) = state
	if infoOf(t).OnStart != nil {
		a.Launch(envOf(from))
	}
	return Ref[S](a.Ref())
}

// SpawnFunc is [Type.Spawn] for states that must not be copied: init is called once,
// with the zero state in its final place, before SpawnFunc returns. If init panics, so
// does SpawnFunc, and there is no actor. SpawnFunc panics if init is nil.
func (t *Type[S]) SpawnFunc(from Sender, init func(*S)) Ref[S] {
	if init == nil {
		panic("gallop: SpawnFunc: a nil function")
	}
	e := envOf(from) // or panics, before init has run
	infoOf(t).Made("Spawn").Seal()
	c := new(kernel.CellOf[S]) // and no newCell: if init panics there must be no actor
	init(&c.State)
	c.Cell.Init(infoOf(t), e)
	if infoOf(t).OnStart != nil {
		c.Cell.Launch(e)
	}
	return Ref[S](c.Cell.Ref())
}

// newCell returns a new actor of type t, whose state is zero.
func newCell[S any](t *Type[S], from Sender) *kernel.Cell {
	if t == nil || !infoOf(t).Sealed.Load() {
		infoOf(t).Made("Spawn").Seal()
	}
	c := new(kernel.CellOf[S])
	if f, inside := from.(*Context); !inside || !f.kernel().InitCell(&c.Cell, infoOf(t)) {
		c.Cell.Init(infoOf(t), envOf(from))
	}
	return &c.Cell
}
