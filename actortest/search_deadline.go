package actortest

import (
	"testing"
	"time"
)

// deadlineMargin is how long before the test's deadline no new order is begun: go test ends a
// process that is past it, and says nothing of what was found.
const deadlineMargin = 5 * time.Second

// searchDeadline is when a search ends, however much is left of it.
type searchDeadline struct {
	at     time.Time // zero: never
	passed bool
}

// searchDeadlineOf returns the cutoff of a test: some seconds before its deadline, or fewer if the deadline
// is near.
func searchDeadlineOf(t testing.TB, now time.Time) searchDeadline {
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok { // a *testing.T
		if end, ok := limited.Deadline(); ok {
			return searchDeadline{at: end.Add(-min(deadlineMargin, end.Sub(now)/4))}
		}
	}
	return searchDeadline{}
}

// reached tells whether the search ends here. One order is always run.
func (c *searchDeadline) reached(done int, now time.Time) bool {
	c.passed = done > 0 && !c.at.IsZero() && now.After(c.at)
	return c.passed
}

// String is what the log says of it.
func (c *searchDeadline) String() string {
	if c.passed {
		return "; cut short: the test's deadline is near (see go test -timeout)"
	}
	return ""
}
