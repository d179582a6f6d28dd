package actortest_test

import (
	"flag"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actortest"
)

// broken is set for tests that fail and exist only for TestReplayLine.
const broken = "GALLOP_BROKEN"

// TestBroken fails, with a line that replays it, in a subtest with a difficult name.
func TestBroken(t *testing.T) {
	if os.Getenv(broken) == "" {
		t.Skip("it is there for TestReplayLine_CanBePasted") // and fails
	}
	t.Run("a cache (that isn't right)", func(t *testing.T) {
		actortest.Run(t, twoClients, actortest.WithStrategies(actortest.PCT(3)), actortest.WithRuns(1000))
	})
	t.Run("another one", func(*testing.T) {})
}

var pasteable = regexp.MustCompile(`replay: (go test -run .*)\n`)

// TestReplayLine_CanBePasted: "it then prints … one line that replays it". The shell runs it.
func TestReplayLine_CanBePasted(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a test") // which takes a while
	}
	said := shell(t, "exec '"+os.Args[0]+"' -test.run TestBroken")
	m := pasteable.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("no line to paste in\n%s", said)
	}
	again := shell(t, m[1])
	if story(said) == "" || story(again) != story(said) {
		t.Errorf("first:\n%s\n%s:\n%s", said, m[1], again)
	}
}

// shell runs a command that must fail, and returns its output.
func shell(t *testing.T, command string) string {
	c := exec.Command("sh", "-c", command)
	c.Env = append(os.Environ(), broken+"=1")
	out, err := c.CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed {
		t.Fatalf("%s: %v, and did not fail\n%s", command, err, out)
	}
	return string(out)
}

// story is the part of a failing run's output from its first event to its failure.
func story(said string) string {
	_, story, _ := strings.Cut(said, " events\n")
	story, _, _ = strings.Cut(story, "replay:")
	return story
}

// refuser is a double whose test is over when it fails.
type refuser struct{ *double }

func (f refuser) Fatal(a ...any) { f.double.Fatal(a...); runtime.Goexit() }

// replayOf replays a string with a scenario that does nothing.
func replayOf(t *testing.T, replay string) string {
	f := flag.Lookup("gallop.replay")
	defer f.Value.Set(f.Value.String())
	f.Value.Set(replay)
	d, done := &double{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		actortest.Run(refuser{d}, func(*actortest.R) {})
	}()
	<-done
	return d.text.String()
}

// TestReplay_Strings: a string that no run has printed is refused. No string takes more memory than
// its length.
func TestReplay_Strings(t *testing.T) {
	for _, s := range []string{"path-1", "path-1.0", "path--1.1", "path-1.1x",
		"path-99999999999999999999.1", "random", "pct-1-1",
		"path-", "path-+1.1", "path-1.01", "random-007", "random-1-", "pct+3-1-100", "pct3-1-0",
		"3-1-100", "pct65537-1-100"} {
		if said := replayOf(t, s); !strings.HasSuffix(said, `"`+s+"\" is no replay string\n") {
			t.Errorf("%s: %s", s, said)
		}
	}
	for _, s := range []string{"path", "path-1000000000.1", "path-1000000000.1-1000000000.2",
		"random-18446744073709551615",
		"pct65536-1-18446744073709551615"} {
		if said := replayOf(t, s); said != "actortest: 0 events\n\n" {
			t.Errorf("%s: %s", s, said)
		}
	}
}
