package flow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Walk is a search along the paths of a function.
type Walk struct {
	// Stop ends a path at an instruction, which is not seen itself.
	Stop func(ssa.Instruction) bool
	// Skip leaves an edge out.
	Skip func(from, to *ssa.BasicBlock) bool
}

// After yields the instructions that may run after start, once each. An instruction is seen again
// only if a path comes back to it; start itself, too.
func (w Walk) After(start ssa.Instruction, yield func(ssa.Instruction) bool) {
	block := start.Block()
	if block == nil {
		return
	}
	seen := map[*ssa.BasicBlock]bool{}
	at := indexOf(start) + 1
	queue := []*ssa.BasicBlock{}
	if w.through(block.Instrs[at:], yield) {
		queue = w.next(queue, block)
	}
	for len(queue) > 0 {
		b := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if w.through(b.Instrs, yield) {
			queue = w.next(queue, b)
		}
	}
}

// through yields instructions, and reports whether the path goes on behind them.
func (w Walk) through(instrs []ssa.Instruction, yield func(ssa.Instruction) bool) bool {
	for _, i := range instrs {
		if w.Stop != nil && w.Stop(i) {
			return false
		}
		if !yield(i) {
			return false
		}
	}
	return true
}

func (w Walk) next(queue []*ssa.BasicBlock, b *ssa.BasicBlock) []*ssa.BasicBlock {
	for _, s := range b.Succs {
		if w.Skip == nil || !w.Skip(b, s) {
			queue = append(queue, s)
		}
	}
	return queue
}

// Reaches reports whether a path leads from one instruction to another.
func (w Walk) Reaches(from, to ssa.Instruction) bool {
	found := false
	w.After(from, func(i ssa.Instruction) bool {
		found = found || i == to
		return !found
	})
	return found
}

// Ends reports whether a path leads from an instruction to the end of the function.
func (w Walk) Ends(from ssa.Instruction) bool {
	found := false
	w.After(from, func(i ssa.Instruction) bool {
		if _, ok := i.(*ssa.Return); ok {
			found = true
		}
		return !found
	})
	return found
}

func indexOf(instr ssa.Instruction) int {
	for n, i := range instr.Block().Instrs {
		if i == instr {
			return n
		}
	}
	return -1
}

// Dominates reports whether every path to b leads through a first.
func Dominates(a, b ssa.Instruction) bool {
	if a.Block() == nil || b.Block() == nil || a.Parent() != b.Parent() {
		return false
	}
	if a.Block() == b.Block() {
		return indexOf(a) < indexOf(b)
	}
	return a.Block().Dominates(b.Block())
}

// Conditions returns what is known at an instruction: conditions that were true, or false, on
// every path to it.
func Conditions(at ssa.Instruction) map[ssa.Value]bool {
	known := map[ssa.Value]bool{}
	for b := at.Block(); b != nil; b = b.Idom() {
		d := b.Idom()
		if d != nil && len(b.Preds) == 1 && b.Preds[0] == d {
			Decide(known, d, b)
		}
	}
	return known
}

// Decide adds what is known on an edge.
func Decide(known map[ssa.Value]bool, from, to *ssa.BasicBlock) {
	cond, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if ok && from.Succs[0] != from.Succs[1] {
		known[cond.Cond] = from.Succs[0] == to
	}
}

// Excludes reports whether what is known excludes an edge.
func Excludes(known map[ssa.Value]bool, from, to *ssa.BasicBlock) bool {
	cond, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	is, decided := known[cond.Cond]
	return decided && is != (from.Succs[0] == to)
}

// Contradicts returns a Skip that leaves out edges which contradict what is known at an
// instruction.
func Contradicts(at ssa.Instruction) func(from, to *ssa.BasicBlock) bool {
	known := Conditions(at)
	for cond := range known {
		if !fixed(cond, at) {
			delete(known, cond)
		}
	}
	return func(from, to *ssa.BasicBlock) bool { return Excludes(known, from, to) }
}

// fixed reports whether a condition cannot have become another since: in a loop it may.
func fixed(cond ssa.Value, at ssa.Instruction) bool {
	instr, ok := cond.(ssa.Instruction)
	return !ok || !Walk{}.Reaches(at, instr)
}

// Refused returns a Skip that leaves out the edges on which a call has returned an error, or false:
// there the message is the caller's again.
func Refused(call *Call) func(from, to *ssa.BasicBlock) bool {
	return func(from, to *ssa.BasicBlock) bool {
		cond, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
		if !ok {
			return false
		}
		if v, refused := plainCondition(cond, 1); isResult(v, call.Instr.Value()) {
			return to == from.Succs[refused] && from.Succs[0] != from.Succs[1]
		}
		if from.Succs[0] == to && isErrorCheck(cond.Cond, call.Instr.Value()) {
			return from.Succs[1] != to
		}
		cmp, ok := cond.Cond.(*ssa.BinOp)
		if !ok || !comparesError(cmp, call.Instr.Value()) {
			return false
		}
		failed := from.Succs[0]
		if cmp.Op == token.EQL {
			failed = from.Succs[1]
		}
		return to == failed && from.Succs[0] != from.Succs[1]
	}
}

// isResult reports whether a condition is the result of a call, or that of one of several calls.
func isResult(cond ssa.Value, result *ssa.Call) bool {
	if phi, ok := cond.(*ssa.Phi); ok {
		return slices.Contains(phi.Edges, ssa.Value(result))
	}
	return cond == ssa.Value(result)
}

// plainCondition takes negations off a condition, and returns which successor is that of the
// outcome, 0 for true and 1 for false, of what is left.
func plainCondition(cond *ssa.If, outcome int) (ssa.Value, int) {
	v := cond.Cond
	for {
		not, ok := v.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			return v, outcome
		}
		v, outcome = not.X, 1-outcome
	}
}

// NotChosen returns a Skip that leaves out the edges on which a call of Select has returned another
// number than n.
func NotChosen(call *Call, n int64) func(from, to *ssa.BasicBlock) bool {
	return func(from, to *ssa.BasicBlock) bool {
		cond, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
		if !ok || from.Succs[0] == from.Succs[1] {
			return false
		}
		cmp, ok := cond.Cond.(*ssa.BinOp)
		if !ok || cmp.X != call.Instr.Value() {
			return false
		}
		k, ok := Int(cmp.Y)
		if !ok {
			return false
		}
		switch cmp.Op {
		case token.EQL:
			return (k == n) != (to == from.Succs[0])
		case token.NEQ:
			return (k == n) == (to == from.Succs[0])
		}
		return false
	}
}

// isErrorCheck reports whether a condition is errors.Is or errors.As of the error of a call.
func isErrorCheck(cond ssa.Value, result ssa.Value) bool {
	made := MadeBy(cond)
	if made == nil || made.Fn == nil || result == nil {
		return false
	}
	name := made.Fn.FullName()
	return (name == "errors.Is" || name == "errors.As") && isError(made.Arg(1), result)
}

// comparesError reports whether a comparison is one of a result with nil.
func comparesError(cmp *ssa.BinOp, result ssa.Value) bool {
	if cmp.Op != token.NEQ && cmp.Op != token.EQL || result == nil {
		return false
	}
	return isError(cmp.X, result) && IsZero(cmp.Y) || isError(cmp.Y, result) && IsZero(cmp.X)
}

// isError reports whether a value is the error that a call returns, alone or with something else.
func isError(v, result ssa.Value) bool {
	e, ok := v.(*ssa.Extract)
	return v == result || ok && e.Tuple == result && e.Index > 0
}
