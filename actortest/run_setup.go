package actortest

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// runSetup is shared by all runs of a scenario.
type runSetup struct {
	scenario func(*R)
	workers  int
	steps    int
	mayPanic bool
	faults   []Fault
	matched  []bool // which faults have matched in any run
	options  []actor.Option

	latencies []latency
	mayWait   func(typ string) bool // nil: no caller may
}

// outcome is the result of one run.
type outcome struct {
	trace         []event
	log           runLog
	failures      []string
	failedAt      int     // number of events before the first failure
	ranks         []int32 // of all choices: see choiceOfRank
	widths        []int32 // number of alternatives of each choice
	stack         string  // of a scenario that panicked; may differ between runs
	exited        bool    // the scenario ended its goroutine, not by R
	failedOutside bool    // the test failed during the run, not by R
}

func (o *outcome) failed() bool { return len(o.failures) > 0 || o.failedOutside }

func (o *outcome) text() string {
	if len(o.failures) == 0 && o.failedOutside {
		return "the test has failed in this run, and not by R: use that in a scenario"
	}
	return strings.Join(o.failures, "\n")
}

// signature is a hash of the order of all events.
func (o *outcome) signature() uint64 {
	h := fnv.New64a()
	for _, e := range o.trace {
		fmt.Fprintln(h, e.Kind, e.Worker, e.Actor, e.Behaviour, e.From)
	}
	return h.Sum64()
}

// differs returns where another run of the same plan differs, or "".
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
// With detail, its trace contains the payloads.
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

// epoch is the virtual time at which every run begins.
var epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// start makes the system of a run. Its behaviours run on the calling goroutine.
func (r *R) start() {
	r.clock = actor.NewVirtualClock(epoch)
	h := &sim.Hooks{Choose: r.choose, Event: r.event, Panicked: r.panicked, Fault: r.fault,
		Refuse: r.refuse, Stuck: r.stuck}
	r.hooks = h
	if r.detailed {
		h.Payload = func(v any) { r.payload = describe(v, h.Name) }
	}
	if len(r.setup.latencies) > 0 {
		h.Latency = r.latency
	}
	byHooks := kernel.OptionFunc(func(o *kernel.Options) {
		o.Hooks, o.RunClock = h, (*kernel.VirtualClock)(r.clock)
	})
	opts := []actor.Option{byHooks, actor.WithWorkers(r.setup.workers),
		actor.WithClock(r.clock),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}),
		actor.WithLogger(newLogger(&r.outcome.log, func() time.Duration {
			return r.clock.Now().Sub(epoch)
		})),
		actor.WithDeterministic(r.plan.systemSeed())}
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

// step counts messages and choices, so that an endless run is ended.
func (r *R) step() {
	if r.steps++; r.steps > r.setup.steps && r.endless == nil {
		r.endless = errEndless
		for _, ctx := range r.contexts {
			ctx.NoProgress()
		}
	}
}

// panicked is called for every panic of a behaviour. It is no option of the system: the scenario's
// own Hooks.Panic would replace it.
func (r *R) panicked(e sim.Event, value any) {
	if _, injected := value.(InjectedPanic); injected || r.setup.mayPanic {
		return
	}
	if _, gone := value.(sim.Goexit); gone {
		r.Errorf("%s has ended its goroutine, as FailNow of a test does: use Errorf of R", r.place(e))
		return
	}
	r.Errorf("%s panicked: %v", r.place(e), value)
}

// place names the actor or process that has panicked. A process reports its panic just before.
func (r *R) place(e sim.Event) string {
	who := fmt.Sprintf("%s#%d", e.Type, e.Actor)
	if n := len(r.outcome.trace); n > 0 {
		if last := r.outcome.trace[n-1]; last.Process && last.Kind == sim.Panicked &&
			last.Actor == e.Actor {
			return who
		}
	}
	return who + "." + cmp.Or(e.Behaviour, "In")
}

// finish checks the message counts when the scenario has returned.
func (r *R) finish() {
	r.waitUntilQuiet()
	r.sys.Stop() // stashed messages become dead letters
	st, counts := r.sys.Stats(), kernel.SystemOf(r.sys).SimCounts()
	if run := st.Messages + counts.Received; counts.Sent != run+st.DeadLetters {
		r.Errorf("%d messages were sent, but %d have run and %d are dead letters", counts.Sent, run,
			st.DeadLetters)
	}
	if counts.Strangers > 0 {
		r.Errorf("goroutines that do not belong to the run made %d of its calls: it will not "+
			"repeat itself", counts.Strangers)
	}
}

// end stops the system of a run, however the scenario has ended.
func (r *R) end() {
	v := recover()
	if r.sys == nil { // the options were invalid
		r.Errorf("the system did not start: %v", v)
		return
	}
	switch {
	case v != nil:
		r.Errorf("the scenario panicked: %v", v)
		r.outcome.stack = string(debug.Stack())
	case !r.ended && !r.outcome.failed():
		r.outcome.exited = true
		r.Errorf("the scenario has ended its goroutine, as FailNow of the test does: use that of " +
			"R, which also stands for a test in assertions")
	}
	r.sys.Stop()
}

// pattern returns a regular expression that matches only this test, for use in single quotes.
func pattern(name string) string {
	name = strings.ReplaceAll(regexp.QuoteMeta(name), "'", ".")
	return strings.ReplaceAll(name, "/", "$/^")
}
