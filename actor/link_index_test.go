package actor

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLinks_Twin: the links of one actor are those of a list without places, and with finds them,
// whether they are few or many and several with one other; only if they are few does it look at
// each.
func TestLinks_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		me, others := new(cell), make([]cell, 2*fewLinks)
		var s links
		var dumb []*link
		find := func(to *cell) int {
			return slices.IndexFunc(dumb, func(l *link) bool { return l.other(me) == to })
		}
		join := func() {
			to := &others[rapid.IntRange(0, len(others)-1).Draw(t, "with")]
			l := &link{a: me, b: to}
			if rapid.Bool().Draw(t, "called by the other") {
				l.a, l.b = to, me
			}
			s.join(me, l)
			dumb = append(dumb, l)
		}
		for range rapid.IntRange(0, 3*fewLinks).Draw(t, "at first") {
			join()
		}
		t.Repeat(map[string]func(*rapid.T){
			"join": func(*rapid.T) { join() },
			"part": func(t *rapid.T) {
				if len(dumb) == 0 {
					t.Skip("none is left") // rapid draws another action
				}
				i := rapid.IntRange(0, len(dumb)-1).Draw(t, "of")
				if l := dumb[i]; !s.part(me, l) || s.part(me, l) {
					t.Fatal("a link was not there, or twice")
				}
				dumb = slices.Delete(dumb, i, i+1)
			},
			"": func(t *rapid.T) {
				for i := range others {
					l := s.with(me, &others[i])
					if (l == nil) != (find(&others[i]) < 0) || l != nil && (l.other(me) != &others[i] || !slices.Contains(dumb, l)) {
						t.Fatalf("with %d: %v", i, l)
					}
				}
				if len(s.entries) != len(dumb) || s.by == nil && len(dumb) > fewLinks || s.by != nil && len(dumb) == 0 {
					t.Fatalf("%d links, %d expected; an index: %v", len(s.entries), len(dumb), s.by != nil)
				}
			},
		})
	})
}

// TestLinks_Many: an actor that links to many, some of which link to it at the same time, is rid of
// each by one Unlink, and of the others by their ends, of which it hears once.
func TestLinks_Many(t *testing.T) {
	typ := NewType[int]("linker")
	do, ended := Declare[func(*Context)](typ, "do"), Declare[Exit](typ, "ended")
	typ.Table(do.Do(func(_ *int, c *Context, f func(*Context)) { f(c) }), ended.Do(func(n *int, _ *Context, _ Exit) { *n++ }))
	for seed := range uint64(8) {
		sys := Start(Seed(seed))
		settle := func() {
			if err := sys.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		hub, all := typ.Spawn(sys, 0), make([]Ref[int], 4*fewLinks)
		do.Send(sys, hub, func(c *Context) {
			TrapExit(c, ended)
			for i := range all {
				all[i] = typ.Spawn(c, 0)
				do.Send(c, all[i], func(c *Context) { Link(c, hub) }) // by then it may not have heard of the other
				Link(c, all[i])
			}
		})
		settle()
		do.Send(sys, hub, func(c *Context) {
			for i := range all[:2*fewLinks] {
				Unlink(c, all[i])
			}
		})
		settle()
		for i := range all {
			Stop(sys, all[i])
		}
		settle()
		if n, exits := TiesOf(hub), *stateOf[int](hub.b); n != 0 || exits != 2*fewLinks {
			t.Errorf("seed %d: %d links are left, and %d exits were heard of, not %d", seed, n, exits, 2*fewLinks)
		}
		sys.Stop()
	}
}
