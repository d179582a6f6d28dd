package actortest

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/sim"
)

// runSetup is what all runs of a scenario have in common.
type runSetup struct {
	scenario func(*R)
	workers  int
	steps    int
	mayPanic bool
	faults   []Fault
	matched  []bool // which rows have fitted anything, in any run
	options  []actor.Option

	latencies []latency
	mayWait   func(typ string) bool // nil: no asker may
}

// outcome is how one run went.
type outcome struct {
	trace         []event
	failures      []string
	failedAt      int     // how many events came before the first failure
	ranks         []int32 // of all choices: see ranked
	widths        []int32 // among how many, each
	stack         string  // of a scenario that panicked; not the same in every run
	exited        bool    // the scenario has ended its goroutine, and not by R
	failedOutside bool    // the test has failed meanwhile, and not by R
}

func (o *outcome) failed() bool { return len(o.failures) > 0 || o.failedOutside }

func (o *outcome) text() string {
	if len(o.failures) == 0 && o.failedOutside {
		return "the test has failed in this run, and not by R: use that in a scenario"
	}
	return strings.Join(o.failures, "\n")
}

// signature stands for the order of all that happened.
func (o *outcome) signature() uint64 {
	h := fnv.New64a()
	for _, e := range o.trace {
		fmt.Fprintln(h, e.Kind, e.Worker, e.Actor, e.Behaviour, e.From)
	}
	return h.Sum64()
}

// differs says where another run of the same plan differs.
func (o *outcome) differs(other *outcome) string {
	for i := range max(len(o.trace), len(other.trace)) {
		if i < len(o.trace) && i < len(other.trace) && o.trace[i].Event == other.trace[i].Event {
			continue
		}
		if a, b := line(o.trace, i), line(other.trace, i); a != b {
			return fmt.Sprintf("event %d was %q, and then %q", i+1, a, b)
		}
	}
	if !slices.Equal(o.failures, other.failures) {
		return fmt.Sprintf("it said %q, and then %q", o.text(), other.text())
	}
	return ""
}

func line(trace []event, i int) string {
	if i < len(trace) {
		return trace[i].String()
	}
	return "(the end)"
}

// run runs the scenario once, in a goroutine of its own, so that the run can be ended at any point.
// In detail, its trace has what the messages were.
func (s *runSetup) run(p plan, detail bool) *outcome {
	r := &R{setup: s, plan: p, detailed: detail}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.end()
		r.start()
		s.scenario(r)
		r.ended = true
		r.finish()
	}()
	<-done
	return &r.outcome
}

// epoch is when the time of every run begins.
var epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// start makes the system of a run. Its home is the calling goroutine.
func (r *R) start() {
	r.clock = actor.NewVirtualClock(epoch)
	h := &sim.Hooks{Choose: r.choose, Event: r.event, Clock: r.clock, Panicked: r.panicked,
		Fault: r.fault, Refuse: r.refuse, Stuck: r.stuck}
	r.hooks = h
	if r.detailed {
		h.Payload = func(v any) { r.payload = describe(v, h.Name) }
	}
	if len(r.setup.latencies) > 0 {
		h.Latency = r.latency
	}
	opts := []actor.Option{actor.Simulated(h), actor.Workers(r.setup.workers), actor.Clock(r.clock),
		actor.OnDeadLetter(func(actor.DeadLetter) {}), actor.Seed(r.plan.systemSeed())}
	r.sys = actor.Start(append(opts, r.setup.options...)...)
}

func (r *R) choose(ready []int, current int) int {
	r.step()
	id := r.plan.choose(ready, current)
	r.departed = r.outcome.record(ready, current, id) || r.departed
	return id
}

func (r *R) event(e sim.Event) {
	r.step()
	r.outcome.trace = append(r.outcome.trace, event{e, r.payload, r.departed})
	r.payload, r.departed = "", false
}

// step counts what happens, so that an endless run comes to an end.
func (r *R) step() {
	if r.steps++; r.steps > r.setup.steps && r.endless == nil {
		r.endless = errEndless
	}
}

// panicked sees every panic of a behaviour. It is no option of the system: the
// scenario's own OnPanic would replace it.
func (r *R) panicked(e sim.Event, value any) {
	if _, injected := value.(InjectedPanic); injected || r.setup.mayPanic {
		return
	}
	if _, gone := value.(sim.Goexit); gone {
		r.Errorf("%s#%d.%s has ended its goroutine, as FailNow of a test does: use Errorf of R",
			e.Type, e.Actor, e.Behaviour)
		return
	}
	if e.Behaviour == "" {
		e.Behaviour = "In"
	}
	r.Errorf("%s#%d.%s panicked: %v", e.Type, e.Actor, e.Behaviour, value)
}

// finish checks the books when the scenario has returned.
func (r *R) finish() {
	r.waitUntilQuiet()
	r.sys.Stop() // what is in a stash becomes dead letters
	st, books := r.sys.Stats(), r.sys.Books()
	if ended := st.Messages + st.DeadLetters; books.Sent != ended {
		r.Errorf("%d messages were sent, but %d have run and %d are dead letters", books.Sent,
			st.Messages, st.DeadLetters)
	}
	if books.Strangers > 0 {
		r.Errorf("goroutines that do not belong to the run made %d of its calls: it will not repeat itself", books.Strangers)
	}
}

// end ends the system of a run, however the scenario has ended.
func (r *R) end() {
	v := recover()
	if r.sys == nil { // it did not like the options
		r.Errorf("the system did not start: %v", v)
		return
	}
	switch {
	case v != nil:
		r.Errorf("the scenario panicked: %v", v)
		r.outcome.stack = string(debug.Stack())
	case !r.ended && !r.outcome.failed():
		r.outcome.exited = true
		r.Errorf("the scenario has ended its goroutine, as FailNow of the test does: use that of R, which also stands for a test in assertions")
	}
	r.sys.Stop()
}

// pattern is the regular expression that means a test alone, fit for single quotes.
func pattern(name string) string {
	name = strings.ReplaceAll(regexp.QuoteMeta(name), "'", ".")
	return strings.ReplaceAll(name, "/", "$/^")
}
