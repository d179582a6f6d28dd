package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// identity lets the tests commit where git does not know who works.
func identity(t *testing.T) {
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "gallop")
		t.Setenv("GIT_"+who+"_EMAIL", "gallop@example.com")
	}
}

// state is all of a repository that a release could change by mistake.
func state(t *testing.T, dir string) string {
	var all string
	for _, args := range [][]string{{"status", "--porcelain"}, {"for-each-ref"}, {"rev-parse", "HEAD"}} {
		text, err := output(dir, nil, "git", args...)
		if err != nil {
			t.Fatal(err)
		}
		all += text + "\n"
	}
	return all
}

// TestConsumer: "A program outside of the repository then gets, builds, vets and runs all of them",
// with the working tree as it is now, and "the repository stays as it is".
func TestConsumer(t *testing.T) {
	identity(t)
	r, err := prepare(root, t.TempDir(), "v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.consume(); err != nil {
		t.Error(err)
	}
}

// TestFaults: faults that would reach users end the release, and "the repository stays as it is".
func TestFaults(t *testing.T) {
	identity(t)
	dir := t.TempDir()
	copied := filepath.Join(dir, "copy")
	if _, err := output(dir, nil, "git", "clone", "-q", "--no-tags", absolute(t, root), copied); err != nil {
		t.Fatal(err)
	}
	faults := []struct{ file, text, says string }{
		{"gallopvet/go.mod", "\nreplace example.com/x => ../x\n", "gallopvet/go.mod replaces example.com/x"},
		{"prom/seam.go", "package prom\n\nimport _ \"" + corePath + "/internal/seam\"\n",
			"prom/seam.go imports " + corePath + "/internal/seam, which is internal to another module"},
		{"otel/testdata/ignored.out", "tests read it\n", "otel/testdata/ignored.out is not in the zip of its module"},
		{"observe/page/vendor/x/page.js", "a program\n", "observe/page/vendor/x/page.js is not in the zip of its module"},
	}
	for _, f := range faults {
		file := filepath.Join(copied, filepath.FromSlash(f.file))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(file)
		if err := os.WriteFile(file, append(before, f.text...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	was := state(t, copied)
	_, err := prepare(copied, dir, "v0.1.0")
	if err == nil {
		t.Fatal("no error")
	}
	for _, f := range faults {
		if !slices.Contains(strings.Split(err.Error(), "\n"), f.says) {
			t.Errorf("no line %q", f.says)
		}
	}
	if n := strings.Count(err.Error(), "\n") + 1; t.Failed() || n != len(faults) {
		t.Errorf("%d lines, want %d:\n%v", n, len(faults), err)
	}
	if now := state(t, copied); now != was {
		t.Errorf("the repository was\n%s, and is\n%s", was, now)
	}
}

func absolute(t *testing.T, name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
