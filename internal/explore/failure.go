package explore

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Failure is a schedule that went wrong.
type Failure struct {
	Err        error    // the reason of the failure
	Schedule   int      // the number of the schedule in the exploration, from 1
	Trace      string   // the schedule, for Replay
	Reproduced bool     // replaying it at once failed in the same way
	Places     []string // the last steps, with their places in the source
	name       string
}

// Unwrap is the error of the schedule.
func (f *Failure) Unwrap() error { return f.Err }

// Replay is the string to give to GALLOP_REPLAY.
func (f *Failure) Replay() string { return f.name + ":" + f.Trace }

// Error names the reason, the steps before it, and the command that runs the schedule again.
func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "schedule %d: %v\n", f.Schedule, f.Err)
	for _, line := range f.Places {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	var p *panicError
	if errors.As(f.Err, &p) {
		fmt.Fprintf(&b, "%s\n", p.stack)
	}
	if !f.Reproduced && f.Err != errGoexit {
		b.WriteString("it did NOT fail so again: the scenario depends on more than its schedule\n")
	}
	fmt.Fprintf(&b, "replay: GALLOP_REPLAY='%s' go test -tags gallop_explore -run '%s'", f.Replay(),
		pattern(f.name))
	return b.String()
}

// pattern is the -run argument for a test name.
func pattern(name string) string {
	test, _, _ := strings.Cut(name, "#")
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(test), "/", "$/^") + "$"
}
