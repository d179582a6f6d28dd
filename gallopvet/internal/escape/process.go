package escape

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/api"
	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// partyName returns "Self" or "Proc".
func partyName(t types.Type) string {
	return strings.TrimPrefix(api.TypeName(t), "process.")
}

// capturedParty reports a process that a function which runs elsewhere has captured, and uses as if
// it were that process. To take its reference is fine.
func (c *checker) capturedParty(fn *ssa.Function, by ssa.Instruction) {
	for _, f := range flow.WithLiterals(fn) {
		for _, free := range f.FreeVars {
			t := free.Type()
			if !flow.IsParty(t) {
				t = elem(t)
			}
			if t == nil || !flow.IsParty(t) || c.boundIn(free, fn) {
				continue
			}
			if use := firstOwn(free, free.Type() != t); use.IsValid() {
				name := partyName(t)
				c.Reportf(use, "the %s is used in %s%s", name, where(by), owned(name).why())
				return
			}
		}
	}
}

// firstOwn returns where a process is first used by what only its own code may do. indirect says
// that v is the address of the variable.
func firstOwn(v ssa.Value, indirect bool) token.Pos {
	first := token.NoPos
	note := func(p token.Pos) {
		if p.IsValid() && (first == token.NoPos || p < first) {
			first = p
		}
	}
	for _, ref := range *v.Referrers() {
		switch i := ref.(type) {
		case *ssa.UnOp:
			if indirect {
				note(firstOwn(i, false))
			}
		case *ssa.FieldAddr: // the Proc of a Self
			note(firstOwn(i, false))
		case *ssa.MakeInterface:
			note(firstOwn(i, false))
		case *ssa.DebugRef, *ssa.MakeClosure:
		case ssa.CallInstruction:
			if !takesRef(i, v) {
				note(i.Pos())
			}
		}
	}
	return first
}

// takesRef reports whether a call only takes the reference, or the name, of a process.
func takesRef(i ssa.CallInstruction, self ssa.Value) bool {
	call := flow.CallOf(i)
	if call == nil || call.Arg(api.Recv) != self {
		return false
	}
	return call.Is(api.ProcessRef) || call.Is(api.OwnProcess) || call.Is(api.ProcString)
}
