package mutants

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testFile is a file of tests: the names of its package that it declares, and the names that it
// needs from other files. A file with methods of a type from another file goes with that file.
type testFile struct {
	path             string
	has, uses, joins map[string]bool
}

// outsideFiles reads the tests of a directory that are in an external test package.
func outsideFiles(t *testing.T, dir string) (out []*testFile) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		must(t, err)
		if !strings.HasSuffix(f.Name.Name, "_test") {
			continue
		}
		file := &testFile{name, map[string]bool{}, map[string]bool{}, map[string]bool{}}
		for _, d := range f.Decls {
			file.declare(d)
		}
		for _, id := range f.Unresolved {
			file.uses[id.Name] = true
		}
		for _, i := range f.Imports {
			delete(file.uses, path.Base(strings.Trim(i.Path.Value, `"`)))
		}
		out = append(out, file)
	}
	return out
}

func (f *testFile) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			f.has[d.Name.Name] = true
			return
		}
		ast.Inspect(d.Recv, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				f.joins[id.Name] = true
			}
			return true
		})
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				f.has[s.Name.Name] = true
			case *ast.ValueSpec:
				for _, n := range s.Names {
					f.has[n.Name] = n.Name != "_"
				}
			}
		}
	}
}

// leaveOut removes the external tests of a package that the tests matching run do not need:
// building them takes longer than all else. Tests that explore are inside the package, and none of
// them needs an external one.
func leaveOut(t *testing.T, dir, run string, replace map[string]string) {
	t.Helper()
	match := regexp.MustCompile(strings.Split(run, "/")[0])
	files := outsideFiles(t, dir)
	var kept []*testFile
	keep := func(wanted func(f *testFile) bool) {
		files = slices.DeleteFunc(files, func(f *testFile) bool {
			if !wanted(f) {
				return false
			}
			kept = append(kept, f)
			return true
		})
	}
	keep(func(f *testFile) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(f.has)), func(name string) bool {
			return strings.HasPrefix(name, "Test") && match.MatchString(name)
		})
	})
	if len(kept) > 0 {
		keep(func(f *testFile) bool { return f.has["TestMain"] })
	}
	for i := 0; i < len(kept); i++ { // keep makes kept longer
		k := kept[i]
		keep(func(f *testFile) bool { return meet(k.uses, f.has) || meet(f.joins, k.has) })
	}
	for _, f := range files {
		replace[f.path] = ""
	}
}

// usesRapid reports whether any of the tests that are left imports rapid, and so whether they
// know its flags.
func usesRapid(t *testing.T, dir, tag string, replace map[string]string) bool {
	t.Helper()
	setting := build.Default
	setting.BuildTags = []string{tag}
	names, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	return slices.ContainsFunc(names, func(name string) bool {
		if _, gone := replace[name]; gone {
			return false
		}
		fits, err := setting.MatchFile(dir, filepath.Base(name))
		must(t, err)
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		must(t, err)
		return fits && slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"pgregory.net/rapid"` })
	})
}

// meet reports whether two sets have a name in common.
func meet(a, b map[string]bool) bool {
	for name := range a {
		if b[name] {
			return true
		}
	}
	return false
}

// TestLeaveOut: the files that a test needs stay, and the others are left out.
func TestLeaveOut(t *testing.T) {
	replace := map[string]string{}
	dir, err := filepath.Abs(filepath.Join(root, "actor"))
	must(t, err)
	leaveOut(t, dir, "^TestWatch$", replace)
	for name, stays := range map[string]bool{"link_test.go": true, "life_test.go": true,
		"main_test.go": true, "swarm_test.go": false} {
		if _, gone := replace[filepath.Join(dir, name)]; gone == stays {
			t.Errorf("%s goes: %v", name, gone)
		}
	}
}
