package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Path is the origin of a value, or a place in memory: the value where the way begins, and the
// steps from there. A step is ".f" for a field, "[]" for an element and "*" for all memory behind a
// pointer.
type Path struct {
	Root  ssa.Value
	Steps string
}

// maxSteps is how long a way may be; longer ones are cut, which makes them meet more often.
const maxSteps = 48

func (q Path) step(s string) Path {
	if len(q.Steps)+len(s) > maxSteps {
		return q
	}
	return Path{q.Root, q.Steps + s}
}

// maxLooked is how many values are examined to find the origin of one, before the result so far is
// taken as complete: in a net of cycles the search would have no end.
const maxLooked = 2000

// Inside reports whether memory at q is part of the memory that the value with the path whole
// refers to.
func (q Path) Inside(whole Path) bool {
	return q.Root == whole.Root && len(q.Steps) > len(whole.Steps) && q.begins(whole.Steps)
}

// Within reports whether q is whole or inside it.
func (q Path) Within(whole Path) bool {
	return q.Root == whole.Root && q.begins(whole.Steps)
}

func (q Path) begins(steps string) bool {
	rest, ok := strings.CutPrefix(q.Steps, steps)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], ".[*"))
}

func each(paths []Path, step string) []Path {
	all := make([]Path, 0, len(paths))
	for _, q := range paths {
		all = append(all, q.step(step))
	}
	return all
}

// manyPaths is how many ways a value may have.
const manyPaths = 16

func (p *Package) union(of ssa.Value, a, b []Path) []Path {
	for _, q := range b {
		switch {
		case slices.Contains(a, q):
		case len(a) < manyPaths:
			a = append(a, q)
		default:
			p.cutAt(of, "ways to one value")
		}
	}
	return a
}

// Paths returns where a value may come from. A constant comes from nowhere.
func (p *Package) Paths(v ssa.Value) []Path {
	if known, ok := p.paths[v]; ok {
		return known
	}
	if p.visiting[v] {
		p.cut = true // a way that comes back here adds nothing
		return nil
	}
	if len(p.visiting) == 0 {
		p.looked = 0
	}
	p.looked++
	p.visiting[v] = true
	outer := p.cut
	p.cut = false
	got := p.pathsOf(v)
	delete(p.visiting, v)
	if !p.cut || len(p.visiting) == 0 || p.looked > maxLooked {
		p.paths[v] = got
	}
	p.cut = (p.cut || outer) && len(p.visiting) > 0
	return got
}

func (p *Package) pathsOf(v ssa.Value) []Path {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Builtin, *ssa.BinOp, *ssa.Function:
		return nil
	case *ssa.FreeVar:
		if b := p.Bound(v); b != nil {
			return p.Paths(b)
		}
	case *ssa.FieldAddr:
		return each(p.Paths(v.X), "."+fieldName(deref(v.X.Type()), v.Field))
	case *ssa.Field:
		return each(p.Paths(v.X), "."+fieldName(v.X.Type(), v.Field))
	case *ssa.IndexAddr:
		return each(p.Paths(v.X), "[]")
	case *ssa.Index:
		return each(p.Paths(v.X), "[]")
	case *ssa.Lookup:
		return each(p.Paths(v.X), "[]")
	case *ssa.UnOp:
		return p.loaded(v)
	case *ssa.Phi:
		return p.pathsOfPhi(v)
	case *ssa.Extract:
		return p.extracted(v)
	case *ssa.Call:
		return p.returned(v)
	case *ssa.Range:
		return p.Paths(v.X)
	}
	if x := sameMemory(v); x != nil {
		return p.Paths(x)
	}
	return []Path{{v, ""}}
}

func sameMemory(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.Slice:
		return v.X
	case *ssa.ChangeType:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.MakeInterface:
		return v.X
	case *ssa.TypeAssert:
		return v.X
	case *ssa.SliceToArrayPointer:
		return v.X
	case *ssa.Convert:
		if !isText(v.X.Type()) && !isText(v.Type()) {
			return v.X
		}
	}
	return nil
}

