//go:build !gallop_explore

package seam_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	stdatomic "sync/atomic"
	"testing"

	"go.uber.org/atomic"

	"github.com/gallop-go/gallop/internal/seam"
)

// In a plain build these are the atomics themselves. This does not compile otherwise.
// The others are wrapped; TestNoCallIsLeft shows that nothing remains of it.
var (
	_ *atomic.Pointer[int] = (*seam.Pointer[int])(nil)
	_ *stdatomic.Uint64    = (*seam.Uint64)(nil)
	_ *stdatomic.Int64     = (*seam.Int64)(nil)
)

// TestPlainIsPlain: the flag that tests rely on says which build this is, and
// what the plain build adds allocates nothing.
func TestPlainIsPlain(t *testing.T) {
	if seam.Explored {
		t.Error("Explored in a plain build")
	}
	if n := testing.AllocsPerRun(100, func() { seam.Point(); seam.Spin() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestNoCallIsLeft: in the compiled code of the scheduler no access to a shared word
// is a call of the seam or of the library below it, but for the two release stores,
// which are assembly. (Calls of sync/atomic itself are Go's own pointer atomics.)
func TestNoCallIsLeft(t *testing.T) {
	if raceEnabled || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("atomics are calls here") // of Go's own: the race detector and 32-bit machines have no others
	}
	archive := filepath.Join(t.TempDir(), "sched.a")
	if out, err := exec.Command("go", "build", "-o", archive, "github.com/gallop-go/gallop/sched").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := exec.Command("go", "tool", "objdump", archive).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(code, []byte("LOCK")) && !bytes.Contains(code, []byte("XCHG")) {
		t.Log("not amd64: the mnemonics differ, the calls do not")
	}
	calls := regexp.MustCompile(`(CALL|BL) [^\n]*(R_CALL|R_CALLARM64):(go\.uber\.org/atomic\.|[^\s]*internal/seam\.\(\*(Uint32|Int32|Bool|Uint64|Pointer))[^\n]*`)
	// What checks invariants is compiled, but nothing else calls it, so that no program has it.
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
