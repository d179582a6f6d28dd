package policy

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// floor says where a package stands. It may import packages of ours on lower
// floors, and no other.
type floor struct {
	// A directory; "x/..." is everything under x; the first row that fits counts.
	pkg    string
	level  int      // 0 is the ground
	beside []string // packages of its own floor that it may import
	only   []string // if not nil, all that it may import of ours
}

// floors is the shape of the project. Do not change this table to fix a build:
// an import that it refuses is a wrong import. A new package takes a place by a
// decision in docs/decisions.
var floors = []floor{
	{pkg: "internal/cacheline", level: 0},
	{pkg: "internal/nocmp", level: 0},
	{pkg: "internal/invariant", level: 0},
	{pkg: "internal/loglimit", level: 0},
	{pkg: "internal/policy", level: 0},
	{pkg: "internal/flightlog", level: 1}, // its tests explore
	{pkg: "internal/inspect", level: 4},   // decisions 1 and 45
	{pkg: "internal/kernel/msg", level: 1},
	// Its tests use the blocked-on counts of backpressure.
	{pkg: "internal/kernel/mpsc", level: 2},
	{pkg: "internal/kernel/indexset", level: 3, only: []string{"internal/invariant"}},
	{pkg: "internal/kernel/stack", level: 3, only: []string{}},
	{pkg: "internal/kernel/sim", level: 0},
	{pkg: "internal/joint", level: 2, beside: []string{"sched"}}, // decision 42
	// The rooms of the kernel know no actor, nor each other.
	{pkg: "internal/kernel/...", level: 3},
	{pkg: "internal/kernel", level: 3, beside: []string{"internal/kernel/..."}}, // of actor: decision 1
	// Between actor and the packages beside it.
	{pkg: "internal/face", level: 3, beside: []string{"actor", "internal/kernel"}},
	{pkg: "internal/members", level: 3, beside: []string{"actor"}}, // decision 18
	{pkg: "internal/...", level: 0, beside: []string{"internal/cacheline", "internal/invariant",
		"internal/loglimit", "internal/nocmp", "internal/seam"}},
	{pkg: "heap", level: 1},
	{pkg: "capability", level: 1},
	{pkg: "backpressure", level: 1},
	{pkg: "sched", level: 2}, // has never heard of actors
	// Its tests use bridge.
	{pkg: "actor", level: 3, beside: []string{"internal/kernel", "internal/kernel/...", "bridge"}},
	{pkg: "process", level: 3}, // stands beside actor and does not know it
	{pkg: "bridge", level: 4},  // decision 1
	{pkg: "supervise", level: 4},
	// Joins actors and processes: decision 42. Its tests use bridge, group, actortest and inspect.
	{pkg: "process/actors", level: 4, beside: []string{"supervise", "bridge", "group", "actortest",
		"internal/inspect"}},
	// Decision 18.
	{pkg: "group", level: 4, beside: []string{"supervise"}},
	{pkg: "flight", level: 4, beside: []string{"internal/inspect"}}, // decision 45
	{pkg: "observe", level: 4, beside: []string{"internal/inspect", "flight", "supervise", "group",
		"bridge"}}, // bridge: its tests
	{pkg: "observe/...", level: 4, beside: []string{"observe"}},
	{pkg: "actortest", level: 4, beside: []string{"bridge"}}, // its tests use it
	// It measures processes, shows the page, and measures the costs of the page and the recorder:
	// decisions 42 and 45.
	{pkg: "cmd/...", level: 5, only: []string{"actor", "process", "process/actors", "observe",
		"flight"}},
	{pkg: "examples/...", level: 5, only: []string{"actor", "heap", "capability", "process",
		"process/actors", "supervise", "group", "bridge", "flight", "observe", "observe/...",
		"actortest"}},
}

// module is one module of other people's that the core may use.
type module struct {
	path  string
	pkgs  []string // where production code may import it
	tests bool     // whether any test may
}

