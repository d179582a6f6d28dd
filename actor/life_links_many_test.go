package actor

import "testing"

// manyLinks are found by a map, not one by one.
const manyLinks = 64

// TestLinks_Many: an actor that links to many, some of which link to it at the same time, is rid of
// each by one Unlink, and of the others by their ends, of which it hears once.
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
				// By then it may not have heard of the other.
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
		if n, exits := TiesOf(hub), *stateOf[int](hub.b); n != 0 || exits != manyLinks {
			t.Errorf("seed %d: %d links are left, and %d exits were heard of, not %d", seed, n, exits,
				manyLinks)
		}
		sys.Stop()
	}
}
