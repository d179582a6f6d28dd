package policy

import (
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const operatingPage = "docs/operating.md"

var (
	// loggers are the functions that are given the keys and values of log lines.
	loggers = []string{"debug", "warn", "fail", "write", "log", "Log", "With", "attrs"}
	logKey  = regexp.MustCompile(`^[a-z][a-z_]*$`)
	// keyRow is a row about a key of log lines.
	keyRow = regexp.MustCompile("^\\| `([a-z_]+)` \\|")
)

// logKeysAreKnown holds that log lines have one vocabulary: the keys of the lines that the runtime
// writes are those in the table "The keys", all of which occur.
func logKeysAreKnown(r *repo) []string {
	known := map[string]bool{} // whether it occurs
	_, section, _ := strings.Cut(r.text[operatingPage], "\n### The keys\n")
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "#") {
			break
		}
		if m := keyRow.FindStringSubmatch(line); m != nil {
			known[m[1]] = false
		}
	}
	var problems []string
	for _, f := range r.production() {
		if !matches(f.dir, "actor", "supervise", "group") {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			for _, lit := range keysIn(n) {
				key, _ := strconv.Unquote(lit.Value)
				if _, ok := known[key]; !ok {
					problems = append(problems,
						r.at(lit)+"the key "+key+" is not in the table of "+operatingPage)
				}
				known[key] = true
			}
			return true
		})
	}
	for key, occurs := range known {
		if !occurs {
			problems = append(problems, operatingPage+":1: no line has the key "+key)
		}
	}
	return problems
}

// keysIn returns the keys of a log line that are written in n itself: arguments of a logger, and of
// what collects these.
func keysIn(n ast.Node) []*ast.BasicLit {
	switch n := n.(type) {
	case *ast.CallExpr:
		if name := calledName(n); slices.Contains(loggers, name) ||
			name == "append" && isNamed(n.Args[0], "args") {
			return wordsOf(n.Args)
		}
	case *ast.CompositeLit: // []any{"key", value}
		if t, ok := n.Type.(*ast.ArrayType); ok && isNamed(t.Elt, "any") {
			return wordsOf(n.Elts)
		}
	}
	return nil
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func calledName(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// wordsOf returns the literals among some expressions that are a lower-case word. Messages begin
// with "gallop: ", and values are no literals.
func wordsOf(all []ast.Expr) (words []*ast.BasicLit) {
	for _, e := range all {
		if lit, ok := e.(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(lit.Value); err == nil && logKey.MatchString(s) {
				words = append(words, lit)
			}
		}
	}
	return words
}

// TestLogKeysAreKnown: every line that the runtime writes has keys of one vocabulary, which a page
// explains.
func TestLogKeysAreKnown(t *testing.T) {
	page := "# P\n\n### The keys\n\n| `actor` | x |\n| `at` | x |\n| `delay` | x |\n" +
		"\n## Else\n\n| `no` |\n"
	enforce(t, policy{check: logKeysAreKnown, accepts: tree{
		operatingPage: page,
		"actor/a.go": "package actor\nfunc f() { s.warn(\"gallop: long turn\", \"actor\", 1) }\n" +
			"var a = []any{\"at\", 2}\nfunc g() { args = append(args, \"delay\", 2) }\n",
		"sched/a.go": "package sched\nfunc f() { s.warn(\"what\", \"ever\", 1) }\n",
	}, rejects: []fault{
		{"call", tree{"group/a.go": "package group\nfunc f() { l.Log(1, \"gallop: x\", \"id\", 1) }\n"},
			"group/a.go:2: the key id is not in the table"},
		{"attrs", tree{"actor/b.go": "package actor\n" +
			"func f() { who.attrs(\"Behaviour\", 1, \"kind\", 2) }\n"},
			"actor/b.go:2: the key kind is not in the table"},
		{"args", tree{"actor/b.go": "package actor\nfunc f() { args = append(args, \"id\", 2) }\n"},
			"actor/b.go:2: the key id is not in the table"},
		{"unused", tree{operatingPage: strings.Replace(page, "\n## Else",
			"| `id` | x |\n\n## Else", 1)},
			"docs/operating.md:1: no line has the key id"},
	}})
}
