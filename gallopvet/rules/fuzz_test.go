package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

// FuzzRules changes the cases, and runs the rules over the result: no rule may panic, or report
// anything without a position. Three bytes of an input are a change: they select a part of the
// program and another part whose text replaces it. A change that the types do not allow is not
// made.
func FuzzRules(f *testing.F) {
	programs, imports := cases(f)
	set(f, rules.Settings{Strict: true, Tests: true})
	for i := range programs {
		f.Add(uint16(i), []byte{})
		f.Add(uint16(i), []byte{byte(7 * i), 3, 9, 4, byte(11 * i), 2, 250, 1, byte(i)})
	}
	f.Fuzz(func(t *testing.T, program uint16, changes []byte) {
		p, err := check(programs[int(program)%len(programs)], imports)
		if err != nil {
			t.Fatal(err)
		}
		for c := range slices.Chunk(changes[:min(len(changes), 24)], 3) {
			if len(c) < 3 {
				break
			}
			if changed, err := check(p.change(c), imports); err == nil {
				p = changed
			}
		}
		p.run(t)
	})
}

// cases returns the text of the cases, and the packages that they import.
func cases(f *testing.F) (programs []string, imports importer) {
	f.Helper()
	const mode = packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: "../testdata"}, "./...")
	if err != nil {
		f.Fatal(err)
	}
	imports = importer{}
	packages.Visit(loaded, nil, func(p *packages.Package) { imports[p.PkgPath] = p.Types })
	err = filepath.WalkDir("../testdata", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".go" && !strings.Contains(name, "prove") {
			programs = append(programs, program(f, name, imports))
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return programs, imports
}

// program returns the text of a file, and if that is no program by itself, with the other files of
// its package behind it.
func program(f *testing.F, name string, imports importer) string {
	f.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := check(string(text), imports); err == nil {
		return string(text)
	}
	others, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*.go"))
	if err != nil {
		f.Fatal(err)
	}
	others = slices.DeleteFunc(others, func(other string) bool { return other == name })
	specs, bodies := map[string]bool{}, ""
	for _, file := range append([]string{name}, others...) {
		bodies += body(f, file, specs)
	}
	head := "package x\n"
	for _, path := range slices.Sorted(maps.Keys(specs)) {
		head += "import " + path + "\n"
	}
	if _, err := check(head+bodies, imports); err != nil {
		f.Fatalf("%s: %v", name, err)
	}
	return head + bodies
}

// body returns the text of a file after its imports, which it adds to specs.
func body(f *testing.F, name string, specs map[string]bool) string {
	f.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ImportsOnly)
	if err != nil {
		f.Fatal(err)
	}
	for _, i := range file.Imports {
		specs[i.Path.Value] = true
	}
	end := file.Name.End()
	if n := len(file.Decls); n > 0 {
		end = file.Decls[n-1].End()
	}
	return string(text[fset.Position(end).Offset:])
}

// importer has packages by their paths.
type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, os.ErrNotExist
}

// checked is a program that the types allow.
type checked struct {
	text string
	fset *token.FileSet
	file *ast.File
	pkg  *types.Package
	info *types.Info
}

// check looks at the types of a program. That something is not used is no fault.
func check(text string, imports importer) (*checked, error) {
	p := &checked{text: text, fset: token.NewFileSet()}
	var err error
	if p.file, err = parser.ParseFile(p.fset, "x.go", text, parser.ParseComments); err != nil {
		return nil, err
	}
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	var hard error
	config := types.Config{Importer: imports, GoVersion: "go1.26", Error: func(err error) {
		if e, ok := err.(types.Error); !ok || !e.Soft {
			hard = err
		}
	}}
	p.pkg, _ = config.Check("cases/x", p.fset, []*ast.File{p.file}, p.info)
	return p, hard
}

// change returns the text with one part replaced by another. An expression is replaced only by one
// of the same type, or few programs would compile.
func (p *checked) change(by []byte) string {
	nodes := map[string][]ast.Node{}
	ast.Inspect(p.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case ast.Stmt:
			if _, block := n.(*ast.BlockStmt); !block {
				nodes["statement"] = append(nodes["statement"], n)
			}
		case ast.Expr:
			if tv := p.info.Types[n]; tv.IsValue() {
				t := tv.Type.String()
				nodes[t] = append(nodes[t], n)
			}
		}
		return true
	})
	sorts := slices.Sorted(maps.Keys(nodes))
	if len(sorts) == 0 {
		return p.text
	}
	sort := sorts[int(by[0])%len(sorts)]
	if by[0]%2 == 0 {
		sort = "statement"
	}
	same := nodes[sort]
	if len(same) == 0 {
		return p.text
	}
	to, from := same[int(by[1])%len(same)], same[int(by[2])%len(same)]
	at := func(pos token.Pos) int { return p.fset.Position(pos).Offset }
	text := p.text[at(from.Pos()):at(from.End())]
	if sort == "statement" && by[2] > 200 {
		text = "" // taken away
	}
	return p.text[:at(to.Pos())] + text + p.text[at(to.End()):]
}

// run runs the rules over a program, without facts of other packages.
func (p *checked) run(t *testing.T) {
	results := map[*analysis.Analyzer]any{}
	var run func(a *analysis.Analyzer)
	run = func(a *analysis.Analyzer) {
		if _, done := results[a]; done {
			return
		}
		pass := &analysis.Pass{
			Analyzer: a, Fset: p.fset, Files: []*ast.File{p.file}, Pkg: p.pkg, TypesInfo: p.info,
			TypesSizes: types.SizesFor("gc", "amd64"), ResultOf: results, ReadFile: os.ReadFile,
			Report: func(d analysis.Diagnostic) {
				if !d.Pos.IsValid() {
					t.Errorf("no position: %s\n%s", d.Message, p.text)
				}
			},
			ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
			ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
			ExportObjectFact:  func(types.Object, analysis.Fact) {},
			ExportPackageFact: func(analysis.Fact) {},
		}
		for _, r := range a.Requires {
			run(r)
		}
		defer func() {
			if r := recover(); r != nil {
				t.Logf("%s panics over\n%s", a, p.text)
				panic(r)
			}
		}()
		result, err := a.Run(pass)
		if err != nil {
			t.Fatalf("%s: %v\n%s", a, err, p.text)
		}
		results[a] = result
	}
	for _, a := range rules.Analyzers() {
		run(a)
	}
}
