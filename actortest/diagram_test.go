package actortest_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actortest"
)

var (
	traceLine = regexp.MustCompile(`^[> ] *(\d+) +\S+  (?:worker \d+|outside )  ` +
		`([^.]+#\d+)\.(\w+)(.*)$`)
	participantLine = regexp.MustCompile(`^ +participant (p\d+) as (.*)$`)
	arrowLine       = regexp.MustCompile(`^ +(p\d+)(->>|--x)(p\d+): (\d+) (\w+)(.*)$`)
	noteLine        = regexp.MustCompile(`^ +Note over (p\d+): (\d+) (\w+)(.*)$`)
)

// unescaped returns a text as a viewer shows it.
func unescaped(text string) string {
	return strings.NewReplacer("#35;", "#", "#59;", ";", "#lt;", "<", "#gt;", ">", "#amp;", "&",
		"#37;", "%").Replace(text)
}

// TestDiagram: "a failing line opens as a sequence diagram that is step for step equal to the
// trace's order": each event of the trace is the step of its number in the diagram, between the
// same actors.
func TestDiagram(t *testing.T) {
	dir := t.TempDir()
	trace, picture := filepath.Join(dir, "trace"), filepath.Join(dir, "picture")
	for name, file := range map[string]string{"gallop.trace": trace, "gallop.diagram": picture} {
		f := flag.Lookup(name)
		if err := f.Value.Set(file); err != nil {
			t.Fatal(err)
		}
		defer f.Value.Set("")
	}
	fails(t, "look", origins, actortest.WithRuns(1),
		actortest.WithStrategies(actortest.Exhaustive(0)))
	want, got := stepsOfTrace(t, trace), stepsOfDiagram(t, picture)
	if len(want) < 13 || len(got) != len(want) {
		t.Fatalf("%d steps, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("step %d is %q, want %q", i+1, got[i], want[i])
		}
	}
}

// sender is who has sent a message, from the end of a line of a trace.
var sender = regexp.MustCompile(` from (?:(?:a Pipe|a channel) of )?` +
	`(\S+#\d+|itself|a time-out of its own|outside, as a reply|outside|the runtime)(: dead letter)?$`)

// stepsOfTrace returns the number, the sender, the actor and the behaviour of each event.
func stepsOfTrace(t *testing.T, file string) (all []string) {
	t.Helper()
	for _, line := range linesOf(t, file) {
		m := traceLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		from := "-"
		if s := sender.FindStringSubmatch(m[4]); s != nil {
			switch from = s[1]; from {
			case "itself", "a time-out of its own":
				from = m[2]
			case "outside, as a reply":
				from = "outside"
			}
		}
		all = append(all, fmt.Sprintf("%s %s %s.%s", m[1], from, m[2], m[3]))
	}
	return all
}

// stepsOfDiagram returns the same of a diagram.
func stepsOfDiagram(t *testing.T, file string) (all []string) {
	t.Helper()
	names := map[string]string{}
	for _, line := range linesOf(t, file) {
		if m := participantLine.FindStringSubmatch(line); m != nil {
			names[m[1]] = unescaped(m[2])
		} else if m := arrowLine.FindStringSubmatch(line); m != nil {
			all = append(all, fmt.Sprintf("%s %s %s.%s", m[4], names[m[1]], names[m[3]], m[5]))
		} else if m := noteLine.FindStringSubmatch(line); m != nil {
			all = append(all, fmt.Sprintf("%s - %s.%s", m[2], names[m[1]], m[3]))
		}
	}
	return all
}

func linesOf(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}
