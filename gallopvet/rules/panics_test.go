package rules_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// found has, for each text with which actor or process panics over misuse, the bad case of GV5, or
// of GV4, that panics so. An ellipsis stands for what is known at run time, and for what is too
// long.
const found = `
actor: AskTo: a nil reply for … | nil reply
actor: Become: a nil or zero Variant: use Type.Variant | nil variant
actor: Become: … cannot become a variant of … | becomes
actor: Blocking: a nil function | block nothing
actor: Do: a nil method for … | nil method
actor: Every(%v): want a positive period | every nothing
actor: FromChan: a nil channel for … | from nil channel
actor: Gas(%d): want at least 0 | negative gas
actor: Name of a nil Type: use NewType | name of a nil type
actor: NewType: WithKeep of another state than that of … | keep of another state
actor: NewType: a nil option for … | nil option
actor: NewType: empty name | empty type name
actor: NewType: … has both watermarks and a bound | bound and watermarks
actor: Pipe: a nil function for … | pipe of nothing
actor: Register: an empty name | empty registration
actor: Self: the running actor is %v with the state %s, not %s | selfs
actor: SendWait called from a behaviour, which would keep its wo… | waits to send
actor: SendWait called from a process, which would keep its work… | waits to send to an actor
actor: Shield: a nil function | shield nothing
actor: SpawnFunc: a nil function | nil init
actor: SpawnNamed: an empty name | empty name
actor: SpawnSupervised: a nil function for … | nil init of a child
actor: Start: … | too many workers
actor: Status of a zero Ref | status of a zero ref
actor: ToChan: a nil channel | nil channel
actor: Unstash(%d): want at least 0 | unstash less than none
actor: WithBound(%d, %d): want at least 1, and OverflowMute, Ove… | bound of none
actor: WithInterceptor of an Interceptor without functions | interceptor without functions
actor: WithKeep: a nil function | keep of nothing
actor: WithStashLimit(%d): want at least 1 | stash of none
actor: WithWatermarks(%d, %d): want 0 ≤ low < high | watermarks
actor: Yield: called twice in one behaviour of … | yields
actor: Yield: … is not a behaviour of … | afters
actor: a behaviour of … without a name | empty behaviour name
actor: a nil option for behaviour … | nil option of a behaviour
actor: a nil sender, or a zero one: use the *Context of the beha… | nil sender
actor: a zero AskBehaviour: use DeclareAsk | zero request
actor: a zero Behaviour: use Declare | zero behaviour
actor: … called from a behaviour, which would wait for itself | runs
actor: … called from a process, which would wait for itself | waits for an actor
actor: … got its method after the first spawn of its type | method too late
actor: … got two methods | two methods
actor: … has no method: give it one with ….Table | no method
actor: … is not one of …'s behaviours | afters
actor: … is urgent and DropOnOverload: what is urgent pays no he… | urgent and dropped
actor: … is urgent: a request cannot be | urgent request
actor: … of a nil or zero System: use Start | nil System
actor: … of a nil or zero Type: use NewType | nil type
actor: … of a nil or zero VirtualClock: use NewVirtualClock | nil clock
actor: … of a zero Ref | stop of a zero ref
actor: … of …, which is not what runs | stashes
actor: … sent to a zero Ref | zero ref
actor: … sent to …, which is of another type with the same state | actor of another type
actor: … was declared after the first spawn of its type | declared too late
actor: … was declared twice | name twice
actor: … with a nil context: use context.Background | nil context
actor: … with a nil or zero Context, or with one whose behaviour… | nil Context
actor: …(%d): want at least 1 | batch of none
actor: …(…): time does not go back | back in time
actor: ….Table: an entry without a behaviour | zero entry
actor: ….Table: … was declared for another type | entry of another type
actor: ….Variant: an entry without a behaviour | zero entry of a variant
actor: ….Variant: … got two methods | two methods in a variant
actor: ….Variant: … was declared for another type | variant of another type
actor: ….… was set after the first spawn of its type | hook too late
actor: ….… was set twice | hook twice
actor: ….…: a nil function | nil start function
actor: …: a zero Deferred: use Defer | zero deferred
actor: …: the running message of … was stashed or deferred alrea… | stashed twice
process: Chan.Close: the channel is closed | closed twice
process: Chan.Close: the channel is nil | close nil
process: Chan.Send: the channel is closed | send after close
process: Chan.TrySend: the channel is closed | try after close
process: Mutex.Unlock: it is not locked | unlocked
process: NewChan: size is negative | negative channel
process: WithBound: the limit is less than 1 | process bound of none
process: WithWatermarks: want 0 ≤ low < high | process watermarks
process: Select: a case is used twice at a time | one case twice
process: Select: a receive of another process | in another process
process: Start: … | workers
process: … called from a process, which would wait for itself | runs its system
process: … with a process that does not run here | in a goroutine
`

