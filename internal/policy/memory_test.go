package policy

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// rawMemory lists the files that may import sync/atomic, go.uber.org/atomic or
// unsafe, or are assembly, each with its reason; * stands for part of a file
// name. Everything else goes through internal/seam, so that an explorer can put
// it under any interleaving. A row that is no longer needed fails.
//
// Not listed, because free to all: unsafe.Sizeof, Alignof and Offsetof, which
// are arithmetic at compile time, and sync/atomic in tests, whose own counters
// are no part of a protocol.
var rawMemory = []struct{ file, imports, reason string }{
	{"internal/seam/*.go", "sync/atomic",
		"64-bit words that are aligned on 32-bit machines, and 32-bit ones of four bytes; the " +
			"instrumented twin"},
	{"internal/seam/*.go", "go.uber.org/atomic", "the words that all protocols are written in"},
	{"internal/seam/*.s", assembly,
		"a store that releases without a fence, and which goroutine this is, which Go does not have"},
	{"internal/seam/*_explore.go", "unsafe",
		"what lies where decides whether an access is an interleaving point"},
	{"internal/seam/held.go", "unsafe",
		"a pointer is swapped as a word, where its caller shows it to the collector"},
	{"internal/seam/locked.go", "unsafe",
		"whether a goroutine has its thread locked, which Go does not tell"},
	{"internal/guard/context.go", "unsafe",
		"whether the value of an interface is a nil pointer, and what a context is derived from, which " +
			"each request asks"},
	{"internal/guard/layouts.go", "sync/atomic",
		"which types of contexts are known; no other answer depends on who was first"},
	{"actor/kernel.go", "unsafe", "between a Context or a System and the untyped part of it"},
	{"internal/face/face.go", "unsafe", "the same, for the packages beside package actor"},
	{"internal/kernel/spawn.go", "unsafe",
		"from a task to its actor, and from the class of a task to that of an actor"},
	{"internal/kernel/mpsc/bias.go", "unsafe", "from the mark of a bias to its window"},
	{"internal/kernel/msg/size_class.go", "unsafe", "from a node of a block to the next one"},
	{"internal/kernel/msg/message.go", "unsafe", "from the header of a message to its payload"},
	{"internal/kernel/timers.go", "unsafe", "from a timer to a payload of a few words in it"},
	{"internal/kernel/timerwheel/slab.go", "unsafe", "from the first timer of a chunk to another one"},
	{"internal/kernel/type.go", "unsafe", "from the body of an actor to its state"},
	{"process/turn.go", "unsafe", "from a task to the process that it is embedded in"},
	{"heap/blob.go", "unsafe", "bytes that are shared as a string, and as a chunk"},
	{"heap/chunk.go", "unsafe", "a chunk is the address of its bytes"},
	{"heap/collect.go", "unsafe", "objects are copied, and their handles changed, by layout"},
	{"heap/generation.go", "unsafe",
		"objects that are old are scanned where they are, by their records"},
	{"heap/graph.go", "unsafe", "the verifier reads objects by layout"},
	{"heap/layout.go", "unsafe", "a root is the address of a value that only its layout knows"},
	{"heap/owned.go", "unsafe", "regions and parcels in a payload that only its type knows"},
	{"heap/pagetable.go", "unsafe", "from a handle to an address: a chunk's base and an offset"},
	{"heap/pointerfree.go", "unsafe",
		"the type word of an interface, as the key of what was found pointer-free"},
	{"heap/slice.go", "unsafe", "bytes of a chunk as a slice of T"},
	{"heap/string.go", "unsafe", "bytes of a chunk as a string"},
	{"heap/topage.go", "unsafe", "objects that were copied are scanned where they are"},
	{"heap/verify.go", "unsafe", "what a collection has scanned is read once more, by layout"},
	{"heap/*_test.go", "unsafe", "what is tested is where things lie, and that they do not overlap"},
}

const assembly = "assembly" // stands where the import would

var raw = []string{"sync/atomic", "go.uber.org/atomic", "unsafe"}

func rawMemoryIsListed(r *repo) []string {
	var problems []string
	used := make([]bool, len(rawMemory))
	hold := func(file, at, what string) {
		if row := rawRow(file, what); row >= 0 {
			used[row] = true
			return
		}
		problems = append(problems, at+what+" without a row in rawMemory; use internal/seam")
	}
	for _, f := range r.core() {
		for _, s := range f.Imports {
			if pkg := importPath(s); slices.Contains(raw, pkg) && !f.harmless(pkg) {
				hold(f.path, r.at(s), pkg)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.paths)) {
		if path.Ext(name) == ".s" && r.moduleOf(path.Dir(name)) == "." && !uncompiled(name) {
			hold(name, name+": ", assembly)
		}
	}
	for i, row := range rawMemory {
		if !used[i] && r.hasGo(path.Dir(row.file)) {
			problems = append(problems, row.file+": no "+row.imports+" there: take its row out of rawMemory")
		}
	}
	return problems
}

func rawRow(file, what string) int {
	for i, row := range rawMemory {
		if ok, _ := path.Match(row.file, file); ok && what == row.imports {
			return i
		}
	}
	return -1
}

// hasGo reports whether there is a production file in a directory, so that a
// package that is not written yet makes no row stale.
func (r *repo) hasGo(dir string) bool {
	return slices.ContainsFunc(r.production(), func(f *goFile) bool { return f.dir == dir })
}

// harmless reports whether an import of raw memory needs no row.
func (f *goFile) harmless(pkg string) bool {
	if pkg == "sync/atomic" {
		return f.test
	}
	return pkg == "unsafe" && f.onlyMeasures()
}

// onlyMeasures reports whether a file takes nothing but sizes from unsafe.
func (f *goFile) onlyMeasures() bool {
	sizes, others := 0, 0
	ast.Inspect(f.File, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == f.importName("unsafe") {
			if slices.Contains([]string{"Sizeof", "Alignof", "Offsetof"}, sel.Sel.Name) {
				sizes++
			} else {
				others++
			}
		}
		return true
	})
	return sizes > 0 && others == 0
}

