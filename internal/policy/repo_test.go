package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

const modulePath = "github.com/gallop-go/gallop"

// moduleRoot is the checkout these tests are part of, seen from this directory.
const moduleRoot = "../.."

// tree is a small checkout: the text of each file by its path.
type tree map[string]string

// with returns a copy of base with the files of changes put over it. An empty
// text takes a file away.
func (base tree) with(changes tree) tree {
	out := tree{}
	for _, t := range []tree{base, changes} {
		for name, text := range t {
			out[name] = text
			if text == "" {
				delete(out, name)
			}
		}
	}
	return out
}

func (base tree) fs() fs.FS {
	m := fstest.MapFS{}
	for name, text := range base {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// repo is a checkout held in memory. Paths have slashes and start at its root.
type repo struct {
	fset  *token.FileSet
	text  tree            // the files that have words: Go, Markdown, modules
	paths map[string]bool // every file and directory
	gos   []*goFile       // sorted by path; none of testdata
}

// goFile is one parsed Go file. Build tags do not matter: all files are read.
type goFile struct {
	path, dir string
	module    string // directory of its go.mod: "." is the core
	test      bool
	src       string
	*ast.File
}

var unread = []string{".git", ".cache", "bin", "vendor", "node_modules"}

// readRepo reads a checkout. A Go file that does not parse is an error.
func readRepo(fsys fs.FS) (*repo, error) {
	r := &repo{fset: token.NewFileSet(), text: tree{}, paths: map[string]bool{".": true}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(unread, d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		r.paths[name] = true
		return r.read(fsys, name, d)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(r.gos, func(a, b *goFile) int { return strings.Compare(a.path, b.path) })
	for _, f := range r.gos {
		f.module = r.moduleOf(f.dir)
	}
	return r, nil
}

func (r *repo) read(fsys fs.FS, name string, d fs.DirEntry) error {
	if d.IsDir() || !hasWords(name) {
		return nil
	}
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	r.text[name] = string(b)
	if path.Ext(name) != ".go" || uncompiled(name) {
		return nil
	}
	parsed, err := parser.ParseFile(r.fset, name, b, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	r.gos = append(r.gos, &goFile{
		path: name, dir: path.Dir(name), src: string(b), File: parsed,
		test: strings.HasSuffix(name, "_test.go"),
	})
	return nil
}

func hasWords(name string) bool {
	return slices.Contains([]string{".go", ".md", ".mod"}, path.Ext(name))
}

// uncompiled reports whether the go command never looks at a file.
func uncompiled(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if part == "testdata" || strings.HasPrefix(part, "_") || len(part) > 1 && part[0] == '.' {
			return true
		}
	}
	return false
}

func (r *repo) moduleOf(dir string) string {
	for dir != "." && !r.paths[path.Join(dir, "go.mod")] {
		dir = path.Dir(dir)
	}
	return dir
}

// core lists the Go files of the core module.
func (r *repo) core() []*goFile {
	return slices.DeleteFunc(slices.Clone(r.gos), func(f *goFile) bool { return f.module != "." })
}

// production lists the Go files of the core module that are not tests.
func (r *repo) production() []*goFile {
	return slices.DeleteFunc(r.core(), func(f *goFile) bool { return f.test })
}

// importable reports whether a file is part of a package that users may import.
func (f *goFile) importable() bool {
	return !f.internal() && f.Name.Name != "main" && !strings.HasPrefix(f.dir, "examples")
}

func (f *goFile) internal() bool { return slices.Contains(strings.Split(f.dir, "/"), "internal") }

// markdown lists the Markdown files, sorted.
func (r *repo) markdown() []string {
	var names []string
	for name := range r.text {
		if path.Ext(name) == ".md" && !uncompiled(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// at formats where a node starts.
func (r *repo) at(n ast.Node) string {
	p := r.fset.Position(n.Pos())
	return p.Filename + ":" + strconv.Itoa(p.Line) + ": "
}

func (r *repo) line(p token.Pos) int { return r.fset.Position(p).Line }

// importPath unquotes.
func importPath(s *ast.ImportSpec) string {
	p, _ := strconv.Unquote(s.Path.Value)
	return p
}

// importName is a file's name for an imported package, "" if it does not import it.
func (f *goFile) importName(pkg string) string {
	for _, s := range f.Imports {
		if importPath(s) != pkg {
			continue
		}
		if s.Name != nil {
			return s.Name.Name
		}
		return path.Base(pkg)
	}
	return ""
}

// policy is one rule: see the package comment.
type policy struct {
	check   func(*repo) []string // the problems, "path:line: problem"
	accepts tree
	rejects []fault
}

// fault is a change to the accepted tree that makes exactly one problem.
type fault struct {
	name    string
	change  tree
	problem string // a part of that problem's text
}

// enforce proves on its fixtures that a rule can fail and can pass, and then holds the checkout to
// it.
func enforce(t *testing.T, p policy) {
	t.Helper()
	enforceOn(t, p, p.check)
}

// enforceOn is enforce for a rule whose figures for the fixtures differ from those for the
// checkout.
func enforceOn(t *testing.T, p policy, here func(*repo) []string) {
	t.Helper()
	t.Run("accepts", func(t *testing.T) {
		for _, problem := range p.check(fixture(t, p.accepts)) {
			t.Error("wrongly reported:", problem)
		}
	})
	if len(p.rejects) == 0 {
		t.Error("a rule without a fault that it rejects proves nothing")
	}
	for _, f := range p.rejects {
		t.Run("rejects "+f.name, func(t *testing.T) {
			got := p.check(fixture(t, p.accepts.with(f.change)))
			if len(got) != 1 || !strings.Contains(got[0], f.problem) {
				t.Errorf("got %q, want one problem that says %q", got, f.problem)
			}
		})
	}
	t.Run("checkout", func(t *testing.T) {
		for _, problem := range here(checkout(t)) {
			t.Error(problem)
		}
	})
}

func fixture(t *testing.T, files tree) *repo {
	t.Helper()
	r, err := readRepo(files.fs())
	if err != nil {
		t.Fatal("the fixture is broken:", err)
	}
	return r
}

func checkout(t *testing.T) *repo {
	t.Helper()
	r, err := readCheckout()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readCheckout reads the checkout once for all rules.
var readCheckout = sync.OnceValues(func() (*repo, error) {
	return readRepo(os.DirFS(filepath.FromSlash(moduleRoot)))
})

// TestReadRepo quotes: "none of testdata", "directory of its go.mod", "all files are read".
func TestReadRepo(t *testing.T) {
	r := fixture(t, tree{
		"go.mod":               "module m\n",
		"a/a.go":               "//go:build never\n\npackage a\n",
		"a/a_test.go":          "package a\n",
		"a/testdata/broken.go": "this is not Go",
		"a/_old/broken.go":     "neither is this",
		".hidden/broken.go":    "nor this",
		"a/dir.go/data.bin":    "words to nobody",
		".git/x.go":            "nor is that",
		"bench/go.mod":         "module m/bench\n",
		"bench/sub/b.go":       "package sub\n",
	})
	var got []string
	for _, f := range r.gos {
		got = append(got, f.module+" "+f.path)
	}
	want := []string{". a/a.go", ". a/a_test.go", "bench bench/sub/b.go"}
	if !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	if !r.paths["a/dir.go/data.bin"] || r.text["a/dir.go/data.bin"] != "" {
		t.Error("a file without words was overlooked, or read")
	}
	if n := len(r.production()); n != 1 {
		t.Errorf("%d production files, want 1", n)
	}
	if _, err := readRepo(tree{"a.go": "broken"}.fs()); err == nil {
		t.Error("a Go file that does not parse was accepted")
	}
}
