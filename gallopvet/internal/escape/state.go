package escape

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// depth is how many calls a lock is looked for behind a function that runs elsewhere.
const depth = 3

// stateIn reports accesses of a function that runs elsewhere to the state of an actor, if
// behaviours may access it at the same time.
func (c *checker) stateIn(fn *ssa.Function, by ssa.Instruction) {
	if c.locks(fn, depth) {
		return
	}
	for _, f := range flow.WithLiterals(fn) {
		for _, a := range c.Accesses(f) {
			state := c.StateOf(a.At)
			if state == nil || a.By != nil && !a.Write || flow.Inside(a.At.Root, fn) {
				continue
			}
			if c.conflict(a, a.At.Steps, state, by) {
				return
			}
		}
	}
	c.passed(fn, by)
	c.bound(fn, by)
}

func (c *checker) bound(fn *ssa.Function, by ssa.Instruction) {
	m := c.BoundMethod(fn, by)
	if m == nil || len(m.Bindings) != 1 || len(fn.Params) == 0 {
		return
	}
	for _, q := range c.Paths(m.Bindings[0]) {
		if state := c.StateOf(q); state != nil {
			c.inCallee(nil, fn, fn.Params[0], q, state, by)
		}
	}
}

// passed looks into functions that get the state from one that runs elsewhere, and into the
// function of a go statement itself.
func (c *checker) passed(fn *ssa.Function, by ssa.Instruction) {
	if g, ok := by.(*ssa.Go); ok && g.Call.StaticCallee() == fn {
		c.follow(flow.CallOf(g), by)
	}
	for _, f := range flow.WithLiterals(fn) {
		for _, call := range c.Calls(f) {
			c.follow(call, by)
		}
	}
}

func (c *checker) follow(call *flow.Call, by ssa.Instruction) {
	callee := call.Callee()
	_, isGo := by.(*ssa.Go)
	if callee == nil || callee.Pkg != c.SSA {
		return
	}
	for i, arg := range call.Instr.Common().Args {
		if i >= len(callee.Params) {
			break
		}
		for _, q := range c.Paths(arg) {
			if state := c.StateOf(q); state != nil && (isGo || !flow.Inside(q.Root, call.Instr.Parent())) {
				c.inCallee(call, callee, callee.Params[i], q, state, by)
			}
		}
	}
}

func (c *checker) inCallee(call *flow.Call, callee *ssa.Function, param *ssa.Parameter,
	q flow.Path, state *types.TypeName, by ssa.Instruction,
) {
	for _, a := range c.Accesses(callee) {
		if a.At.Root == param && a.By == nil {
			if c.conflict(a, q.Steps+a.At.Steps, state, by) {
				return
			}
		}
	}
}

// conflict reports an access to a state, from elsewhere, that behaviours may make at the same
// time. One of the two must be a write.
func (c *checker) conflict(a *flow.Access, steps string, state *types.TypeName,
	by ssa.Instruction,
) bool {
	var other *flow.Access
	switch {
	case c.Waited(by):
		other = c.meanwhile(by, a, steps, state)
	case a.Write:
		other = c.TurnAccess(state, steps, false, func(o *flow.Access) bool { return o.Instr != a.Instr && (o.By == nil || o.Write) })
	default:
		other = c.TurnWrite(state, steps, false)
	}
	if other == nil || other.Instr == a.Instr || !a.Instr.Pos().IsValid() {
		return false
	}
	did, does := "reads", "write"
	if a.Write {
		did, does = "writes", "use"
	}
	c.Report(rule.Finding{
		Pos: a.Instr.Pos(),
		Message: flow.Where(by) + " " + did + " the state of the actor (" + state.Name() + steps +
			"), which behaviours " + does + " (" + c.Where(other.Instr.Pos(), a.Instr.Pos()) +
			"): the two may race. Copy what it needs before, and send the result as a message",
		Related: rule.Related(other.Instr.Pos(), "a behaviour uses it here"),
	})
	return true
}

// meanwhile returns an access between the start of a function that runs elsewhere and the wait for
// it, in the function that does both.
func (c *checker) meanwhile(by ssa.Instruction, a *flow.Access, steps string, state *types.TypeName) *flow.Access {
	at := map[ssa.Instruction]*flow.Access{}
	for _, o := range c.Accesses(by.Parent()) {
		here := flow.Path{Root: o.At.Root, Steps: steps}
		if c.StateOf(o.At) == state && (a.Write || o.Write) && o.Instr != by && (o.By == nil || o.Write) &&
			(o.At.Within(here) || here.Within(o.At)) {
			at[o.Instr] = o
		}
	}
	return at[flow.Walk{Stop: c.Joins}.First(by, func(i ssa.Instruction) bool { return at[i] != nil })]
}

// locks reports whether a function takes a lock: then it is no accident that it shares something.
func (c *checker) locks(fn *ssa.Function, left int) bool {
	for _, f := range flow.WithLiterals(fn) {
		if c.Locks(f) {
			return true
		}
		for _, call := range c.Calls(f) {
			callee := call.Callee()
			if left > 0 && callee != nil && callee.Pkg == c.SSA && callee != fn &&
				c.locks(callee, left-1) {
				return true
			}
		}
	}
	return false
}

// handles are the types that lead into an arena, which is that of the actor if they were made there.
var handles = map[string]bool{
	"heap.Ptr": true, "heap.Slice": true, "heap.String": true, "heap.Map": true, "heap.TextMap": true,
}

// derefed reports whether a value is a pointer, or a slice, that a handle was dereferenced to, in
// the heap of the running actor.
func (c *checker) derefed(v ssa.Value) bool {
	b, _ := v.Type().Underlying().(*types.Basic)
	if !flow.Is[*types.Pointer](v.Type()) && !flow.Is[*types.Slice](v.Type()) && (b == nil || b.Kind() != types.String) {
		return false
	}
	return c.fromOwnHeap(v, func(name string) bool {
		return strings.HasSuffix(name, ".Deref") || name == "heap.Slice.At"
	})
}

// fromOwnHeap reports whether a value is the result of one of some functions of package heap, for the heap of the
// running actor.
func (c *checker) fromOwnHeap(v ssa.Value, is func(name string) bool) bool {
	for _, q := range c.Paths(v) {
		call, ok := q.Root.(*ssa.Call)
		if !ok || q.Steps != "" {
			continue
		}
		if made := flow.CallOf(call); made != nil && made.Fn != nil && is(api.Name(made.Fn)) {
			heap := flow.MadeBy(made.Arg(1))
			param, given := made.Arg(1).(*ssa.Parameter) // of a helper
			return given && c.InTurn(param.Parent()) != nil ||
				heap != nil && heap.Fn != nil && api.Name(heap.Fn) == "actor.Context.Heap"
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
	parts := c.Fields(v)
	if call, ok := v.(*ssa.Call); ok {
		for _, made := range c.Results(call.Call.StaticCallee()) {
			parts = append(parts, c.Fields(made)...)
		}
	}
	for _, part := range parts {
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
