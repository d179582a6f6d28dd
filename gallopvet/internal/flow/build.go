// Package flow gives the rules their view of a package: its SSA form, the functions that run in
// turns, the origins of values, and the effects of functions on their arguments.
package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// Analyzer builds a [Package] for each package that imports gallop, and facts about its functions.
var Analyzer = &analysis.Analyzer{
	Name:       "gallopflow",
	Doc:        "build what the rules of gallopvet look at",
	Run:        run,
	ResultType: reflect.TypeFor[*Package](),
	FactTypes:  []analysis.Fact{new(Summary), new(Receiver), new(Mark)},
}

// Everything makes the rules look at packages that do not import gallop, and at Go's library, too:
// for tests.
var Everything bool

// Package is one package, seen by the rules.
type Package struct {
	*analysis.Pass
	// Lock is held by the running rule: the package's knowledge is computed while it is asked, and
	// drivers run rules side by side.
	Lock  sync.Mutex
	SSA   *ssa.Package
	Funcs []*ssa.Function // with bodies, literals too; in the order of the source
	Turns []*Turn

	inTurn       map[*ssa.Function]*Step
	behaviours   map[*ssa.Global][]*ssa.Function
	states       map[*types.TypeName]bool
	turnAccesses map[*types.TypeName][]*Access
	closures     map[*ssa.Function]*ssa.MakeClosure
	async        map[*ssa.Function]ssa.Instruction
	summaries    map[*ssa.Function]*Summary
	accesses     map[*ssa.Function][]*Access
	calls        map[*ssa.Function][]*Call
	stores       map[*ssa.Alloc][]*ssa.Store // into local variables
	fields       map[*ssa.Alloc][]*ssa.Store // into their fields
	paths        map[ssa.Value][]Path
	visiting     map[ssa.Value]bool // in Paths
	cut          bool               // in Paths: a result lacks the part that a cycle adds
	looked       int                // in Paths: how many values for this one
	marks        map[*types.TypeName]Mark
	callAt       map[ssa.Instruction]*Call
	implements   map[*types.TypeName]types.Type
	reasons      map[types.Type]*Reason
	guards       map[*ssa.Function]bool
	foreign      map[*types.Func]*Summary
	given        map[*ssa.Function]*Call
	callers      map[*ssa.Function][]*Call
	held         map[*types.Var][]ssa.Value // values put into fields: see isHeld
	cuts         map[ssa.Value]string       // which limit was met at them
}

// Relevant reports whether there is anything to look at in the package.
func (p *Package) Relevant() bool { return p.SSA != nil && (Everything || api.Uses(p.Pkg)) }

func run(pass *analysis.Pass) (any, error) {
	p := &Package{Pass: pass}
	if !Everything && (inLibrary(pass.Pkg) || len(pass.Files) == 0 || pass.Pkg.Name() == "unsafe") {
		return p, nil
	}
	p.build()
	p.findMarks()
	p.findTurns()
	p.summarise()
	p.startedByOthers()
	return p, nil
}

// build makes the SSA form, as package buildssa does, but not of the library: its facts are in a
// table.
func (p *Package) build() {
	prog := ssa.NewProgram(p.Fset, 0)
	prog.SetNoReturn(neverReturns)
	for _, imported := range p.Pkg.Imports() {
		prog.CreatePackage(imported, nil, nil, true)
	}
	p.SSA = prog.CreatePackage(p.Pkg, p.Files, p.TypesInfo, false)
	p.SSA.Build()
	p.Funcs = p.functions()
	p.calls = map[*ssa.Function][]*Call{}
	p.callAt = map[ssa.Instruction]*Call{}
	p.implements = map[*types.TypeName]types.Type{}
	p.held = map[*types.Var][]ssa.Value{}
	p.reasons = map[types.Type]*Reason{}
	p.guards = map[*ssa.Function]bool{}
	p.foreign = map[*types.Func]*Summary{}
	p.cuts = map[ssa.Value]string{}
	p.closures = map[*ssa.Function]*ssa.MakeClosure{}
	p.fields = map[*ssa.Alloc][]*ssa.Store{}
	p.stores = map[*ssa.Alloc][]*ssa.Store{}
	p.forget()
	for _, fn := range p.Funcs {
		for instr := range Instructions(fn) {
			switch i := instr.(type) {
			case *ssa.Store:
				p.noteStore(i)
			case *ssa.MakeClosure:
				p.closures[i.Fn.(*ssa.Function)] = i
			}
		}
	}
	for _, fn := range p.Funcs {
		for instr := range Instructions(fn) {
			if c := p.CallOf(instr); c != nil {
				p.calls[fn] = append(p.calls[fn], c)
			}
		}
	}
}

func (p *Package) cutAt(v ssa.Value, limit string) { p.cuts[v] = limit }

// Cuts says where limits were met, and which.
func (p *Package) Cuts() map[token.Pos]string {
	all := map[token.Pos]string{}
	for v, limit := range p.cuts {
		if v.Pos().IsValid() {
			all[v.Pos()] = limit
		}
	}
	return all
}

