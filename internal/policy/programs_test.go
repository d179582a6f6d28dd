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
	programTime = 2 * time.Minute // to compile and to run
)

// program is a whole program in a page, and what the page says that it prints.
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
// compile, and print what the page says.
func programsTellTheTruth(r *repo) []string {
	var problems []string
	for _, p := range r.pages() {
		for _, prog := range p.programs() {
			if why := prog.lies(); why != "" {
				problems = append(problems, prog.at+why)
			}
		}
	}
	return problems
}

// lies says in what way a program differs from what its page claims.
func (prog program) lies() string {
	if formatted, err := format.Source([]byte(prog.src)); err != nil {
		return "the program does not parse: " + err.Error()
	} else if string(formatted) != prog.src {
		return "the program is not formatted by gofmt"
	}
	out, err := prog.run()
	switch {
	case err != nil:
		return "the program fails: " + err.Error() + "\n" + out
	case prog.prints != nil && strings.TrimSpace(out) != strings.TrimSpace(*prog.prints):
		return "the program prints\n" + out + "the page says\n" + *prog.prints
	}
	return ""
}

// run compiles a program as a user of this module would, from a directory outside
// of it, and runs it if its output is known. It returns what was printed.
func (prog program) run() (string, error) {
	dir, err := os.MkdirTemp("", "gallop-readme-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(prog.src), 0o600); err != nil {
		return "", err
	}
	args := []string{"run", file}
	if prog.prints == nil {
		args = []string{"build", "-o", os.DevNull, file}
	}
	ctx, cancel := context.WithTimeout(context.Background(), programTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.FromSlash(moduleRoot)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String() + stderr.String(), err
	}
	return stdout.String(), nil
}

const (
	helloLines = 20 // of the first program of the README
	askLines   = 25 // of one that asks
)

// readmeGreets holds that the first program of the README is short and says what
// it prints.
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
		{"less output", change(greeting, "hello\nworld\n"), "the program prints"},
		{"does not compile", change(strings.Replace(greeting, "fmt.Println", "fmt.Printline", 1),
			"hello\n"), "the program fails"},
		{"does not compile, output unknown", tree{readme: fenced("go",
			strings.Replace(greeting, "fmt.Println", "fmt.Printline", 1))}, "the program fails"},
		{"does not parse", change("package main\n\nfunc main( {\n", ""), "does not parse"},
		{"panics", change("package main\n\nfunc main() {\n\tpanic(1)\n}\n", ""), "the program fails"},
		{"is not formatted", change(strings.ReplaceAll(greeting, "\t", "  "), "hello\n"),
			"not formatted"},
		{"uses what users cannot", tree{readme: fenced("go", inside)}, "the program fails"},
		{"second program", tree{readme: fenced("go", greeting) + fenced("text", "hello\n") + fenced("go",
			greeting) + fenced("", "bye\n")}, "README.md:13: the program prints"},
		{"other page", tree{"docs/x.md": fenced("go", greeting) + fenced("output", "bye\n")},
			"docs/x.md:1: the program prints"},
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
