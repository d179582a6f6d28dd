package rules_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

// TestCorpus: the rules find nothing in programs that are right: the ported ones, and the examples
// of gallop.
func TestCorpus(t *testing.T) {
	for dir, pattern := range map[string]string{"../corpus": "./...", "../..": "./examples/..."} {
		pkgs, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.LoadAllSyntax}, pattern)
		if err != nil {
			t.Fatal(err)
		}
		graph, err := checker.Analyze(rules.Analyzers(), pkgs, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(graph.Roots) < 5*len(rules.Analyzers()) {
			t.Errorf("%d packages in %s", len(pkgs), dir)
		}
		for _, root := range graph.Roots {
			if root.Err != nil {
				t.Error(root, root.Err)
			}
			for _, d := range root.Diagnostics {
				t.Errorf("%s: %s", root.Package.Fset.Position(d.Pos), d.Message)
			}
		}
	}
}