// thirdParty is all of it, and go.mod requires exactly these. Do not change this
// table to fix a build: a package that needs more goes into a module of its own.
var thirdParty = []module{
	{path: "go.uber.org/atomic", pkgs: []string{"internal/seam"}},
	{path: "golang.org/x/sys", pkgs: []string{"internal/...", "heap", "sched", "cmd/..."},
		tests: true},
	{path: "github.com/anishathalye/porcupine", tests: true},
	{path: "github.com/google/go-cmp", tests: true},
	{path: "go.uber.org/goleak", tests: true},
	{path: "pgregory.net/rapid", tests: true},
}

// outside are packages that the core must not import: it has no network, starts
// no program and compiles without C. Floors 0 to 3, tests excepted.
var outside = []string{"C", "net", "net/...", "os/exec", "plugin"}

const highestCoreFloor = 3

// matches reports whether a package is meant by one of the patterns.
func matches(pkg string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		under, all := strings.CutSuffix(p, "/...")
		return pkg == p || all && strings.HasPrefix(pkg, under+"/")
	})
}

// floorOf is the first row that means a package.
func floorOf(pkg string) *floor {
	for i := range floors {
		if matches(pkg, floors[i].pkg) {
			return &floors[i]
		}
	}
	return nil
}

func importFloors(r *repo) []string {
	var problems []string
	for _, f := range r.core() {
		home := floorOf(f.dir)
		if home == nil {
			problems = append(problems, f.path+":1: package "+f.dir+" has no floor")
			continue
		}
		for _, s := range f.Imports {
			if why := refuse(f, home, importPath(s)); why != "" {
				problems = append(problems, fmt.Sprintf("%sfloor %d: %s must not import %s: %s",
					r.at(s), home.level, f.dir, importPath(s), why))
			}
		}
	}
	return problems
}

// refuse says why a file of a package on floor home must not import pkg.
func refuse(f *goFile, home *floor, pkg string) string {
	if ours, ok := strings.CutPrefix(pkg, modulePath+"/"); ok {
		return refuseOurs(f, home, ours)
	}
	if first, _, _ := strings.Cut(pkg, "/"); strings.Contains(first, ".") {
		return refuseTheirs(f, pkg)
	}
	if home.level <= highestCoreFloor && !f.test && matches(pkg, outside...) {
		return "the core does without it"
	}
	return ""
}

func refuseOurs(f *goFile, home *floor, pkg string) string {
	to := floorOf(pkg)
	switch {
	case to == nil:
		return "it has no floor"
	case f.test && pkg == f.dir: // a test package outside of its package
		return ""
	case home.level == 5 && matches(pkg, ownTree(f.dir)):
		return ""
	case home.only != nil && !matches(pkg, home.only...):
		return "it may import only " + strings.Join(home.only, ", ")
	case to.level >= home.level && !matches(pkg, home.beside...):
		return fmt.Sprintf("that is on floor %d", to.level)
	}
	return ""
}

// ownTree is everything below the command or example that dir belongs to.
func ownTree(dir string) string {
	parts := strings.Split(dir, "/")
	return path.Join(parts[:min(2, len(parts))]...) + "/..."
}

func refuseTheirs(f *goFile, pkg string) string {
	for _, m := range thirdParty {
		if !matches(pkg, m.path, m.path+"/...") {
			continue
		}
		if m.tests && f.test || matches(f.dir, m.pkgs...) {
			return ""
		}
		if m.tests && len(m.pkgs) == 0 {
			return "it is for tests only"
		}
		return "it belongs to " + strings.Join(m.pkgs, ", ")
	}
	return "the core does not use that module"
}

// goModOf parses as much of a go.mod as its rule needs: directive → arguments.
func goModOf(text string) map[string][]string {
	got := map[string][]string{}
	block := ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		case block != "":
			got[block] = append(got[block], words[0])
		case len(words) > 1:
			got[words[0]] = append(got[words[0]], words[1])
		}
	}
	return got
}

