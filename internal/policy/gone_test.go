package policy

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const changelog = "CHANGELOG.md"

var (
	quotedCode  = regexp.MustCompile("`([^`\n]+)`")
	exportedOne = regexp.MustCompile(`\b[A-Z]\w+`)
)

// goneNamesAreGone holds that pages and panics send no reader to a name that the changelog says was
// renamed or deleted: those in the first columns of its tables, unless something exported still has
// the name. Pages that tell history, the changelog and decisions, keep theirs.
func goneNamesAreGone(r *repo) []string {
	gone := goneNames(r)
	var problems []string
	for _, name := range r.markdown() {
		if name == changelog || path.Dir(name) == "docs/decisions" {
			continue
		}
		for i, line := range strings.Split(r.text[name], "\n") {
			for _, code := range quotedCode.FindAllString(line, -1) {
				for _, old := range goneIn(code, gone) {
					problems = append(problems,
						name+":"+strconv.Itoa(i+1)+": "+old+" is no name any more")
				}
			}
		}
	}
	for _, f := range r.production() {
		ast.Inspect(f.File, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING &&
				strings.HasPrefix(lit.Value, `"gallop: `) {
				for _, old := range goneIn(lit.Value, gone) {
					problems = append(problems, r.at(lit)+old+" is no name any more")
				}
			}
			return true
		})
	}
	return problems
}

func goneIn(text string, gone map[string]bool) (all []string) {
	for _, word := range exportedOne.FindAllString(text, -1) {
		if gone[word] {
			all = append(all, word)
		}
	}
	return all
}

// goneNames returns the names in the first columns of the changelog's tables that are no exported
// name any more.
func goneNames(r *repo) map[string]bool {
	gone := map[string]bool{}
	for line := range strings.Lines(r.text[changelog]) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		was, _, _ := strings.Cut(line[1:], "|")
		for _, code := range quotedCode.FindAllString(was, -1) {
			for _, word := range exportedOne.FindAllString(code, -1) {
				gone[word] = true
			}
		}
	}
	for _, f := range r.gos {
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				delete(gone, n.Name.Name)
				return false
			case *ast.TypeSpec:
				delete(gone, n.Name.Name)
			case *ast.ValueSpec:
				deleteAll(gone, n.Names)
			case *ast.Field:
				deleteAll(gone, n.Names)
			}
			return true
		})
	}
	return gone
}

func deleteAll(gone map[string]bool, names []*ast.Ident) {
	for _, n := range names {
		delete(gone, n.Name)
	}
}

// TestGoneNamesAreGone: no page and no panic names what the changelog says is gone.
func TestGoneNamesAreGone(t *testing.T) {
	enforce(t, policy{check: goneNamesAreGone, accepts: tree{
		changelog: "| was | is |\n|---|---|\n" +
			"| `Spares(n)`, `Kept` | `WithMaxBlocked` |\n\n`Spares` was it.\n",
		"docs/a.md":              "Spares of a car, `WithMaxBlocked` and `Kept`.\n",
		"docs/decisions/0001.md": "`Spares` was it.\n",
		"a/a.go": "package a\ntype T struct{ Kept int }\n" +
			"var s = \"Spares\"\nvar p = \"gallop: Kept\"\n",
	}, rejects: []fault{
		{"page", tree{"docs/b.md": "\nUse `Spares(1)`.\n"}, "docs/b.md:2: Spares is no name"},
		{"panic", tree{"a/b.go": "package a\nvar q = \"gallop: Spares(0): want 1\"\n"},
			"a/b.go:2: Spares is no name"},
	}})
}
