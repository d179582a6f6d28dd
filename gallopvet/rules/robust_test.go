package rules_test

import (
	"os"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
	"github.com/gallop-go/gallop/gallopvet/rules"
)

// TestRobust: no code makes a rule panic, nor makes it report anything without a position. The
// library has all that Go has, and knows nothing of gallop.
func TestRobust(t *testing.T) {
	roots := []string{"go/types", "golang.org/x/tools/go/ssa", "text/template", "sync"}
	if !testing.Short() {
		roots = append(roots, "net/http", "encoding/...", "database/sql")
	}
	everything(t, ".", roots, true)
}

// TestRobustOverAll is the same for all of the library, for all of x/tools, and for gallop with its
// tests and the modules that it needs: several minutes, if GALLOPVET_ALL is set.
func TestRobustOverAll(t *testing.T) {
	if os.Getenv("GALLOPVET_ALL") == "" {
		t.Skip("GALLOPVET_ALL is not set") // minutes: .ci/run gallopvet_long does it
	}
	everything(t, ".", []string{"std"}, true)
	everything(t, ".", []string{"golang.org/x/tools/..."}, true)
	everything(t, "../..", []string{
		"./...", "github.com/google/go-cmp/...", "pgregory.net/rapid/...",
		"github.com/anishathalye/porcupine/...", "go.uber.org/goleak/...", "go.uber.org/atomic/...",
	}, false)
}

// everything runs all rules, strictly, over packages and all that they import. silent says that
// none of them has to do with gallop.
func everything(t *testing.T, dir string, roots []string, silent bool) {
	t.Helper()
	flow.Everything = true
	set(t, rules.Settings{Strict: true, Tests: true})
	defer func() { flow.Everything = false }()
	config := &packages.Config{Mode: packages.LoadAllSyntax, Dir: dir, Tests: !silent}
	pkgs, err := packages.Load(config, roots...)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	graph, err := checker.Analyze(rules.Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen, reports := map[string]bool{}, 0
	for a := range graph.All() {
		if a.Package.IllTyped {
			continue // a module that it needs is not there
		}
		seen[a.Package.ID] = true
		if a.Err != nil {
			t.Error(a, a.Err)
		}
		for _, d := range a.Diagnostics {
			reports++
			at := a.Package.Fset.Position(d.Pos)
			if silent || !at.IsValid() || at.Filename == "" {
				t.Errorf("%s: %s", at, d.Message)
			}
		}
	}
	t.Logf("%v: %d packages, %d reports, %v", roots, len(seen), reports, time.Since(start))
}
