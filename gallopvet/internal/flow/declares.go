package flow

import (
	"go/types"
	"slices"
)

// Declaring is a fact about a generic function: which of its type parameters become messages of
// behaviours that it declares.
type Declaring struct{ Params []int }

// AFact marks a fact.
func (*Declaring) AFact() {}

// Declares returns which type parameters of a function become messages.
func (p *Package) Declares(fn *types.Func) []int {
	if params, ok := p.declares[fn.Origin()]; ok {
		return params
	}
	var d Declaring
	if fn.Pkg() != nil && fn.Pkg() != p.Pkg && p.ImportObjectFact(fn.Origin(), &d) {
		return d.Params
	}
	return nil
}

// findDeclaring finds the generic functions that declare behaviours for their type parameters,
// directly or through others.
func (p *Package) findDeclaring() {
	p.declares = map[*types.Func][]int{}
	for range rounds {
		for _, fn := range p.Funcs {
			obj, ok := fn.Object().(*types.Func)
			if !ok || obj.Signature().TypeParams().Len() == 0 {
				continue
			}
			for _, f := range WithLiterals(fn) {
				for _, c := range p.calls[f] {
					p.noteDeclaring(obj, c)
				}
			}
		}
	}
	for fn, params := range p.declares {
		if fn.Pkg() == p.Pkg {
			p.ExportObjectFact(fn, &Declaring{params})
		}
	}
}

// noteDeclaring notes the type parameters that a call in a generic function makes messages.
func (p *Package) noteDeclaring(of *types.Func, c *Call) {
	args := c.TypeArgs()
	var messages []int
	switch {
	case c.API != nil && c.API.Messages > 0:
		for i := range c.API.Messages {
			messages = append(messages, i)
		}
	case c.API == nil && c.Fn != nil:
		messages = p.Declares(c.Fn)
	}
	for _, i := range messages {
		if i >= len(args) {
			continue
		}
		tp, ok := types.Unalias(args[i]).(*types.TypeParam)
		if ok && !slices.Contains(p.declares[of], tp.Index()) {
			p.declares[of] = append(p.declares[of], tp.Index())
		}
	}
}

// Worst returns the part of a type that makes it least fit to be sent. What is behind pointers
// counts if pointers says so.
func (p *Package) Worst(t types.Type, pointers bool) Reason {
	c := checker{p: p, seen: map[types.Type]bool{}, deep: true, pointers: pointers}
	worst := Reason{}
	c.found = func(r Reason) {
		if r.Kind > worst.Kind {
			worst = r
		}
	}
	c.check(t, "")
	return worst
}
