package actor

import "github.com/gallop-go/gallop/internal/kernel"

// SpawnChild is [Type.Spawn] for an actor that ends before the running actor does. When
// the parent is stopped, drained or killed, fails, or is restarted, its children are
// told to end in the same way and waited for, one after another, the youngest first. A
// child that ends does not affect its parent, unless the parent links or watches it.
func (t *Type[S]) SpawnChild(c *Context, state S) Ref[S] {
	a := newCell(t, c)
	*kernel.StateOf[S](a) = state
	a.Adopt(c.kernel())
	if infoOf(t).OnStart != nil {
		a.Launch(c.kernel())
	}
	return Ref[S](a.Ref())
}
