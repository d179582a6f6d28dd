package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Part is memory that a value leads to and that is shared when the value is sent.
type Part struct {
	Path
	At   string // where it is in the value
	Type types.Type
	Load ssa.Instruction // where it was read from memory, or nil
}

// maxParts is how deep values in new memory are followed, and manyParts how many parts of one value
// are examined.
const (
	maxParts  = 4
	manyParts = 32

	depthLimit = "levels of new memory"
)

// Parts returns the memory that is shared when v is sent.
func (p *Package) Parts(v ssa.Value) []Part { return p.PartsWhen(v, nil) }

// PartsWhen is Parts at an instruction: values overwritten before do not count.
func (p *Package) PartsWhen(v ssa.Value, when ssa.Instruction) []Part {
	c := collector{p: p, when: when, seen: map[place]bool{}}
	c.collect(v, "", 0)
	return c.parts
}

type place struct {
	Path
	at string
}

type collector struct {
	p     *Package
	when  ssa.Instruction
	parts []Part
	seen  map[place]bool
}

func (c *collector) add(q Path, at string, t types.Type, load ssa.Instruction, depth int) {
	if c.seen[place{q, at}] {
		return
	}
	if len(c.parts) >= manyParts {
		c.p.cutAt(q.Root, "parts of one value")
		return
	}
	c.seen[place{q, at}] = true
	c.parts = append(c.parts, Part{q, at, t, load})
	if depth < maxParts {
		c.contents(q, at, depth+1)
	} else {
		c.p.cutAt(q.Root, depthLimit)
	}
}

// collect adds the parts that v refers to. A value whose type is a parameter may refer to anything.
func (c *collector) collect(v ssa.Value, at string, depth int) {
	if v == nil {
		return
	}
	if ok, _ := c.p.Sendable(v.Type()); ok && !Is[*types.Interface](v.Type()) {
		return
	}
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	if IsParam(v.Type()) {
		for _, q := range c.p.Paths(v) {
			c.add(q, at, v.Type(), loadOf(v), depth)
		}
		return
	}
	if ok, _ := c.p.Sendable(v.Type()); ok {
		return
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
		load := loadOf(v)
		for _, q := range c.p.Paths(v) {
			c.add(q, at, v.Type(), load, depth)
		}
	case *types.Struct:
		c.fields(v, at, t, nil, depth)
	}
}

// loadOf returns the instruction that reads v from memory, if there is one. That may be a call that
// returns a value it has read.
func loadOf(v ssa.Value) ssa.Instruction {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return v
		}
	case *ssa.Slice:
		return loadOf(v.X)
	case *ssa.ChangeType:
		return loadOf(v.X)
	case *ssa.Lookup:
		return v
	case *ssa.Index:
		return v
	case *ssa.Call:
		return v
	case *ssa.Extract:
		if i, ok := v.Tuple.(ssa.Instruction); ok {
			return i
		}
	}
	return nil
}

// fields collects the parts of a struct that is sent as such, but for the fields that were
// overwritten.
func (c *collector) fields(v ssa.Value, at string, t *types.Struct, but map[string]bool, depth int) {
	if depth > maxParts {
		c.p.cutAt(v, depthLimit)
		return
	}
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if a, ok := load.X.(*ssa.Alloc); ok {
			when := c.when
			if load.Parent() == a.Parent() {
				c.when = load
			}
			c.local(a, at, but, depth)
			c.when = when
			return
		}
	}
	for _, q := range c.p.Paths(v) {
		c.structFields(q, at, t, but, loadOf(v), depth)
	}
	if call, ok := v.(*ssa.Call); ok {
		c.returned(call, 0, at, depth)
	}
}

func (c *collector) structFields(q Path, at string, t *types.Struct, but map[string]bool,
	load ssa.Instruction, depth int,
) {
	for i := range t.NumFields() {
		f := t.Field(i)
		if ok, _ := c.p.Sendable(f.Type()); ok && !IsParam(f.Type()) || but[f.Name()] {
			continue
		}
		step := "." + f.Name()
		if s, ok := f.Type().Underlying().(*types.Struct); ok && depth < maxParts {
			c.structFields(q.step(step), at+step, s, nil, load, depth+1)
			continue
		}
		if Refers(f.Type()) || IsParam(f.Type()) {
			c.add(q.step(step), at+step, f.Type(), load, depth)
		}
	}
}

