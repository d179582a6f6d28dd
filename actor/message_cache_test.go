package actor

import (
	"reflect"
	"testing"
)

// neighbours returns how many nodes are on a magazine, and how many of them are followed by one
// that lies beside them.
func neighbours(s *magazine, size uintptr) (n, side int) {
	for m := s.top; m != nil && m.next != nil; m = m.next {
		n++
		if d := reflect.ValueOf(m.next).Pointer() - reflect.ValueOf(m).Pointer(); d == size || d == -size {
			side++
		}
	}
	return n, side
}

// TestCache_StaysInOrder: nodes that lie side by side are used one after the other, however mail is
// cut into turns. At first seven of eight are, since they are made in blocks. When a segment was
// put back with its oldest message on top, none were at the end of this.
func TestCache_StaysInOrder(t *testing.T) {
	typ := NewType[struct{}]("stream")
	load, do := Declare[int](typ, "load"), Declare[func(*Context)](typ, "do")
	typ.Table(load.Do(func(*struct{}, *Context, int) {}),
		do.Do(func(_ *struct{}, c *Context, f func(*Context)) { f(c) }))
	sys := Start(Workers(1), Batch(37))
	defer sys.Stop()
	to := typ.Spawn(sys, struct{}{})
	begin := func(round int) {
		for i := range 4 {
			do.Send(sys, typ.Spawn(sys, struct{}{}), func(c *Context) {
				for range 500 + 7*i + round%11 {
					load.Send(c, to, 1)
				}
			})
		}
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 200 {
		begin(round)
	}
	do.Send(sys, to, func(c *Context) {
		p := wordClasses[0].pool
		n, side := neighbours(&c.cache[p.id], p.size)
		if n < 1000 || side < n/2 {
			t.Errorf("%d of %d nodes in stock are followed by one that lies beside them, want half", side, n)
		}
	})
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}
