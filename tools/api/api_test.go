package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module writes a module with one package, and a changelog.
func module(t *testing.T, source, news string) (root string) {
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.org/m\n\ngo 1.26\n",
		"p/p.go":       source,
		"CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n" + news + "\n## [0.1.0]\n`Late`\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const source = `package p

type T[S any] struct{ F int; hidden int }

func (T[S]) M(s S) {}
func (T[S]) hide() {}

type I interface{ N() }

const C = 1

func f() {}
`

// TestExported: "a line for each exported identifier".
func TestExported(t *testing.T) {
	lines, err := exported(module(t, source, ""))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range lines {
		got = append(got, l.name+" = "+l.text)
	}
	want := []string{
		"C = p: const C untyped int",
		"T.F = p: field F int of T",
		"I.N = p: func (I).N()",
		"T.M = p: func (T[S]).M(s S)",
		"I = p: type I interface",
		"T = p: type T[S any] struct",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRun: it "fails if the changelog does not name a difference", whether something is new,
// different or gone, and if only an earlier section names it.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct{ old, new, news, missing string }{
		"nothing":           {"", "", "", ""},
		"new":               {"const C = 1", "const C, D = 1, 2", "", "+ p: const D"},
		"new and named":     {"const C = 1", "const C, D = 1, 2", "- `p.D` is new.", ""},
		"gone":              {"const C = 1", "const D = 1", "`D` is new.", "- p: const C"},
		"another parameter": {"func f() {}", "func f() {}\nfunc G(n int) {}", "`Gx`, G", "+ p: func G"},
		"a method": {"func (T[S]) M(s S) {}", "func (T[S]) M(s S, n int) {}", "",
			"T[S]).M(s S, n int)"},
		"a method, named": {"func (T[S]) M(s S) {}", "func (T[S]) M(s S, n int) {}", "- `T.M(s, 1)`", ""},
		"beside its type": {"func (T[S]) M(s S) {}", "func (T[S]) M(s S, n int) {}",
			"| `t.M(1)` | of a `T` |", ""},
		"of another type": {"func (T[S]) M(s S) {}", "func (T[S]) M(s S, n int) {}",
			"- `M(s, 1)`\n- `T`", "T[S]).M(s S, n int)"},
		"a package": {strings.TrimPrefix(source, "package p\n"), "", "", "- p: the package"},
		"a package, named": {strings.TrimPrefix(source, "package p\n"), "",
			"- Package `p` is gone.", ""},
		"named too late": {"const C = 1", "const C, Late = 1, 2", "", "+ p: const Late"},
	} {
		t.Run(name, func(t *testing.T) {
			root := module(t, source, c.news)
			if err := run(root, true); err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(source, c.old, c.new, 1)
			file := filepath.Join(root, "p", "p.go")
			if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
			switch err := run(root, false); {
			case c.missing == "" && err != nil:
				t.Error(err)
			case c.missing != "" && (err == nil || !strings.Contains(err.Error(), c.missing)):
				t.Errorf("got %v, want it to name %q", err, c.missing)
			}
		})
	}
}
