package policy

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// documented holds that every symbol a user can see has a comment, and that the comment starts with
// the symbol's name.
//
// The constants or variables of one parenthesised group may share the comment of the group, and
// fields that follow each other without an empty line may share the comment of the first. Fields
// and grouped values may have their comment at the end of the line, in any words.
func documented(r *repo) []string {
	var problems []string
	packageDoc := map[string]string{} // directory → its package comment
	firstFile := map[string]*goFile{}
	for _, f := range r.production() {
		if f.internal() {
			continue
		}
		if firstFile[f.dir] == nil {
			firstFile[f.dir] = f
		}
		packageDoc[f.dir] += f.Doc.Text()
		if !f.importable() {
			continue
		}
		for _, d := range f.Decls {
			problems = append(problems, r.undocumented(d)...)
		}
	}
	for dir, f := range firstFile {
		start := "Package " + f.Name.Name + " "
		if f.Name.Name == "main" {
			start = ""
		}
		if doc := packageDoc[dir]; doc == "" || !strings.HasPrefix(doc, start) {
			problems = append(problems, f.path+":1: package comment missing or not \""+start+"…\"")
		}
	}
	slices.Sort(problems)
	return problems
}

func (r *repo) undocumented(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() || d.Recv != nil && !ast.IsExported(receiver(d)) {
			return nil
		}
		return r.wants(d, d.Name.Name, d.Doc)
	case *ast.GenDecl:
		var problems []string
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				problems = append(problems, r.undocumentedType(d, s)...)
			case *ast.ValueSpec:
				problems = append(problems, r.undocumentedValue(d, s)...)
			}
		}
		return problems
	}
	return nil
}

// receiver is the name of a method's type, without pointer and parameters.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// wants reports a symbol whose comment is missing or starts with another word.
func (r *repo) wants(n ast.Node, name string, doc *ast.CommentGroup) []string {
	words := strings.Fields(doc.Text())
	switch {
	case len(words) == 0:
		return []string{r.at(n) + name + " has no comment"}
	case strings.TrimSuffix(strings.TrimRight(words[0], ",.:;"), "'s") != name:
		return []string{r.at(n) + "the comment of " + name + " must start with its name, not " + words[0]}
	}
	return nil
}

func (r *repo) undocumentedType(d *ast.GenDecl, s *ast.TypeSpec) []string {
	if !s.Name.IsExported() {
		return nil
	}
	doc := s.Doc
	if doc == nil && !d.Lparen.IsValid() {
		doc = d.Doc
	}
	problems := r.wants(s, s.Name.Name, doc)
	switch t := s.Type.(type) {
	case *ast.StructType:
		problems = append(problems, r.undocumentedFields(s.Name.Name, t.Fields.List)...)
	case *ast.InterfaceType:
		problems = append(problems, r.undocumentedFields(s.Name.Name, t.Methods.List)...)
	}
	return problems
}

func (r *repo) undocumentedFields(typ string, fields []*ast.Field) []string {
	var problems []string
	shared, last := false, 0 // whether the run of lines that ends at last has a comment
	for _, f := range fields {
		start := r.line(f.Pos())
		if f.Doc != nil {
			start = r.line(f.Doc.Pos())
		}
		shared = f.Doc != nil || shared && start == last+1
		last = r.line(f.End())
		for _, name := range f.Names {
			if name.IsExported() && !shared && f.Comment == nil {
				problems = append(problems, r.at(name)+typ+"."+name.Name+" has no comment")
			}
		}
	}
	return problems
}

func (r *repo) undocumentedValue(d *ast.GenDecl, s *ast.ValueSpec) []string {
	grouped := d.Lparen.IsValid()
	for _, name := range s.Names {
		switch {
		case !name.IsExported():
		case s.Doc != nil:
			return r.wants(name, name.Name, s.Doc)
		case !grouped:
			return r.wants(name, name.Name, d.Doc)
		case d.Doc == nil && s.Comment == nil:
			return []string{r.at(name) + name.Name + " has no comment"}
		}
	}
	return nil
}

// TestExportsAreDocumented: each symbol that users can name has a comment.
func TestExportsAreDocumented(t *testing.T) {
	const code = "// Package heap is here.\npackage heap\n"
	add := func(src string) tree { return tree{"heap/x.go": "package heap\n" + src} }
	enforce(t, policy{check: documented, accepts: tree{
		"heap/heap.go": code + `
// Ref is a type.
type Ref[T any] struct {
	// A and B are fields.
	A int
	B int

	C int // is one too
	d int
}
// Get gets.
func (r *Ref[T]) Get() { }
func (r *Ref[T]) get() { }
type hidden struct { X int }
func (hidden) Exported() {}
// Errors of this package.
var ( ErrA error; ErrB error )
const ( One = 1 // the first
)
// Gets is plural, Handler not.
type Gets interface {
	// Do does.
	Do()
}
`,
		"heap/x_test.go":          "package heap\nfunc Helper() {}\n",
		"cmd/pingpong/main.go":    "// Pingpong plays.\npackage main\nfunc Exported() {}\n",
		"internal/seam/seam.go":   "package seam\nfunc Exported() {}\n",
		"benchmarks/go.mod":       "module x\n",
		"benchmarks/x/x.go":       "package x\nfunc Exported() {}\n",
		"examples/chat/server.go": "// Chat talks.\npackage main\n",
	}, rejects: []fault{
		{"function", add("func Bare() {}"), "Bare has no comment"},
		{"method of a generic type", add("func (r Ref[T]) Bare() {}"), "Bare has no comment"},
		{"method of a type of two",
			add("// Two is.\ntype Two[A, B any] struct{}\nfunc (r *Two[A, B]) Bare() {}"), "Bare has no " +
				"comment"},
		{"type", add("type Bare int"), "Bare has no comment"},
		{"type in a group", add("// Types.\ntype ( Bare int )"), "Bare has no comment"},
		{"constant", add("const Bare = 1"), "Bare has no comment"},
		{"variable in a bare group", add("var ( Bare int )"), "Bare has no comment"},
		{"field", add("// S is.\ntype S struct {\n\tBare int\n}"), "S.Bare has no comment"},
		{"field behind a gap", add("// S is.\ntype S struct {\n\t// A is.\n\tA int\n\n\tBare int\n}"),
			"S.Bare has no comment"},
		{"interface method", add("// I is.\ntype I interface {\n\tBare()\n}"), "I.Bare has no comment"},
		{"other name", add("// It is a function.\nfunc Bare() {}"), "must start with its name, not It"},
		{"value of another name", add("// Some value.\nvar Bare int"),
			"must start with its name, not Some"},
		{"no package comment", tree{"heap/heap.go": strings.TrimPrefix(code,
			"// Package heap is here.\n") + "// Ref is.\ntype Ref int\n"}, "package comment missing"},
		{"package comment of another", tree{"sched/s.go": "// Some package.\npackage sched\n"},
			"not \"Package sched"},
		{"command without comment", tree{"cmd/pingpong/main.go": "package main\n"},
			"package comment missing"},
	}})
}
