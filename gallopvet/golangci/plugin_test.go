package golangci

import (
	"slices"
	"testing"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

// TestPlugin: golangci-lint gets the rules that the command has.
func TestPlugin(t *testing.T) {
	p, err := New(map[string]any{"tests": true, "disable": []string{"GV6"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, rules.Analyzers()) {
		t.Errorf("got %v, want %v", got, rules.Analyzers())
	}
}
