package policy

import (
	"go/ast"
	"go/doc"
	"maps"
	"slices"
	"strings"
	"testing"
)

// typesHaveExamples holds that every exported type that users can see is shown
// by an Example that is run (it has an Output comment). A type is shown by
//
//   - an Example that is called after it: ExampleRef, ExampleRef_String;
//   - an Example that names it, in its body or in declarations of the test
//     package that the body leads to (or anywhere in the file, if the Example is
//     one that go doc shows with its whole file);
//   - an Example that calls a function or method of the package which returns it.
//
// A type whose comment says notForUsers needs none.
func typesHaveExamples(r *repo) []string {
	var problems []string
	for _, pkg := range r.libraries() {
		shown := pkg.shown()
		for _, name := range slices.Sorted(maps.Keys(pkg.types)) {
			if !shown[name] && !strings.HasPrefix(name, "ForActors") { // of process, for a package of ours
				problems = append(problems, r.at(pkg.types[name])+pkg.name+"."+name+" has no Example")
			}
		}
	}
	return problems
}

// notForUsers is in the comment of a type that is exported for another package of ours.
const notForUsers = "Other packages have no use for it."

// library is a package that users may import, as far as this rule is concerned.
type library struct {
	name    string
	types   map[string]*ast.TypeSpec // exported
	returns map[string][]string      // function or method → the types it returns
	tests   []*ast.File
}

func (r *repo) libraries() []*library {
	byDir := map[string]*library{}
	for _, f := range r.production() {
		if !f.importable() {
			continue
		}
		pkg := byDir[f.dir]
		if pkg == nil {
			pkg = &library{name: f.Name.Name, types: map[string]*ast.TypeSpec{},
				returns: map[string][]string{}}
			byDir[f.dir] = pkg
		}
		for _, d := range f.Decls {
			pkg.add(d)
		}
	}
	for _, f := range r.core() {
		if pkg := byDir[f.dir]; pkg != nil && f.test {
			pkg.tests = append(pkg.tests, f.File)
		}
	}
	var all []*library
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		all = append(all, byDir[dir])
	}
	return all
}

func (pkg *library) add(d ast.Decl) {
	switch d := d.(type) {
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() &&
				!strings.Contains(strings.Join(strings.Fields(d.Doc.Text()), " "), notForUsers) {
				pkg.types[s.Name.Name] = s
			}
		}
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Type.Results != nil {
			for _, result := range d.Type.Results.List {
				pkg.returns[d.Name.Name] = append(pkg.returns[d.Name.Name], typeName(result.Type))
			}
		}
	}
}

// typeName is the name of a type without pointers, brackets and parameters.
func typeName(t ast.Expr) string {
	return receiver(&ast.FuncDecl{Recv: &ast.FieldList{List: []*ast.Field{{Type: t}}}})
}

// shown are the types that the Examples of a package show.
func (pkg *library) shown() map[string]bool {
	got := map[string]bool{}
	for _, ex := range doc.Examples(pkg.tests...) {
		if ex.Output == "" && !ex.EmptyOutput {
			continue
		}
		name, _, _ := strings.Cut(ex.Name, "_")
		got[name] = true
		for word := range pkg.reached(ex.Code) {
			got[word] = true
			for _, result := range pkg.returns[word] {
				got[result] = true
			}
		}
	}
	return got
}

// reached are the names that a piece of test code takes from elsewhere, itself or by way of the
// declarations of the test files that it leads to.
func (pkg *library) reached(code ast.Node) map[string]bool {
	decls := pkg.testDecls()
	got, followed := map[string]bool{}, map[string]bool{}
	left := []ast.Node{code}
	for len(left) > 0 {
		node := left[len(left)-1]
		left = left[:len(left)-1]
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				got[n.Sel.Name] = true
				left = append(left, n.X)
				return false
			case *ast.Ident:
				if decls[n.Name] == nil {
					got[n.Name] = true
				} else if !followed[n.Name] {
					followed[n.Name] = true
					left = append(left, decls[n.Name]...)
				}
			}
			return true
		})
	}
	return got
}

// testDecls are the declarations of the test files: functions, variables and
// constants by name, and types with their methods.
func (pkg *library) testDecls() map[string][]ast.Node {
	decls := map[string][]ast.Node{}
	for _, f := range pkg.tests {
		for _, d := range f.Decls {
			for name, node := range declared(d) {
				decls[name] = append(decls[name], node)
			}
		}
	}
	return decls
}

func declared(d ast.Decl) map[string]ast.Node {
	got := map[string]ast.Node{}
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d)
		}
		got[name] = d
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				got[s.Name.Name] = s
			case *ast.ValueSpec:
				for _, name := range s.Names {
					got[name.Name] = s
				}
			}
		}
	}
	return got
}

// TestTypesHaveExamples: a runnable Example per exported type.
func TestTypesHaveExamples(t *testing.T) {
	const code = "package heap\ntype Ref[T any] struct{}\ntype Stats struct{}\ntype Option int\n" +
		"type hidden int\ntype Far int\n" +
		"func (r *Ref[T]) Stats() Stats { return Stats{} }\nfunc Limit(int) Option { return 0 }\n"
	const tests = "package heap_test\n" +
		"func ExampleRef_Stats() {\n\tr.Stats()\n\theap.Limit(1)\n\tlocal.Do()\n\t// Output:\n}\n" +
		"func ExampleRef_second() {\n\t// Output:\n}\n" +
		"var local Local\ntype Local struct{}\nfunc (Local) Do(f heap.Far) {}\n"
	add := func(decl string) tree { return tree{"heap/y.go": "package heap\n" + decl} }
	enforce(t, policy{check: typesHaveExamples, accepts: tree{
		"heap/x.go":             code,
		"heap/example_test.go":  tests,
		"internal/seam/seam.go": "package seam\ntype Word int\n",
		"cmd/pingpong/main.go":  "package main\ntype Flags int\n",
		"heap/ours.go": "package heap\n// Ours is for package sched. Other packages have no\n" +
			"// use for it.\ntype Ours int\n",
	}, rejects: []fault{
		{"type", add("type Bare int\n"), "heap.Bare has no Example"},
		{"interface", add("type Bare interface{}\n"), "heap.Bare has no Example"},
		{"alias", add("type Bare = int\n"), "heap.Bare has no Example"},
		{"package without tests", tree{"sched/s.go": "package sched\ntype Task struct{}\n"},
			"sched.Task has no Example"},
		{"parameter only", add("type Bare int\nfunc Limit(b Bare) Option { return 0 }\n"),
			"heap.Bare has no Example"},
		{"named by a test only",
			add("type Bare int\n").with(tree{"heap/y_test.go": "package heap_test\nfunc TestX() { var x " +
				"heap.Bare }\n"}), "heap.Bare has no Example"},
		{"example that is not run",
			add("type Bare int\n").with(tree{
				"heap/y_test.go": "package heap_test\nfunc ExampleBare() {}\n",
			}), "heap.Bare has no Example"},
		{"a type of the test's own", add("type Local int\n"), "heap.Local has no Example"},
		{"longer name",
			add("type Bare int\n").with(tree{"heap/y_test.go": "package heap_test\nfunc " +
				"ExampleBareness() {\n\t// Output:\n}\n"}), "heap.Bare has no Example"},
		{"not returned any more", tree{"heap/x.go": strings.Replace(code,
			"Limit(int) Option { return 0 }", "Limit(int) {}", 1)}, "heap.Option has no Example"},
		{"not reached any more", tree{"heap/example_test.go": strings.Replace(tests, "\tlocal.Do()\n", "",
			1)}, "heap.Far has no Example"},
	}})
}