// noLinkname holds that nothing reaches into another package's unexported code.
func noLinkname(r *repo) []string {
	var problems []string
	for _, f := range r.gos {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:linkname") {
					problems = append(problems, r.at(c)+"go:linkname")
				}
			}
		}
	}
	return problems
}

// TestRawMemoryIsListed: atomics and unsafe are where the table says, nowhere else.
func TestRawMemoryIsListed(t *testing.T) {
	unsafeFile := func(pkg, use string) string {
		return "package " + pkg + "\nimport \"unsafe\"\nvar x = " + use + "\n"
	}
	accepts := tree{"sched/layout.go": unsafeFile("sched", "unsafe.Sizeof(0)")}
	for i, row := range rawMemory {
		name := strings.Replace(row.file, "*", fmt.Sprintf("file%d", i), 1)
		accepts[name] = importing(path.Base(path.Dir(name)), row.imports)
		if row.reason == "" {
			t.Errorf("%s: no reason", row.file)
		}
	}
	accepts["sched/count_test.go"] = importing("sched", "sync/atomic")
	accepts["bench/go.mod"] = "module b\n"
	accepts["bench/fast.s"] = "RET\n"
	accepts["bench/fast.go"] = importing("bench", "unsafe", "sync/atomic")
	enforce(t, policy{check: rawMemoryIsListed, accepts: accepts, rejects: []fault{
		{"sync/atomic", tree{"sched/x.go": importing("sched", "sync/atomic")},
			"sched/x.go:2: sync/atomic without a row"},
		{"go.uber.org/atomic", tree{"sched/x.go": importing("sched", "go.uber.org/atomic")},
			"go.uber.org/atomic without a row"},
		{"go.uber.org/atomic in a test", tree{"sched/x_test.go": importing("sched",
			"go.uber.org/atomic")}, "without a row"},
		{"unsafe", tree{"actor/x.go": unsafeFile("actor", "unsafe.Pointer(nil)")},
			"unsafe without a row"},
		{"unsafe beside a size", tree{"actor/x.go": unsafeFile("actor",
			"unsafe.Sizeof(unsafe.Pointer(nil))")}, "unsafe without a row"},
		{"unsafe under another name",
			tree{"actor/x.go": "package actor\nimport u \"unsafe\"\nvar x = u.Pointer(nil)\n"}, "unsafe " +
				"without a row"},
		{"blank unsafe", tree{"actor/x.go": importing("actor", "unsafe")}, "unsafe without a row"},
		{"unsafe in a test", tree{"actor/x_test.go": unsafeFile("actor", "unsafe.Add(nil, 1)")},
			"unsafe without a row"},
		{"atomics where unsafe is listed", tree{"internal/kernel/timers.go": importing("actor", "unsafe",
			"sync/atomic")}, "sync/atomic without a row"},
		{"assembly", tree{"sched/x_amd64.s": "RET\n"}, "sched/x_amd64.s: assembly without a row"},
		{"stale row", tree{"heap/chunk.go": "package heap\n"}, "heap/chunk.go: no unsafe there"},
		{"stale row of a file that is gone", tree{"internal/kernel/timers.go": ""},
			"internal/kernel/timers.go: no unsafe there"},
	}})
}

// TestNoLinkname: no go:linkname anywhere, tests and modules of their own included.
func TestNoLinkname(t *testing.T) {
	const link = "\nimport _ \"unsafe\"\n\n//go:linkname now runtime.nanotime\nfunc now() int64\n"
	enforce(t, policy{check: noLinkname, accepts: tree{
		"heap/x.go": "package heap\n// Not a go:linkname but a word.\nconst s = `//go:linkname a b`\n",
	}, rejects: []fault{
		{"production", tree{"heap/y.go": "package heap" + link}, "heap/y.go:4: go:linkname"},
		{"test", tree{"heap/y_test.go": "package heap" + link}, "go:linkname"},
		{"other module", tree{"bench/go.mod": "module b\n", "bench/y.go": "package b" + link},
			"go:linkname"},
	}})
}
