package escape

import (
	"go/types"
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
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Slice:
	default:
		return false
	}
	for _, q := range c.Paths(v) {
		call, ok := q.Root.(*ssa.Call)
		if !ok || q.Steps != "" {
			continue
		}
		made := flow.CallOf(call)
		if made == nil || made.API == nil && made.Fn == nil {
			continue
		}
		switch api.Name(made.Fn) {
		case "heap.Ptr.Deref", "heap.Slice.Deref", "heap.Slice.At":
			if isOwnHeap(made.Arg(1)) {
				return true
			}
		}
	}
	return false
}

// isOwnHeap reports whether an arena is that of the running actor.
func isOwnHeap(v ssa.Value) bool {
	made := flow.MadeBy(v)
	return made != nil && made.Fn != nil && api.Name(made.Fn) == "actor.Context.Heap"
}

// fromHeap reports a message to another actor that has a handle, or a pointer, into the heap of the
// actor that sends it.
func (c *checker) fromHeap(call *flow.Call, v ssa.Value) {
	if c.ToSelf(call) || call.API.Freezes {
		return
	}
	for _, part := range fieldsOf(v) {
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
	for _, q := range c.Paths(v) {
		if c.StateOf(q) != nil && q.Steps != "" {
			return true
		}
		call, ok := q.Root.(*ssa.Call)
		if !ok || q.Steps != "" {
			continue
		}
		made := flow.CallOf(call)
		if made != nil && made.Fn != nil && strings.HasPrefix(api.Name(made.Fn), "heap.") && isOwnHeap(made.Arg(1)) {
			return true
		}
	}
	return false
}

// fieldsOf returns a value, and what was put into its fields if it is a struct made here.
func fieldsOf(v ssa.Value) []ssa.Value {
	all := []ssa.Value{v}
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return all
	}
	a, ok := load.X.(*ssa.Alloc)
	if !ok || a.Referrers() == nil {
		return all
	}
	for _, ref := range *a.Referrers() {
		at, ok := ref.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, r := range *at.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == at {
				all = append(all, st.Val)
			}
		}
	}
	return all
}
