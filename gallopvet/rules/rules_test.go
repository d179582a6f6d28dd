package rules_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

// testdata is a module that imports gallop as it is in this checkout.
const testdata = "../testdata"

// analyzer returns the analyzer of a rule.
func analyzer(t *testing.T, name string) *analysis.Analyzer {
	t.Helper()
	for _, a := range rules.Analyzers() {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("there is no rule %s", name)
	return nil
}

// dir returns the directory of the cases.
func dir(t *testing.T) string {
	t.Helper()
	abs, err := filepath.Abs(testdata)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// TestRules: each rule reports what its bad cases want, and nothing in its good ones.
func TestRules(t *testing.T) {
	for _, name := range []string{"gv1", "gv2", "gv3", "gv4", "gv5"} {
		t.Run(name, func(t *testing.T) {
			analysistest.Run(t, dir(t), analyzer(t, name), "./"+name+"/...")
		})
	}
}
