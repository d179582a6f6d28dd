package policy

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"testing"
)

const hackingPage = "docs/HACKING.md"

var setting = regexp.MustCompile(`^GALLOP_[A-Z_]+$`)

// settingsAreNamed holds that each environment variable of ours has a place in docs/HACKING.md. A
// Go string that is such a name, and nothing else, counts as read or set.
func settingsAreNamed(r *repo) []string {
	var problems []string
	named := map[string]bool{}
	for _, word := range regexp.MustCompile(`\bGALLOP_[A-Z_]+`).FindAllString(r.text[hackingPage], -1) {
		named[word] = true
	}
	for _, f := range r.gos {
		ast.Inspect(f.File, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if name, _ := strconv.Unquote(lit.Value); setting.MatchString(name) && !named[name] {
				problems = append(problems, r.at(lit)+name+" is not in "+hackingPage)
			}
			return true
		})
	}
	return problems
}

// TestSettingsAreNamed: each GALLOP_… variable that is read is named in HACKING.md.
func TestSettingsAreNamed(t *testing.T) {
	enforce(t, policy{check: settingsAreNamed, accepts: tree{
		hackingPage: "`GALLOP_LONG` and `GALLOP_SEED_OF_ALL`\n",
		"a/a.go":    "package a\nconst v = \"GALLOP_SEED_OF_ALL\"\nvar s = \"GALLOP_NO is no name\"\n",
		"a/a_test.go": "package a\nfunc f() { os.Getenv(\"GALLOP_LONG\"); t.Setenv(`GALLOP_LONG`, " +
			"\"1\") }\n",
	}, rejects: []fault{
		{"read", tree{"b/b.go": "package b\nvar x = os.Getenv(\"GALLOP_GONE\")\n"},
			"b/b.go:2: GALLOP_GONE is not in"},
		{"constant", tree{"b/b.go": "package b\nconst x = `GALLOP_GONE`\n"}, "GALLOP_GONE is not in"},
		{"in a test of another module", tree{"c/go.mod": "module c\n",
			"c/c_test.go": "package c\nconst x = \"GALLOP_GONE\"\n"}, "c/c_test.go:2: GALLOP_GONE"},
		{"part of a longer name", tree{"b/b.go": "package b\nconst x = \"GALLOP_SEED\"\n"},
			"GALLOP_SEED is not in"},
	}})
}
