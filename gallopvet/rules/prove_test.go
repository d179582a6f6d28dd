package rules_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tries is how often a bad case may run until it fails as it should. The race detector keeps the
// last few accesses to a word only, at random, so it sees nearly every race and not every one. A
// missed race may end as a panic of a later check.
const tries = 5

// TestBadCasesFail runs each bad case under the race detector: a reported program really fails.
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
			t.Parallel()
			var out []byte
			var err error
			for range tries {
				out, err = fails(program, name)
				if err != nil && strings.Contains(string(out), want) {
					return
				}
			}
			t.Errorf("got %v, want a failure that says %q\n%s", err, want, out)
		})
	}
}

// fails runs one bad case, which is to end with an error.
func fails(program, name string) ([]byte, error) {
	run := exec.Command(program, name)
	run.Env = append(os.Environ(), "GORACE=halt_on_error=1 atexit_sleep_ms=0")
	return run.CombinedOutput()
}
