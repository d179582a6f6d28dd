package rules_test

import (
	"errors"
	"flag"
	"fmt"
	"go/format"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

// programLists are the lists of programs in testdata/programs:
//
//	notes.txt	reported by users
//	own.txt	written before the rules were read again
//	varied.txt	variations of cases that the rules know
//	fresh.txt	written without a look at the rules, which were later changed for a few of their kinds
//
// The first line of a program tells whether it is good, or else the rule that must find it or its
// kind, and how it fails. The comments of its first lines stand for declarations: see expand and
// whole.
var programLists = []string{"notes", "own", "varied", "fresh"}

var only = flag.String("programs", "", "the programs whose names match, alone")

// A userProgram is one entry of a list.
type userProgram struct {
	list, name string
	rule       string // the rule that is to find it; empty if it is right
	fails      string // how it ends: race, panic, hang or long
	text       string
	dir        string // its package, below the generated module
}

// read returns the programs of a list.
func read(t *testing.T, list string) (all []*userProgram) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir(t), "programs", list+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	for i, entry := range strings.Split("\n"+string(text), "\n== ")[1:] {
		head, body, _ := strings.Cut(entry, "\n")
		p := &userProgram{list: list, text: body, dir: fmt.Sprintf("%s%03d", list, i)}
		kind, name, _ := strings.Cut(head, ": ")
		p.name = name
		if words := strings.Fields(kind); len(words) == 3 {
			p.rule, p.fails = words[1], words[2]
		} else if kind != "good" {
			t.Fatalf("%s: what is %q?", list, head)
		}
		if match, err := regexp.MatchString(*only, p.dir+" "+p.name); err == nil && match {
			all = append(all, p)
		}
	}
	return all
}

// imports has the packages that a program may use, by the name before the dot.
var imports = map[string]string{
	"atomic": "sync/atomic", "bufio": "bufio", "big": "math/big", "binary": "encoding/binary",
	"bytes": "bytes", "cheap": "container/heap", "context": "context", "errors": "errors",
	"fmt": "fmt", "http": "net/http", "httptest": "net/http/httptest", "io": "io", "iter": "iter",
	"json": "encoding/json", "list": "container/list", "maps": "maps", "os": "os", "rand": "math/rand",
	"reflect": "reflect", "ring": "container/ring", "runtime": "runtime", "slices": "slices",
	"sort": "sort", "sql": "database/sql", "strconv": "strconv", "strings": "strings", "sync": "sync",
	"template": "text/template", "time": "time", "unsafe": "unsafe", "url": "net/url",
	"actor": "", "bridge": "", "capability": "", "group": "", "heap": "", "process": "", "supervise": "",
	"dom": "cases/programs/dom", "help": "cases/programs/help", "model": "cases/programs/model",
	"step": "cases/step",
}

var selector = regexp.MustCompile(`(?:^|[^\w.)"])(\w+)\.`)

