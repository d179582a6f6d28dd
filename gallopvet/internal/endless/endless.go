// Package endless is rule GV8: behaviours that never return.
package endless

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV8",
	Title: "report behaviours that never return",
	Doc: `While a behaviour runs, its actor handles no other message: a loop without a way out, or one
that waits for a field of the state to change, keeps the actor for ever. A process may loop for ever
if it waits, or calls Gas: otherwise it cannot be ended.`,
	Run: run,
}

// deepest is how many calls are followed from a loop.
const deepest = 3

type checker struct{ *rule.Pass }

func run(p *rule.Pass) {
	c := &checker{p}
	for _, fn := range p.Funcs {
		step := p.InTurn(fn)
		if step == nil || p.Elsewhere(fn) || p.Pinned(step.Turn) || step.Turn.Process && step.Blocking {
			continue
		}
		for head, body := range loops(fn) {
			c.loop(fn, head, body)
		}
	}
}

// loops finds the loops of a function, by the edges that lead back: where each begins, and its
// blocks.
func loops(fn *ssa.Function) map[*ssa.BasicBlock][]*ssa.BasicBlock {
	all := map[*ssa.BasicBlock][]*ssa.BasicBlock{}
	for _, b := range fn.Blocks {
		for _, head := range b.Succs {
			if head.Dominates(b) {
				all[head] = leadingTo(b, append(all[head], head))
			}
		}
	}
	return all
}

func leadingTo(b *ssa.BasicBlock, body []*ssa.BasicBlock) []*ssa.BasicBlock {
	if slices.Contains(body, b) {
		return body
	}
	body = append(body, b)
	for _, p := range b.Preds {
		body = leadingTo(p, body)
	}
	return body
}

func (c *checker) loop(fn *ssa.Function, head *ssa.BasicBlock, body []*ssa.BasicBlock) {
	conds, only := exits(body)
	pos := first(body)
	if !only || c.InTest(pos) {
		return
	}
	process := c.InProcess(fn)
	switch ends := c.mayEnd(body, process, deepest); {
	case process && len(conds) == 0 && !ends:
		c.Reportf(pos, "a loop without a way out, in which the process does no operation: it keeps "+
			"its worker, and cannot be cancelled, so that Stop waits for ever. Call Proc.Gas")
	case process:
	case len(conds) == 0 && !ends:
		c.Reportf(pos, "a loop without a way out: the behaviour never returns, and its actor "+
			"handles nothing else. Do a part, and Yield")
	case len(conds) > 0 && foreseen(body):
		field := ""
		for _, cond := range conds {
			one, ok := c.readsState(fn, cond, body)
			if !ok {
				return
			}
			field += one
		}
		if field != "" {
			c.Reportf(pos, "a loop that waits until %s changes: no other behaviour of the actor runs "+
				"before this one returns. Return, and go on in the behaviour that changes it", field)
		}
	}
}

func first(body []*ssa.BasicBlock) token.Pos {
	at := token.NoPos
	for _, b := range body {
		for _, i := range b.Instrs {
			if p := i.Pos(); p.IsValid() && (at == token.NoPos || p < at) {
				at = p
			}
		}
	}
	return at
}

// exits returns the conditions by which a loop may end. It reports false if it may end otherwise,
// by a return or a panic.
func exits(body []*ssa.BasicBlock) (conds []ssa.Value, only bool) {
	for _, b := range body {
		if len(b.Succs) == 0 {
			return nil, false
		}
		for _, s := range b.Succs {
			end, panics := s.Instrs[len(s.Instrs)-1].(*ssa.Panic)
			if slices.Contains(body, s) || panics && !end.Pos().IsValid() {
				continue // the second one is the block for a select of which no case was chosen
			}
			cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
			if !ok {
				return nil, false
			}
			conds = append(conds, cond.Cond)
		}
	}
	return conds, true
}

// mayEnd reports whether a loop may be ended from within: in a behaviour by Checkpoint, and in a
// process by an operation, as which each call counts that is not known to be none.
func (c *checker) mayEnd(body []*ssa.BasicBlock, process bool, left int) bool {
	for _, b := range body {
		for _, i := range b.Instrs {
			call := c.CallOf(i)
			switch i := i.(type) {
			case *ssa.Panic, *ssa.Defer, *ssa.Send, *ssa.Select:
				if process {
					return true // GV6 reports waits for goroutines better
				}
			case *ssa.UnOp:
				if process && i.Op == token.ARROW {
					return true
				}
			case *ssa.Call:
				_, builtin := i.Call.Value.(*ssa.Builtin)
				if call.Is(api.Checkpoint) || process && !builtin && !c.spins(call, left) {
					return true
				}
			}
		}
	}
	return false
}

// spins reports whether a call is of a function that surely does no operation: one of the library
// that neither ends goroutines nor calls back, or one of the package.
func (c *checker) spins(call *flow.Call, left int) bool {
	if call == nil || call.Fn == nil || call.Fn.Pkg() == nil {
		return false
	}
	if fn := call.Callee(); fn != nil && fn.Pkg == c.SSA && len(fn.Blocks) > 0 && left > 0 {
		return !c.mayEnd(fn.Blocks, true, left-1)
	}
	switch call.Fn.Pkg().Path() {
	case "time", "fmt", "math", "strings", "strconv", "sync", "sync/atomic", "bytes":
		return true
	}
	return call.Fn.FullName() == "runtime.Gosched"
}

// foreseen reports whether all acts of a loop are known: it neither waits for others nor calls
// unknown functions.
func foreseen(body []*ssa.BasicBlock) bool {
	for _, b := range body {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Send, *ssa.Select, *ssa.Go, *ssa.Defer:
				return false
			case *ssa.UnOp:
				if i.Op == token.ARROW {
					return false
				}
			case *ssa.Call:
				_, builtin := i.Call.Value.(*ssa.Builtin)
				call := flow.CallOf(i)
				if !builtin && (call == nil || call.Callee() == nil || call.API != nil) {
					return false
				}
			}
		}
	}
	return true
}

// readsState reports whether a condition of a loop is made of constants alone and fields of the state
// that the loop does not change, and names a field.
func (c *checker) readsState(fn *ssa.Function, v ssa.Value, body []*ssa.BasicBlock) (string, bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return "", true
	case *ssa.BinOp:
		x, ok := c.readsState(fn, v.X, body)
		y, okay := c.readsState(fn, v.Y, body)
		return x + y, ok && okay
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
			return c.readsState(fn, v.Call.Args[0], body)
		}
		if all := c.Results(v.Call.StaticCallee()); len(all) == 1 && v.Parent() == fn {
			return c.readsState(fn, all[0], body)
		}
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return c.readsState(fn, v.X, body)
		}
		at := c.Paths(v.X)
		here := v.Parent() != fn || slices.Contains(body, v.Block())
		if v.Op == token.MUL && here && len(at) == 1 && at[0].Steps != "" {
			state := c.StateOf(at[0])
			changes := func(a *flow.Access) bool {
				at := flow.Path{Root: a.At.Root, Steps: at[0].Steps}
				return a.Write && c.StateOf(a.At) == state && slices.Contains(body, a.Instr.Block()) &&
					(a.At.Within(at) || at.Within(a.At))
			}
			if state != nil && !slices.ContainsFunc(c.Accesses(fn), changes) {
				return state.Name() + at[0].Steps, true
			}
		}
	}
	return "", false
}
