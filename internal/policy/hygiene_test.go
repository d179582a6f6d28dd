package policy

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reasoned holds that a test which sleeps or skips says why, in a comment on the
// line or on the line above. Mostly there is no reason: wait for an event, or
// use testing/synctest; make the test run everywhere.
func reasoned(r *repo) []string {
	var problems []string
	for _, f := range r.gos {
		if !f.test {
			continue
		}
		commented := r.commentedLines(f)
		ast.Inspect(f.File, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !f.sleepsOrSkips(sel) {
				return true
			}
			if !commented[r.line(sel.Sel.Pos())] {
				problems = append(problems, r.at(sel)+sel.Sel.Name+" without a comment that gives the reason")
			}
			return true
		})
	}
	return problems
}

// sleepsOrSkips reports whether an expression is time.Sleep, or the Skip, Skipf or SkipNow of a
// test. Those of a *rapid.T do not count: it only draws again.
func (f *goFile) sleepsOrSkips(sel *ast.SelectorExpr) bool {
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	if sel.Sel.Name == "Sleep" {
		return x.Name == f.importName("time")
	}
	if !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
		return false
	}
	pkg, known := f.parameterOf(x)
	return pkg == "testing" || !known && slices.Contains([]string{"t", "b", "f", "tb"}, x.Name)
}

// parameterOf finds the parameter that x names, in the innermost function that has one of that
// name, and returns the package of its type.
func (f *goFile) parameterOf(x *ast.Ident) (pkg string, known bool) {
	look := func(body *ast.BlockStmt, params *ast.FieldList) {
		if body == nil || x.Pos() < body.Pos() || body.End() < x.Pos() {
			return
		}
		for _, field := range params.List {
			if slices.ContainsFunc(field.Names, func(n *ast.Ident) bool { return n.Name == x.Name }) {
				pkg, known = packageOf(field.Type), true
			}
		}
	}
	ast.Inspect(f.File, func(n ast.Node) bool { // from the outside in
		switch n := n.(type) {
		case *ast.FuncDecl:
			look(n.Body, n.Type.Params)
		case *ast.FuncLit:
			look(n.Body, n.Type.Params)
		}
		return true
	})
	return pkg, known
}

// packageOf is the package in a qualified type, with or without a pointer.
func packageOf(t ast.Expr) string {
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if sel, ok := t.(*ast.SelectorExpr); ok {
		if x, ok := sel.X.(*ast.Ident); ok {
			return x.Name
		}
	}
	return ""
}

// commentedLines are the lines that have a comment on them, and those below a
// comment that stands alone.
func (r *repo) commentedLines(f *goFile) map[int]bool {
	lines := strings.Split(f.src, "\n")
	got := map[int]bool{}
	for _, c := range f.Comments {
		if len(strings.Fields(c.Text())) < 2 { // a directive, or one word
			continue
		}
		start, end := r.fset.Position(c.Pos()), r.line(c.End())
		got[start.Line] = true
		if strings.TrimSpace(lines[start.Line-1][:start.Column-1]) == "" {
			got[end+1] = true
		}
	}
	return got
}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)

// finished holds that no comment promises work. Open work belongs in an issue.
func finished(r *repo) []string {
	var problems []string
	for _, f := range r.gos {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if word := unfinished.FindString(c.Text); word != "" {
					problems = append(problems, r.at(c)+word)
				}
			}
		}
	}
	return problems
}

// TestSleepsAndSkipsGiveReasons: no time.Sleep and t.Skip without a reason.
func TestSleepsAndSkipsGiveReasons(t *testing.T) {
	body := func(imports, stmt string) tree {
		return tree{"heap/x_test.go": "package heap\n" + imports + "\nfunc TestX(t *testing.T) {\n" +
			stmt + "\n}\n"}
	}
	enforce(t, policy{check: reasoned, accepts: tree{
		"heap/a_test.go": `package heap
import "time"
func TestA(t *testing.T) {
	time.Sleep(1) // the clock under test is the machine's
	// There is no affinity on this system.
	t.Skip()
	other.Sleep(1)
	stream.Skip()
	rapid.Check(t, func(t *rapid.T) { t.Skip("an empty draw") })
	skim(func(f *feed) { f.Skip() })
}
func inAssembly(t *feed)
`,
		"heap/sleep.go": "package heap\nimport \"time\"\nfunc f() { time.Sleep(1) }\n",
	}, rejects: []fault{
		{"sleep", body(`import "time"`, "time.Sleep(1)"), "Sleep without a comment"},
		{"sleep under another name", body(`import clock "time"`, "clock.Sleep(1)"), "Sleep without a comment"},
		{"sleep as a value", body(`import "time"`, "do(time.Sleep)"), "Sleep without a comment"},
		{"skip", body("", "t.Skip(\"reason\")"), "Skip without a comment"},
		{"skipf", body("", "t.Skipf(\"reason\")"), "Skipf without a comment"},
		{"skipnow", body("", "t.SkipNow()"), "SkipNow without a comment"},
		{"skip of a benchmark", body("", "b.Skip()"), "Skip without a comment"},
		{"skip inside of rapid, but of the test", body("",
			"rapid.Check(t, func(r *rapid.T) { t.Skip() })"), "Skip without a comment"},
		{"skip of a case", body("", "t.Run(\"x\", func(c *testing.T) { c.Skip() })"),
			"Skip without a comment"},
		{"skip of any test",
			tree{"heap/x_test.go": "package heap\nfunc need(any testing.TB) { any.Skip() }\n"},
			"Skip without a comment"},
		{"skip behind rapid", body("", "rapid.Check(t, func(t *rapid.T) {})\nt.Skip()"),
			"Skip without a comment"},
		{"comment two lines above", body("", "// The reason is here.\n\nt.Skip()"),
			"Skip without a comment"},
		{"comment behind the line above", body("", "f() // is another thing\nt.Skip()"),
			"Skip without a comment"},
		{"comment without words", body("", "t.Skip() //nolint"), "Skip without a comment"},
	}})
}

// TestNothingIsLeftToDo: no comment promises work.
func TestNothingIsLeftToDo(t *testing.T) {
	enforce(t, policy{check: finished, accepts: tree{
		"heap/x.go": "package heap\n// Not TODOS, and not todo.\nvar ctx = context.TODO()\n",
	}, rejects: []fault{
		{"todo", tree{"heap/y.go": "package heap\n// TODO: later\n"}, "TODO"},
		{"fixme behind code", tree{"heap/y.go": "package heap\nvar x int /* FIXME */\n"}, "FIXME"},
		{"in a test", tree{"heap/y_test.go": "package heap\n// Here: XXX.\n"}, "XXX"},
		{"in another module", tree{"bench/go.mod": "module b\n", "bench/y.go": "package b\n// TODO(x)\n"},
			"TODO"},
	}})
}
