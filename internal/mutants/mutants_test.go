package mutants

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutant is a fault, and who must see it.
type mutant struct {
	name     string
	file     string // from the root of the module
	old, new string // the only occurrence of old becomes new
	pkg, run string // whose tests must fail
	flags    string // of the tests, separated by spaces
}

const root = "../.."

// edited returns the file of a mutant with the fault in it.
func (m mutant) edited(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		t.Fatalf("%s: what is to be changed is there %d times: %q", m.file, n, m.old)
	}
	return strings.Replace(string(text), m.old, m.new, 1)
}

// overlay writes the fault to where go build takes it from.
func (m mutant) overlay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	original, err := filepath.Abs(filepath.Join(root, m.file))
	if err != nil {
		t.Fatal(err)
	}
	changed, list := filepath.Join(dir, filepath.Base(m.file)), filepath.Join(dir, "overlay.json")
	text, _ := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	for path, data := range map[string][]byte{changed: []byte(m.edited(t)), list: text} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// goes runs the mutant's tests, with an overlay if there is one.
func (m mutant) goes(overlay string) (output string, err error) {
	args := []string{"test", "-count=1", "-vet=off", "-timeout=5m", "-run=" + m.run}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	cmd := exec.Command("go", append(append(args, m.pkg), strings.Fields(m.flags)...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GALLOP_NIGHTLY=") // the short form has to be enough
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// mustDie fails the test unless the mutant is compiled, and caught.
func (m mutant) mustDie(t *testing.T) {
	out, err := m.goes(m.overlay(t))
	switch {
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") || strings.Contains(out, "flag provided"):
		t.Errorf("it does not run:\n%s", out)
	case err == nil:
		t.Errorf("%s has not seen it:\n%s", m.run, out)
	}
}

// TestWithoutMutants: the tests that are to fail over a fault pass without it.
func TestWithoutMutants(t *testing.T) {
	if os.Getenv("GALLOP_NIGHTLY") == "" {
		t.Skip("for the night") // it takes minutes to build all of them again
	}
	done := map[mutant]bool{}
	for _, m := range heapMutants {
		same := mutant{pkg: m.pkg, run: m.run, flags: m.flags}
		if done[same] {
			continue
		}
		done[same] = true
		if out, err := same.goes(""); err != nil {
			t.Errorf("%s: %v\n%s", m.run, err, out)
		}
	}
}

// "A mutant that skips one field, one root or one barrier dies."
func TestMutants(t *testing.T) {
	for _, m := range heapMutants {
		t.Run(m.name, func(t *testing.T) {
			if os.Getenv("GALLOP_NIGHTLY") == "" {
				m.edited(t) // that it finds its place is all
				return
			}
			m.mustDie(t)
		})
	}
}
