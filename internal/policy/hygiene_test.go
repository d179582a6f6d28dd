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

// sleepsOrSkips tells whether an expression is time.Sleep, or the Skip, Skipf or
// SkipNow of something that is called like a test.
func (f *goFile) sleepsOrSkips(sel *ast.SelectorExpr) bool {
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	if sel.Sel.Name == "Sleep" {
		return x.Name == f.importName("time")
	}
	return slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) &&
		slices.Contains([]string{"t", "b", "f", "tb", "rt"}, x.Name)
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

// finished holds that no comment promises work. What is left to do is an issue.
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
		return tree{"heap/x_test.go": "package heap\n" + imports + "\nfunc TestX(t *testing.T) {\n" + stmt + "\n}\n"}
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
}
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
		{"comment two lines above", body("", "// The reason is here.\n\nt.Skip()"), "Skip without a comment"},
		{"comment behind the line above", body("", "f() // is another thing\nt.Skip()"), "Skip without a comment"},
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
		{"in another module", tree{"bench/go.mod": "module b\n", "bench/y.go": "package b\n// TODO(x)\n"}, "TODO"},
	}})
}
