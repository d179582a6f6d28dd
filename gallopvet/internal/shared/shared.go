// Package shared is rule GV9: variables that turns share without a message.
package shared

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV9",
	Title: "report variables that turns write to and share without a message",
	Doc: `A behaviour, an interceptor or a process writes to a package-level variable, or to one that
it has captured, without a lock or an atomic operation, and another turn may use it at the same time.`,
	Run: run,
}

type checker struct {
	*rule.Pass
	said   map[ssa.Value]bool
	spawns map[*types.TypeName][]spawn
}

func run(p *rule.Pass) {
	c := &checker{p, map[ssa.Value]bool{}, map[*types.TypeName][]spawn{}}
	c.findSpawns()
	for _, fn := range p.Funcs {
		step := p.InTurn(fn)
		if step == nil || p.Guarded(fn) || p.Elsewhere(fn) {
			continue
		}
		for _, a := range p.Accesses(fn) {
			if a.Write && c.isShared(a, step.Turn) {
				c.write(a, step.Turn)
			}
		}
	}
}

func (c *checker) isShared(a *flow.Access, t *flow.Turn) bool {
	if c.said[a.At.Root] || c.InTest(a.Instr.Pos()) || flow.OwnElement(a.Instr) {
		return false
	}
	if st, ok := a.Instr.(*ssa.Store); ok && (c.IsState(st.Val.Type()) ||
		api.TypeName(flow.Plain(st.Val).Type()) == api.Context) {
		return false // that is worse, and rule GV4
	}
	if c.Shares(a) {
		return true
	}
	parent := a.At.Root.Parent()
	if parent == nil || c.StateOf(a.At) != nil || flow.Inside(a.At.Root, t.Fn) {
		return false
	}
	// Captured: the function is one of the turn's own literals.
	for fn := a.Instr.Parent(); fn != nil; fn = fn.Parent() {
		if fn == t.Fn {
			return t.Fn.Parent() != nil
		}
	}
	return false
}

func (c *checker) write(a *flow.Access, t *flow.Turn) {
	switch other, many := c.other(a, t), c.many(a, t); {
	case many:
		c.report(a, token.NoPos, "several of these turns may run at the same time")
	case other != nil:
		c.report(a, other.Instr.Pos(), "and is used elsewhere at the same time")
	}
}

func (c *checker) report(a *flow.Access, other token.Pos, why string) {
	c.said[a.At.Root] = true
	pos := a.Instr.Pos()
	f := rule.Finding{Pos: pos, Message: name(a.At.Root) + " is written to in a turn, without a lock, " + why}
	if other.IsValid() {
		f.Message += " (" + c.Where(other, pos) + ")"
		f.Related = rule.Related(other, "it is used here")
	}
	f.Message += ": they may race. Keep it in the state of one actor, or use sync/atomic or a lock"
	c.Report(f)
}

func name(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Global:
		return v.Name()
	case *ssa.Parameter:
		return v.Name()
	case *ssa.Function:
		return "a variable that " + v.RelString(nil) + " uses"
	case *ssa.Alloc:
		if v.Comment != "" && v.Comment != "complit" && v.Comment != "new" {
			return v.Comment
		}
	}
	return "a captured variable"
}

// other returns an access to the same memory that may be made while the turn runs: in the turn of
// another type or process, or by the function that has started it, before it waits.
func (c *checker) other(a *flow.Access, t *flow.Turn) *flow.Access {
	for _, fn := range c.Funcs {
		if c.Guarded(fn) || c.DuringInit(fn) {
			continue
		}
		step := c.InTurn(fn)
		for _, o := range c.Accesses(fn) {
			if o.At.Root != a.At.Root || !o.At.Within(a.At) && !a.At.Within(o.At) || o.Instr == a.Instr ||
				flow.OwnElement(o.Instr) || !o.Instr.Pos().IsValid() {
				continue
			}
			if step != nil && !c.Elsewhere(fn) {
				if !same(step.Turn, t) && !step.Turn.Start {
					return o
				}
				continue
			}
			if step == nil && c.started(o, t) {
				return o
			}
		}
	}
	return nil
}

