package flow

import (
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestSendable judges a table of more than a hundred types: the names of variables say what is
// right. Marks come from another package.
func TestSendable(t *testing.T) {
	kinds := map[string]Kind{
		"harmless": Harmless, "shares": Shares, "channel": Channel, "opaque": Opaque,
	}
	judged := 0
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
				judged++
				if yes, r := p.Sendable(v.Type()); yes != (want == Harmless) || r.Kind != want {
					t.Errorf("%s %s: %v at %q, want %v", name, v.Type(), r.Kind, r.Path, want)
				}
			}
			return nil, nil
		},
	}
	analysistest.Run(t, analysistest.TestData(), check, "uses")
	if judged < 100 {
		t.Errorf("%d types, want at least 100", judged)
	}
}
