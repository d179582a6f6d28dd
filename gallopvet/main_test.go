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
		if strings.Contains(line, ": GV") || strings.Contains(line, ": gallop:allow ") {
			line = strings.TrimPrefix(line, here+"/")
			all = append(all, strings.TrimPrefix(line, "./"))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestDriversAgree: go vet, go tool and the command by itself report the same. golangci/check has
// golangci-lint beside them.
func TestDriversAgree(t *testing.T) {
	program := build(t)
	vet := findings(t, "go", "vet", "-vettool="+program, "./gv1/...", "./gv2/...", "./gv5/...")
	for _, by := range [][]string{{program}, {"go", "tool", "gallopvet"}} {
		other := findings(t, by[0], append(by[1:], "./gv1/...", "./gv2/...", "./gv5/...")...)
		if len(vet) < 50 || !slices.Equal(vet, other) {
			t.Errorf("go vet has %d reports:\n%s\n%v has %d:\n%s", len(vet),
				strings.Join(vet, "\n"), by, len(other), strings.Join(other, "\n"))
		}
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

// TestDisable: a rule that is disabled reports nothing, and its allowances count. One that does not
// exist is an error.
func TestDisable(t *testing.T) {
	program := build(t)
	all := findings(t, program, "-disable", "GV2,gv5", "./gv2/...", "./gv5/...", "./gv7/...")
	for _, line := range all {
		if strings.Contains(line, ": GV2: ") || strings.Contains(line, ": GV5: ") {
			t.Error(line)
		}
	}
	plain := findings(t, program, "./allow")
	disabled := findings(t, program, "-disable", "GV5", "./allow")
	for _, line := range plain {
		if !strings.Contains(line, ": GV5: ") && !slices.Contains(disabled, line) {
			t.Errorf("with -disable, this is missing: %s", line)
		}
	}
	for _, line := range disabled {
		if !slices.Contains(plain, line) {
			t.Errorf("with -disable, this is new: %s", line)
		}
	}
	run := exec.Command(program, "-disable", "GV99", "./gv2/...")
	run.Dir = "testdata"
	if out, err := run.CombinedOutput(); err == nil || !strings.Contains(string(out), `"GV99"`) {
		t.Errorf("got %v: %s", err, out)
	}
}

// TestExplain: -explain lists, each with its reason, reports of -strict only, findings that a
// comment allows, and searches that a limit ended. None of them is a finding.
func TestExplain(t *testing.T) {
	program := build(t)
	run := exec.Command(program, "-explain", "./strict", "./allow/...", "./limits")
	run.Dir = "testdata"
	out, _ := run.CombinedOutput()
	plain := exec.Command(program, "./strict", "./allow/...", "./limits")
	plain.Dir = "testdata"
	want, _ := plain.CombinedOutput()
	var reports, reasons []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, ": not reported, ") {
			reasons = append(reasons, line)
		} else {
			reports = append(reports, line)
		}
	}
	if got := strings.Join(reports, ""); got != string(want) {
		t.Errorf("reports %s\nwant %s", got, want)
	}
	all := strings.Join(reasons, "")
	for _, why := range []string{"strict.go", "not proved: GV2", "allowed (", "limits.go", "the limit of parts of one value was met"} {
		if !strings.Contains(all, why) {
			t.Errorf("no %q in %s", why, all)
		}
	}
}

// TestPages: each rule has a page that shows bad and good code, the reason, and the remedy.
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
