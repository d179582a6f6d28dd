package actortest

import (
	"fmt"
	"strings"

	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// diagram returns a trace as a sequence diagram of Mermaid, which editors and code hosts show. Each
// event is one step with the number that it has in the trace: an arrow from the sender to the actor
// that runs, with a cross if the message is a dead letter; or a note, where no message is under
// way.
func diagram(title string, trace []event) string {
	d := sequence{of: map[string]int{}}
	for i, e := range trace {
		d.step(i+1, e)
	}
	return "%% " + oneLine(title) + "\nsequenceDiagram\n" + d.participants.String() + d.steps.String()
}

// sequence is a diagram that is being made.
type sequence struct {
	of                  map[string]int // the participants, by their names
	participants, steps strings.Builder
}

func (d *sequence) step(n int, e event) {
	actor := d.participant(fmt.Sprintf("%s#%d", e.Type, e.Actor))
	what := fmt.Sprintf("%d %s", n, e.Behaviour)
	if e.payload != "" {
		what += " " + e.payload
	}
	switch {
	case e.Kind == sim.Did || e.Kind == sim.Ended:
		fmt.Fprintf(&d.steps, "    Note over p%d: %s\n", actor, escaped(what))
		return
	case e.Kind == sim.Panicked:
		fmt.Fprintf(&d.steps, "    Note over p%d: %s\n", actor, escaped(what+": panicked"))
		return
	case e.Callback:
		fmt.Fprintf(&d.steps, "    Note over p%d: %s\n", actor, escaped(what))
		return
	}
	arrow := "->>"
	if e.Kind == sim.DeadLetter {
		arrow = "--x"
		what += ": dead letter"
	}
	from, how := e.cameFrom()
	if how != "" {
		what += " (" + how + ")"
	}
	fmt.Fprintf(&d.steps, "    p%d%sp%d: %s\n", d.participant(from), arrow, actor, escaped(what))
}

// cameFrom returns the participant from which a message comes, and how, if that is not by a send.
func (e event) cameFrom() (from, how string) {
	switch {
	case e.Via == sim.ByPipe:
		return e.sender(), "a Pipe"
	case e.Via == sim.ByChannel:
		return e.sender(), "a channel"
	case e.Via == sim.ByTimeout:
		return fmt.Sprintf("%s#%d", e.Type, e.Actor), "a time-out"
	case e.Via == sim.ByReply:
		return "outside", "a reply"
	case e.From == 0 && e.News:
		return "the runtime", ""
	case e.From == 0:
		return "outside", ""
	}
	return e.sender(), ""
}

// participant returns the number of a participant, and adds it when it appears first.
func (d *sequence) participant(name string) int {
	n, ok := d.of[name]
	if !ok {
		n = len(d.of) + 1
		d.of[name] = n
		fmt.Fprintf(&d.participants, "    participant p%d as %s\n", n, escaped(name))
	}
	return n
}

// escaped returns a text in which Mermaid sees no mark of its own.
func escaped(text string) string {
	return strings.NewReplacer("#", "#35;", ";", "#59;", "<", "#lt;", ">", "#gt;", "&", "#amp;",
		"%", "#37;").Replace(oneLine(text))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