func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func deref(t types.Type) types.Type {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

// loaded returns the origin of a value that is read from memory: for a local variable, the origin
// of the values put into it.
func (p *Package) loaded(v *ssa.UnOp) []Path {
	if v.Op == token.ARROW {
		return []Path{{v, ""}} // received: from elsewhere
	}
	if v.Op != token.MUL {
		return nil
	}
	var all []Path
	for _, q := range p.Paths(v.X) {
		all = p.union(v, all, p.content(q, v))
	}
	return all
}

func (p *Package) content(q Path, read ssa.Instruction) []Path {
	if call, ok := q.Root.(*ssa.Call); ok && q.Steps != "" {
		return p.contentOfResult(q, call)
	}
	a, ok := q.Root.(*ssa.Alloc)
	if !ok {
		return []Path{q}
	}
	if q.Steps == "" {
		if isVariable(a) {
			return p.stored(a, read)
		}
		return []Path{q}
	}
	all := []Path{q}
	for _, st := range latest(p.placed(a, q.Steps), read) {
		if st.Addr == a {
			all = p.union(a, all, each(p.Paths(st.Val), q.Steps))
		} else {
			all = p.union(a, all, p.Paths(st.Val))
		}
	}
	return all
}

func (p *Package) contentOfResult(q Path, call *ssa.Call) []Path {
	all := []Path{q}
	c := p.CallOf(call)
	for arg, e := range c.With(p.SummaryOf(c).Returns) {
		if e.At != "" && e.Result == 0 && q.begins(e.At) {
			all = p.union(call, all, each(p.Paths(arg), e.Steps+q.Steps[len(e.At):]))
		}
	}
	return all
}

// through returns the places of a place. For a place in a local struct or array, these include the
// places of values put into its fields or elements.
func (p *Package) through(all []Path) []Path {
	for _, q := range all {
		a, ok := q.Root.(*ssa.Alloc)
		if !ok {
			continue
		}
		for _, st := range p.fields[a] {
			if field := "." + storedField(st); q.begins(field) && Refers(st.Val.Type()) {
				all = p.union(a, all, each(p.Paths(st.Val), q.Steps[len(field):]))
			}
		}
		if q.begins("[]") {
			for _, v := range elements(a) {
				all = p.union(a, all, each(p.Paths(v), q.Steps[len("[]"):]))
			}
		}
	}
	return all
}

func (p *Package) placed(a *ssa.Alloc, field string) []*ssa.Store {
	all := append([]*ssa.Store(nil), p.stores[a]...)
	for _, st := range p.fields[a] {
		if "."+storedField(st) == field {
			all = append(all, st)
		}
	}
	return all
}

// latest leaves out the stores that others have overwritten when memory is read.
func latest(all []*ssa.Store, read ssa.Instruction) []*ssa.Store {
	var left []*ssa.Store
	for _, st := range all {
		if !slices.ContainsFunc(all, func(later *ssa.Store) bool {
			return later != st && Dominates(st, later) && Dominates(later, read)
		}) {
			left = append(left, st)
		}
	}
	return left
}

// isVariable reports whether an Alloc is a variable that refers to other memory, and not the
// memory itself.
func isVariable(a *ssa.Alloc) bool {
	switch deref(a.Type()).Underlying().(type) {
	case *types.Struct, *types.Array, *types.Basic:
		return false
	}
	return true
}

func (p *Package) stored(a *ssa.Alloc, read ssa.Instruction) []Path {
	var all []Path
	for _, st := range latest(p.stores[a], read) {
		all = p.union(a, all, p.Paths(st.Val))
	}
	for _, fn := range a.Parent().AnonFuncs {
		all = p.union(a, all, p.storedIn(fn, a))
	}
	return all
}

func (p *Package) storedIn(fn *ssa.Function, a *ssa.Alloc) []Path {
	var all []Path
	for instr := range Instructions(fn) {
		if st, ok := instr.(*ssa.Store); ok {
			if free, ok := st.Addr.(*ssa.FreeVar); ok && p.Bound(free) == a {
				all = p.union(a, all, p.Paths(st.Val))
			}
		}
	}
	return all
}

func (p *Package) pathsOfPhi(v *ssa.Phi) []Path {
	var all []Path
	for _, e := range v.Edges {
		all = p.union(v, all, p.Paths(e))
	}
	for _, e := range v.Edges { // a list: n = n.next
		if at := FieldOf(e); at != nil && at.X == v {
			all = p.union(v, all, each(all, "."+FieldName(at)))
		}
	}
	return all
}

func (p *Package) extracted(v *ssa.Extract) []Path {
	switch t := v.Tuple.(type) {
	case *ssa.Next:
		if v.Index == 2 {
			return each(p.Paths(t.Iter), "[]")
		}
		return nil
	case *ssa.Lookup:
		return each(p.Paths(t.X), "[]")
	case *ssa.TypeAssert:
		return p.Paths(t.X)
	case *ssa.Call:
		if all := p.aliases(t, v.Index); all != nil {
			return all
		}
	}
	return []Path{{v, ""}}
}

// returned returns the origin of a call's result. The result is new, unless the function is known to
// return its arguments.
func (p *Package) returned(v *ssa.Call) []Path {
	if b, ok := v.Call.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" {
			if s, ok := v.Call.Args[0].(*ssa.Slice); ok && isConst(s.Max, 0) {
				return []Path{{v, ""}}
			}
			return p.union(v, []Path{{v, ""}}, p.Paths(v.Call.Args[0]))
		}
		return nil
	}
	if all := p.aliases(v, 0); all != nil {
		return all
	}
	return []Path{{v, ""}}
}

func (p *Package) aliases(v *ssa.Call, result int) []Path {
	c := p.CallOf(v)
	var all []Path
	for arg, e := range c.With(p.SummaryOf(c).Returns) {
		if e.Result == result && e.At == "" {
			all = p.union(v, all, each(p.Paths(arg), e.Steps))
		}
	}
	if all == nil {
		return nil
	}
	return p.union(v, []Path{{v, ""}}, all)
}

func isConst(v ssa.Value, n int64) bool {
	k, ok := Int(v)
	return ok && k == n
}
