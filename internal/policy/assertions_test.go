package policy

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// linesPerAssertion is how many lines of code per assertion a core package may have.
const linesPerAssertion = 25

// asserted is the packages that are held to it.
var asserted = []string{"actor", "backpressure", "heap", "sched"}

// What counts as an assertion:
//
//   - a call of invariant.Check;
//   - a panic of ours, whose words begin with "gallop: " or with an error of a package, a call
//     of panicMisuse, which is such a panic, and a return of a named error (Err…): a contract that
//     is checked where it is broken.
//
// A panic that only passes on a value of somebody else's does not count. A line of code is a line
// with a token on it. Comments and empty lines do not count, nor do files named verify: they have
// nothing but assertions.

// count is the assertions and the lines of a package.
type count struct{ assertions, lines int }

// assertions counts them per core package.
func assertions(r *repo) map[string]count {
	counts := map[string]count{}
	for _, f := range r.production() {
		if !slices.Contains(asserted, f.dir) {
			continue
		}
		c := counts[f.dir]
		c.assertions += assertionsIn(f)
		if !strings.HasPrefix(path.Base(f.path), "verify") {
			c.lines += linesOf(f.src)
		}
		counts[f.dir] = c
	}
	return counts
}

func assertionsIn(f *goFile) (n int) {
	check := f.importName(modulePath + "/internal/invariant")
	ast.Inspect(f.File, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.CallExpr:
			if isCheck(x, check) || isOurPanic(x) {
				n++
			}
		case *ast.ReturnStmt:
			if slices.ContainsFunc(x.Results, isNamedError) {
				n++
			}
		}
		return true
	})
	return n
}

// isCheck tells whether a call is one of invariant.Check.
func isCheck(x *ast.CallExpr, pkg string) bool {
	s, ok := x.Fun.(*ast.SelectorExpr)
	if !ok || pkg == "" || s.Sel.Name != "Check" {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// isOurPanic tells whether a call is a panic whose words are of this project.
func isOurPanic(x *ast.CallExpr) bool {
	id, ok := x.Fun.(*ast.Ident)
	if ok && id.Name == "panicMisuse" {
		return true
	}
	if !ok || id.Name != "panic" || len(x.Args) != 1 {
		return false
	}
	ours := false
	ast.Inspect(x.Args[0], func(node ast.Node) bool {
		switch y := node.(type) {
		case *ast.BasicLit:
			ours = ours || y.Kind == token.STRING && strings.HasPrefix(y.Value[1:], "gallop: ")
		case *ast.Ident:
			ours = ours || isErrName(y.Name)
		}
		return !ours
	})
	return ours
}

// isNamedError tells whether a result is an error with a name.
func isNamedError(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && isErrName(id.Name)
}

func isErrName(s string) bool {
	rest, ok := strings.CutPrefix(s, "Err")
	return ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z'
}

// linesOf counts the lines with a token on them.
func linesOf(src string) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		first := file.Line(pos)
		for i := range 1 + strings.Count(lit, "\n") {
			lines[first+i] = true
		}
	}
}

func enoughAssertions(r *repo) []string {
	var problems []string
	counts := assertions(r)
	for _, pkg := range slices.Sorted(maps.Keys(counts)) {
		if c := counts[pkg]; c.assertions*linesPerAssertion < c.lines {
			problems = append(problems, fmt.Sprintf("%s: %d assertions in %d lines of code: want one per %d, %d more",
				pkg, c.assertions, c.lines, linesPerAssertion, (c.lines+linesPerAssertion-1)/linesPerAssertion-c.assertions))
		}
	}
	return problems
}

// TestAssertionsPerLine: one assertion per 25 lines in the core.
func TestAssertionsPerLine(t *testing.T) {
	const imports = "package heap\n\nimport \"" + modulePath + "/internal/invariant\"\n\n// words\n\n"
	body := strings.Repeat("\tx()\n", 44)
	fn := func(assertion string) string { return imports + "func f() error {\n" + assertion + body + "}\n" }
	twice := func(assertion string) string { return fn(assertion + assertion) }
	enforce(t, policy{check: enoughAssertions, accepts: tree{
		"heap/x.go":         twice("\tinvariant.Check(y, \"words\")\n"), // 50 lines
		"heap/x_test.go":    functionsOf("heap", 300),
		"heap/verify.go":    functionsOf("heap", 300),
		"group/x.go":        functionsOf("group", 300),
		"actor/x.go":        "package actor\n\nfunc f() error {\n\treturn ErrStopped\n}\n",
		"sched/x.go":        "package sched\n\nfunc f() {\n\tpanic(\"gallop: words\")\n}\n",
		"backpressure/x.go": "package backpressure\n\nfunc f() {\n\tpanicMisuse(y, \" words\")\n}\n",
	}, rejects: []fault{
		{"too few", tree{"heap/x.go": fn("\tinvariant.Check(y, \"words\")\n")}, "heap: 1 assertions in 49 lines of code: want one per 25, 1 more"},
		{"panics passed on", tree{"sched/x.go": "package sched\n\nfunc f() {\n\tpanic(value)\n}\n"}, "sched: 0 assertions in 4 lines"},
		{"other errors", tree{"actor/x.go": "package actor\n\nfunc f() error {\n\treturn err\n}\n"}, "actor: 0 assertions in 4 lines"},
		{"somebody else's Check", tree{"heap/x.go": strings.ReplaceAll(twice("\tother.Check(y)\n"), "/internal/invariant", "/internal/other")}, "heap: 0 assertions in 50"},
	}})
	for pkg, c := range assertions(checkout(t)) {
		t.Logf("%s: %d assertions in %d lines of code, one per %.1f", pkg, c.assertions, c.lines, float64(c.lines)/float64(c.assertions))
	}
}
