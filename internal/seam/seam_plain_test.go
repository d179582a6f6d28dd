//go:build !gallop_explore

package seam_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// In a plain build these types are sync/atomic's; otherwise this does not compile. The other types
// wrap atomics. TestNoCallIsLeft shows that the wrappers leave no calls.
var (
	_ *atomic.Pointer[int] = (*seam.Pointer[int])(nil)
	_ *atomic.Uint64       = (*seam.Uint64)(nil)
	_ *atomic.Int64        = (*seam.Int64)(nil)
)

// TestPlainIsPlain: Explored, on which tests rely, is false in a plain build.
func TestPlainIsPlain(t *testing.T) {
	if seam.Explored {
		t.Error("Explored in a plain build")
	}
}

// compiled returns the disassembly of those functions of a package of this module whose names match
// function, a regular expression.
func compiled(t *testing.T, pkg, function string) []byte {
	t.Helper()
	archive := filepath.Join(t.TempDir(), pkg+".a")
	if out, err := exec.Command("go", "build", "-o", archive,
		"github.com/gallop-go/gallop/"+pkg).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := exec.Command("go", "tool", "objdump", "-s", function, archive).Output()
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestReleaseStoresStay: on amd64 a release store is a plain store of Go's, and the compiler does
// not move it. The release store of the next-slot comes after the store of the task that it
// publishes. The release stores of an actor that goes idle come before the locked instruction. The
// window of a bias is opened before the store that appends a message, and shut after it.
func TestReleaseStoresStay(t *testing.T) {
	if raceEnabled || runtime.GOARCH != "amd64" {
		t.Skip("release stores are no plain ones here") // elsewhere they are assembly, or atomics
	}
	source, err := os.ReadFile("../../sched/next_slot.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := bytes.Cut(source, []byte("\ts.task = t\n"))
	if !found {
		t.Fatal("the next-slot is not filled where it was")
	}
	task := fmt.Sprintf(`next_slot\.go:%d\s[^\n]*MOVQ [A-Z0-9]+, 0x[0-9a-f]+\([A-Z0-9]+\)`, 1+bytes.Count(before, []byte("\n")))
	const release, locked = `release_amd64\.go:\d+\s[^\n]*MOVL [A-Z]+, 0x`, `LOCK CMPXCHGQ`
	const open, more, shut = `window_amd64\.go:\d+\s[^\n]*MOVL \$0x1, 0x`, `inbox\.go:\d+\s[^\n]*MOVQ [A-Z0-9]+, 0x50\(`, `window_amd64\.go:\d+\s[^\n]*MOVL \$0x0, 0x`
	for _, c := range []struct{ pkg, function, first, second string }{
		{"sched", `Worker\)\.Schedule$`, task, release},
		{"internal/kernel", `Cell\)\.goIdle$`, release, locked},
		{"internal/kernel", `TypeInSystem\)\.RunTask$`, release, locked},
		{"internal/kernel", `Turn\)\.Send$`, open, more},
		{"internal/kernel", `Turn\)\.Send$`, more, shut},
	} {
		code := compiled(t, c.pkg, c.function)
		one, two := regexp.MustCompile(c.first).FindAllIndex(code,
			-1), regexp.MustCompile(c.second).FindAllIndex(code, -1)
		if len(one) == 0 || len(two) != 1 || one[len(one)-1][0] > two[0][0] {
			t.Errorf("%s in %s: %q at %v, %q at %v, want the one before the other:\n%s", c.function, c.pkg,
				c.first, one, c.second, two, code)
		}
	}
}

// TestNoCallIsLeft: in the compiled code of the scheduler no access to a shared word is a call of
// the seam or of the library below it, except for the release stores, which are assembly on arm64.
// (Calls of sync/atomic itself are Go's own pointer atomics.)
func TestNoCallIsLeft(t *testing.T) {
	if raceEnabled || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		// The race detector and 32-bit machines have only calls of Go's own functions.
		t.Skip("atomics are calls here")
	}
	code := compiled(t, "sched", "")
	if !bytes.Contains(code, []byte("LOCK")) && !bytes.Contains(code, []byte("XCHG")) {
		t.Log("not amd64: the mnemonics differ, the calls do not")
	}
	calls := regexp.MustCompile(`(CALL|BL) [^\n]*(R_CALL|R_CALLARM64):(go\.uber\.org/atomic\.|[^\s]*internal/seam\.\(\*(Uint32|Int32|Bool|Uint64|Pointer))[^\n]*`)
	// Code that checks invariants is compiled, but no other code calls it, and so no program links
	// it.
	checks := regexp.MustCompile(`^[^\s]*sched\.(\([^)]*\)\.)?verify`)
	called := regexp.MustCompile(`(CALL|BL) [^\n]*(R_CALL|R_CALLARM64):[^\s]*sched\.(\([^)]*\)\.)?verify[^\n]*`)
	for function := range bytes.SplitSeq(code, []byte("TEXT ")) {
		if checks.Match(function) {
			continue
		}
		for _, c := range called.FindAll(function, -1) {
			t.Errorf("a plain build checks invariants: %s", c)
		}
		for _, c := range calls.FindAll(function, -1) {
			if !bytes.Contains(c, []byte("arshalJSON")) && !bytes.Contains(c, []byte("String")) {
				t.Errorf("%s", c)
			}
		}
	}
}
