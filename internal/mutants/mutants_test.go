package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const root = "../.."

// mutant is one bug. The names are those of the files.
type mutant struct {
	Name string `json:"name"`
	File string `json:"file"` // below the module's root
	Old  string `json:"old"`  // occurs in it once
	New  string `json:"new"`
	Pkg  string `json:"pkg"`
	Tags string `json:"tags"`
	Run  string `json:"run"` // of the tests that must see it
	Row  string `json:"row"` // of docs/bugs.md, or nothing

	Flags string `json:"flags"` // of the tests, separated by spaces
}

// all reads the tables.
func all(t *testing.T) (out []mutant) {
	t.Helper()
	files, _ := filepath.Glob("*.json")
	for _, name := range files {
		text, err := os.ReadFile(name)
		must(t, err)
		var list []mutant
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&list); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, list...)
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestMutantsFit: every entry replaces a text that its file has once, by another one, and
// no two have the same name. There are at least forty.
func TestMutantsFit(t *testing.T) {
	names := map[string]bool{}
	list := all(t)
	for _, m := range list {
		if names[m.Name] {
			t.Errorf("%s: there are two", m.Name)
		}
		names[m.Name] = true
		text, err := os.ReadFile(filepath.Join(root, m.File))
		must(t, err)
		if n := strings.Count(string(text), m.Old); n != 1 || m.Old == m.New {
			t.Errorf("%s: its text is %d times in %s, want once", m.Name, n, m.File)
		}
		if _, err := regexp.Compile(m.Run); err != nil || m.Run == "" || m.Pkg == "" {
			t.Errorf("%s: which tests of which package? %v", m.Name, err)
		}
		if tests, _ := filepath.Glob(filepath.Join(root, m.Pkg, "*_test.go")); len(tests) == 0 {
			t.Errorf("%s: there are no tests in %s", m.Name, m.Pkg)
		}
	}
	if len(list) < 40 {
		t.Errorf("%d mutants, want at least 40", len(list))
	}
}

// TestMutantsAreKilled: each is killed. It takes minutes, and runs when it is asked for.
func TestMutantsAreKilled(t *testing.T) {
	wanted, ok := os.LookupEnv("GALLOP_MUTANTS")
	if !ok {
		t.Skip("make mutants asks for it") // it builds each package again for every mutant
	}
	match := regexp.MustCompile(wanted)
	var explored []int
	killed := 0
	for _, m := range all(t) {
		if !match.MatchString(m.Name) {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			n, by := m.kill(t)
			killed++
			if n > 0 {
				explored = append(explored, n)
			}
			t.Logf("killed by %s, %d schedules", by, n)
		})
	}
	slices.Sort(explored)
	if len(explored) > 0 {
		t.Logf("%d mutants killed, %d of them by the explorer, in %d schedules at the median and %d "+
			"at most",
			killed, len(explored), explored[len(explored)/2], explored[len(explored)-1])
	}
}

// runLimit is for a run that hangs. It is long, since a hang is a failure.
const runLimit = 10 * time.Minute

// lean halves the time to build, which is most of a mutant's time: it builds without inlining and
// without tables for debuggers.
const lean = "-gcflags=github.com/gallop-go/gallop/...=-l -dwarf=false"

// kill runs the tests of a mutant, and fails unless they fail.
func (m *mutant) kill(t *testing.T) (schedules int, by string) {
	ctx, cancel := context.WithTimeout(t.Context(), runLimit)
	defer cancel()
	overlay, drawn := m.overlay(t)
	args := append([]string{"test", "-count=1", "-failfast", "-v", "-vet=off", "-timeout=90s",
		lean, "-ldflags=-s -w", "-tags=" + m.Tags, "-run=" + m.Run, "."}, strings.Fields(m.Flags)...)
	if drawn {
		args = append(args, "-rapid.seed=1") // or it would be killed by chance
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.Join(root, m.Pkg) // which may be of another module
	cmd.Env = append(os.Environ(),
		// Commits explore half as many schedules at random as a mutant must be found in.
		"GALLOP_EXPLORE_SCALE=2",
		// The overlay is no argument, so that it also holds for the builds of a test.
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	raw, err := cmd.CombinedOutput()
	out := string(raw)
	switch {
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		t.Fatalf("no mutant: it does not compile\n%s", out)
	case err == nil && strings.Contains(out, "no tests to run"):
		t.Fatalf("there is no test %s in %s", m.Run, m.Pkg)
	case err == nil:
		t.Fatalf("it has survived %d schedules of %s in %s", count(out), m.Run, m.Pkg)
	case strings.Contains(out, "GALLOP_REPLAY="):
		return count(out), "the explorer in " + failed(out)
	case strings.Contains(out, "test timed out") || ctx.Err() != nil:
		t.Fatalf("a hang is no kill\n%.3000s", out)
	}
	return 0, failed(out)
}

var failure = regexp.MustCompile(`--- FAIL: (\S+)|panic: .*|fatal error: .*`)

// failed is which test has failed, or how its process has ended.
func failed(out string) string {
	all := failure.FindAllString(out, -1)
	if len(all) == 0 {
		return "a test"
	}
	return strings.TrimPrefix(all[len(all)-1], "--- FAIL: ")
}

// overlay makes the file for go's -overlay, and reports whether rapid draws for the tests.
func (m *mutant) overlay(t *testing.T) (name string, drawn bool) {
	t.Helper()
	source, err := filepath.Abs(filepath.Join(root, m.File))
	must(t, err)
	text, err := os.ReadFile(source)
	must(t, err)
	dir := t.TempDir()
	mutated := filepath.Join(dir, filepath.Base(m.File))
	must(t, os.WriteFile(mutated, []byte(strings.Replace(string(text), m.Old, m.New, 1)), 0o600))
	replace := map[string]string{source: mutated}
	tests, err := filepath.Abs(filepath.Join(root, m.Pkg))
	must(t, err)
	leaveOut(t, tests, m.Run, replace)
	list, err := json.Marshal(map[string]any{"Replace": replace})
	must(t, err)
	file := filepath.Join(dir, "overlay.json")
	must(t, os.WriteFile(file, list, 0o600))
	return file, usesRapid(t, tests, m.Tags, replace)
}

var schedulesRun = regexp.MustCompile(`(\d+) schedules`)

// count adds up the schedules that a run has logged.
func count(out string) (sum int) {
	for _, w := range schedulesRun.FindAllStringSubmatch(out, -1) {
		n, err := strconv.Atoi(w[1])
		if err != nil {
			panic(fmt.Sprint("gallop: mutants: ", err))
		}
		sum += n
	}
	return sum
}
