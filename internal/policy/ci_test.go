package policy

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ciScript is the gate. ciSecond has the steps of its second ring.
const ciScript, ciSecond = ".ci/run", ".ci/second"

// stepsOfTheTest are put into a copy of the script in front of its own list.
const stepsOfTheTest = `
step_good() { echo fine >"$note"; }
step_bad() { false; echo went on; }
step_pipe() { false | true; echo went on; }
step_inner() { tests_of_inner; echo went on; }
tests_of_inner() { return 3; }
step_unset() { echo "$gone"; }
step_meet() { touch "$work/met" && until [[ -e $work/me ]]; do :; done; }
step_me() { touch "$work/me" && until [[ -e $work/met ]]; do :; done; }
step_term() { kill -TERM $$; }
step_gone() { need internal/gone; echo went on; }
`

// TestCIFailsLoudly: a step stops at its first error, the run at its first bad
// step, and a step that is missing or too slow is no success.
func TestCIFailsLoudly(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		// The script is for where the project is checked, and that has bash.
		t.Skip("no bash")
	}
	dir := ciCopy(t)
	for _, c := range []struct {
		steps, budget string
		exit          int
		says          string
		never         string
	}{
		{"good", "600", 0, "ALL OK", "FAILED"},
		{"good", "600", 0, "fine", "FAILED"},
		{"good bad good", "600", 1, "FAILED: bad", "went on"},
		{"meet+me", "600", 0, "ALL OK", "FAILED"},
		{"good+bad good", "600", 1, "FAILED: bad", "went on"},
		{"bad+good good", "600", 1, "FAILED: bad", "went on"},
		{"term good", "600", 1, "TERM", "ALL OK"},
		{"good term", "600", 1, "FAILED", "ALL OK"},
		{"good term+good", "600", 1, "FAILED", "ALL OK"},
		{"gone+bad", "600", 1, "FAILED: gone bad", "went on"},
		{"gone+good", "600", 1, "FAILED: gone", "ALL OK"},
		{"good+nonsense", "600", 2, "no step is called nonsense", "ALL OK"},
		{"pipe", "600", 1, "FAILED: pipe", "went on"},
		{"inner", "600", 1, "FAILED: inner", "went on"},
		{"unset", "600", 1, "FAILED: unset", "ALL OK"},
		{"gone good", "600", 1, "FAILED: gone", "went on"},
		{"gone", "600", 1, "there is no internal/gone", "ALL OK"},
		{"good", "-1", 1, "TOO SLOW", "ALL OK"},
		{"nonsense", "600", 2, "no step is called nonsense", "ALL OK"},
	} {
		t.Run(c.steps, func(t *testing.T) {
			cmd := exec.Command("bash", append([]string{ciScript}, strings.Fields(c.steps)...)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "CI_BUDGET="+c.budget, "CI_LOGS=")
			out, err := cmd.CombinedOutput()
			if code := exitCode(err); code != c.exit {
				t.Errorf("exit code %d, want %d", code, c.exit)
			}
			if !bytes.Contains(out, []byte(c.says)) || bytes.Contains(out, []byte(c.never)) {
				t.Errorf("want %q and not %q in:\n%s", c.says, c.never, out)
			}
		})
	}
}

func exitCode(err error) int {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

// ciCopy makes a module of its own with a copy of the script that knows a few
// steps more.
func ciCopy(t *testing.T) string {
	t.Helper()
	before, after, ok := strings.Cut(scriptText(t, ciScript), "\nsteps=(")
	if !ok {
		t.Fatal("the script has no list of steps")
	}
	dir := t.TempDir()
	files := tree{
		ciScript: before + stepsOfTheTest + "\nsteps=(" + after,
		ciSecond: scriptText(t, ciSecond),
		"go.mod": "module example.com/x\n\ngo 1.26\n",
		"x.go":   "package x\n",
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func scriptText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.FromSlash(moduleRoot), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
