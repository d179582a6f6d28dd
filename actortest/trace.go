package actortest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// WithTrace sets how many events of a run that has failed, or that was replayed, are printed: the
// last 60 by default. A negative number prints all. The flag
//
//	go test -run '^TestName$' -gallop.trace=FILE
//
// appends all events of such a run to a file, and -gallop.trace=- to the test's log. To see a run
// that passes, replay it: -gallop.replay=path is the order without any interruption.
// -gallop.diagram=FILE writes all events as a sequence diagram of Mermaid, step for step.
func WithTrace(events int) Option { return func(c *config) { c.lines = events } }

// WithInternals prints the events of the runtime's own actors too, such as supervisors. So does the
// flag -gallop.internals.
func WithInternals() Option { return func(c *config) { c.internals = true } }

// event is one line of a trace.
type event struct {
	sim.Event
	payload string // "" unless the run was detailed
	// a worker was interrupted before this event
	departed bool
}

// String returns the event without its payload: the part that must be the same in every run of an
// order.
func (e event) String() string { return e.text("") }

// text returns the event as it is printed.
func (e event) text(payload string) string {
	who := fmt.Sprintf("worker %d", e.Worker)
	if e.Worker < 0 {
		who = "outside "
	}
	if payload != "" && (!e.Callback || e.Behaviour != "OnStop") {
		payload = " " + payload
	}
	what := ""
	switch e.Kind {
	case sim.Did:
		return fmt.Sprintf("%s  %s#%d.%s", who, e.Type, e.Actor, e.Behaviour)
	case sim.Ended:
		if payload != "" {
			payload = ":" + payload
		}
		return fmt.Sprintf("%s  %s#%d ends%s", who, e.Type, e.Actor, payload)
	case sim.DeadLetter:
		what = ": dead letter"
	case sim.Panicked:
		what = ": panicked"
	}
	if e.Process && e.Kind == sim.Panicked {
		return fmt.Sprintf("%s  %s#%d: panicked", who, e.Type, e.Actor)
	}
	if e.Callback {
		return fmt.Sprintf("%s  %s#%d.%s%s%s", who, e.Type, e.Actor, e.Behaviour,
			e.occasion(payload), what)
	}
	return fmt.Sprintf("%s  %s#%d.%s%s from %s%s", who, e.Type, e.Actor, e.Behaviour, payload,
		e.cause(), what)
}

// occasion returns why a callback runs.
func (e event) occasion(reason string) string {
	switch {
	case e.Behaviour == "OnStop" && reason != "":
		return " because of " + reason
	case e.Behaviour == "OnStop" || e.From == 0:
		return ""
	}
	return " under " + e.sender()
}

// cause returns where a message comes from.
func (e event) cause() string {
	switch {
	case e.Via == sim.ByPipe:
		return "a Pipe of " + e.sender()
	case e.Via == sim.ByChannel:
		return "a channel of " + e.sender()
	case e.Via == sim.ByTimeout:
		return "a time-out of its own"
	case e.Via == sim.ByReply:
		return "outside, as a reply"
	case e.From == 0 && e.News:
		return "the runtime"
	case e.From == 0:
		return "outside"
	case e.From == e.Actor && e.FromType == e.Type:
		return "itself"
	}
	return e.sender()
}

func (e event) sender() string { return fmt.Sprintf("%s#%d", e.FromType, e.From) }

// hidden reports whether the event is one of the runtime's own actors.
func (e event) hidden() bool { return e.Own && e.Kind != sim.Panicked }

// shown returns the events that are printed.
func (c *config) shown(trace []event) (all []event) {
	turned := false
	for _, e := range trace {
		turned = turned || e.departed
		if c.internals || !e.hidden() {
			e.departed, turned = turned, false
			all = append(all, e)
		}
	}
	return all
}

// shownUntilFailure returns the number of shown events before the failure.
func (c *config) shownUntilFailure(out *outcome) int {
	return len(c.shown(out.trace[:out.failedAt]))
}

// maxMarks is the number of interruptions up to which they are marked; more marks would not help.
const maxMarks = 20

// tail returns the end of a trace, with the virtual time of each event since the start of the run.
func tail(trace []event, lines int) string {
	first := 0
	if lines >= 0 {
		first = max(0, len(trace)-lines)
	}
	var b strings.Builder
	if first > 0 {
		fmt.Fprintf(&b, "  … %d before; WithTrace(-1) or -%s shows them\n", first, traceFlag)
	}
	turns := 0
	for _, e := range trace {
		if e.departed {
			turns++
		}
	}
	for i, e := range trace[first:] {
		mark := ' '
		if e.departed && turns <= maxMarks {
			mark = '>'
		}
		fmt.Fprintf(&b, "%c%4d %8v  %s\n", mark, first+i+1, e.Time.Round(time.Microsecond),
			e.text(e.payload))
	}
	return b.String()
}

// print prints the trace of a run, all of it or the end, as the options and flags say.
func (c *config) print(t testing.TB, out *outcome, why string) {
	t.Helper()
	all, lines, after := c.shown(out.trace), c.lines, ""
	if file := flagValue[string](diagramFlag); file != "" {
		err := os.WriteFile(file, []byte(diagram(t.Name()+": "+why, all)), 0o644)
		if err != nil {
			t.Logf("actortest: -%s: %v", diagramFlag, err)
		}
	}
	switch file := flagValue[string](traceFlag); file {
	case "":
	case "-":
		lines = -1
	default:
		if err := appendTo(file,
			fmt.Sprintf("%s: %s: %d events\n%s%s\n", t.Name(), why, len(all), tail(all, -1),
				out.text())); err != nil {
			t.Logf("actortest: -%s: %v", traceFlag, err)
		}
	}
	hidden := ""
	if n := len(out.trace) - len(all); n > 0 {
		hidden = fmt.Sprintf(", and %d of the runtime's own, which WithInternals shows", n)
	}
	some := all
	if n := c.shownUntilFailure(out); out.failed() && lines >= 0 && n < len(all) {
		some, after = all[:n], fmt.Sprintf("  … %d after the failure\n", len(all)-n)
	}
	t.Logf("actortest: %d events%s\n%s%s", len(all), hidden, tail(some, lines), after)
	if text := out.log.tail(lines); text != "" {
		t.Log(text)
	}
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