// forget makes [Package.Paths] and [Package.Accesses] look again, since more is known of functions now.
func (p *Package) forget() {
	p.accesses = map[*ssa.Function][]*Access{}
	p.paths = map[ssa.Value][]Path{}
	p.visiting = map[ssa.Value]bool{}
}

func (p *Package) functions() []*ssa.Function {
	var all []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		if fn == nil || len(fn.Blocks) == 0 {
			return
		}
		all = append(all, fn)
		for _, anon := range fn.AnonFuncs {
			add(anon)
		}
	}
	add(p.SSA.Func("init"))
	for _, file := range p.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				obj, _ := p.TypesInfo.Defs[d.Name].(*types.Func)
				add(p.SSA.Prog.FuncValue(obj))
			}
		}
	}
	return all
}

func neverReturns(fn *types.Func) bool {
	switch fn.FullName() {
	case "os.Exit", "runtime.Goexit", "log.Fatal", "log.Fatalf", "log.Fatalln",
		"(*testing.common).Fatal", "(*testing.common).Fatalf", "(*testing.common).FailNow",
		"(*testing.common).Skip", "(*testing.common).Skipf", "(*testing.common).SkipNow",
		"(testing.TB).Fatal", "(testing.TB).Fatalf":
		return true
	}
	return false
}

// Instructions yields the instructions of a function.
func Instructions(fn *ssa.Function) func(func(ssa.Instruction) bool) {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !yield(i) {
					return
				}
			}
		}
	}
}

func (p *Package) noteStore(s *ssa.Store) {
	switch at := s.Addr.(type) {
	case *ssa.Alloc:
		p.stores[at] = append(p.stores[at], s)
	case *ssa.FieldAddr:
		if a := variable(at); a != nil {
			p.fields[a] = append(p.fields[a], s)
		}
		if f := fieldVar(at); f != nil && isHeld(s.Val.Type()) {
			p.held[f] = append(p.held[f], s.Val)
		}
	}
}

func variable(at *ssa.FieldAddr) *ssa.Alloc {
	for {
		outer, ok := at.X.(*ssa.FieldAddr)
		if !ok {
			a, _ := at.X.(*ssa.Alloc)
			return a
		}
		at = outer
	}
}

// isHeld reports whether values put into fields of a type are noted.
func isHeld(t types.Type) bool {
	name := api.TypeName(t)
	return Is[*types.Signature](t) || Is[*types.Chan](t) || name == api.Handler || name == api.System
}

// Held returns the functions, channels, handlers or systems that the package puts into a field.
func (p *Package) Held(at *ssa.FieldAddr) []ssa.Value { return p.held[fieldVar(at)] }

func fieldVar(at *ssa.FieldAddr) *types.Var {
	s, ok := deref(at.X.Type()).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	return s.Field(at.Field).Origin()
}

// Stored returns the value that an instruction puts into memory, the place, and the step from
// there; a nil place is a channel. For other instructions it returns nil.
func Stored(instr ssa.Instruction) (at, v ssa.Value, step string) {
	switch i := instr.(type) {
	case *ssa.Store:
		return i.Addr, i.Val, ""
	case *ssa.MapUpdate:
		return i.Map, i.Value, "[]"
	case *ssa.Send:
		return nil, i.X, ""
	}
	return nil, nil, ""
}

// Only returns the value of a local variable that was set once, or nil.
func (p *Package) Only(v ssa.Value) ssa.Value {
	if a, ok := v.(*ssa.Alloc); ok && len(p.stores[a]) == 1 {
		return p.stores[a][0].Val
	}
	return nil
}

// Fields returns a value, and the values put into its fields if it is a struct made here.
func (p *Package) Fields(v ssa.Value) []ssa.Value {
	all := []ssa.Value{v}
	if load, ok := v.(*ssa.UnOp); ok {
		if a, ok := load.X.(*ssa.Alloc); ok {
			for _, st := range p.fields[a] {
				all = append(all, st.Val)
			}
		}
	}
	return all
}

// Is reports whether the underlying type of t is a T.
func Is[T types.Type](t types.Type) bool {
	_, ok := t.Underlying().(T)
	return ok
}

// IsParam reports whether a type is a type parameter.
func IsParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// Refers reports whether values of a type refer to memory of their own.
func Refers(t types.Type) bool {
	return Is[*types.Pointer](t) || Is[*types.Slice](t) || Is[*types.Map](t)
}

// Closure returns where a function literal that captures something is made, or nil.
func (p *Package) Closure(fn *ssa.Function) *ssa.MakeClosure { return p.closures[fn] }

// Bound returns the captured variable in the function that makes the closure, or nil.
func (p *Package) Bound(v *ssa.FreeVar) ssa.Value {
	m := p.closures[v.Parent()]
	if m == nil {
		return nil
	}
	for i, free := range v.Parent().FreeVars {
		if free == v {
			return m.Bindings[i]
		}
	}
	return nil
}
