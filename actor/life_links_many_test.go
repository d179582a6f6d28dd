package actor

import (
	"testing"

	"github.com/gallop-go/gallop/internal/kernel"
)

// manyLinks is a number of links for which a map is used instead of a search.
const manyLinks = 64

// TestLinks_Many: an actor links to many, and some of these link to it at the same time. One Unlink
// removes each link, and the end of an actor removes the others. The actor is told of each end
// once.
func TestLinks_Many(t *testing.T) {
	typ := NewType[int]("linker")
	do, ended := Declare[func(*Context)](typ, "do"), Declare[Exit](typ, "ended")
	typ.Table(do.Handle(func(_ *int, c *Context, f func(*Context)) {
		f(c)
	}), ended.Handle(func(n *int, _ *Context, _ Exit) { *n++ }))
	for seed := range uint64(8) {
		sys := Start(WithDeterministic(seed))
		tidyUp := func() {
			if err := sys.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		hub, all := typ.Spawn(sys, 0), make([]Ref[int], 2*manyLinks)
		do.Send(sys, hub, func(c *Context) {
			TrapExit(c, ended)
			for i := range all {
				all[i] = typ.Spawn(c, 0)
				// By then the actor may not know of the other link.
				do.Send(c, all[i], func(c *Context) { Link(c, hub) })
				Link(c, all[i])
			}
		})
		tidyUp()
		do.Send(sys, hub, func(c *Context) {
			for i := range all[:manyLinks] {
				Unlink(c, all[i])
			}
		})
		tidyUp()
		for i := range all {
			Stop(sys, all[i])
		}
		tidyUp()
		if n, exits := TiesOf(hub), *kernel.StateOf[int](hub.target()); n != 0 || exits != manyLinks {
			t.Errorf("seed %d: %d links are left, and %d exits were heard of, not %d", seed, n, exits,
				manyLinks)
		}
		sys.Stop()
	}
}
