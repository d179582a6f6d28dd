package escape

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// handles are the types that lead into an arena, which is that of the actor if they were made there.
var handles = map[string]bool{
	"heap.Ptr": true, "heap.Slice": true, "heap.String": true, "heap.Map": true, "heap.TextMap": true,
}

// derefed reports whether a value is a pointer, or a slice, that a handle was dereferenced to, in
// the heap of the running actor.
func (c *checker) derefed(v ssa.Value) bool {
	if !flow.Is[*types.Pointer](v.Type()) && !flow.Is[*types.Slice](v.Type()) {
		return false
	}
	return c.fromOwnHeap(v, func(name string) bool {
		return name == "heap.Ptr.Deref" || name == "heap.Slice.Deref" || name == "heap.Slice.At"
	})
}

// fromOwnHeap reports whether a value is the result of one of some functions, for the heap of the
// running actor.
func (c *checker) fromOwnHeap(v ssa.Value, is func(name string) bool) bool {
	for _, q := range c.Paths(v) {
		call, ok := q.Root.(*ssa.Call)
		if !ok || q.Steps != "" {
			continue
		}
		if made := flow.CallOf(call); made != nil && made.Fn != nil && is(api.Name(made.Fn)) {
			heap := flow.MadeBy(made.Arg(1))
			return heap != nil && heap.Fn != nil && api.Name(heap.Fn) == "actor.Context.Heap"
		}
	}
	return false
}

// fromHeap reports a message to another actor that has a handle, or a pointer, into the heap of the
// actor that sends it.
func (c *checker) fromHeap(call *flow.Call, v ssa.Value) {
	if c.ToSelf(call) || call.API.Freezes {
		return
	}
	for _, part := range c.Fields(v) {
		name := api.TypeName(part.Type())
		_, ptr := types.Unalias(part.Type()).(*types.Pointer)
		switch {
		case handles[name] && !ptr && c.ownHandle(part):
			c.Reportf(c.At(call), "%s leads into the heap of the actor that sends it (%s): in another "+
				"actor the handle leads elsewhere. Send a copy, or a Region",
				c.ArgText(call, call.API.Payload), strings.TrimPrefix(name, "heap."))
			return
		case c.derefed(part):
			c.Reportf(c.At(call), "%s points into the heap of the actor that sends it, which is collected "+
				"while the receiver has it: send a copy", c.ArgText(call, call.API.Payload))
			return
		}
	}
}

// ownHandle reports whether a handle was made in the heap of the running actor, or is part of its
// state.
func (c *checker) ownHandle(v ssa.Value) bool {
	inState := func(q flow.Path) bool { return c.StateOf(q) != nil && q.Steps != "" }
	return slices.ContainsFunc(c.Paths(v), inState) ||
		c.fromOwnHeap(v, func(name string) bool { return strings.HasPrefix(name, "heap.") })
}
