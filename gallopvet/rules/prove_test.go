package rules_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBadCasesFail runs each bad case under the race detector: what a rule reports is a program
// that really fails.
func TestBadCasesFail(t *testing.T) {
	program := filepath.Join(t.TempDir(), "prove")
	build := exec.Command("go", "build", "-race", "-o", program, "./prove")
	build.Dir = dir(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		t.Run(name, func(t *testing.T) {
			run := exec.Command(program, name)
			run.Env = append(os.Environ(), "GORACE=halt_on_error=1 atexit_sleep_ms=0")
			out, err := run.CombinedOutput()
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("got %v, want a failure that says %q\n%s", err, want, out)
			}
		})
	}
}
