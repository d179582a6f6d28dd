package flow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Part is memory that a value leads to and that is shared when the value is sent.
type Part struct {
	Path
	Type types.Type
	Load ssa.Instruction // where it was read from memory, or nil
}

// maxParts is how deep what is put into new memory is followed.
const maxParts = 3

// Parts returns the memory that is shared when v is sent.
func (p *Package) Parts(v ssa.Value) []Part {
	c := collector{p: p, seen: map[Path]bool{}}
	c.collect(v, 0)
	return c.parts
}

type collector struct {
	p     *Package
	parts []Part
	seen  map[Path]bool
}

func (c *collector) add(q Path, t types.Type, load ssa.Instruction, depth int) {
	if c.seen[q] || len(c.parts) > 32 {
		return
	}
	c.seen[q] = true
	c.parts = append(c.parts, Part{q, t, load})
	if depth < maxParts {
		c.contents(q, depth+1)
	}
}

func (c *collector) collect(v ssa.Value, depth int) {
	if v == nil {
		return
	}
	if ok, _ := c.p.Sendable(v.Type()); ok && !isInterface(v.Type()) {
		return
	}
	v = plainInterface(v)
	if ok, _ := c.p.Sendable(v.Type()); ok {
		return
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
		load := loadOf(v)
		for _, q := range c.p.Paths(v) {
			c.add(q, v.Type(), load, depth)
		}
	case *types.Struct:
		c.fields(v, t, depth)
	}
}

func isInterface(t types.Type) bool {
	_, ok := t.Underlying().(*types.Interface)
	return ok
}

// plainInterface returns what was put into an interface, if that is to be seen.
func plainInterface(v ssa.Value) ssa.Value {
	if m, ok := v.(*ssa.MakeInterface); ok {
		return m.X
	}
	return v
}

// loadOf returns the instruction that reads v from memory, if there is one.
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
	case *ssa.Extract:
		if i, ok := v.Tuple.(ssa.Instruction); ok {
			return i
		}
	}
	return nil
}

// fields collects the parts of a struct that is sent as such.
func (c *collector) fields(v ssa.Value, t *types.Struct, depth int) {
	if depth > maxParts {
		return
	}
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if a, ok := load.X.(*ssa.Alloc); ok {
			c.local(a, depth)
			return
		}
	}
	for _, q := range c.p.Paths(v) {
		c.structFields(q, t, loadOf(v), depth)
	}
}

func (c *collector) structFields(q Path, t *types.Struct, load ssa.Instruction, depth int) {
	for i := range t.NumFields() {
		f := t.Field(i)
		if ok, _ := c.p.Sendable(f.Type()); ok {
			continue
		}
		at := q.step("." + f.Name())
		if s, ok := f.Type().Underlying().(*types.Struct); ok && depth < maxParts {
			c.structFields(at, s, load, depth+1)
			continue
		}
		if refers(f.Type()) {
			c.add(at, f.Type(), load, depth)
		}
	}
}

func refers(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
		return true
	}
	return false
}

// local collects what was put into the fields of a local struct, or into all of it.
func (c *collector) local(a *ssa.Alloc, depth int) {
	for _, ref := range *a.Referrers() {
		switch r := ref.(type) {
		case *ssa.Store:
			if r.Addr == a {
				c.collect(r.Val, depth+1)
			}
		case *ssa.FieldAddr:
			c.storedAt(r, depth)
		}
	}
}

// storedAt collects what was put at an address, and below it.
func (c *collector) storedAt(addr ssa.Value, depth int) {
	if depth > maxParts || addr.Referrers() == nil {
		return
	}
	for _, ref := range *addr.Referrers() {
		switch r := ref.(type) {
		case *ssa.Store:
			if r.Addr == addr {
				c.collect(r.Val, depth+1)
			}
		case *ssa.FieldAddr:
			c.storedAt(r, depth+1)
		case *ssa.IndexAddr:
			if r.X == addr {
				c.storedAt(r, depth+1)
			}
		}
	}
}

// contents collects what was put into new memory.
func (c *collector) contents(q Path, depth int) {
	if q.Steps != "" {
		return
	}
	switch root := q.Root.(type) {
	case *ssa.Alloc:
		c.local(root, depth)
	case *ssa.MakeSlice, *ssa.MakeMap:
		c.elements(root, depth)
	case *ssa.Call:
		c.appended(root, depth)
	}
}

// elements collects what is put into the elements of a slice or map.
func (c *collector) elements(v ssa.Value, depth int) {
	if v.Referrers() == nil {
		return
	}
	for _, ref := range *v.Referrers() {
		switch r := ref.(type) {
		case *ssa.MapUpdate:
			if r.Map == v {
				c.collect(r.Value, depth)
			}
		case *ssa.IndexAddr:
			c.storedAt(r, depth)
		}
	}
}

// appended collects the elements that an append puts into new memory.
func (c *collector) appended(call *ssa.Call, depth int) {
	b, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "append" || len(call.Call.Args) < 2 {
		return
	}
	all, _ := Variadic(call.Call.Args[1])
	for _, v := range all {
		c.collect(v, depth)
	}
}
