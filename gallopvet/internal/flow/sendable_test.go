package flow

import (
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestSendable judges a table of more than a hundred types: the names of variables give the right
// answer. Marks come from another package.
func TestSendable(t *testing.T) {
	if n := judged(t, analysistest.TestData(), "uses"); n < 100 {
		t.Errorf("%d types, want at least 100", n)
	}
}

// TestSendableOfGallop judges types of packages process and actor as they are.
func TestSendableOfGallop(t *testing.T) {
	cases, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if n := judged(t, cases, "./sendable"); n < 50 {
		t.Errorf("%d types, want at least 50", n)
	}
}

// judged judges the variables of a package, and returns how many there are.
func judged(t *testing.T, dir, pkg string) (n int) {
	t.Helper()
	kinds := map[string]Kind{
		"harmless": Harmless, "shares": Shares, "channel": Channel, "opaque": Opaque,
	}
	check := &analysis.Analyzer{
		Name: "judge", Doc: "judge types", Requires: []*analysis.Analyzer{Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			p := pass.ResultOf[Analyzer].(*Package)
			for _, name := range pass.Pkg.Scope().Names() {
				v, ok := pass.Pkg.Scope().Lookup(name).(*types.Var)
				want, known := kinds[strings.TrimRight(name, "0123456789")]
				if !ok || !known {
					continue
				}
				n++
				if yes, r := p.Sendable(v.Type()); yes != (want == Harmless) || r.Kind != want {
					t.Errorf("%s %s: %v at %q, want %v", name, v.Type(), r.Kind, r.Path, want)
				}
			}
			return nil, nil
		},
	}
	analysistest.Run(t, dir, check, pkg)
	return n
}
