package misuse

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// identity tells actor types, or behaviours, apart: by the package-level variable, or by the call
// that makes it.
func identity(v ssa.Value) ssa.Value {
	if g := flow.GlobalOf(v); g != nil {
		return g
	}
	if made := flow.MadeBy(v); made != nil {
		return made.Instr.Value()
	}
	return nil
}

// called says what a report calls an actor type or a behaviour.
func called(v ssa.Value) string {
	if g, ok := v.(*ssa.Global); ok {
		return g.Name()
	}
	if call, ok := v.(*ssa.Call); ok {
		if made := flow.CallOf(call); made != nil && made.API != nil {
			for _, n := range made.API.NonEmpty {
				if text, ok := flow.Text(made.Arg(n)); ok {
					return text
				}
			}
		}
	}
	return "it"
}

// findTypes finds the actor type for which each behaviour is declared.
func (c *checker) findTypes() {
	for _, fn := range c.Funcs {
		for _, made := range c.Calls(fn) {
			if made.API == nil || made.API.Role != api.Declare || made.Instr.Value() == nil {
				continue
			}
			t := identity(made.Arg(1))
			c.types[made.Instr.Value()] = t
			for _, ref := range *made.Instr.Value().Referrers() {
				if st, ok := ref.(*ssa.Store); ok {
					if g, ok := st.Addr.(*ssa.Global); ok {
						c.types[g] = t
					}
				}
			}
		}
	}
}

// tables checks the types whose tables are filled in a function: in the initializer of the
// package, most often.
func (c *checker) tables(fn *ssa.Function) {
	given := map[ssa.Value]*flow.Call{}
	names := map[ssa.Value]map[string]*flow.Call{}
	hooks := map[ssa.Value]map[api.Role]*flow.Call{}
	for _, call := range c.Calls(fn) {
		if call.API == nil {
			continue
		}
		switch call.API.Role {
		case api.Table:
			c.entries(call, given)
		case api.Variant:
			c.entries(call, map[ssa.Value]*flow.Call{})
		case api.Declare:
			c.twice(call, names)
		case api.StartHook, api.StopHook:
			c.hook(call, hooks)
		}
	}
}

// entries reports entries of a table that are there twice, or are another type's.
func (c *checker) entries(call *flow.Call, given map[ssa.Value]*flow.Call) {
	all, _ := flow.Variadic(call.Arg(1))
	for _, e := range all {
		if flow.IsZero(e) {
			c.reportf(call, "an entry without a behaviour: %s panics", call.Fn.Name())
		}
		made := flow.MadeBy(e)
		if made == nil || made.API == nil || made.API.Role != api.Handle {
			continue
		}
		b := identity(made.Arg(api.Recv))
		if b == nil {
			continue
		}
		if first := given[b]; first != nil && flow.Dominates(first.Instr, made.Instr) {
			c.reportf(made, "%s gets a second method (the first is in %s): %s panics",
				called(b), c.Where(first.Pos(), made.Pos()), call.Fn.Name())
		}
		given[b] = made
		t, declared := identity(call.Arg(api.Recv)), c.types[b]
		if t != nil && declared != nil && t != declared && known(t) && known(declared) {
			c.reportf(made, "%s was declared for %s: the %s of %s panics",
				called(b), called(declared), call.Fn.Name(), called(t))
		}
	}
}

// known reports whether an identity is that of one type for sure: of a variable that is set
// once, or of a call that makes a type. Type.Table returns the type that it was called on.
func known(t ssa.Value) bool {
	if _, ok := t.(*ssa.Global); ok {
		return true
	}
	made := flow.CallOf(t.(*ssa.Call))
	return made.API != nil && made.API.Role == api.MakeType
}

// twice reports a name that two behaviours of a type have.
func (c *checker) twice(call *flow.Call, names map[ssa.Value]map[string]*flow.Call) {
	t := identity(call.Arg(1))
	text, ok := flow.Text(call.Arg(2))
	if t == nil || !ok || text == "" {
		return
	}
	if names[t] == nil {
		names[t] = map[string]*flow.Call{}
	}
	if first := names[t][text]; first != nil && flow.Dominates(first.Instr, call.Instr) {
		c.reportf(call, "%s has a behaviour %q already: %s panics", called(t), text, name(call))
	}
	names[t][text] = call
}

// hook reports a second start or stop function of a type.
func (c *checker) hook(call *flow.Call, hooks map[ssa.Value]map[api.Role]*flow.Call) {
	t := identity(call.Arg(api.Recv))
	if t == nil {
		return
	}
	if hooks[t] == nil {
		hooks[t] = map[api.Role]*flow.Call{}
	}
	first := hooks[t][call.API.Role]
	if first != nil && flow.Dominates(first.Instr, call.Instr) {
		c.reportf(call, "%s has such a function already: %s panics", called(t), name(call))
	}
	hooks[t][call.API.Role] = call
}

