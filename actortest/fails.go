package actortest

import (
	"cmp"
	"regexp"
	"testing"
)

// RunFails is [Run] for a scenario that is known to fail: it passes if an order is found in
// which the scenario fails with a text that matches the regular expression want, and
// logs that order, made simpler, with the line that replays it. It fails the test if
// there is none, or if an order fails in another way before. So a race that is known
// stays known, and a change that removes it is noticed. RunFails panics if want is no
// regular expression.
func RunFails(t testing.TB, want string, scenario func(r *R), opts ...Option) {
	t.Helper()
	c := newConfig(scenario, opts)
	c.match = regexp.MustCompile(want)
	c.failed = t.Failed()
	p, out := c.replayed(t)
	if out == nil {
		p, out = c.search(t)
	}
	if out == nil {
		return // and t has failed
	}
	p, out, wrong := c.explain(t, p, out)
	switch {
	case !out.failed():
		t.Fatalf("actortest: this order does not fail; want a failure that matches %q", want)
	case wrong != "" || !c.match.MatchString(out.text()):
		t.Fatalf("actortest: want a failure that matches %q\n%s\n%s", want, out.text(),
			cmp.Or(wrong, replayLine(t, p)))
	}
	t.Logf("actortest: it fails, as expected: %s\n%s", out.text(), replayLine(t, p))
}
