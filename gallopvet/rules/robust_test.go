package rules_test

import (
	"testing"

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
	flow.Everything = true
	set(t, rules.Settings{Strict: true, Tests: true})
	defer func() { flow.Everything = false }()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, roots...)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(rules.Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for a := range graph.All() {
		if a.Err != nil {
			t.Error(a, a.Err)
		}
		for _, d := range a.Diagnostics {
			t.Errorf("%s: %s", a.Package.Fset.Position(d.Pos), d.Message)
		}
	}
}
