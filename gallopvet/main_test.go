package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

// build builds the command.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "gallopvet")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// findings runs a command in the module of the cases, and returns the reports, sorted.
func findings(t *testing.T, name string, args ...string) []string {
	t.Helper()
	run := exec.Command(name, args...)
	run.Dir = "testdata"
	out, err := run.CombinedOutput()
	if err == nil {
		t.Errorf("%s %v finds nothing:\n%s", name, args, out)
	}
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if i := strings.Index(line, ": GV"); i > 0 {
			line = strings.TrimPrefix(line, here+"/")
			all = append(all, strings.TrimPrefix(line, "./"))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestDriversAgree: go vet and the command by itself report the same.
func TestDriversAgree(t *testing.T) {
	program := build(t)
	vet := findings(t, "go", "vet", "-vettool="+program, "./gv1/...", "./gv2/...", "./gv5/...")
	alone := findings(t, program, "./gv1/...", "./gv2/...", "./gv5/...")
	if len(vet) < 50 || !slices.Equal(vet, alone) {
		t.Errorf("go vet has %d reports:\n%s\nthe command has %d:\n%s", len(vet),
			strings.Join(vet, "\n"), len(alone), strings.Join(alone, "\n"))
	}
	for _, line := range vet {
		if strings.HasPrefix(line, "-") {
			t.Error("a report without a position:", line)
		}
	}
}

// TestFlags: a rule can be switched off.
func TestFlags(t *testing.T) {
	program := build(t)
	for _, line := range findings(t, program, "-gv2=false", "./gv2/...", "./gv5/...") {
		if strings.Contains(line, ": GV2: ") {
			t.Error(line)
		}
	}
}

// TestPages: each rule has a page that shows bad and good code, why, and what to do.
func TestPages(t *testing.T) {
	for _, a := range rules.Analyzers() {
		name := a.URL[strings.LastIndex(a.URL, "/")+1:]
		text, err := os.ReadFile(filepath.Join("docs", name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, head := range []string{"## Bad", "## Good", "## Why", "## Fix"} {
			if name != "allow.md" && !strings.Contains(string(text), "\n"+head+"\n") {
				t.Errorf("docs/%s has no %s", name, head)
			}
		}
	}
}
