package isolation

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// immutable reports writes to values of types that the package has marked as immutable. A function
// may write to what it makes: it is a constructor.
func (c *checker) immutable(fn *ssa.Function) {
	for _, a := range c.Accesses(fn) {
		if !a.Write || made(a.At.Root) {
			continue
		}
		if name := c.markedImmutable(a.At.Root.Type()); name != "" {
			c.Reportf(a.Instr.Pos(), "a write to a %s, which is marked as immutable: others may read it "+
				"at the same time. Make a new one", name)
		}
	}
}

// made reports whether a value is new memory.
func made(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Parameter, *ssa.Global, *ssa.FreeVar, *ssa.Call, *ssa.Extract:
		return false
	}
	return true
}

// markedImmutable returns the name of a type that is marked, or "".
func (c *checker) markedImmutable(t types.Type) string {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return ""
	}
	n, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok || n.Obj().Pkg() != c.Pkg {
		return ""
	}
	if m, ok := c.MarkOf(n.Obj()); ok && m.Immutable {
		return n.Obj().Name()
	}
	return ""
}
