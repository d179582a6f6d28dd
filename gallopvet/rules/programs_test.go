package rules_test

import (
	"errors"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

// programLists are the lists of programs in testdata/programs: notes.txt are those that users reported,
// own.txt are those that were written before the rules were read again. The first line of a program
// says whether it is good, or which rule is to find it and how it fails. The comments of its first
// lines stand for declarations: see expand.
var programLists = []string{"notes", "own"}

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
	"actor": "", "capability": "", "group": "", "heap": "", "process": "", "supervise": "",
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
		write(filepath.Join("programs", p.dir, p.dir+".go"), expand(t, p))
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
	for _, list := range programLists {
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

// TestPrograms: of the bad programs the rules find at least 85 %, and at most 2 % of their reports
// are for a program that is right.
func TestPrograms(t *testing.T) {
	for _, list := range programLists {
		all := read(t, list)
		at := writeModule(t, all)
		scores, other := judge(t, at, all)
		for _, why := range other {
			t.Error(why)
		}
		var total score
		for _, rule := range slices.Sorted(keys(scores)) {
			s := scores[rule]
			t.Logf("%s %s: %d of %d found", list, rule, s.found, s.bad)
			total.bad, total.found, total.reports, total.wrong = total.bad+s.bad, total.found+s.found, total.reports+s.reports, total.wrong+s.wrong
		}
		t.Logf("%s: %d of %d found, %d reports, %d of them wrong", list, total.found, total.bad, total.reports, total.wrong)
		if *only == "" && (total.found*100 < total.bad*85 || total.wrong*100 > total.reports*2) {
			t.Errorf("%s: found %d of %d, and %d of %d reports are wrong", list, total.found, total.bad, total.wrong, total.reports)
		}
	}
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// judge runs the rules over the programs at a directory.
func judge(t *testing.T, at string, all []*userProgram) (map[string]*score, []string) {
	t.Helper()
	began := time.Now()
	pkgs, err := packages.Load(&packages.Config{Dir: at, Mode: packages.LoadAllSyntax | packages.NeedModule}, "./programs/...")
	if err != nil {
		t.Fatal(err)
	}
	loaded := time.Now()
	graph, err := checker.Analyze(rules.Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("loaded in %v, analysed in %v", loaded.Sub(began).Round(time.Millisecond), time.Since(loaded).Round(time.Millisecond))
	reports := map[string][]string{}
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Error(root, root.Err)
		}
		for _, d := range root.Diagnostics {
			pos := root.Package.Fset.Position(d.Pos)
			name := filepath.Base(filepath.Dir(pos.Filename))
			reports[name] = append(reports[name], fmt.Sprintf("%s:%d: %s", filepath.Base(pos.Filename), pos.Line, d.Message))
		}
	}
	scores := map[string]*score{}
	var other []string
	for _, p := range all {
		rule := p.rule
		if rule == "" {
			rule = "good"
		}
		if scores[rule] == nil {
			scores[rule] = &score{}
		}
		s, r := scores[rule], reports[p.dir]
		delete(reports, p.dir)
		s.reports += len(r)
		if p.rule == "" {
			s.wrong += len(r)
			if len(r) > 0 {
				t.Logf("WRONG %s %s: %s", p.dir, p.name, strings.Join(r, "\n\t"))
			}
			continue
		}
		s.bad++
		if len(r) > 0 {
			s.found++
			if testing.Verbose() && *only != "" || !strings.Contains(r[0], p.rule+":") {
				t.Logf("FOUND %s %s: %s %s", p.dir, p.rule, p.name, strings.Join(r, "\n\t"))
			}
		} else {
			t.Logf("MISSED %s %s: %s", p.dir, p.rule, p.name)
		}
	}
	for name, r := range reports {
		other = append(other, fmt.Sprintf("%s: %v", name, r))
	}
	return scores, other
}
