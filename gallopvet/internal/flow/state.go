package flow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// StateOf returns the type of the state that a path begins at, if it begins at the state of a
// running actor, or nil.
func (p *Package) StateOf(q Path) *types.TypeName {
	param, ok := q.Root.(*ssa.Parameter)
	if !ok || !p.IsState(param.Type()) {
		return nil
	}
	step := p.InTurn(param.Parent())
	if step == nil || step.Turn.Process || !Is[*types.Pointer](param.Type()) {
		return nil
	}
	return TypeName(param.Type())
}

// turnAccessesOf returns the accesses of behaviours, and of functions they call, to states of a
// type. The function that runs at the start of an actor does not count: nothing comes before it.
func (p *Package) turnAccessesOf(state *types.TypeName) []*Access {
	if p.turnAccesses == nil {
		p.turnAccesses = map[*types.TypeName][]*Access{}
		for _, fn := range p.Funcs {
			step := p.InTurn(fn)
			if step == nil || step.Turn.Start || step.Turn.Process {
				continue
			}
			for _, a := range p.Accesses(fn) {
				if of := p.StateOf(a.At); of != nil {
					p.turnAccesses[of] = append(p.turnAccesses[of], a)
				}
			}
		}
	}
	return p.turnAccesses[state]
}

// TurnWrite returns a write by which behaviours change the memory at, or behind, a path in states
// of a type; nil if there is none. Memory that the function has just made anew does not count.
func (p *Package) TurnWrite(state *types.TypeName, steps string, inside bool) *Access {
	return p.TurnAccess(state, steps, inside, func(a *Access) bool { return a.Write && !p.Renewed(a, steps) })
}

// TurnAccess returns an access of behaviours at, or behind, a path in states of a type, or nil; or only one
// behind it, if inside says so.
func (p *Package) TurnAccess(state *types.TypeName, steps string, inside bool, is func(*Access) bool) *Access {
	for _, a := range p.turnAccessesOf(state) {
		whole := Path{a.At.Root, steps}
		if (a.At.Inside(whole) || !inside && (a.At.Within(whole) || whole.Within(a.At))) && is(a) {
			return a
		}
	}
	return nil
}

// Renewed reports whether the function of an access has put new memory at the path before, on
// every way.
func (p *Package) Renewed(a *Access, steps string) bool {
	for instr := range Instructions(a.Instr.Parent()) {
		st, ok := instr.(*ssa.Store)
		if !ok || instr == a.Instr || !Dominates(st, a.Instr) {
			continue
		}
		for _, at := range p.Paths(st.Addr) {
			if at == (Path{a.At.Root, steps}) && p.isNew(st.Val) {
				return true
			}
		}
	}
	return false
}

func (p *Package) isNew(v ssa.Value) bool {
	for _, q := range p.Paths(v) {
		switch q.Root.(type) {
		case *ssa.Parameter, *ssa.Global, *ssa.FreeVar:
			return false
		}
	}
	return true
}

// Replaces reports whether an instruction replaces the memory at a path, or removes the element
// there.
func (p *Package) Replaces(i ssa.Instruction, q Path) bool {
	switch i := i.(type) {
	case *ssa.Call:
		return p.replacesByCall(i, q)
	case *ssa.RunDefers:
		for instr := range Instructions(i.Parent()) {
			if d, ok := instr.(*ssa.Defer); ok && Dominates(d, i) && p.replacesByCall(d, q) {
				return true
			}
		}
	}
	to, v, step := Stored(i)
	return to != nil && slices.ContainsFunc(each(p.Paths(to), step), func(at Path) bool {
		return q.Within(at) && (step == "" && isElement(q, at) || !p.same(v, q, at))
	})
}

func (p *Package) replacesByCall(i ssa.CallInstruction, q Path) bool {
	if b, ok := i.Common().Value.(*ssa.Builtin); ok {
		if b.Name() != "delete" && b.Name() != "clear" {
			return false
		}
		return slices.ContainsFunc(p.Paths(i.Common().Args[0]), q.Inside)
	}
	c := p.CallOf(i)
	if c != nil && c.static != nil && c.static.Parent() != nil {
		for instr := range Instructions(c.static) {
			if p.Replaces(instr, q) && p.always(instr) {
				return true
			}
		}
	}
	for arg, e := range c.With(p.SummaryOf(c).Renews) {
		for _, at := range each(p.Paths(arg), e.Steps) {
			if q.Within(at) && q.Steps != "" {
				return true
			}
		}
	}
	return false
}

func isElement(q, of Path) bool {
	return q != of && strings.HasPrefix(q.Steps[len(of.Steps):], "[]")
}

func (p *Package) same(v ssa.Value, q, at Path) bool {
	return slices.ContainsFunc(p.Paths(v), func(from Path) bool { return from == q || from.Within(at) })
}

// SamePlace reports whether two values surely come from one and the same place.
func (p *Package) SamePlace(a, b ssa.Value) bool {
	one, two := p.Paths(a), p.Paths(b)
	return len(one) == 1 && len(two) == 1 && one[0] == two[0] && !strings.Contains(one[0].Steps, "[]")
}

// Outermost returns the function that a literal is written in, which is no literal.
func Outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// WithLiterals returns a function and the literals in it.
func WithLiterals(fn *ssa.Function) []*ssa.Function {
	all := []*ssa.Function{fn}
	for _, anon := range fn.AnonFuncs {
		all = append(all, WithLiterals(anon)...)
	}
	return all
}

// maxSelf is through how many variables a ref is followed.
const maxSelf = 4

// IsSelf reports whether a ref is that of the running actor, as Self has returned it; nil is not.
func (p *Package) IsSelf(ref ssa.Value) bool { return p.isSelf(ref, maxSelf) }

func (p *Package) isSelf(ref ssa.Value, left int) bool {
	if left == 0 {
		return false
	}
	all := p.Paths(Plain(ref))
	return len(all) > 0 && !slices.ContainsFunc(all, func(q Path) bool {
		return q.Steps != "" || !p.madeBySelf(q.Root, left)
	})
}

func (p *Package) madeBySelf(v ssa.Value, left int) bool {
	switch v := v.(type) {
	case *ssa.Call:
		c := p.CallOf(v)
		return c != nil && (c.Is(api.Self) || p.ownRef(c))
	case *ssa.Alloc:
		held := p.Only(v)
		return held != nil && p.isSelf(held, left-1)
	}
	return false
}

// ToSelf reports whether a call sends to the running actor.
func (p *Package) ToSelf(c *Call) bool {
	if c.API == nil {
		return false
	}
	if c.API.ToSelf || p.IsSelf(c.Arg(c.API.To)) {
		return true
	}
	// A Handler is made by To, from a ref.
	h := MadeBy(c.Arg(api.Recv))
	return h != nil && h.API != nil && h.API.To != 0 && p.IsSelf(h.Arg(h.API.To))
}

// Inside reports whether a value belongs to a function or to a literal in it.
func Inside(v ssa.Value, fn *ssa.Function) bool {
	for f := v.Parent(); f != nil; f = f.Parent() {
		if f == fn {
			return true
		}
	}
	return false
}