// local collects values that were put into the fields of a local struct, or into all of it, and are
// still there when it is read.
func (c *collector) local(a *ssa.Alloc, at string, but map[string]bool, depth int) {
	fields := c.p.fields[a]
	for _, st := range c.p.stores[a] {
		if c.overwritten(st, c.p.stores[a]) {
			continue
		}
		gone := map[string]bool{}
		for name := range but {
			gone[name] = true
		}
		for _, f := range fields {
			if name := storedField(f); Dominates(st, f) && c.before(f) {
				gone[name] = true
			}
		}
		if t, ok := st.Val.Type().Underlying().(*types.Struct); ok && len(gone) > 0 {
			c.fields(st.Val, at, t, gone, depth+1)
		} else {
			c.collect(st.Val, at, depth+1)
		}
	}
	for _, st := range fields {
		name := storedField(st)
		if !but[name] && !c.overwritten(st, c.p.placed(a, "."+name)) {
			c.collect(st.Val, at+"."+name, depth+1)
		}
	}
	for _, ref := range *a.Referrers() {
		switch r := ref.(type) {
		case *ssa.FieldAddr: // fields of fields, and elements
			if name := FieldName(r); !but[name] {
				c.below(r, at+"."+name, depth)
			}
		case *ssa.IndexAddr: // of a local array
			c.storedAt(r, at+"[]", depth)
		}
	}
}

// storedField returns the name of the field of a local struct that a store sets, as in "head.next".
func storedField(st *ssa.Store) string {
	at := st.Addr.(*ssa.FieldAddr)
	name := FieldName(at)
	for outer, ok := at.X.(*ssa.FieldAddr); ok; outer, ok = outer.X.(*ssa.FieldAddr) {
		name = FieldName(outer) + "." + name
	}
	return name
}

func (c *collector) before(st *ssa.Store) bool { return c.when != nil && Dominates(st, c.when) }

func (c *collector) overwritten(st *ssa.Store, others []*ssa.Store) bool {
	return slices.ContainsFunc(others, func(later *ssa.Store) bool {
		return later != st && Dominates(st, later) && c.before(later)
	})
}

func (c *collector) storedAt(addr ssa.Value, at string, depth int) {
	if addr.Referrers() == nil {
		return
	}
	for _, ref := range *addr.Referrers() {
		if r, ok := ref.(*ssa.Store); ok && r.Addr == addr {
			c.collect(r.Val, at, depth+1)
		}
	}
	c.below(addr, at, depth)
}

func (c *collector) below(addr ssa.Value, at string, depth int) {
	if depth > maxParts || addr.Referrers() == nil {
		return
	}
	for _, ref := range *addr.Referrers() {
		switch r := ref.(type) {
		case *ssa.FieldAddr:
			c.storedAt(r, at+"."+FieldName(r), depth+1)
		case *ssa.IndexAddr:
			if r.X == addr {
				c.storedAt(r, at+"[]", depth+1)
			}
		case *ssa.UnOp: // a field that was given new memory before
			if r.Op == token.MUL && Refers(r.Type()) {
				c.elements(r, at, depth+1)
			}
		}
	}
}

func (c *collector) contents(q Path, at string, depth int) {
	if q.Steps != "" {
		return
	}
	switch root := q.Root.(type) {
	case *ssa.Alloc:
		c.local(root, at, nil, depth)
		c.elements(root, at, depth)
	case *ssa.MakeSlice, *ssa.MakeMap:
		c.elements(root, at, depth)
	case *ssa.Call:
		c.elements(root, at, depth)
		c.appended(root, at, depth)
		c.returned(root, 0, at, depth)
	case *ssa.Extract:
		if call, ok := root.Tuple.(*ssa.Call); ok {
			c.returned(call, root.Index, at, depth)
		}
	}
}

