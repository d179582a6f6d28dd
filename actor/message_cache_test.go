package actor

import (
	"reflect"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// neighbours returns how many nodes of a size are in a magazine, and how many of them are followed
// by a node that lies beside them.
func (c *Context) neighbours(id uint16, size uintptr) (n, side int) {
	var nodes []*kernel.Message
	for m := c.kernel().Cache.Take(id); m != nil; m = c.kernel().Cache.Take(id) {
		if n := len(nodes); n > 0 {
			if d := reflect.ValueOf(m).Pointer() - reflect.ValueOf(nodes[n-1]).Pointer(); d == size ||
				d == -size {
				side++
			}
		}
		nodes = append(nodes, m)
	}
	for _, m := range slices.Backward(nodes) {
		c.kernel().Recycle(m)
	}
	return len(nodes), side
}

// TestCache_StaysInOrder: nodes that lie side by side are used one after the other, however mail is
// cut into turns. At first this is so for seven of eight nodes, because they are made in blocks.
// When a segment was put back with its oldest message on top, it was so for none in the end.
func TestCache_StaysInOrder(t *testing.T) {
	// After two collections the pools no longer have the nodes of other tests, which are in any
	// order.
	for range 2 {
		runtime.GC()
	}
	typ := NewType[struct{}]("stream")
	load, do := Declare[int](typ, "load"), Declare[func(*Context)](typ, "do")
	typ.Table(load.Handle(func(*struct{}, *Context, int) {}),
		do.Handle(func(_ *struct{}, c *Context, f func(*Context)) { f(c) }))
	sys := Start(WithWorkers(1), WithBatch(37))
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
		size := unsafe.Sizeof(msg.Node[uint64]{})
		n, side := c.neighbours(words().ID, size)
		if n < 1000 || side < n/2 {
			t.Errorf("%d of %d nodes in the cache are followed by one that lies beside them, want half",
				side, n)
		}
	})
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}
