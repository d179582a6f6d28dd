package alias

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// deepest is how many levels of memory a clone copies.
const deepest = 5

// clone returns the fix that sends a clone instead of a value. It copies all memory that the value
// leads to: a shallower copy would leave the race. There is no fix if several receivers get the
// same clone, or for values that cannot be copied.
func (c *checker) clone(s *send) []analysis.SuggestedFix {
	t := c.TypesInfo.TypeOf(s.expr)
	if s.expr == nil || t == nil || s.many {
		return nil
	}
	const value = "\x00"
	made := &cloner{checker: c, file: c.Enclosing(s.expr.Pos(), s.expr.End()), at: s.expr.Pos()}
	before, after, ok := strings.Cut(made.clone(t, value, deepest), value)
	if made.failed || !ok {
		return nil
	}
	edits := append(made.imports,
		analysis.TextEdit{Pos: s.expr.Pos(), End: s.expr.Pos(), NewText: []byte(before)},
		analysis.TextEdit{Pos: s.expr.End(), End: s.expr.End(), NewText: []byte(after)})
	return []analysis.SuggestedFix{{Message: "Send a clone", TextEdits: edits}}
}

// A cloner writes an expression.
type cloner struct {
	*checker
	file    []ast.Node // nodes around the expression; the file comes last
	at      token.Pos
	imports []analysis.TextEdit
	failed  bool
}

// clone returns a clone of an expression.
func (w *cloner) clone(t types.Type, e string, left int) string {
	if w.fine(t) {
		return e
	}
	name, ok := w.TypeText(t, w.at)
	w.failed = w.failed || !ok || left == 0 || flow.IsParam(t)
	if w.failed {
		return e
	}
	const loop = "func(from %[1]s) %[1]s {\nif from == nil {\nreturn nil\n}\nto := make(%[1]s, len(from))\n" +
		"for k, v := range from {\nto[k] = %[2]s\n}\nreturn to\n}(%[3]s)"
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if w.fine(u.Elem()) {
			return w.imported("slices") + ".Clone(" + e + ")"
		}
		return fmt.Sprintf(loop, name, w.clone(u.Elem(), "v", left-1), e)
	case *types.Map:
		if w.fine(u.Elem()) && w.fine(u.Key()) {
			return w.imported("maps") + ".Clone(" + e + ")"
		}
		w.failed = w.failed || !w.fine(u.Key())
		return fmt.Sprintf(loop, name, w.clone(u.Elem(), "v", left-1), e)
	case *types.Pointer:
		return fmt.Sprintf("func(from %[1]s) %[1]s {\nif from == nil {\nreturn nil\n}\nto := *from\n%[2]sreturn &to\n}(%[3]s)",
			name, w.contents(u.Elem(), left-1), e)
	case *types.Struct:
		return fmt.Sprintf("func(to %[1]s) %[1]s {\n%[2]sreturn to\n}(%[3]s)", name, w.contents(t, left-1), e)
	}
	w.failed = true
	return e
}

func (w *cloner) fine(t types.Type) bool {
	ok, _ := w.Sendable(t)
	return ok
}

// contents returns the statements that clone the memory of a variable, after it was copied.
func (w *cloner) contents(t types.Type, left int) string {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		if w.fine(t) {
			return ""
		}
		return "to = " + w.clone(t, "to", left) + "\n"
	}
	text := ""
	for f := range s.Fields() {
		w.failed = w.failed || holdsLock(f.Type())
		if !w.fine(f.Type()) {
			w.failed = w.failed || !f.Exported() && f.Pkg() != w.Pkg
			text += fmt.Sprintf("to.%s = %s\n", f.Name(), w.clone(f.Type(), "to."+f.Name(), left))
		}
	}
	return text
}

// holdsLock reports whether values of a type must not be copied, as locks and atomics.
func holdsLock(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil &&
		strings.HasPrefix(n.Obj().Pkg().Path()+"/", "sync/") {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return holdsLock(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if holdsLock(f.Type()) {
				return true
			}
		}
	}
	return false
}

// imported returns the name of a package of the library, which the fix imports if it has to.
func (w *cloner) imported(name string) string {
	_, obj := w.Pkg.Scope().Innermost(w.at).LookupParent(name, w.at)
	if pkg, ok := obj.(*types.PkgName); obj != nil {
		w.failed = w.failed || !ok || pkg.Imported().Path() != name
		return name
	}
	file := w.file[len(w.file)-1].(*ast.File)
	decl, ok := file.Decls[0].(*ast.GenDecl) // gallop, at least, is imported
	if !ok {
		w.failed = true
	} else if decl.Lparen.IsValid() {
		w.imports = append(w.imports, analysis.TextEdit{
			Pos: decl.Lparen + 1, End: decl.Lparen + 1, NewText: []byte("\n\t\"" + name + "\""),
		})
	} else {
		w.imports = append(w.imports, analysis.TextEdit{
			Pos: decl.Pos(), End: decl.Pos(), NewText: []byte("import \"" + name + "\"\n"),
		})
	}
	return name
}