// elements collects values put into the elements of a slice or map. A copy into it adds the
// elements of the source.
func (c *collector) elements(v ssa.Value, at string, depth int) {
	if v.Referrers() == nil || depth > maxParts {
		return
	}
	for _, ref := range *v.Referrers() {
		switch r := ref.(type) {
		case *ssa.MapUpdate:
			if r.Map == v {
				c.collect(r.Value, at+"[]", depth)
			}
		case *ssa.IndexAddr:
			if r.X == v {
				c.storedAt(r, at+"[]", depth)
			}
		case *ssa.Slice:
			if r.X == v {
				c.elements(r, at, depth+1)
			}
		case *ssa.Phi:
			if depth < 3 {
				c.elements(r, at, depth+1)
			}
		case *ssa.Call:
			if from := copied(r, v); from != nil {
				c.elementsOf(from, at, depth)
			}
		}
	}
}

func copied(call *ssa.Call, v ssa.Value) ssa.Value {
	args := call.Call.Args
	if len(args) != 2 || args[0] != v {
		return nil
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "copy" {
		return args[1]
	}
	if CallOf(call).FullName() == "maps.Copy" {
		return args[1]
	}
	return nil
}

// elementsOf adds the targets of the elements of a slice or map: a copy of it shares them.
func (c *collector) elementsOf(v ssa.Value, at string, depth int) {
	elem := elementType(v.Type())
	if elem == nil {
		return
	}
	for _, q := range c.p.Paths(v) {
		c.typed(q.step("[]"), at+"[]", elem, nil, depth)
	}
}

func (c *collector) typed(q Path, at string, t types.Type, load ssa.Instruction, depth int) {
	if ok, _ := c.p.Sendable(t); ok && !IsParam(t) {
		return
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		c.structFields(q, at, s, nil, load, depth)
	} else if Refers(t) || IsParam(t) {
		c.add(q, at, t, load, depth)
	}
}

func elementType(t types.Type) types.Type {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return t.Elem()
	case *types.Map:
		return t.Elem()
	case *types.Array:
		return t.Elem()
	case *types.Pointer:
		if a, ok := t.Elem().Underlying().(*types.Array); ok {
			return a.Elem()
		}
	}
	return nil
}

func (c *collector) appended(call *ssa.Call, at string, depth int) {
	b, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "append" || len(call.Call.Args) < 2 {
		return
	}
	all, written := Variadic(call.Call.Args[1])
	if !written {
		c.elementsOf(call.Call.Args[1], at, depth)
	}
	for _, v := range all {
		c.collect(v, at+"[]", depth)
	}
	// Values appended before are in it as well.
	if before, ok := call.Call.Args[0].(*ssa.Call); ok && depth < maxParts {
		c.appended(before, at, depth+1)
	}
	if phi, ok := call.Call.Args[0].(*ssa.Phi); ok && depth < maxParts {
		for _, e := range phi.Edges {
			if before, ok := e.(*ssa.Call); ok && before != call {
				c.appended(before, at, depth+1)
			}
		}
	}
}

func (c *collector) returned(call *ssa.Call, result int, at string, depth int) {
	known := c.p.CallOf(call)
	for arg, e := range known.With(c.p.SummaryOf(known).Returns) {
		if t := TypeAt(resultType(call, result), e.At); t != nil && e.Result == result && e.At != "" {
			for _, q := range c.p.Paths(arg) {
				c.typed(q.step(e.Steps), at+e.At, t, call, depth)
			}
		}
	}
}

func resultType(call *ssa.Call, n int) types.Type {
	if tuple, ok := call.Type().(*types.Tuple); ok && n < tuple.Len() {
		return tuple.At(n).Type()
	}
	return call.Type()
}

// TypeAt returns the type at the end of steps from a value of a type, or nil.
func TypeAt(t types.Type, steps string) types.Type {
	for t != nil && steps != "" {
		switch steps[0] {
		case '*':
			t, steps = deref(t), steps[1:]
		case '[':
			t, steps = elementType(deref(t)), steps[2:]
		case '.':
			name := steps[1:]
			if n := strings.IndexAny(name, ".[*"); n >= 0 {
				name = name[:n]
			}
			steps = steps[1+len(name):]
			t = fieldType(deref(t), name)
		default:
			return nil
		}
	}
	return t
}

func fieldType(t types.Type, name string) types.Type {
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Name() == name {
				return f.Type()
			}
		}
	}
	return nil
}
