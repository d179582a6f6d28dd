package rules_test

import (
	"maps"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

// dir returns the directory of the cases: a module that imports gallop as it is in this checkout.
func dir(t *testing.T) string {
	t.Helper()
	abs, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// together makes one analyzer of all rules, so that packages are loaded once, and each rule sees
// the cases of all others.
func together() *analysis.Analyzer {
	all := &analysis.Analyzer{Name: "all", Doc: "all rules together"}
	seen := map[*analysis.Analyzer]bool{}
	for _, a := range rules.Analyzers() {
		seen[a] = true
	}
	for _, a := range rules.Analyzers() {
		for _, r := range a.Requires {
			if !seen[r] {
				seen[r] = true
				all.Requires = append(all.Requires, r)
			}
		}
	}
	all.Run = func(pass *analysis.Pass) (any, error) {
		results := maps.Clone(pass.ResultOf)
		for _, a := range rules.Analyzers() {
			one := *pass
			one.Analyzer, one.ResultOf = a, results
			r, err := a.Run(&one)
			if err != nil {
				return nil, err
			}
			results[a] = r
		}
		return nil, nil
	}
	return all
}

// set makes the rules follow settings, for the time of a test.
func set(t testing.TB, s rules.Settings) {
	t.Helper()
	if err := rules.Set(s); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rules.Set(rules.Settings{}) })
}

// TestRules: the rules report the wanted findings of the bad cases, and nothing in the good ones.
func TestRules(t *testing.T) {
	analysistest.Run(t, dir(t), together(), "./gv1/...", "./gv2/...", "./gv3/...", "./gv4/...",
		"./gv5/...", "./gv6/...", "./gv7/...", "./gv8/...", "./allow/...")
}

// TestFixes: the suggested fixes lead to the golden files.
func TestFixes(t *testing.T) {
	for _, a := range rules.Analyzers() {
		if a.Name == "gv6" {
			analysistest.RunWithSuggestedFixes(t, dir(t), a, "./gv6/fix")
		}
	}
}

// TestStrict: code that cannot be proved right is reported with -strict.
func TestStrict(t *testing.T) {
	set(t, rules.Settings{Strict: true})
	analysistest.Run(t, dir(t), together(), "./strict")
}

// TestMarks: values of a type that its package marks as immutable are not written to.
func TestMarks(t *testing.T) {
	analysistest.Run(t, filepath.Join(filepath.Dir(dir(t)), "internal", "flow", "testdata"),
		together(), "marked")
}
