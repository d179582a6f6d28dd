package flow_test

import (
	"flag"
	"fmt"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

var update = flag.Bool("update", false, "write library.txt")

// hidden reports whether users cannot import a package.
func hidden(path string) bool {
	return strings.Contains("/"+path, "/internal/") || strings.HasPrefix(path, "vendor/") || strings.HasSuffix(path, "/internal")
}

// TestLibrary derives the table of the library from its source, and compares the two.
func TestLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the SSA form of the library") // half a minute
	}
	const made = "go1.26"
	if !strings.HasPrefix(runtime.Version(), made) && !*update {
		t.Skip("the table is that of", made) // another library has other functions
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, "std")
	if err != nil {
		t.Fatal(err)
	}
	flow.Everything = true
	defer func() { flow.Everything = false }()
	graph, err := checker.Analyze([]*analysis.Analyzer{flow.Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	lines := map[string][]string{}
	for act := range graph.All() {
		if act.Err != nil {
			t.Fatal(act, act.Err)
		}
		path := act.Package.PkgPath
		lines[path] = append(lines[path], "")
		for _, f := range act.AllObjectFacts() {
			s, ok := f.Fact.(*flow.Summary)
			fn, isFunc := f.Object.(*types.Func)
			if !ok || !isFunc || fn.Pkg().Path() != path || !fn.Exported() || hidden(path) {
				continue
			}
			if text := flow.Encode(s); text != "" {
				lines[path] = append(lines[path], flow.InTable(fn)+" "+text)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&out, "# %s\n", path)
		slices.Sort(lines[path])
		for _, line := range slices.Compact(lines[path]) {
			if line != "" {
				out.WriteString(line + "\n")
			}
		}
	}
	if *update {
		if err := os.WriteFile("library.txt", []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if out.String() != flow.Table() {
		t.Error("library.txt is not what the library says: go test -run TestLibrary -update ./internal/flow")
	}
}
