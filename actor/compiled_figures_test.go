//go:build gallop_figures

package actor_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
)

// TestBehaviours_LeaveTheSendersLineAlone: in the compiled code no wrapper of a behaviour checks
// its actor for nil. Go does that by a read of the first byte, which is in the cache line of the
// mailbox's head. So each message would fetch that line from the processor that sends.
func TestBehaviours_LeaveTheSendersLineAlone(t *testing.T) {
	if raceDetector || runtime.GOARCH != "amd64" {
		t.Skip("it knows one compiler's one instruction") // and the race detector adds others
	}
	wrappers := functionsOf(t, `actor\.(Ask)?Behaviour.*\.Handle\.func`)
	if len(wrappers) < 10 {
		t.Fatalf("found %d wrappers", len(wrappers))
	}
	for _, w := range wrappers {
		if bytes.Contains(w, []byte("TESTB AL, 0(BX)")) { // a wrapper gets its actor in BX
			name, _, _ := bytes.Cut(w, []byte("\n"))
			t.Errorf("%s reads its actor's first byte", name)
		}
	}
}

// TestSpawn_WritesFirst: a new cell is written before it is read. Otherwise each page of new memory
// costs two faults, of which the second interrupts all processors. That was a tenth of the time of
// fjcreate with two workers.
func TestSpawn_WritesFirst(t *testing.T) {
	if raceDetector || runtime.GOARCH != "amd64" {
		t.Skip("it knows one compiler's one instruction") // as above
	}
	code := functionsOf(t, `kernel\.\(\*Turn\)\.InitCell$`)
	if len(code) != 1 {
		t.Fatalf("found %d functions", len(code))
	}
	// InitCell gets the cell in BX.
	stored := regexp.MustCompile(`MOVQ \w+, 0x\w+\(BX\)`).FindIndex(code[0])
	if stored == nil {
		t.Fatal("nothing is stored to a body")
	}
	if bytes.Contains(code[0][:stored[0]], []byte("TESTB AL, 0(BX)")) {
		t.Error("a new body is checked for nil by a read")
	}
}

// functionsOf returns the compiled code of cmd/pingpong's functions of that name.
func functionsOf(t *testing.T, name string) [][]byte {
	t.Helper()
	program := filepath.Join(t.TempDir(), "pingpong")
	if out, err := exec.Command("go", "build", "-ldflags=", "-o", program, // with symbols
		"../cmd/pingpong").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := exec.Command("go", "tool", "objdump", "-s", name, program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(code, []byte("TEXT "))[1:]
}
