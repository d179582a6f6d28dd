package misuse

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// own reports behaviours of other actors where those of the running actor are wanted.
func (c *checker) own(fn *ssa.Function, call *flow.Call) {
	turn := c.turn(fn)
	if turn == nil {
		return
	}
	state := stateOf(turn)
	if state == nil {
		return
	}
	if call.Is(api.Self) {
		args := call.TypeArgs()
		if len(args) == 1 && differ(args[0], state) {
			c.reportf(call, "Self wants the state of the running actor, which is %s and not %s, "+
				"and panics", short(state), short(args[0]))
		}
		return
	}
	for _, n := range call.API.Own {
		b := call.Arg(n)
		args := api.TypeArgs(b.Type())
		if len(args) > 0 && differ(args[0], state) && !flow.IsZero(b) {
			c.reportf(call, "%s wants a behaviour of the running actor, whose state is %s; this one "+
				"is for %s, and it panics", name(call), short(state), short(args[0]))
			return
		}
	}
	c.running(turn, call)
}

// turn returns the turn whose function fn is: the function itself, and not what it calls, which
// others may call too. A literal in it runs on its behalf.
func (c *checker) turn(fn *ssa.Function) *flow.Turn {
	for c.InTurn(fn) != nil && fn.Parent() != nil && c.InTurn(fn).By != nil {
		fn = fn.Parent()
	}
	step := c.InTurn(fn)
	if step == nil || step.By != nil {
		return nil
	}
	return step.Turn
}

// stateOf returns the type of the state of a turn.
func stateOf(t *flow.Turn) types.Type {
	if s := t.State(); s != nil {
		return s.Type().Underlying().(*types.Pointer).Elem()
	}
	return nil
}

// differ reports whether two types are surely not the same: no type parameters are in them.
func differ(a, b types.Type) bool {
	return !types.Identical(a, b) && !generic(a) && !generic(b)
}

// generic reports whether there is a type parameter in a type.
func generic(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			if generic(t.TypeArgs().At(i)) {
				return true
			}
		}
		return t.TypeParams().Len() > 0 && t.TypeArgs().Len() == 0
	case *types.Pointer:
		return generic(t.Elem())
	case *types.Slice:
		return generic(t.Elem())
	case *types.Array:
		return generic(t.Elem())
	case *types.Map:
		return generic(t.Key()) || generic(t.Elem())
	case *types.Chan:
		return generic(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if generic(t.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

func short(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// running reports behaviours that are not those of the running message.
func (c *checker) running(turn *flow.Turn, call *flow.Call) {
	for _, n := range call.API.Running {
		b := flow.GlobalOf(call.Arg(n))
		if b == nil || len(c.Handlers(b)) == 0 || !onlyGlobals(turn) || has(turn, b) {
			continue
		}
		c.reportf(call, "%s wants the behaviour whose message runs; %s is another one, and it panics",
			name(call), b.Name())
	}
}

func onlyGlobals(t *flow.Turn) bool {
	for _, b := range t.Behaviours {
		if _, ok := b.(*ssa.Global); !ok {
			return false
		}
	}
	return len(t.Behaviours) > 0
}

// has reports whether a turn's function is the method of a behaviour, perhaps among others.
func has(t *flow.Turn, b *ssa.Global) bool {
	for _, o := range t.Behaviours {
		if o == b {
			return true
		}
	}
	return false
}

// once reports second calls of what may be called once in a behaviour.
func (c *checker) once(fn *ssa.Function) {
	if !c.runsInTurn(fn) {
		return
	}
	first := map[string]*flow.Call{}
	for _, call := range c.Calls(fn) {
		if call.API == nil || call.API.Once == "" {
			continue
		}
		before := first[call.API.Once]
		if before == nil {
			first[call.API.Once] = call
			continue
		}
		if flow.Dominates(before.Instr, call.Instr) {
			c.reportf(call, "%s comes after %s (%s) in one behaviour, and panics",
				name(call), name(before), c.Where(before.Pos(), call.Pos()))
		}
	}
}
