package actortest

import (
	"testing"
	"time"
)

// beforeEnd is how long before the test's deadline no new order is begun: go test ends a
// process that is past it, and says nothing of what was found.
const beforeEnd = 5 * time.Second

// cutoff is when a search ends, however much is left of it.
type cutoff struct {
	at   time.Time // zero: never
	came bool
}

// cutoffOf returns the cutoff of a test: some seconds before its deadline, or fewer if the deadline
// is near.
func cutoffOf(t testing.TB, now time.Time) cutoff {
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok { // a *testing.T
		if end, ok := limited.Deadline(); ok {
			return cutoff{at: end.Add(-min(beforeEnd, end.Sub(now)/4))}
		}
	}
	return cutoff{}
}

// comes tells whether the search ends here. One order is always run.
func (c *cutoff) comes(done int, now time.Time) bool {
	c.came = done > 0 && !c.at.IsZero() && now.After(c.at)
	return c.came
}

// String is what the log says of it.
func (c *cutoff) String() string {
	if c.came {
		return "; cut short: the test's deadline is near (see go test -timeout)"
	}
	return ""
}
