package policy

import (
	"bytes"
	"context"
	"go/format"
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

const (
	readme      = "README.md"
	programTime = 10 * time.Minute // to compile and to run, on a busy machine
)

// program is a whole program in a page, with its output according to the page.
type program struct {
	at     string
	src    string
	prints *string // nil: the page does not say
}

var wholeProgram = regexp.MustCompile(`(?m)^package main$`)

// programs are the ```go blocks of a page that are package main. A ```text, ```output or bare block
// that follows is the output. Shell commands may stand in between.
func (p page) programs() []program {
	var got []program
	for i, b := range p.blocks {
		if b.lang != "go" || !wholeProgram.MatchString(b.text) {
			continue
		}
		prog := program{at: p.at(b.line - 1), src: b.text}
		rest := p.blocks[i+1:]
		for len(rest) > 0 && slices.Contains([]string{"sh", "bash", "console", "shell"}, rest[0].lang) {
			rest = rest[1:]
		}
		if len(rest) > 0 && slices.Contains([]string{"text", "output", "Output", ""}, rest[0].lang) {
			prog.prints = &rest[0].text
		}
		got = append(got, prog)
	}
	return got
}

// programsTellTheTruth holds that the whole programs in Markdown are formatted,
// compile, and have the output that the page shows.
func programsTellTheTruth(r *repo) []string {
	var all []program
	for _, p := range r.pages() {
		all = append(all, p.programs()...)
	}
	var problems []string
	whole := slices.DeleteFunc(all, func(prog program) bool {
		why := prog.misshapen()
		if why != "" {
			problems = append(problems, prog.at+why)
		}
		return why != ""
	})
	if len(whole) > 0 {
		problems = append(problems, runPrograms(whole)...)
	}
	return problems
}

// misshapen says why a program is no file that gofmt has written.
func (prog program) misshapen() string {
	if formatted, err := format.Source([]byte(prog.src)); err != nil {
		return "the program does not parse: " + err.Error()
	} else if string(formatted) != prog.src {
		return "the program is not formatted by gofmt"
	}
	return ""
}

// runPrograms compiles all programs in one module outside of this one, as users would, and runs
// each whose output is known.
func runPrograms(all []program) []string {
	dir, err := os.MkdirTemp("", "gallop-programs-")
	if err != nil {
		return []string{err.Error()}
	}
	defer os.RemoveAll(dir)
	if err := writePrograms(dir, all); err != nil {
		return []string{err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), programTime)
	defer cancel()
	// The tables for debuggers are left out: they take half of the time of the linker.
	build := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", "bin/", "./...")
	build.Dir = dir
	out, failed := build.CombinedOutput()
	var problems []string
	for i, prog := range all {
		name := programName(i)
		if failed != nil {
			if bytes.Contains(out, []byte(name+"/")) || len(all) == 1 {
				problems = append(problems, prog.at+"the program fails: "+failed.Error()+"\n"+string(out))
			}
			continue
		}
		if why := prog.lies(exec.CommandContext(ctx, filepath.Join(dir, "bin", name))); why != "" {
			problems = append(problems, prog.at+why)
		}
	}
	if failed != nil && len(problems) == 0 {
		problems = append(problems, "the programs of the pages do not compile: "+string(out))
	}
	return problems
}

func programName(i int) string { return "program" + strconv.Itoa(i) }

// writePrograms makes a module with the same requirements as this one, and this one in it.
func writePrograms(dir string, all []program) error {
	root, err := filepath.Abs(filepath.FromSlash(moduleRoot))
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	files := map[string]string{
		"go.mod": strings.Replace(string(mod), "module "+modulePath, "module programs", 1) +
			"\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => " + root + "\n",
		"go.sum": string(sum),
	}
	for i, prog := range all {
		files[programName(i)+"/main.go"] = prog.src
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// lies describes how a program differs from the claims of its page.
func (prog program) lies(cmd *exec.Cmd) string {
	if prog.prints == nil {
		return ""
	}
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	switch err := cmd.Run(); {
	case err != nil:
		return "the program fails: " + err.Error() + "\n" + stdout.String() + stderr.String()
	case strings.TrimSpace(stdout.String()) != strings.TrimSpace(*prog.prints):
		return "the program prints\n" + stdout.String() + "the page says\n" + *prog.prints
	}
	return ""
}

const (
	helloLines = 20 // of the first program of the README
	askLines   = 25 // of one that asks
)

// readmeGreets holds that the first program of the README is short and that its
// output is shown.
func readmeGreets(r *repo) []string {
	text, ok := r.text[readme]
	if !ok {
		return nil
	}
	programs := parsePage(readme, text).programs()
	if len(programs) == 0 {
		return []string{readme + ":1: has no whole program"}
	}
	var problems []string
	hello := programs[0]
	limit := helloLines
	if strings.Contains(hello.src, ".Ask(") {
		limit = askLines
	}
	lines := 0
	for line := range strings.Lines(hello.src) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	if lines > limit {
		problems = append(problems,
			hello.at+"hello world has "+strconv.Itoa(lines)+" lines, at most "+strconv.Itoa(limit))
	}
	if hello.prints == nil {
		problems = append(problems, hello.at+"the page does not say what hello world prints")
	}
	return problems
}

const greeting = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n"

func fenced(lang, text string) string { return "```" + lang + "\n" + text + "```\n" }

// TestProgramsInProse: "README code compiles and prints what it says".
func TestProgramsInProse(t *testing.T) {
	const inside = "package main\n\nimport _ \"" + modulePath + "/internal/seam\"\n\nfunc main() {}\n"
	change := func(src, prints string) tree {
		return tree{readme: fenced("go", src) + "prints\n" + fenced("text", prints)}
	}
	enforce(t, policy{check: programsTellTheTruth, accepts: tree{
		readme: fenced("go", greeting) + fenced("sh", "go run .\n") + "prints\n" + fenced("text",
			"hello\n") +
			fenced("go", "x := a fragment\n"),
	}, rejects: []fault{
		{"other output", change(greeting, "hullo\n"),
			"README.md:1: the program prints\nhello\nthe page says\nhullo"},
		{"does not compile, output unknown", tree{readme: fenced("go",
			strings.Replace(greeting, "fmt.Println", "fmt.Printline", 1))}, "the program fails"},
		{"does not parse", change("package main\n\nfunc main( {\n", ""), "does not parse"},
		{"panics", change("package main\n\nfunc main() {\n\tpanic(1)\n}\n", ""), "the program fails"},
		{"is not formatted", change(strings.ReplaceAll(greeting, "\t", "  "), "hello\n"),
			"not formatted"},
		{"uses what users cannot", tree{readme: fenced("go", inside)}, "the program fails"},
		{"second program, other page", tree{readme: fenced("go", greeting) + fenced("text", "hello\n"),
			"docs/x.md": fenced("go", greeting) + fenced("", "bye\n")}, "docs/x.md:1: the program prints"},
	}})
}

// TestReadmeGreets: hello world is at most 20 lines, with ask 25.
func TestReadmeGreets(t *testing.T) {
	long := func(lines int, stmt string) tree {
		src := greeting + strings.Repeat("\nvar _ = "+stmt+"\n", lines-5) // the greeting has five
		return tree{readme: fenced("go", src) + fenced("text", "hello\n")}
	}
	enforce(t, policy{check: readmeGreets, accepts: long(20,
		"1").with(tree{"docs/x.md": "no program\n"}), rejects: []fault{
		{"no program", tree{readme: "# Gallop\n" + fenced("go", "x := 1\n")}, "has no whole program"},
		{"too long", long(21, "1"), "hello world has 21 lines, at most 20"},
		{"too long with ask", long(26, "b.Ask(1)"), "hello world has 26 lines, at most 25"},
		{"no output", tree{readme: fenced("go", greeting)}, "does not say what hello world prints"},
	}})
	if _, err := os.Stat(filepath.Join(filepath.FromSlash(moduleRoot), readme)); err != nil {
		// Nothing to hold to the rule: the README comes last.
		t.Skip("README.md is missing: its programs were not checked")
	}
}