// expand makes a file of Go of a program:
//
//	//reader M: stmts                      an actor sub whose behaviour Got naps and runs stmts
//	//pub name T = value; ...              an actor pub with these fields, a ref to, and Tick; and run
//	//actor name Behaviour M; Ask Q -> R   the type and the table of an actor
//	//type name options                    the options of the type
//	//start name                           its OnStart is the method start
func expand(t *testing.T, p *userProgram) []byte {
	t.Helper()
	var out, body strings.Builder
	options, start := map[string]string{}, map[string]bool{}
	table := func(name, behaviours string) {
		var decls, entries []string
		for b := range strings.SplitSeq(behaviours, ";") {
			exported, m, _ := strings.Cut(strings.TrimSpace(b), " ")
			v := strings.ToLower(exported[:1]) + exported[1:]
			declare := "actor.Declare[" + m + "]"
			if q, r, ok := strings.Cut(m, " -> "); ok {
				declare = "actor.DeclareAsk[" + q + ", " + r + "]"
			}
			decls = append(decls, fmt.Sprintf("%s = %s(%sT, %q)", v, declare, name, v))
			entries = append(entries, fmt.Sprintf("%s.Handle((*%s).%s)", v, name, exported))
		}
		end := ""
		if start[name] {
			end = fmt.Sprintf(".OnStart((*%s).start)", name)
		}
		new := fmt.Sprintf("actor.NewType[%s](%q)", name, name)
		if o := options[name]; o != "" {
			new = fmt.Sprintf("actor.NewType[%s](%q, %s)", name, name, o)
		}
		fmt.Fprintf(&body, "var (\n%sT = %s\n%s\n_ = %sT.Table(%s)%s\n)\n", name, new,
			strings.Join(decls, "\n"), name, strings.Join(entries, ", "), end)
	}
	for line := range strings.Lines(p.text) {
		line = strings.TrimSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "//reader":
			m, stmts, _ := strings.Cut(rest, ": ")
			fmt.Fprintf(&body, "type sub struct{ n int }\nfunc (s *sub) Got(_ *actor.Context, m %s) {\nnap()\n%s\n}\n", m, stmts)
			table("sub", "Got "+m)
		case "//pub":
			var fields, values []string
			for f := range strings.SplitSeq(rest, "; ") {
				decl, value, _ := strings.Cut(f, " = ")
				name, _, _ := strings.Cut(decl, " ")
				fields, values = append(fields, decl), append(values, name+": "+value)
			}
			fmt.Fprintf(&body, "type pub struct {\nto actor.Ref[sub]\n%s\n}\n", strings.Join(fields, "\n"))
			table("pub", "Tick int")
			fmt.Fprintf(&body, "func run(sys *actor.System) {\np := pubT.Spawn(sys, pub{to: subT.Spawn(sys, sub{}), %s})\nfor i := range 4 {\ntick.Send(sys, p, i)\n}\n}\n",
				strings.Join(values, ", "))
		case "//actor":
			name, behaviours, _ := strings.Cut(rest, " ")
			table(name, behaviours)
		case "//type":
			name, o, _ := strings.Cut(rest, " ")
			options[name] = o
		case "//start":
			start[rest] = true
		default:
			body.WriteString(line + "\n")
		}
	}
	text := body.String()
	main, system := "run", "step.Start()"
	if strings.Contains(text, "\nfunc proc(") || strings.HasPrefix(text, "func proc(") {
		main, system = "proc", "process.Start(process.Config{Workers: 4})"
	} else if p.fails == "long" {
		system = "step.StartImpatient()"
	}
	fmt.Fprintf(&out, "// %s\npackage %s\n\nimport (\n", p.name, p.dir)
	end := fmt.Sprintf("// Run runs the program.\nfunc Run() {\nsys := %s\n%s(sys)\n_ = sys.Run()\n}\n\nfunc nap() { step.Nap() }\n", system, main)
	seen := map[string]bool{}
	for _, found := range selector.FindAllStringSubmatch(" "+text+end, -1) {
		name := found[1]
		path, ok := imports[name]
		if !ok || seen[name] || regexp.MustCompile(`(?m)^\s*(var )?`+name+`\s+(=|\w)`).MatchString(text) {
			continue
		}
		seen[name] = true
		if path == "" {
			path = "github.com/gallop-go/gallop/" + name
		}
		fmt.Fprintf(&out, "%s %q\n", name, path)
	}
	fmt.Fprintf(&out, ")\n\n%s\n%s", text, end)
	src, err := format.Source([]byte(out.String()))
	if err != nil {
		t.Fatalf("%s: %v\n%s", p.name, err, out.String())
	}
	return src
}

// whole makes the files of a program that is written in full, without its imports:
//
//	//import fmt gallop/actor ./lexer    the imports of the main file
//	//file lexer/lexer.go strings        another file, and its imports
func whole(t *testing.T, p *userProgram) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for part := range strings.SplitSeq("\n"+p.text, "\n//file ") {
		head, body, _ := strings.Cut(strings.TrimPrefix(part, "\n//import "), "\n")
		paths, name, pkg := strings.Fields(head), p.dir+".go", p.dir
		if !strings.HasPrefix(part, "\n//import ") {
			name, paths = paths[0], paths[1:]
			pkg = filepath.Base(filepath.Dir(name))
		}
		var out strings.Builder
		fmt.Fprintf(&out, "// %s\npackage %s\n\nimport (\n", p.name, pkg)
		for _, path := range paths {
			path = strings.NewReplacer("gallop/", "github.com/gallop-go/gallop/", "./", "cases/programs/"+p.dir+"/").Replace(path)
			fmt.Fprintf(&out, "%q\n", path)
		}
		fmt.Fprintf(&out, ")\n\n%s\n", strings.Replace(body, "\nfunc main() {", "\n// Run runs the program.\nfunc Run() {", 1))
		src, err := format.Source([]byte(out.String()))
		if err != nil {
			t.Fatalf("%s: %v\n%s", p.name, err, out.String())
		}
		files[name] = src
	}
	return files
}

