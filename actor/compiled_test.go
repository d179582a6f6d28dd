package actor_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestBehaviours_LeaveTheSendersLineAlone: in the compiled code no behaviour's wrapper
// checks its actor for nil, which Go does by reading its first byte. The mailbox's head
// lies beside it, so each message would fetch that line from the processor that sends.
func TestBehaviours_LeaveTheSendersLineAlone(t *testing.T) {
	if raceDetector || runtime.GOARCH != "amd64" {
		t.Skip("it knows one compiler's one instruction") // and the race detector adds others
	}
	program := filepath.Join(t.TempDir(), "pingpong")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/pingpong").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := exec.Command("go", "tool", "objdump", "-s", `actor\.(Ask)?Behaviour.*\.Do\.func`, program).Output()
	if err != nil {
		t.Fatal(err)
	}
	wrappers := bytes.Split(code, []byte("TEXT "))[1:]
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
