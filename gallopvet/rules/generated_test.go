package rules_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

// programs is how many programs are made; GALLOPVET_PROGRAMS sets another number.
const programs = 300

// generator makes functions that use three Isos, on paths that three conditions decide.
type generator struct {
	*rand.Rand
	bytes.Buffer
	owner []int // the program that each line belongs to
}

func (g *generator) put(program int, format string, args ...any) {
	fmt.Fprintf(g, format+"\n", args...)
	g.owner = append(g.owner, program)
}

// program makes one function.
func (g *generator) program(n int) {
	g.put(n, "func p%d(b0, b1, b2 bool) {", n)
	g.put(n, "i0, i1, i2 := made(), made(), made()")
	g.block(n, 3+g.IntN(8), 2)
	g.put(n, "_, _, _ = i0, i1, i2")
	g.put(n, "}")
}

func (g *generator) block(n, statements, depth int) {
	for range statements {
		g.statement(n, depth)
	}
}

func (g *generator) statement(n, depth int) {
	i, j := g.IntN(3), g.IntN(3)
	switch g.IntN(11) {
	case 0:
		g.put(n, "i%d.Use(func(*int) {})", i)
	case 1:
		g.put(n, "i%d = i%d.Move()", i, j)
	case 2:
		g.put(n, "_ = i%d.Move()", i)
	case 3, 4:
		g.put(n, "i%d = made()", i)
	case 5:
		g.put(n, "i%d = i%d", i, j)
	case 6:
		g.put(n, "_ = i%d.Freeze()", i)
	case 7:
		g.put(n, "_ = i%d.Take()", i)
	case 8:
		g.put(n, "_ = i%d.Tag()", i)
	default:
		g.branch(n, depth)
	}
}

func (g *generator) branch(n, depth int) {
	if depth == 0 {
		return
	}
	g.put(n, "if b%d {", g.IntN(3))
	g.block(n, 1+g.IntN(3), depth-1)
	switch g.IntN(3) {
	case 0:
		g.put(n, "return")
	case 1:
		g.put(n, "} else {")
		g.block(n, 1+g.IntN(3), depth-1)
	}
	g.put(n, "}")
}

// TestGone: GV3 agrees with the check at run time. Each program is run on all its paths, and is
// reported if, and only if, one of them uses an Iso that is gone.
func TestGone(t *testing.T) {
	count := programs
	if n, err := strconv.Atoi(os.Getenv("GALLOPVET_PROGRAMS")); err == nil {
		count = n
	}
	where := t.TempDir()
	g := generate(t, where, count)
	fails := run(t, where)
	flagged := map[int]bool{}
	for _, line := range reported(t, where) {
		flagged[g.owner[line-1]] = true
	}
	missed, wrong := 0, 0
	for n := range count {
		switch {
		case fails[n] && !flagged[n]:
			missed++
			t.Errorf("program %d fails and is not reported", n)
		case !fails[n] && flagged[n]:
			wrong++
		}
	}
	t.Logf("%d programs: %d fail, %d are reported, %d missed, %d wrongly reported",
		count, len(fails), len(flagged), missed, wrong)
	if 20*wrong > len(flagged) {
		t.Errorf("%d of %d reports are wrong, more than 5 %%", wrong, len(flagged))
	}
}

// generate writes the programs, and a main function that runs each on all paths.
func generate(t *testing.T, where string, count int) *generator {
	t.Helper()
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2))}
	for _, line := range []string{
		"package main", `import "fmt"`, `import "github.com/gallop-go/gallop/capability"`,
		"func made() capability.Iso[int] { return capability.NewIso[int](nil) }",
		"func try(n int, p func(b0, b1, b2 bool)) { for b := range 8 { one(n, p, b) } }",
		"func one(n int, p func(b0, b1, b2 bool), b int) {",
		"defer func() { if recover() != nil { fmt.Println(n) } }()",
		"p(b&1 != 0, b&2 != 0, b&4 != 0) }",
	} {
		g.put(-1, "%s", line)
	}
	for n := range count {
		g.program(n)
	}
	g.put(-1, "func main() {")
	for n := range count {
		g.put(-1, "try(%d, p%d)", n, n)
	}
	g.put(-1, "}")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../testdata/go.sum")
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile("../testdata/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"main.go": g.Bytes(), "go.sum": sum,
		"go.mod": bytes.ReplaceAll(module, []byte("=> ../../"), []byte("=> "+root)),
	} {
		if err := os.WriteFile(filepath.Join(where, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// run returns the programs that use an Iso which is gone.
func run(t *testing.T, where string) map[int]bool {
	t.Helper()
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = where
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	fails := map[int]bool{}
	for line := range strings.Lines(string(out)) {
		n, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		fails[n] = true
	}
	return fails
}

// reported returns the lines that GV3 reports.
func reported(t *testing.T, where string) []int {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Dir: where, Mode: packages.LoadAllSyntax}, ".")
	if err != nil {
		t.Fatal(err)
	}
	var gv3 []*analysis.Analyzer
	for _, a := range rules.Analyzers() {
		if a.Name == "gv3" {
			gv3 = append(gv3, a)
		}
	}
	graph, err := checker.Analyze(gv3, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, root := range graph.Roots {
		for _, d := range root.Diagnostics {
			lines = append(lines, pkgs[0].Fset.Position(d.Pos).Line)
		}
	}
	return lines
}