// missing reports behaviours that never get a method: every spawn of their type panics.
func (c *checker) missing() {
	for b, t := range c.types {
		switch b := b.(type) {
		case *ssa.Global:
			if t != nil && c.onlyUsed(b, t) && len(c.Handlers(b)) == 0 {
				c.atVar(b, "%s has no method: give it one in the Table of %s, whose spawns "+
					"panic otherwise", b.Name(), called(t))
			}
		case *ssa.Call:
			if t != nil && c.neverHandled(b) && c.spawnedIn(b.Parent(), t) {
				c.reportf(flow.CallOf(b), "%s has no method: the spawn of %s panics",
					called(b), called(t))
			}
		}
	}
}

// neverHandled reports whether a local behaviour is only used in calls that give it no method.
func (c *checker) neverHandled(b *ssa.Call) bool {
	for _, ref := range *b.Referrers() {
		call := flow.CallOf(ref)
		if call == nil || call.API == nil || call.API.Role == api.Handle {
			return false
		}
	}
	return true
}

// onlyUsed reports whether a behaviour is nowhere given to code that could give it a method.
func (c *checker) onlyUsed(b *ssa.Global, t ssa.Value) bool {
	if b.Object() != nil && b.Object().Exported() && !c.spawned(t) {
		return false // another package may complete the type
	}
	for _, fn := range c.Funcs {
		for instr := range flow.Instructions(fn) {
			for _, op := range instr.Operands(nil) {
				if *op == b && !c.harmless(instr, b) {
					return false
				}
			}
		}
	}
	return true
}

// harmless reports whether an instruction uses a behaviour in a way that gives it no method.
func (c *checker) harmless(instr ssa.Instruction, b *ssa.Global) bool {
	if st, ok := instr.(*ssa.Store); ok {
		return st.Addr == b && flow.MadeBy(st.Val) != nil
	}
	load, ok := instr.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	for _, ref := range *load.Referrers() {
		call := flow.CallOf(ref)
		if call == nil || call.API == nil {
			return false
		}
	}
	return true
}

// spawned reports whether the package spawns actors of a type.
func (c *checker) spawned(t ssa.Value) bool {
	for _, fn := range c.Funcs {
		if c.spawnedIn(fn, t) {
			return true
		}
	}
	return false
}

// spawnedIn reports whether a function spawns actors of a type.
func (c *checker) spawnedIn(fn *ssa.Function, t ssa.Value) bool {
	for _, call := range c.Calls(fn) {
		if call.API != nil && call.API.Role == api.Spawn && identity(call.Arg(api.Recv)) == t {
			return true
		}
	}
	return false
}

// order reports what comes too late: a declaration after a spawn, in one function.
func (c *checker) order(fn *ssa.Function) {
	for _, spawn := range c.Calls(fn) {
		if spawn.API == nil || spawn.API.Role != api.Spawn {
			continue
		}
		for _, late := range c.Calls(fn) {
			if late.API == nil || !completes(late.API.Role) {
				continue
			}
			if sameType(typeOf(late), spawn.Arg(api.Recv)) && flow.Dominates(spawn.Instr, late.Instr) {
				c.reportf(late, "%s comes after the first spawn of its type (%s), and panics",
					name(late), c.Where(spawn.Pos(), late.Pos()))
			}
		}
	}
}

func completes(r api.Role) bool {
	return r == api.Declare || r == api.Table || r == api.StartHook || r == api.StopHook
}

// typeOf returns the actor type that a call completes.
func typeOf(call *flow.Call) ssa.Value {
	if call.API.Role == api.Declare {
		return call.Arg(1)
	}
	return call.Arg(api.Recv)
}

// sameType reports whether two values are one actor type.
func sameType(a, b ssa.Value) bool {
	return a == b || identity(a) != nil && identity(a) == identity(b)
}

// receiver reports messages to an actor of another type with the same state.
func (c *checker) receiver(call *flow.Call) {
	if call.API.To == 0 {
		return
	}
	made := flow.MadeBy(call.Arg(call.API.To))
	if made == nil || made.API == nil || made.API.Role != api.Spawn {
		return
	}
	b := identity(call.Arg(api.Recv))
	if call.Fn.Signature().Recv() == nil {
		b = identity(call.Arg(2)) // the function AskTo
	}
	t := identity(made.Arg(api.Recv))
	if b == nil || t == nil || c.types[b] == nil || c.types[b] == t {
		return
	}
	if known(t) && known(c.types[b]) {
		c.reportf(call, "%s is a behaviour of %s and is sent to an actor of %s: %s panics",
			called(b), called(c.types[b]), called(t), name(call))
	}
}
