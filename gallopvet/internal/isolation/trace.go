package isolation

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// trace follows one Iso along the paths of a function, from where it is given away.
type trace struct {
	c       *checker
	by      *flow.Call
	refused func(from, to *ssa.BasicBlock) bool // edges on which it was not given away
	seen    map[string]bool
}

// gone has the holders of the Iso that is gone, at one point of a path: values, and places in
// memory.
type gone struct {
	values map[ssa.Value]bool
	places map[flow.Path]bool
	known  map[ssa.Value]bool // conditions that were true, or false, on this path
}

func (g gone) clone() gone {
	return gone{maps.Clone(g.values), maps.Clone(g.places), maps.Clone(g.known)}
}

func (g gone) key(b *ssa.BasicBlock) string {
	var words []string
	for v := range g.values {
		words = append(words, v.Name())
	}
	for q := range g.places {
		words = append(words, q.Root.Name()+q.Steps)
	}
	for cond, is := range g.known {
		words = append(words, fmt.Sprint(cond.Name(), is))
	}
	slices.Sort(words)
	return fmt.Sprint(b.Index, " ", strings.Join(words, " "))
}

// start begins behind the call that gives the Iso away.
func (t *trace) start(a alias) {
	iso := a.value
	g := gone{map[ssa.Value]bool{iso: true}, map[flow.Path]bool{}, maps.Clone(a.known)}
	if q, ok := t.place(iso); ok {
		g.places[q] = true
	}
	for instr := range flow.Instructions(t.by.Instr.Parent()) {
		st, ok := instr.(*ssa.Store)
		if ok && st.Val == iso && flow.Dominates(st, t.by.Instr) {
			for _, q := range t.c.Paths(st.Addr) {
				g.places[q] = true
			}
		}
	}
	block := t.by.Instr.Block()
	t.run(block, block.Instrs[slices.Index(block.Instrs, ssa.Instruction(t.by.Instr))+1:], g)
}

func (t *trace) place(v ssa.Value) (flow.Path, bool) {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return flow.Path{}, false
	}
	at := t.c.Paths(load.X)
	if len(at) != 1 {
		return flow.Path{}, false
	}
	return at[0], true
}

func (t *trace) run(block *ssa.BasicBlock, instrs []ssa.Instruction, g gone) {
	for _, instr := range instrs {
		if !t.step(instr, g) {
			return
		}
	}
	for _, next := range block.Succs {
		if flow.Excludes(g.known, block, next) || t.saysSo(block, next, g) ||
			t.refused != nil && t.refused(block, next) {
			continue
		}
		on := t.enter(block, next, g)
		flow.Decide(on.known, block, next)
		if k := on.key(next); !t.seen[k] && len(t.seen) < 2000 {
			t.seen[k] = true
			t.run(next, next.Instrs, on)
		}
	}
}

// enter returns the holders of the Iso in the next block. A phi holds it if its value on this way
// does.
func (t *trace) enter(from, to *ssa.BasicBlock, g gone) gone {
	on := g.clone()
	way := slices.Index(to.Preds, from)
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		delete(on.values, phi)
		if g.values[phi.Edges[way]] {
			on.values[phi] = true
		}
	}
	return on
}

// saysSo reports whether an edge is that of an Iso which is not gone.
func (t *trace) saysSo(from, to *ssa.BasicBlock, g gone) bool {
	v, yes, ok := flow.Condition(from)
	made := flow.MadeBy(v)
	return ok && made.Is(api.IsoGone) && g.values[made.Arg(api.Recv)] && to != yes
}

func (t *trace) step(instr ssa.Instruction, g gone) bool {
	if v, ok := instr.(ssa.Value); ok {
		delete(g.known, v) // a condition that is found out anew
	}
	switch i := instr.(type) {
	case *ssa.Phi:
		return true
	case *ssa.Store:
		for _, q := range t.c.Paths(i.Addr) {
			delete(g.places, q)
			if g.values[i.Val] {
				g.places[q] = true
			}
		}
		return true
	case *ssa.UnOp:
		delete(g.values, i)
		if q, ok := t.place(i); ok && g.places[q] {
			g.values[i] = true
		}
		return true
	case *ssa.Call:
		return t.call(i, g)
	}
	if v, ok := instr.(ssa.Value); ok {
		delete(g.values, v) // made anew
	}
	return true
}

func (t *trace) call(i *ssa.Call, g gone) bool {
	call := flow.CallOf(i)
	if call == nil || call.API == nil {
		delete(g.values, i)
		t.changed(i, g)
		return true
	}
	var used []ssa.Value
	if role := call.API.Role; role == api.UseIso || role == api.EndIso {
		used = append(used, call.Arg(api.Recv))
	}
	if v := call.Payload(); v != nil && !t.c.ToSelf(call) {
		used = append(used, t.c.isos(v)...)
	}
	if slices.ContainsFunc(used, func(v ssa.Value) bool { return g.values[v] }) {
		t.c.used(call, t.by)
		return false
	}
	delete(g.values, i)
	return true
}

// changed forgets the places that a call of another function may put something else into.
func (t *trace) changed(i *ssa.Call, g gone) {
	if _, builtin := i.Call.Value.(*ssa.Builtin); builtin {
		return
	}
	args := append([]ssa.Value{i.Call.Value}, i.Call.Args...)
	for q := range g.places {
		for _, arg := range args {
			if _, closure := arg.(*ssa.MakeClosure); closure || t.reaches(arg, q) {
				delete(g.places, q)
			}
		}
	}
}

func (t *trace) reaches(arg ssa.Value, q flow.Path) bool {
	return slices.ContainsFunc(t.c.Paths(arg), func(a flow.Path) bool { return a.Root == q.Root })
}

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
		if on, ok := a.along(phi, edge, v); ok && v != by.Instr.Value() && !slices.ContainsFunc(known, func(o alias) bool {
			return o.value == on.value && maps.Equal(o.known, on.known)
		}) {
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

func before(phi *ssa.Phi, by *flow.Call) bool { return phi.Block().Dominates(by.Instr.Block()) }

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
