package endless

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// deepest is how many calls are followed from a loop.
const deepest = 3

// operates reports whether a loop may do an operation of the process, by which it can be ended, or
// may end otherwise: by a function that is not known, or one that panics.
func (c *checker) operates(l *loop) bool {
	for b := range l.body {
		for _, i := range b.Instrs {
			if c.mayOperate(i, deepest) {
				return true
			}
		}
	}
	return false
}

func (c *checker) mayOperate(i ssa.Instruction, left int) bool {
	switch i := i.(type) {
	case *ssa.Panic, *ssa.Defer, *ssa.Send, *ssa.Select:
		return true // of those that wait for goroutines GV6 says more
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case ssa.CallInstruction:
		if _, ok := i.Common().Value.(*ssa.Builtin); ok {
			return false
		}
		return c.callOperates(flow.CallOf(i), left)
	}
	return false
}

func (c *checker) callOperates(call *flow.Call, left int) bool {
	switch {
	case call == nil || call.API != nil || call.Fn == nil || left == 0:
		return true
	case call.Fn.FullName() == "runtime.Gosched":
		return false
	case call.Fn.Pkg() != nil && isLibrary(call.Fn.Pkg()):
		return takesFunc(call)
	}
	callee := call.Callee()
	if callee == nil || len(callee.Blocks) == 0 || callee.Pkg != c.SSA {
		return true
	}
	for _, fn := range flow.WithLiterals(callee) {
		for i := range flow.Instructions(fn) {
			if c.mayOperate(i, left-1) {
				return true
			}
		}
	}
	return false
}

// isLibrary reports whether a package is one of Go's library that neither ends goroutines nor calls
// back.
func isLibrary(pkg *types.Package) bool {
	switch pkg.Path() {
	case "time", "fmt", "math", "strings", "strconv", "sync", "sync/atomic", "math/rand", "slices",
		"maps", "sort", "bytes", "math/rand/v2":
		return true
	}
	return false
}

// takesFunc reports whether a call is given a function, which may do anything.
func takesFunc(call *flow.Call) bool {
	for _, arg := range call.Instr.Common().Args {
		if _, ok := arg.Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}
