package stack

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFromPanic: "beginning with the frame that panicked".
func TestFromPanic(t *testing.T) {
	stack := strings.Join([]string{
		"goroutine 7 [running]:",
		"runtime/debug.Stack()", "\tstack.go:26",
		"github.com/gallop-go/gallop/sched.(*Worker).bringDown(...)", "\tcrash.go:1",
		"panic({0x1, 0x2})", "\tpanic.go:1", // the second panic, of a deferred function
		"main.cleanup()", "\tmain.go:9",
		"panic({0x1, 0x2})", "\tpanic.go:1", // the first
		"main.(*T).Method(0x0)", "\tmain.go:3",
		"github.com/gallop-go/gallop/internal/kernel.(*Cell).runSegment(0x0)", "\trun.go:1",
	}, "\n")
	dispatch := []string{
		OurModule + "internal/kernel.(*Cell).runSegment", OurModule + "internal/kernel.(*TypeInSystem).RunTask",
	}
	want := "main.(*T).Method(0x0)\n\tmain.go:3\n"
	if got := string(FromPanic([]byte(stack), dispatch...)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	stack = strings.Replace(stack, "(*Cell).runSegment", "(*TypeInSystem).RunTask", 1)
	if got := string(FromPanic([]byte(stack), dispatch...)); got != want {
		t.Errorf("of a message by itself: %q, want %q", got, want)
	}
	if got := FromPanic(nil, dispatch...); len(got) != 0 {
		t.Errorf("of no stack: %q", got)
	}
}

// TestUserFrame: "the first frame of a stack that belongs neither to Go's own library nor to
// gallop".
func TestUserFrame(t *testing.T) {
	const mod = "github.com/gallop-go/gallop/"
	for want, stack := range map[string][]string{
		"main.f main.go:3": {mod + "actor.Yield[...](0x1)",
			"yield.go:23 +0x15", "main.f(0x1)", "main.go:3 +0x1"},
		"example.com/x/actor.F f.go:3": {mod + "heap.check(...)", "slice.go:1",
			mod + "heap.MakeSlice[...](0x1)", "slice.go:2", "example.com/x/actor.F(...)", "f.go:3"},
		mod + "internal/kernel.(*Cell).injectFault faults.go:13": {mod + "internal/kernel.(*Cell).injectFault(0x1)",
			"faults.go:13", mod + "sched.(*Worker).run(0x1)", "worker.go:3", "created by " +
				mod + "sched.(*Worker).launch in goroutine 1", "worker.go:9"},
		mod + "group.helper group_test.go:3": {mod + "group.Send(0x1)", "group.go:1",
			mod + "group.helper(0x1)", "group_test.go:3"},
		mod + "benchmarks/x.f f.go:3": {mod + "actor.Yield(0x1)", "yield.go:1",
			mod + "benchmarks/x.f(0x1)", "f.go:3"},
		"": {},
	} {
		text := ""
		for i, line := range stack {
			if i%2 == 1 {
				line = "\t/elsewhere/" + line
			}
			text += line + "\n"
		}
		if got := strings.Replace(UserFrame([]byte(text)), "/elsewhere/", "", 1); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestUserFrame_Trimmed: -trimpath leaves import paths, and a module may have a name without
// a dot. The list has all folders of the present Go's library.
func TestUserFrame_Trimmed(t *testing.T) {
	for place, want := range map[string]bool{
		"runtime/panic.go:860 +0x1":            true,
		"internal/sync/mutex.go:3":             true,
		"mymodule/pkg/file.go:3":               false,
		"example.com/x/file.go:3":              false,
		"file.go:3":                            false,
		"runtimes/file.go:3":                   false,
		"command-line-arguments/main.go:3":     false,
		"github.com/gallop-go/gallop/x/x.go:3": false,
	} {
		if got := trimmedOfLibrary(place); got != want {
			t.Errorf("%s is of the library: %v", place, got)
		}
	}
	root := filepath.Join(goRoot(t), "src")
	folders, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range folders {
		if has, _ := filepath.Glob(filepath.Join(root, d.Name(), "*.go")); len(has) > 0 &&
			d.Name() != "builtin" && d.Name() != "cmd" && !trimmedOfLibrary(d.Name()+"/x.go") {
			t.Errorf("%s is of Go's library", d.Name())
		}
	}
}

// goRoot asks the go command for GOROOT, which a binary built with -trimpath does not know.
func goRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