func goModIsExact(r *repo) []string {
	var problems []string
	mod := goModOf(r.text["go.mod"])
	if !slices.Equal(mod["module"], []string{modulePath}) {
		problems = append(problems, "go.mod: module must be "+modulePath)
	}
	if !slices.ContainsFunc(mod["go"], func(v string) bool { return strings.HasPrefix(v, "1.26") }) {
		problems = append(problems, "go.mod: go must be 1.26")
	}
	for _, directive := range slices.Sorted(maps.Keys(mod)) {
		if !slices.Contains([]string{"module", "go", "require"}, directive) {
			problems = append(problems, "go.mod: no "+directive+" here")
		}
	}
	for _, m := range thirdParty {
		if !slices.Contains(mod["require"], m.path) {
			problems = append(problems, "go.mod: does not require "+m.path)
		}
	}
	for _, path := range mod["require"] {
		if !slices.ContainsFunc(thirdParty, func(m module) bool { return m.path == path }) {
			problems = append(problems, "go.mod: must not require "+path)
		}
	}
	return problems
}

// TestImportFloors: a package imports lower floors only.
func TestImportFloors(t *testing.T) {
	enforce(t, policy{check: importFloors, accepts: floorsKept, rejects: floorsBroken})
}

// TestGoModIsExact: go.mod's require list is exactly the allowed set.
func TestGoModIsExact(t *testing.T) {
	enforce(t, policy{check: goModIsExact, accepts: tree{"go.mod": goodMod}, rejects: []fault{
		{"one more", tree{"go.mod": goodMod + "require go.uber.org/zap v1.0.0\n"},
			"must not require go.uber.org/zap"},
		{"one less", tree{"go.mod": strings.Replace(goodMod, "pgregory.net/rapid v1.0.0\n", "\n", 1)},
			"does not require pgregory.net/rapid"},
		{"replace", tree{"go.mod": goodMod + "replace golang.org/x/sys => ../sys\n"}, "no replace here"},
		{"tool", tree{"go.mod": goodMod + "tool (\n\thonnef.co/go/tools/cmd/staticcheck\n)\n"},
			"no tool here"},
		{"other module", tree{"go.mod": strings.Replace(goodMod, modulePath, "example.com/x", 1)},
			"module must be"},
		{"other Go", tree{"go.mod": strings.Replace(goodMod, "go 1.26.0", "go 1.99.0", 1)},
			"go must be 1.26"},
	}})
}

const goodMod = "module " + modulePath + `

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.0.0
	github.com/google/go-cmp v1.0.0 // a comment
	go.uber.org/goleak v1.0.0
	golang.org/x/sys v1.0.0
	pgregory.net/rapid v1.0.0
)
require go.uber.org/atomic v1.0.0
`

// importing is a file of package pkg with these imports; a leading "./" is ours.
func importing(pkg string, imports ...string) string {
	src := "package " + pkg + "\n"
	for _, p := range imports {
		if ours, ok := strings.CutPrefix(p, "./"); ok {
			p = modulePath + "/" + ours
		}
		src += fmt.Sprintf("import _ %q\n", p)
	}
	return src
}

