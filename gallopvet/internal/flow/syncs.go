package flow

import (
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
)

// Syncs reports whether an instruction waits for other goroutines or for a system, or takes a lock,
// so that their earlier acts are over and visible.
func (p *Package) Syncs(i ssa.Instruction) bool {
	if p.Joins(i) {
		return true
	}
	call, ok := i.(*ssa.Call)
	if !ok {
		return false
	}
	c := p.CallOf(call)
	switch c.FullName() {
	case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock", "(*sync.RWMutex).RLock":
		return true
	}
	return p.SummaryOf(c).Syncs
}

// Joins reports whether an instruction waits for others to be done.
func (p *Package) Joins(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Select:
		return i.Blocking
	case *ssa.Call:
		return p.joinsCall(p.CallOf(i))
	}
	return false
}

func (p *Package) joinsCall(c *Call) bool {
	if c != nil && c.API != nil {
		return c.API.Waits || c.API.Syncs || slices.ContainsFunc(c.API.Sync, func(n int) bool {
			fn := p.FuncOf(c.Arg(n))
			return fn != nil && (joins[fn.RelString(nil)] || p.summaries[fn] != nil && p.summaries[fn].Joins)
		})
	}
	return joins[c.FullName()] || p.SummaryOf(c).Joins
}

var joins = api.Names(`
	(*sync.WaitGroup).Wait (*sync.Cond).Wait testing/synctest.Wait (*golang.org/x/sync/errgroup.Group).Wait`)

// Waited reports whether the function that starts another with an instruction waits, on every path,
// until others are done, or all that call it do.
func (p *Package) Waited(by ssa.Instruction) bool {
	switch by.(type) {
	case *ssa.Go, *ssa.Call:
	default:
		return false
	}
	for instr := range Instructions(by.Parent()) {
		if d, ok := instr.(*ssa.Defer); ok && p.joinsCall(p.CallOf(d)) && Dominates(d, by) {
			return true
		}
	}
	w := Walk{Stop: p.Joins}
	callers := p.CallersOf(by.Parent())
	return !w.Ends(by) || len(callers) > 0 && !slices.ContainsFunc(callers, func(c *Call) bool {
		_, now := c.Instr.(*ssa.Call)
		return !now || w.Ends(c.Instr)
	})
}

// Locks reports whether a function takes a lock: then it is no accident that it shares something.
func (p *Package) Locks(fn *ssa.Function) bool {
	for _, c := range p.calls[fn] {
		if c.Fn != nil && (c.Fn.Name() == "Lock" || c.Fn.Name() == "RLock" || c.Fn.Name() == "TryLock") {
			return true
		}
	}
	return false
}

// guardedBy is how many calls a lock is looked for before a function.
const (
	guardedBy   = 3
	manyCallers = 8 // of more, not all are looked at
)

// Guarded reports whether a function is guarded: it takes a lock, runs within Do of a sync.Once, or
// is called only by functions of the package that are guarded.
func (p *Package) Guarded(fn *ssa.Function) bool {
	is, ok := p.guards[fn]
	if !ok {
		is = p.guarded(fn, guardedBy)
		p.guards[fn] = is
	}
	return is
}

func (p *Package) guarded(fn *ssa.Function, left int) bool {
	if p.Locks(fn) {
		return true
	}
	if left == 0 {
		return false
	}
	if fn.Parent() != nil && p.async[fn] == nil {
		if by := p.givenTo(fn); by != nil {
			return isOnce(by) || p.Locks(p.unwrap(by.static)) || p.guarded(by.Instr.Parent(), left-1)
		}
		return p.guarded(fn.Parent(), left-1)
	}
	callers := p.CallersOf(fn)
	if obj := fn.Object(); len(callers) == 0 || len(callers) > manyCallers || obj == nil || obj.Exported() {
		return false
	}
	for _, c := range callers {
		if _, isGo := c.Instr.(*ssa.Go); isGo || !isOnce(c) && !p.guarded(c.Instr.Parent(), left-1) {
			return false
		}
	}
	return true
}

// isOnce reports whether a call runs its function once, and all others wait for that.
func isOnce(c *Call) bool {
	switch c.FullName() {
	case "(*sync.Once).Do", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues":
		return true
	}
	return c.Is("process.Once.Do")
}

func (p *Package) givenTo(fn *ssa.Function) *Call {
	if p.given == nil {
		p.given = map[*ssa.Function]*Call{}
		for c := range p.AllCalls() {
			for _, arg := range c.Args() {
				if f := literal(arg); f != nil {
					p.given[f] = c
				}
			}
		}
	}
	return p.given[fn]
}

// CallersOf returns the calls of a function in the package. A call of a function like Do of a
// sync.Once counts as one of the function that it is given.
func (p *Package) CallersOf(fn *ssa.Function) []*Call {
	if p.callers == nil {
		p.callers = map[*ssa.Function][]*Call{}
		for c := range p.AllCalls() {
			if callee := p.unwrap(c.static); callee != nil {
				p.callers[callee] = append(p.callers[callee], c)
			}
			for _, arg := range c.Args() {
				if Is[*types.Signature](arg.Type()) {
					if callee := p.FuncOf(arg); callee != nil && callee.Parent() == nil {
						p.callers[callee] = append(p.callers[callee], c)
					}
				}
			}
		}
	}
	return p.callers[fn]
}

// Given yields the arguments of the package's calls for a parameter of a function.
func (p *Package) Given(param *ssa.Parameter) iter.Seq2[*Call, ssa.Value] {
	return func(yield func(*Call, ssa.Value) bool) {
		fn := param.Parent()
		for _, c := range p.CallersOf(fn) {
			args := c.Args()
			if p.unwrap(c.static) == fn && len(args) == len(fn.Params) && !yield(c, args[slices.Index(fn.Params, param)]) {
				return
			}
		}
	}
}

// DuringInit reports whether a function runs only while packages are initialized.
func (p *Package) DuringInit(fn *ssa.Function) bool { return p.duringInit(fn, guardedBy) }

func (p *Package) duringInit(fn *ssa.Function, left int) bool {
	if fn.Parent() == nil && (fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#")) {
		return true
	}
	obj := fn.Object()
	callers := p.CallersOf(fn)
	if left == 0 || len(callers) == 0 || len(callers) > manyCallers || p.inTurn[fn] != nil ||
		p.async[fn] != nil || fn.Parent() == nil && (obj == nil || obj.Exported()) {
		return false
	}
	for _, c := range callers {
		if !p.duringInit(c.Instr.Parent(), left-1) {
			return false
		}
	}
	return true
}

// Sites returns the calls that run a literal before they return.
func (p *Package) Sites(fn *ssa.Function) []ssa.Instruction {
	if fn.Parent() == nil || p.async[fn] != nil {
		return nil
	}
	var all []ssa.Instruction
	for _, c := range p.CallersOf(fn) {
		if _, isGo := c.Instr.(*ssa.Go); !isGo {
			all = append(all, c.Instr)
		}
	}
	if c := p.givenTo(fn); c != nil {
		for _, arg := range p.ranArguments(c) {
			if p.FuncOf(arg) == fn {
				all = append(all, c.Instr)
			}
		}
	}
	return all
}
