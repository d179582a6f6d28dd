package flow

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Access is an instruction that reads or writes memory which a path leads to.
type Access struct {
	Instr ssa.Instruction
	At    Path
	Write bool
	By    *types.Func // the function that is called and does it, or nil
}

// Accesses returns the reads and writes of a function.
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
	for instr := range Instructions(fn) {
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

func (p *Package) place(addr ssa.Value) []Path {
	switch a := addr.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
		return p.Paths(addr)
	case *ssa.Alloc:
		return []Path{{a, "*"}} // the variable, and not the memory it refers to
	case *ssa.FreeVar:
		if b, ok := p.Bound(a).(*ssa.Alloc); ok {
			return p.place(b)
		}
	}
	return each(p.Paths(addr), "*")
}

// overwrites notes that a slice is kept cut to a shorter one: a later append overwrites the
// elements.
func (p *Package) overwrites(i *ssa.Store, add addAccess) {
	if s, ok := i.Val.(*ssa.Slice); ok && s.High != nil && Is[*types.Slice](s.X.Type()) {
		for _, at := range p.Paths(i.Addr) {
			if slices.Contains(p.Paths(s.X), at) {
				add(i, true, nil, []Path{at.step("[]")})
			}
		}
	}
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
	s := p.SummaryOf(c)
	p.accessByEffects(i, c, s, add)
	if s.Shares && c.static != nil && c.static.Pkg != p.SSA {
		add(i, true, c.Fn, []Path{{c.static, ""}}) // the function stands for the variable
	}
	if strings.HasPrefix(strings.ToLower(c.Name()), "append") {
		for arg := range c.With(s.Returns) {
			if cut, ok := arg.(*ssa.Slice); ok && cut.High != nil {
				add(i, true, c.Fn, each(p.Paths(cut.X), "[]"))
			}
		}
	}
	for _, fn := range p.runs(c) {
		if fn != nil && fn.Parent() != nil {
			p.accessOfLiteral(i, fn, add)
		}
	}
	for _, arg := range c.Args() {
		add(i, false, c.Fn, each(p.Paths(arg), "*"))
	}
}

// accessByEffects adds the accesses of a function to its arguments, and of the methods that it
// calls of a value in an interface.
func (p *Package) accessByEffects(i ssa.CallInstruction, c *Call, s *Summary, add addAccess) {
	args := c.Args()
	for arg, e := range c.With(s.Writes) {
		add(i, true, c.Fn, p.through(each(p.Paths(arg), e.Steps)))
	}
	writes := func(arg ssa.Value, steps string, of *Summary, param int) {
		if of == nil {
			return
		}
		for _, w := range of.Writes {
			if w.Param == param {
				add(i, true, c.Fn, each(each(p.Paths(arg), steps), w.Steps))
			}
		}
	}
	for arg, e := range c.With(s.Hands) {
		if n, _ := strconv.Atoi(e.Method); n < len(args) {
			writes(arg, e.Steps, p.summaries[p.FuncOf(args[n])], e.Result)
		}
	}
	for arg, e := range c.With(s.Calls) {
		if e.Steps != "" {
			arg = p.within(arg, e.Steps)
		}
		t := concrete(p, arg, maxSelf)
		if e.Method == "" || t == nil {
			continue
		}
		m, _, _ := types.LookupFieldOrMethod(t, true, p.Pkg, e.Method)
		if fn, ok := m.(*types.Func); ok {
			writes(arg, "", p.SummaryOfObject(fn.Origin()), 0)
		}
	}
}

// within returns values that the maker of a value has put into it, as a writer into an encoder; or
// nil.
func (p *Package) within(v ssa.Value, steps string) ssa.Value {
	made := MadeBy(v)
	for arg, e := range made.With(p.SummaryOf(made).Returns) {
		if e.At == steps && e.Steps == "" {
			return arg
		}
	}
	return nil
}

// accessOfLiteral adds the accesses of a literal, which a call runs, to memory that is not its own.
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
	all := c.functions(p.SummaryOf(c).Calls)
	if c.API != nil {
		for _, n := range c.API.Sync {
			all = append(all, c.Arg(n))
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
		if s, ok := args[0].(*ssa.Slice); ok && s.High != nil && !isConst(s.Max, 0) {
			add(i, true, nil, each(p.Paths(s.X), "[]"))
		}
		if len(args) > 1 {
			add(i, false, nil, each(p.Paths(args[1]), "[]"))
		}
	}
}
