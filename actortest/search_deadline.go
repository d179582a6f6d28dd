package actortest

import (
	"testing"
	"time"
)

// deadlineMargin is the time before the test's deadline in which no new run is started. go test
// kills a process that exceeds the deadline, and its findings are lost.
const deadlineMargin = 5 * time.Second

// searchDeadline is when a search ends early.
type searchDeadline struct {
	at     time.Time // zero: never
	passed bool
}

// searchDeadlineOf returns the search deadline of a test: 5 s before the test's own, or less if
// that is near.
func searchDeadlineOf(t testing.TB, now time.Time) searchDeadline {
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok { // a *testing.T
		if end, ok := limited.Deadline(); ok {
			return searchDeadline{at: end.Add(-min(deadlineMargin, end.Sub(now)/4))}
		}
	}
	return searchDeadline{}
}

// reached reports whether the search ends now. At least one order is run.
func (c *searchDeadline) reached(done int, now time.Time) bool {
	c.passed = done > 0 && !c.at.IsZero() && now.After(c.at)
	return c.passed
}

// String returns the note for the log.
func (c *searchDeadline) String() string {
	if c.passed {
		return "; cut short: the test's deadline is near (see go test -timeout)"
	}
	return ""
}
