package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Access is an instruction that reads or writes memory which a path leads to.
type Access struct {
	Instr ssa.Instruction
	At    Path
	Write bool
	By    *types.Func // the function that is called and does it, or nil
}

// Accesses returns what a function reads and writes.
func (p *Package) Accesses(fn *ssa.Function) []*Access {
	if known, ok := p.accesses[fn]; ok {
		return known
	}
	p.accesses[fn] = nil
	var all []*Access
	add := func(instr ssa.Instruction, write bool, by *types.Func, at []Path) {
		for _, q := range at {
			all = append(all, &Access{instr, q, write, by})
		}
	}
	for instr := range instructions(fn) {
		p.access(instr, add)
	}
	p.accesses[fn] = all
	return all
}

type addAccess func(instr ssa.Instruction, write bool, by *types.Func, at []Path)

func (p *Package) access(instr ssa.Instruction, add addAccess) {
	switch i := instr.(type) {
	case *ssa.Store:
		add(i, true, nil, p.place(i.Addr))
		p.overwrites(i, add)
	case *ssa.MapUpdate:
		add(i, true, nil, each(p.Paths(i.Map), "[]"))
	case *ssa.UnOp:
		if i.Op.String() == "*" {
			add(i, false, nil, p.place(i.X))
		}
	case *ssa.Lookup:
		add(i, false, nil, each(p.Paths(i.X), "[]"))
	case *ssa.Next:
		add(i, false, nil, each(p.Paths(i.Iter), "[]"))
	case ssa.CallInstruction:
		p.accessOfCall(i, add)
	}
}

// place returns where the memory is that an address leads to.
func (p *Package) place(addr ssa.Value) []Path {
	switch a := addr.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
		return p.Paths(addr)
	case *ssa.Alloc:
		if isVariable(a) {
			return nil // the variable, and not what it refers to
		}
		return []Path{{a, "*"}}
	case *ssa.FreeVar:
		if b, ok := p.Bound(a).(*ssa.Alloc); ok {
			return p.place(b)
		}
	}
	return each(p.Paths(addr), "*")
}

// overwrites notes that a slice is kept cut to a shorter one: what is appended to that
// overwrites the elements.
func (p *Package) overwrites(i *ssa.Store, add addAccess) {
	if s, ok := i.Val.(*ssa.Slice); ok && s.High != nil && isSlice(s.X.Type()) {
		for _, at := range p.Paths(i.Addr) {
			if contains(p.Paths(s.X), at) {
				add(i, true, nil, []Path{at.step("[]")})
			}
		}
	}
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func (p *Package) accessOfCall(i ssa.CallInstruction, add addAccess) {
	if b, ok := i.Common().Value.(*ssa.Builtin); ok {
		p.accessOfBuiltin(i, b.Name(), add)
		return
	}
	c := CallOf(i)
	if c == nil {
		for _, arg := range i.Common().Args {
			add(i, false, nil, each(p.Paths(arg), "*"))
		}
		return
	}
	args := i.Common().Args
	if c.API == nil {
		for _, n := range writesArguments(c.Fn) {
			if n < len(args) {
				add(i, true, c.Fn, each(p.Paths(args[n]), "[]"))
			}
		}
		if s := p.SummaryOf(c); s != nil {
			for _, e := range s.Writes {
				if e.Param < len(args) {
					add(i, true, c.Fn, each(p.Paths(args[e.Param]), e.Steps))
				}
			}
		}
	}
	for _, arg := range args {
		add(i, false, c.Fn, each(p.Paths(arg), "*"))
	}
}

func (p *Package) accessOfBuiltin(i ssa.CallInstruction, name string, add addAccess) {
	args := i.Common().Args
	switch name {
	case "copy":
		add(i, true, nil, each(p.Paths(args[0]), "[]"))
		add(i, false, nil, each(p.Paths(args[1]), "[]"))
	case "delete", "clear":
		add(i, true, nil, each(p.Paths(args[0]), "[]"))
	case "append":
		if s, ok := args[0].(*ssa.Slice); ok && s.High != nil {
			add(i, true, nil, each(p.Paths(s.X), "[]"))
		}
		if len(args) > 1 {
			add(i, false, nil, each(p.Paths(args[1]), "[]"))
		}
	}
}

// writesArguments lists the arguments, from 0, to which a function of the library writes.
func writesArguments(fn *types.Func) []int {
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	switch fn.Pkg().Path() {
	case "sort":
		switch fn.Name() {
		case "Slice", "SliceStable", "Sort", "Stable", "Ints", "Strings", "Float64s":
			return []int{0}
		}
	case "slices":
		switch fn.Name() {
		case "Sort", "SortFunc", "SortStableFunc", "Reverse", "Delete", "DeleteFunc", "Compact",
			"CompactFunc", "Replace":
			return []int{0}
		}
	case "maps":
		if fn.Name() == "Copy" || fn.Name() == "DeleteFunc" || fn.Name() == "Insert" {
			return []int{0}
		}
	case "io":
		if fn.Name() == "ReadFull" || fn.Name() == "ReadAtLeast" {
			return []int{1}
		}
	case "encoding/json":
		if fn.Name() == "Unmarshal" {
			return []int{1}
		}
	}
	return writesReceiver(fn)
}

// writesReceiver lists methods of the library that change their receiver.
func writesReceiver(fn *types.Func) []int {
	switch fn.FullName() {
	case "(*bytes.Buffer).Write", "(*bytes.Buffer).WriteString", "(*bytes.Buffer).WriteByte",
		"(*bytes.Buffer).WriteRune", "(*bytes.Buffer).Reset", "(*bytes.Buffer).Truncate",
		"(*bytes.Buffer).Read", "(*bytes.Buffer).ReadByte", "(*bytes.Buffer).ReadFrom",
		"(*strings.Builder).WriteString", "(*strings.Builder).WriteByte",
		"(*strings.Builder).Reset", "(*math/big.Int).Add", "(*math/big.Int).Set",
		"(*math/big.Int).Mul", "(*math/big.Int).Sub", "(*container/list.List).PushBack",
		"(*container/list.List).PushFront", "(*container/list.List).Remove",
		"(*container/list.List).Init", "(net/http.Header).Set", "(net/http.Header).Add",
		"(net/http.Header).Del", "(net/url.Values).Set", "(net/url.Values).Add",
		"(net/url.Values).Del", "(*math/rand.Rand).Intn", "(*math/rand.Rand).Int",
		"(*math/rand.Rand).Float64", "(*math/rand/v2.Rand).IntN":
		return []int{0}
	}
	return nil
}
