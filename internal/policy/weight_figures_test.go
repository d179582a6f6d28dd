//go:build gallop_figures

package policy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// "Hello world: at most 2.5 MB more binary than a Go program with only fmt, at most four
// modules linked in."
func TestHelloIsLight(t *testing.T) {
	hello, plain := linked(t, "hello"), linked(t, "fmtonly")
	if more := weight(t, hello) - weight(t, plain); more > 2_500_000 {
		t.Errorf("hello is %d bytes larger than a program with only fmt", more)
	} else {
		t.Logf("%d bytes more", more)
	}
	out, err := exec.Command("go", "version", "-m", hello).Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out, []byte("\tdep\t")) + bytes.Count(out, []byte("\tmod\t")); n > 4 {
		t.Errorf("%d modules are linked in:\n%s", n, out)
	}
}

// linked builds a program. Its size must not depend on where the clone lies and whether Go trusts
// it, so paths and the name of the commit, which alone can fill a page, are left out.
func linked(t *testing.T, name string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", bin,
		"./testdata/"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

func weight(t *testing.T, file string) int64 {
	t.Helper()
	i, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return i.Size()
}

// TestBehaviourIsLight counts the functions that Go makes for a type of actors, and for each of its
// behaviours, in the package that declares them. Each of them costs time whenever the package is
// built (docs/decisions/0001-floors.md).
func TestBehaviourIsLight(t *testing.T) {
	listing := listed(t, "behaviours")
	ofType, ofSay, ofAsk := 0, 0, 0
	for line := range strings.Lines(listing) {
		switch {
		case !strings.Contains(line, " STEXT "):
		case strings.Contains(line, "main.query") || strings.Contains(line, "main.reply"):
			ofAsk++
		case strings.Contains(line, "main.word"):
			ofSay++
		case strings.Contains(line, "main.state"):
			ofType++
		}
	}
	// Of the functions of a type, two are those of Ref.LogValue: without it a ref is {} in JSON.
	if ofType == 0 || ofSay == 0 || ofAsk == 0 || ofType > 66 || ofSay > 66 || ofAsk > 142 {
		t.Errorf("%d functions of a type, %d of a behaviour, %d of one with a reply", ofType, ofSay,
			ofAsk)
	}
}

// TestGenericCodeInlinesTheKernel: the code that Go makes for a behaviour, in the package that declares
// it, calls none of the small functions of the kernel: see actor/inlined.go.
func TestGenericCodeInlinesTheKernel(t *testing.T) {
	listing := listed(t, "behaviours")
	for _, f := range []string{"kernel.AnyBehaviour.Descriptor", "kernel.AnyAsk.Descriptor", "kernel.AnyRef.Cell",
		"kernel.(*Cell).Plus", "kernel.(*Cell).Shared", "kernel/msg.(*Message).Payload", "kernel/msg.(*Cache).Take"} {
		if strings.Contains(listing, "/internal/"+f+"(SB)\n") {
			t.Errorf("%s is called", f)
		}
	}
}

// listed returns the assembly of a program's own package.
func listed(t *testing.T, name string) string {
	t.Helper()
	listing, err := exec.Command("go", "build", "-gcflags=-S", "-o", filepath.Join(t.TempDir(), name),
		"./testdata/"+name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, listing)
	}
	return string(listing)
}
