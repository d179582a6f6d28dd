package actortest_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actortest"
)

// broken is set for tests that fail, and are only there for TestReplayLine.
const broken = "GALLOP_BROKEN"

// TestBroken fails, with a line that replays it, in a subtest with a difficult name.
func TestBroken(t *testing.T) {
	if os.Getenv(broken) == "" {
		t.Skip("it is there for TestReplayLine_CanBePasted") // and fails
	}
	t.Run("a cache (that isn't right)", func(t *testing.T) {
		actortest.Run(t, twoClients, actortest.Strategies(actortest.PCT(3)), actortest.Runs(1000))
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

// shell runs a command that must fail, and returns what it said.
func shell(t *testing.T, command string) string {
	c := exec.Command("sh", "-c", command)
	c.Env = append(os.Environ(), broken+"=1")
	out, err := c.CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed {
		t.Fatalf("%s: %v, and did not fail\n%s", command, err, out)
	}
	return string(out)
}

// story is what a failing run says about itself, from its first event to its failure.
func story(said string) string {
	_, story, _ := strings.Cut(said, " events\n")
	story, _, _ = strings.Cut(story, "replay:")
	return story
}