// same reports whether two turns never run at the same time unless there are several actors.
func same(a, b *flow.Turn) bool {
	if a == b {
		return true
	}
	return a.StateType() != nil && a.StateType() == b.StateType()
}

// started reports whether an access comes after a call by which turns begin to run, in the same
// function, with no wait in between.
func (c *checker) started(o *flow.Access, t *flow.Turn) bool {
	fn := o.Instr.Parent()
	w := flow.Walk{Stop: c.Joins}
	for _, call := range c.Calls(fn) {
		if call.API == nil || !(call.API.Role == api.Spawn || call.API.Process || call.API.Payload != 0) {
			continue
		}
		if call.API.Process != t.Process || call.API.Process && c.FuncOf(call.Arg(call.API.Turn)) != t.Fn {
			continue
		}
		if w.Reaches(call.Instr, o.Instr) {
			return true
		}
	}
	return false
}

// many reports whether a turn may run several times at once, for one and the same variable.
func (c *checker) many(a *flow.Access, t *flow.Turn) bool {
	root, _ := a.At.Root.(ssa.Instruction)
	switch {
	case t.Interceptor:
		return true
	case t.Process:
		by := c.Async(t.Fn)
		if by == nil {
			return false
		}
		w := flow.Walk{Stop: func(i ssa.Instruction) bool { return root != nil && i == root || c.Joins(i) }}
		return w.Reaches(by, by) || root == nil && c.InTurn(by.Parent()) == nil && !c.once(by.Parent(), 3)
	}
	state := t.StateType()
	if state == nil {
		return false
	}
	sites := c.spawns[state]
	if len(sites) == 0 {
		return a.At.Root.Parent() == nil // it is spawned by other packages
	}
	if len(sites) > 1 {
		return true
	}
	return sites[0].many || !c.onceAt(sites[0].at, root, 3)
}

// spawn is a place where an actor of a type is made.
type spawn struct {
	at   ssa.Instruction
	many bool
}

func (c *checker) findSpawns() {
	for _, fn := range c.Funcs {
		for i := range flow.Instructions(fn) {
			call := flow.CallOf(i)
			if call != nil && call.API != nil && call.API.Role == api.Spawn {
				c.noteSpawn(call.Arg(api.Recv).Type(), i, false)
			} else if a, ok := i.(*ssa.Alloc); ok {
				if t := api.TypeName(a.Type()); t == "supervise.Worker" || t == "group.MemberSpec" {
					c.noteSpawn(a.Type(), a, t == "group.MemberSpec")
				}
			}
		}
	}
}

func (c *checker) noteSpawn(t types.Type, at ssa.Instruction, many bool) {
	if args := api.TypeArgs(t); len(args) > 0 {
		state := flow.TypeName(args[0])
		c.spawns[state] = append(c.spawns[state], spawn{at, many})
	}
}

// onceAt reports whether an instruction runs once, as far as is seen: not in a loop, not in a turn,
// and in a function that is called once.
func (c *checker) onceAt(at, root ssa.Instruction, left int) bool {
	w := flow.Walk{Stop: func(i ssa.Instruction) bool { return root != nil && i == root }}
	return !w.Reaches(at, at) && c.once(at.Parent(), left)
}

func (c *checker) once(fn *ssa.Function, left int) bool {
	if c.InTurn(fn) != nil || left == 0 {
		return c.InTurn(fn) == nil
	}
	callers := c.CallersOf(fn)
	switch {
	case fn.Parent() != nil:
		return len(callers) <= 1 && c.once(fn.Parent(), left-1)
	case len(callers) == 0:
		return true
	case len(callers) > 1:
		return false
	}
	return c.onceAt(callers[0].Instr, nil, left-1)
}