var floorsKept = tree{
	"internal/seam/seam.go": importing("seam", "sync/atomic", "go.uber.org/atomic",
		"./internal/cacheline"),
	"internal/cacheline/line.go": importing("cacheline", "golang.org/x/sys/cpu"),
	"heap/arena.go":              importing("heap", "./internal/seam", "golang.org/x/sys/unix"),
	"sched/scheduler.go":         importing("sched", "./internal/seam", "runtime"),
	"sched/x_test.go": importing("sched_test", "./sched", "pgregory.net/rapid",
		"net/http", "golang.org/x/sys/unix"),
	"actor/actor.go": importing("actor", "./sched", "./heap", "./backpressure",
		"./internal/kernel/mpsc", "log/slog"),
	"actor/turn.go":                 importing("actor", "./internal/kernel/permits"),
	"internal/kernel/permits/p.go":  importing("permits", "./sched", "./internal/seam"),
	"internal/kernel/mpsc/inbox.go": importing("mpsc", "./internal/kernel/msg", "./internal/seam"),
	"process/process.go":            importing("process", "./sched"),
	"observe/web/web.go":            importing("web", "./observe", "./actor", "net/http"),
	"cmd/pingpong/main.go":          importing("main", "./actor", "os/exec", "./cmd/pingpong/bars"),
	"cmd/pingpong/bars/bars.go":     importing("bars"),
	"examples/chat/main.go":         importing("main", "./actor", "./supervise"),
	"benchmarks/go.mod":             "module x\n",
	"benchmarks/rivals/rivals.go":   importing("rivals", "example.com/rival", "./sched"),
	"sched/testdata/x/y/ignored.go": importing("y", "./actor"),
}

var floorsBroken = []fault{
	{"up", tree{"sched/up.go": importing("sched", "./actor")},
		"sched must not import " + modulePath + "/actor: that is on floor 3"},
	{"a room knows actor", tree{"internal/kernel/permits/x.go": importing("permits", "./actor")},
		"that is on floor 3"},
	{"a room knows another", tree{"internal/kernel/permits/x.go": importing("permits",
		"./internal/kernel/stack")}, "that is on floor 3"},
	{"sched knows a room", tree{"sched/x.go": importing("sched", "./internal/kernel/permits")},
		"that is on floor 3"},
	{"messages know queues", tree{"internal/kernel/msg/x.go": importing("msg",
		"./internal/kernel/mpsc")}, "that is on floor 2"},
	{"queues know the scheduler", tree{"internal/kernel/mpsc/x.go": importing("mpsc", "./sched")},
		"that is on floor 2"},
	{"up in a test", tree{"sched/up_test.go": importing("sched", "./actor")}, "that is on floor 3"},
	{"sideways", tree{"heap/side.go": importing("heap", "./backpressure")}, "that is on floor 1"},
	{"process knows actor", tree{"process/x.go": importing("process", "./actor")},
		"that is on floor 3"},
	{"itself", tree{"actor/self.go": importing("actor", "./actor")}, "that is on floor 3"},
	{"command goes round actor", tree{"cmd/pingpong/x.go": importing("main", "./sched")},
		"it may import only actor"},
	{"command into another", tree{"cmd/pingpong/x.go": importing("main", "./cmd/other")},
		"it may import only actor"},
	{"example goes inside", tree{"examples/chat/x.go": importing("main", "./internal/seam")},
		"it may import only actor, heap"},
	{"ground floor", tree{"internal/cacheline/x.go": importing("cacheline", "./internal/seam")},
		"that is on floor 0"},
	{"no floor", tree{"extra/x.go": importing("extra")}, "package extra has no floor"},
	{"to no floor", tree{"actor/x.go": importing("actor", "./extra")}, "it has no floor"},
	{"stranger", tree{"actor/x.go": importing("actor", "go.uber.org/zap")},
		"the core does not use that module"},
	{"stranger by prefix", tree{"heap/x.go": importing("heap", "golang.org/x/system")},
		"the core does not use that module"},
	{"atomics outside the seam", tree{"sched/x.go": importing("sched", "go.uber.org/atomic")},
		"it belongs to internal/seam"},
	{"atomics in a test", tree{"sched/y_test.go": importing("sched", "go.uber.org/atomic")},
		"it belongs to internal/seam"},
	{"system calls above", tree{"actor/x.go": importing("actor", "golang.org/x/sys/unix")},
		"it belongs to internal/..., heap, sched, cmd/..."},
	{"test helper in production", tree{"actor/x.go": importing("actor", "pgregory.net/rapid")},
		"it is for tests only"},
	{"network", tree{"actor/x.go": importing("actor", "net/http")}, "the core does without it"},
	{"C", tree{"heap/x.go": importing("heap", "C")}, "the core does without it"},
}
