package actortest_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

// failing runs Fails for a double.
func failing(t *testing.T, want string, scenario func(*actortest.R),
	opts ...actortest.Option) (failed bool, said string) {
	d := &double{TB: t}
	actortest.RunFails(d, want, scenario, opts...)
	return d.failed, d.text.String()
}

// TestFails: "it passes if an order is found in which the scenario fails with a text that matches",
// and "logs that order, made simpler, with the line that replays it".
func TestFails(t *testing.T) {
	actortest.RunFails(t, `^1 of \d answers$`, twoClients, actortest.WithRuns(500))
	failed, said := failing(t, `^1 of \d answers$`, twoClients, actortest.WithRuns(500))
	if failed || !strings.Contains(said,
		"it fails, as expected: 1 of 2 answers\nreplay: go test -run '^TestFails$' -gallop.replay=path") {
		t.Fatalf("failed: %v\n%s", failed, said)
	}
	replay := flag.Lookup("gallop.replay")
	defer replay.Value.Set("")
	replay.Value.Set(replayLine.FindStringSubmatch(said)[1])
	if failed, again := failing(t, `^1 of \d answers$`, twoClients); failed ||
		again != asFound(said) {
		t.Errorf("failed: %v; first:\n%s\nreplayed:\n%s", failed, said, again)
	}
	replay.Value.Set("path")
	if failed, again := failing(t, "answers", twoClients); !failed ||
		!strings.Contains(again, "this order does not fail") {
		t.Errorf("failed: %v\n%s", failed, again)
	}
}

// TestFails_Otherwise: "It fails the test if there is none, or if an order fails in another way
// before", or does not repeat itself.
func TestFails_Otherwise(t *testing.T) {
	runs := 0
	for say, c := range map[string]struct {
		want     string
		scenario func(*actortest.R)
	}{
		`20 runs, no failure; orders: 1; want a failure that matches "x"`: {"x",
			func(r *actortest.R) {}},
		"want a failure that matches \"^2 of\"\n1 of 2 answers\nreplay: ": {"^2 of", twoClients},
		"want a failure that matches \"here\"\nhere\nactortest: the same order (random-0)": {"here",
			func(r *actortest.R) { again(&runs)(r); r.Fatalf("here") }},
	} {
		failed, said := failing(t, c.want, c.scenario, actortest.WithRuns(20))
		if !failed || !strings.Contains(said, say) {
			t.Errorf("failed: %v, want %q in\n%s", failed, say, said)
		}
	}
}

// again is a scenario that does more each time.
func again(runs *int) func(r *actortest.R) {
	return func(r *actortest.R) {
		*runs++
		for range *runs {
			with(r, func(*actor.Context) {})
		}
		r.Quiet()
	}
}