// writeModule writes all programs into a module of their own and returns its directory.
func writeModule(t *testing.T, all []*userProgram) string {
	t.Helper()
	at := t.TempDir()
	if keep := os.Getenv("PROGRAMS"); keep != "" {
		at = keep
	}
	write := func(name string, text []byte) {
		file := filepath.Join(at, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	cases := dir(t)
	mod, err := os.ReadFile(filepath.Join(cases, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod = []byte(strings.NewReplacer("=> ../../", "=> "+filepath.Dir(filepath.Dir(cases)), "=> ../", "=> "+filepath.Dir(cases)).Replace(string(mod)))
	write("go.mod", mod)
	for _, f := range []string{"go.sum", "step/step.go", "programs/dom/dom.go", "programs/help/help.go", "programs/model/model.go"} {
		if text, err := os.ReadFile(filepath.Join(cases, f)); err == nil {
			write(f, text)
		}
	}
	var main strings.Builder
	main.WriteString("// Command programs runs one program.\npackage main\n\nimport (\n\"os\"\n")
	for _, p := range all {
		if p.list == "fresh" {
			for name, text := range whole(t, p) {
				write(filepath.Join("programs", p.dir, name), text)
			}
		} else {
			write(filepath.Join("programs", p.dir, p.dir+".go"), expand(t, p))
		}
		fmt.Fprintf(&main, "%q\n", "cases/programs/"+p.dir)
	}
	main.WriteString(")\n\nfunc main() {\nmap[string]func(){\n")
	for _, p := range all {
		fmt.Fprintf(&main, "%q: %s.Run,\n", p.dir, p.dir)
	}
	main.WriteString("}[os.Args[1]]()\n}\n")
	write("main/main.go", []byte(main.String()))
	return at
}

// TestProgramsFail: the bad programs fail as they say, under the race detector, and the good ones
// do not.
func TestProgramsFail(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs all programs") // it takes minutes
	}
	var all []*userProgram
	for _, list := range programLists[:3] { // the programs of the last list were run by their author
		all = append(all, read(t, list)...)
	}
	at := writeModule(t, all)
	binary := filepath.Join(t.TempDir(), "programs")
	build := exec.Command("go", "build", "-race", "-o", binary, "./main")
	build.Dir = at
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	says := map[string]string{"race": "WARNING: DATA RACE", "panic": "panic:", "hang": "waits for ever", "long": "a long turn"}
	for _, p := range all {
		t.Run(p.dir, func(t *testing.T) {
			t.Parallel()
			if p.rule == "" {
				if out, err := fails(binary, p.dir); err != nil {
					t.Errorf("%s: %v\n%s", p.name, err, out)
				}
				return
			}
			var out []byte
			var err error
			for range 2 * tries {
				out, err = fails(binary, p.dir)
				if err != nil && strings.Contains(string(out), says[p.fails]) {
					return
				}
			}
			t.Errorf("%s: got %v, want a %s\n%s", p.name, err, p.fails, out)
		})
	}
}

// score is how the rules do over a list.
type score struct{ bad, found, reports, wrong int }

// TestPrograms: the rules find at least 85 % of the bad programs, and at most 2 % of their reports
// are for a program that is right. Without -short, it also applies the fixes of GV2. The result
// compiles, and the cloned values are not reported any more.
func TestPrograms(t *testing.T) {
	var all []*userProgram
	for _, list := range programLists {
		all = append(all, read(t, list)...)
	}
	at := writeModule(t, all)
	reports := analyse(t, at)
	for _, list := range programLists {
		scores, total := map[string]*score{}, score{}
		for _, p := range all {
			if p.list == list {
				p.judge(t, reports[p.dir], scores, &total)
			}
		}
		for _, rule := range slices.Sorted(maps.Keys(scores)) {
			t.Logf("%s %s: %d of %d found", list, rule, scores[rule].found, scores[rule].bad)
		}
		t.Logf("%s: %d of %d found, %d reports, %d of them wrong", list, total.found, total.bad, total.reports, total.wrong)
		if *only == "" && (total.found*100 < total.bad*85 || total.wrong*100 > total.reports*2) {
			t.Errorf("%s: found %d of %d, and %d of %d reports are wrong", list, total.found, total.bad, total.wrong, total.reports)
		}
	}
	if testing.Short() {
		return // the rest takes as long again
	}
	fixed := map[string]int{}
	for dir, list := range reports {
		if n := applyClones(t, list); n > 0 {
			fixed[dir] = n
		}
	}
	again := analyse(t, at)
	for dir, n := range fixed {
		left := 0
		for _, r := range again[dir] {
			if strings.HasPrefix(r.Message, "GV2: ") {
				left++
				t.Logf("%s %s", r.at, r.Message)
			}
		}
		before := 0
		for _, r := range reports[dir] {
			if strings.HasPrefix(r.Message, "GV2: ") {
				before++
			}
		}
		if left > before-n {
			t.Errorf("%s: %d of %d reports of GV2 are left after %d fixes", dir, left, before, n)
		}
	}
	t.Logf("%d programs were fixed by clones", len(fixed))
	if *only == "" && len(fixed) < 40 {
		t.Errorf("only %d programs have a fix", len(fixed))
	}
}

// report is a report, and where it is.
type report struct {
	analysis.Diagnostic
	fset *token.FileSet
	at   token.Position
}

// analyse runs the rules over the programs of a module, and returns their reports, by directory.
func analyse(t *testing.T, at string) map[string][]report {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Dir: at, Mode: packages.LoadAllSyntax | packages.NeedModule}, "./programs/...")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(rules.Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	reports := map[string][]report{}
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Error(root, root.Err, root.Package.Errors)
		}
		for _, d := range root.Diagnostics {
			pos := root.Package.Fset.Position(d.Pos)
			in, _ := filepath.Rel(filepath.Join(at, "programs"), pos.Filename)
			dir, _, _ := strings.Cut(in, "/")
			reports[dir] = append(reports[dir], report{d, root.Package.Fset, pos})
		}
	}
	return reports
}

