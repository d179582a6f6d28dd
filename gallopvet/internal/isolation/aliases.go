package isolation

import (
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// alias is a value that is the same Iso as another, on the paths on which conditions are as known.
type alias struct {
	value ssa.Value
	known map[ssa.Value]bool
	from  map[*ssa.BasicBlock]int // by which edge the path came to a block
}

// manyAliases is how many are looked at.
const manyAliases = 64

// aliasesOf returns the values that are, on some path, the Iso that a call gives away.
func aliasesOf(iso ssa.Value, by *flow.Call) []alias {
	all := []alias{{iso, flow.Conditions(by.Instr), map[*ssa.BasicBlock]int{}}}
	for i := 0; i < len(all) && len(all) < manyAliases; i++ {
		all = append(all, all[i].next(by, all)...)
	}
	return all
}

// next returns the values that are one more phi away.
func (a alias) next(by *flow.Call, known []alias) []alias {
	var all []alias
	add := func(phi *ssa.Phi, edge int, v ssa.Value) {
		if on, ok := a.along(phi, edge, v); ok && v != by.Instr.Value() && !has(known, on) {
			all = append(all, on)
		}
	}
	if phi, ok := a.value.(*ssa.Phi); ok {
		for n, e := range phi.Edges {
			add(phi, n, e)
		}
	}
	if a.value.Referrers() == nil {
		return all
	}
	for _, ref := range *a.value.Referrers() {
		phi, ok := ref.(*ssa.Phi)
		if !ok || !before(phi, by) {
			continue
		}
		for n, e := range phi.Edges {
			if e == a.value {
				add(phi, n, phi)
			}
		}
	}
	return all
}

// before reports whether a phi has been decided whenever a call runs.
func before(phi *ssa.Phi, by *flow.Call) bool { return phi.Block().Dominates(by.Block()) }

// along returns the alias that a path by an edge of a phi makes. It reports false if no path can
// have come by that edge.
func (a alias) along(phi *ssa.Phi, edge int, v ssa.Value) (alias, bool) {
	block := phi.Block()
	if n, ok := a.from[block]; ok && n != edge {
		return alias{}, false
	}
	pred := block.Preds[edge]
	known := flow.Conditions(pred.Instrs[len(pred.Instrs)-1])
	flow.Decide(known, pred, block)
	for cond, is := range a.known {
		if was, ok := known[cond]; ok && was != is {
			return alias{}, false
		}
		known[cond] = is
	}
	from := maps.Clone(a.from)
	from[block] = edge
	return alias{v, known, from}, true
}

func has(all []alias, a alias) bool {
	for _, o := range all {
		if o.value == a.value && maps.Equal(o.known, a.known) {
			return true
		}
	}
	return false
}