// TestPanics: what actor and process panic with over misuse, by their source, has a bad case, or
// gv5-panics.md says why not; that page has no other rows, and says how many there are.
func TestPanics(t *testing.T) {
	texts := map[string]bool{}
	for _, pkg := range []string{"actor", "process"} {
		panics(t, pkg, texts)
	}
	page, err := os.ReadFile("../docs/gv5-panics.md")
	if err != nil {
		t.Fatal(err)
	}
	cases := badCases(t)
	named := map[string]string{}
	for line := range strings.Lines(found) {
		if text, name, ok := strings.Cut(strings.TrimSpace(line), " | "); ok {
			named[text] = name
		}
	}
	with := 0
	for text := range texts {
		switch name, ok := named[text]; {
		case ok && !strings.Contains(cases, strconv.Quote(name)) &&
			!strings.Contains(cases, ": "+name+`"`) && !strings.Contains(cases, "/"+name+`"`):
			t.Errorf("there is no case %q", name)
		case ok:
			with++
		case !strings.Contains(string(page), "| "+text+" |"):
			t.Errorf("no case, and no row in the page: %s", text)
		}
	}
	for text := range named {
		if !texts[text] {
			t.Errorf("nothing panics with %q", text)
		}
	}
	for line := range strings.Lines(string(page)) {
		text, _, row := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if row && strings.Contains(text, ": ") && (!texts[text] || named[text] != "") {
			t.Errorf("the page has a row too much: %s", text)
		}
	}
	if say := fmt.Sprintf("%d of %d", with, len(texts)); !strings.Contains(string(page), say) {
		t.Errorf("the page does not say %s", say)
	}
}

// badCases returns the source of the cases that panic.
func badCases(t *testing.T) (all string) {
	t.Helper()
	for _, rule := range []string{"gv4", "gv5"} {
		files, err := filepath.Glob("../testdata/" + rule + "/bad/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all += string(text)
		}
	}
	return all
}

// panics adds what a package panics with. What is a fault of gallop itself, and what a panic of
// others is passed on with, is no misuse.
func panics(t *testing.T, pkg string, texts map[string]bool) {
	t.Helper()
	files, err := filepath.Glob("../../" + pkg + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text := says(n)
			text = strings.TrimPrefix(text, "gallop: ")
			if strings.Trim(text, "…") != "" && text != "process: …" &&
				!strings.HasPrefix(text, "invariant: ") && !strings.HasPrefix(text, "internal: ") {
				texts[cut(pkg+": "+text)] = true
			}
			return true
		})
	}
}

// cut shortens a text.
func cut(text string) string {
	if r := []rune(text); len(r) > 64 {
		return strings.TrimSpace(string(r[:64])) + "…"
	}
	return text
}

// says returns the text of a panic, and of what is returned as one.
func says(n ast.Node) (text string) {
	var parts []ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		fn, ok := n.Fun.(*ast.Ident)
		if !ok || fn.Name != "panic" && fn.Name != "panicMisuse" && fn.Name != "misuse" {
			return ""
		}
		parts = n.Args
	case *ast.ReturnStmt: // of trySeal
		if parts = n.Results; len(parts) != 1 || !strings.Contains(words(parts[0]), "has no method") {
			return ""
		}
	}
	for _, p := range parts {
		text += words(p)
	}
	return text
}

// words returns the part of a text that is written.
func words(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return words(e.X) + words(e.Y)
	case *ast.CallExpr:
		if s, ok := e.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(s.Sel.Name, "Sprint") {
			return words(e.Args[0])
		}
	case *ast.Ident:
		if e.Name == "empty" {
			return "WithInterceptor of an Interceptor without functions"
		}
	}
	return "…"
}