// judge counts the reports about a program.
func (p *userProgram) judge(t *testing.T, reports []report, scores map[string]*score, total *score) {
	rule := p.rule
	if rule == "" {
		rule = "good"
	}
	if scores[rule] == nil {
		scores[rule] = &score{}
	}
	var lines []string
	for _, r := range reports {
		lines = append(lines, fmt.Sprintf("%d: %s", r.at.Line, r.Message))
	}
	text := strings.Join(lines, "\n\t")
	total.reports += len(reports)
	switch {
	case p.rule == "" && len(reports) > 0:
		total.wrong += len(reports)
		t.Logf("WRONG %s %s: %s", p.dir, p.name, text)
	case p.rule == "":
	case len(reports) == 0:
		t.Logf("MISSED %s %s: %s", p.dir, p.rule, p.name)
	default:
		scores[rule].found++
		total.found++
		if testing.Verbose() && *only != "" || p.list != "fresh" && !strings.Contains(text, p.rule+":") {
			t.Logf("FOUND %s %s: %s %s", p.dir, p.rule, p.name, text)
		}
	}
	if p.rule != "" {
		scores[rule].bad++
		total.bad++
	}
}

// applyClones applies the fixes of GV2 for the reports of a program, which is one file, and returns
// their number.
func applyClones(t *testing.T, reports []report) (n int) {
	type edit struct {
		pos, end int
		text     string
	}
	var edits []edit
	name := ""
	for _, r := range reports {
		if !strings.HasPrefix(r.Message, "GV2: ") || len(r.SuggestedFixes) == 0 {
			continue
		}
		n, name = n+1, r.at.Filename
		for _, e := range r.SuggestedFixes[0].TextEdits {
			edits = append(edits, edit{r.fset.Position(e.Pos).Offset, r.fset.Position(e.End).Offset, string(e.NewText)})
		}
	}
	if n == 0 {
		return 0
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return b.pos - a.pos })
	for _, e := range slices.Compact(edits) {
		text = slices.Concat(text[:e.pos], []byte(e.text), text[e.end:])
	}
	if text, err = format.Source(text); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return n
}
