package flow

import (
	"go/types"
	"strconv"

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
		return []Path{{a, "*"}} // the variable, and not what it refers to
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
	if _, isGo := i.(*ssa.Go); isGo {
		return // it is the goroutine that does it
	}
	c := p.CallOf(i)
	if c == nil {
		for _, arg := range i.Common().Args {
			add(i, false, nil, each(p.Paths(arg), "*"))
		}
		return
	}
	args := c.Args()
	if c.API == nil {
		if s := p.SummaryOf(c); s != nil {
			p.accessByEffects(i, c.Fn, args, s, add)
		}
		if fn := p.unwrap(c.static); fn != nil && fn.Parent() != nil {
			p.accessOfLiteral(i, fn, add)
		}
	}
	for _, n := range p.ranArguments(c) {
		if fn := p.FuncOf(n); fn != nil && fn.Parent() != nil {
			p.accessOfLiteral(i, fn, add)
		}
	}
	for _, arg := range args {
		add(i, false, c.Fn, each(p.Paths(arg), "*"))
	}
}

// accessByEffects adds what a function does with its arguments, and what the methods do that it
// calls of what is in an interface.
func (p *Package) accessByEffects(i ssa.CallInstruction, by *types.Func, args []ssa.Value,
	s *Summary, add addAccess,
) {
	for _, e := range s.Writes {
		if e.Param < len(args) {
			add(i, true, by, each(p.Paths(args[e.Param]), e.Steps))
		}
	}
	for _, e := range s.Hands {
		n, _ := strconv.Atoi(e.Method)
		if n >= len(args) || e.Param >= len(args) {
			continue
		}
		of := p.summaries[p.FuncOf(args[n])]
		if of == nil {
			continue
		}
		for _, w := range of.Writes {
			if w.Param == e.Result {
				add(i, true, by, each(each(p.Paths(args[e.Param]), e.Steps), w.Steps))
			}
		}
	}
	for _, e := range s.Calls {
		if e.Method == "" || e.Steps != "" || e.Param >= len(args) {
			continue
		}
		t := concrete(p, args[e.Param], maxSelf)
		if t == nil {
			continue
		}
		m, _, _ := types.LookupFieldOrMethod(t, true, p.Pkg, e.Method)
		fn, ok := m.(*types.Func)
		if !ok {
			continue
		}
		if of := p.SummaryOfObject(fn.Origin()); of != nil {
			for _, w := range of.Writes {
				if w.Param == 0 {
					add(i, true, by, each(p.Paths(args[e.Param]), w.Steps))
				}
			}
		}
	}
}

// accessOfLiteral adds what a literal does, that a call runs, with what is not its own.
func (p *Package) accessOfLiteral(i ssa.CallInstruction, fn *ssa.Function, add addAccess) {
	if p.async[fn] != nil && !p.Waited(p.async[fn]) || p.Guarded(fn) {
		return
	}
	for _, a := range p.Accesses(fn) {
		if a.At.Root.Parent() != nil && !Inside(a.At.Root, fn) {
			add(i, a.Write, nil, []Path{a.At})
		}
	}
}

// ranArguments returns the arguments of a call that are functions and run before it returns.
func (p *Package) ranArguments(c *Call) []ssa.Value {
	var all []ssa.Value
	if c.API != nil {
		for _, n := range c.API.Sync {
			all = append(all, c.Arg(n))
		}
		return all
	}
	args := c.Args()
	if runsArgument(c.Fn) {
		for _, arg := range args {
			if isFunc(arg.Type()) {
				all = append(all, arg)
			}
		}
		return all
	}
	if s := p.SummaryOf(c); s != nil {
		for _, e := range s.Calls {
			if e.Param < len(args) && e.Steps == "" && e.Method == "" && isFunc(args[e.Param].Type()) {
				all = append(all, args[e.Param])
			}
		}
	}
	return all
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
