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

// After yields the instructions that may run after start, once each, and ends a path where that is
// false. An instruction is seen again only if a path comes back to it; start itself, too.
func (w Walk) After(start ssa.Instruction, yield func(ssa.Instruction) bool) {
	type part struct {
		block *ssa.BasicBlock
		from  int
	}
	seen := map[*ssa.BasicBlock]bool{}
	queue := []part{{start.Block(), indexOf(start) + 1}}
next:
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, i := range at.block.Instrs[at.from:] {
			if w.Stop != nil && w.Stop(i) || !yield(i) {
				continue next
			}
		}
		for _, s := range at.block.Succs {
			if !seen[s] && (w.Skip == nil || !w.Skip(at.block, s)) {
				seen[s] = true
				queue = append(queue, part{s, 0})
			}
		}
	}
}

// First returns an instruction that may run after start and is as asked for, or nil.
func (w Walk) First(start ssa.Instruction, is func(ssa.Instruction) bool) ssa.Instruction {
	var found ssa.Instruction
	w.After(start, func(i ssa.Instruction) bool {
		if is(i) {
			found = i
		}
		return found == nil
	})
	return found
}

// Reaches reports whether a path leads from one instruction to another.
func (w Walk) Reaches(from, to ssa.Instruction) bool {
	return w.First(from, func(i ssa.Instruction) bool { return i == to }) != nil
}

// Ends reports whether a path leads from an instruction to the end of the function.
func (w Walk) Ends(from ssa.Instruction) bool {
	return w.First(from, func(i ssa.Instruction) bool {
		_, ends := i.(*ssa.Return)
		return ends
	}) != nil
}

func indexOf(instr ssa.Instruction) int { return slices.Index(instr.Block().Instrs, instr) }

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

// Conditions returns the known conditions at an instruction, which were true, or false, on every
// path to it.
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

func condition(b *ssa.BasicBlock) (*ssa.If, bool) {
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	return cond, ok && b.Succs[0] != b.Succs[1]
}

// Condition returns the condition at the end of a block without negations, and where the block leads
// if it is true.
func Condition(b *ssa.BasicBlock) (cond ssa.Value, yes *ssa.BasicBlock, ok bool) {
	end, ok := condition(b)
	if !ok {
		return nil, nil, false
	}
	v, outcome := end.Cond, 0
	for {
		not, ok := v.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			return v, b.Succs[outcome], true
		}
		v, outcome = not.X, 1-outcome
	}
}

// Decide adds the condition of an edge.
func Decide(known map[ssa.Value]bool, from, to *ssa.BasicBlock) {
	if end, ok := condition(from); ok {
		known[end.Cond] = from.Succs[0] == to
	}
}

// Excludes reports whether the known conditions exclude an edge.
func Excludes(known map[ssa.Value]bool, from, to *ssa.BasicBlock) bool {
	end, ok := condition(from)
	if !ok {
		return false
	}
	is, decided := known[end.Cond]
	return decided && is != (from.Succs[0] == to)
}

// Contradicts returns a Skip that leaves out edges which contradict the known conditions at an
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
	result := call.Instr.Value()
	return func(from, to *ssa.BasicBlock) bool {
		cond, yes, ok := Condition(from)
		if !ok {
			return false
		}
		cmp, compares := cond.(*ssa.BinOp)
		switch {
		case isResult(cond, result):
			return to != yes
		case isErrorCheck(cond, result):
			return to == yes
		case compares && comparesError(cmp, result):
			return (to == yes) == (cmp.Op == token.NEQ)
		}
		return false
	}
}

func isResult(cond ssa.Value, result *ssa.Call) bool {
	if phi, ok := cond.(*ssa.Phi); ok {
		return slices.Contains(phi.Edges, ssa.Value(result))
	}
	return cond == ssa.Value(result)
}

// NotChosen returns a Skip that leaves out the edges on which a call of Select has returned another
// number than n.
func NotChosen(call *Call, n int64) func(from, to *ssa.BasicBlock) bool {
	return func(from, to *ssa.BasicBlock) bool {
		cond, yes, _ := Condition(from)
		cmp, ok := cond.(*ssa.BinOp)
		if !ok || cmp.X != call.Instr.Value() || cmp.Op != token.EQL && cmp.Op != token.NEQ {
			return false
		}
		k, ok := Int(cmp.Y)
		return ok && (k == n) != ((to == yes) == (cmp.Op == token.EQL))
	}
}

// isErrorCheck reports whether a condition is errors.Is or errors.As of the error of a call.
func isErrorCheck(cond ssa.Value, result ssa.Value) bool {
	made := MadeBy(cond)
	name := made.FullName()
	return (name == "errors.Is" || name == "errors.As") && isError(made.Arg(1), result)
}

func comparesError(cmp *ssa.BinOp, result ssa.Value) bool {
	if cmp.Op != token.NEQ && cmp.Op != token.EQL || result == nil {
		return false
	}
	return isError(cmp.X, result) && IsZero(cmp.Y) || isError(cmp.Y, result) && IsZero(cmp.X)
}

func isError(v, result ssa.Value) bool {
	e, ok := v.(*ssa.Extract)
	return v == result || ok && e.Tuple == result && e.Index > 0
}
