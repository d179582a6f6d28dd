// Package endless is rule GV8: behaviours that never return.
package endless

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
)

// Rule is the rule.
var Rule = &rule.Rule{
	ID:    "GV8",
	Title: "report behaviours that never return",
	Doc: `While a behaviour runs, its actor handles no other message. A loop without a way out keeps
the actor for ever. So does a loop that waits for a field of the state to change: only another
behaviour could change it, and that waits for this one. A process may loop for ever if it waits, or
calls Gas: otherwise it cannot be ended.`,
	Run: run,
}

type checker struct{ *rule.Pass }

func run(p *rule.Pass) {
	c := &checker{p}
	for _, fn := range p.Funcs {
		step := p.InTurn(fn)
		inBlocking := step != nil && step.Turn.Process && step.Blocking
		if step == nil || p.Elsewhere(fn) || p.Pinned(step.Turn) || inBlocking {
			continue
		}
		for _, l := range loops(fn) {
			c.loop(l)
		}
	}
}

// loop is a loop of a function: where it begins, and all of its blocks.
type loop struct {
	head *ssa.BasicBlock
	body map[*ssa.BasicBlock]bool
}

// loops finds the loops of a function, by the edges that lead back.
func loops(fn *ssa.Function) []*loop {
	byHead := map[*ssa.BasicBlock]*loop{}
	var all []*loop
	for _, b := range fn.Blocks {
		for _, head := range b.Succs {
			if !head.Dominates(b) {
				continue
			}
			l := byHead[head]
			if l == nil {
				l = &loop{head, map[*ssa.BasicBlock]bool{head: true}}
				byHead[head] = l
				all = append(all, l)
			}
			l.add(b)
		}
	}
	return all
}

// add adds a block, and those that lead to it within the loop.
func (l *loop) add(b *ssa.BasicBlock) {
	if l.body[b] {
		return
	}
	l.body[b] = true
	for _, p := range b.Preds {
		l.add(p)
	}
}

// pos returns where a loop is, as nearly as instructions tell.
func (l *loop) pos() token.Pos {
	first := token.NoPos
	for b := range l.body {
		for _, i := range b.Instrs {
			if p := i.Pos(); p.IsValid() && (first == token.NoPos || p < first) {
				first = p
			}
		}
	}
	return first
}

// exits returns the conditions by which a loop may end. It reports false if it may end otherwise:
// by a return, a panic, or what a call does.
func (l *loop) exits() (conds []ssa.Value, only bool) {
	for b := range l.body {
		if len(b.Succs) == 0 {
			return nil, false
		}
		for _, s := range b.Succs {
			if !l.body[s] && !impossible(s) {
				cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
				if !ok {
					return nil, false
				}
				conds = append(conds, cond.Cond)
			}
		}
	}
	return conds, true
}

// impossible reports whether a block is the one for a select of which no case was chosen.
func impossible(b *ssa.BasicBlock) bool {
	end, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Panic)
	return ok && !end.Pos().IsValid()
}

func (c *checker) loop(l *loop) {
	conds, only := l.exits()
	if !only {
		return
	}
	pos := l.pos()
	if c.InProcess(l.head.Parent()) {
		if len(conds) == 0 && !c.operates(l) && !c.InTest(pos) {
			c.Reportf(pos, "a loop without a way out, in which the process does no operation: it keeps "+
				"its worker, and cannot be cancelled, so that Stop waits for ever. Call Proc.Gas")
		}
		return
	}
	if len(conds) == 0 {
		if !c.cut(l) && !c.InTest(pos) {
			c.Reportf(pos, "a loop without a way out: the behaviour never returns, and its actor "+
				"handles nothing else. Do a part, and Yield")
		}
		return
	}
	if field, ok := c.waitsForField(l, conds); ok && !c.InTest(pos) {
		c.Reportf(pos, "a loop that waits until %s changes: no other behaviour of the actor runs "+
			"before this one returns. Return, and go on in the behaviour that changes it", field)
	}
}

// cut reports whether a loop may be cut by Kill, or otherwise by a panic.
func (c *checker) cut(l *loop) bool {
	for b := range l.body {
		for _, i := range b.Instrs {
			if call := flow.CallOf(i); call != nil && call.Is(api.Checkpoint) {
				return true
			}
		}
	}
	return false
}

// waitsForField reports whether a loop can only end when a field of the state changes, which
// nothing in it does.
func (c *checker) waitsForField(l *loop, conds []ssa.Value) (string, bool) {
	if !c.idle(l) {
		return "", false
	}
	field := ""
	for _, cond := range conds {
		name, ok := c.readsState(cond, l)
		if !ok {
			return "", false
		}
		field = name
	}
	return field, field != ""
}

// idle reports whether a loop does nothing but look and wait.
func (c *checker) idle(l *loop) bool {
	for b := range l.body {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Store, *ssa.MapUpdate, *ssa.Send, *ssa.Select, *ssa.Go, *ssa.Defer, *ssa.Phi:
				return false
			case *ssa.UnOp:
				if i.Op == token.ARROW {
					return false
				}
			case *ssa.Call:
				if !passes(i) {
					return false
				}
			}
		}
	}
	return true
}

// passes reports whether a call only lets time pass.
func passes(i *ssa.Call) bool {
	if b, ok := i.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "len" || b.Name() == "cap"
	}
	call := flow.CallOf(i)
	if call == nil || call.Fn == nil {
		return false
	}
	switch call.Fn.FullName() {
	case "time.Sleep", "runtime.Gosched":
		return true
	}
	return false
}

// readsState reports whether a condition is made of fields of the state and constants alone, and
// names a field.
func (c *checker) readsState(v ssa.Value, l *loop) (string, bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return "", true
	case *ssa.BinOp:
		x, ok := c.readsState(v.X, l)
		y, okay := c.readsState(v.Y, l)
		return x + y, ok && okay
	case *ssa.Call:
		if passes(v) {
			return c.readsState(v.Call.Args[0], l)
		}
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return c.readsState(v.X, l)
		}
		return c.readsField(v, l)
	}
	return "", false
}

func (c *checker) readsField(v *ssa.UnOp, l *loop) (string, bool) {
	if v.Op != token.MUL || !l.body[v.Block()] {
		return "", false
	}
	at := c.Paths(v.X)
	if len(at) != 1 || at[0].Steps == "" {
		return "", false
	}
	state := c.StateOf(at[0])
	if state == nil {
		return "", false
	}
	return state.Name() + at[0].Steps, true
}
