package actortest

import (
	"flag"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

const (
	replayFlag  = "gallop.replay"
	budgetFlag  = "gallop.budget"
	seedFlag    = "gallop.seed"
	traceFlag   = "gallop.trace"
	diagramFlag = "gallop.diagram"
	insideFlag  = "gallop.internals"
	defaultRuns = 100
	// default limit of messages and choices in a run
	maxSteps     = 50_000
	traceLines   = 60 // printed of a failing run
	shortDivisor = 5
)

// The flags are registered when a test binary starts, unless another package has them.
func init() {
	if flag.Lookup(replayFlag) == nil {
		flag.String(replayFlag, "",
			"run only the order that a failing run of actortest has printed")
		flag.Duration(budgetFlag, 0,
			"how long each scenario of actortest is run in new orders, instead of what it says")
		flag.String(traceFlag, "",
			"where actortest writes all events of a run that fails or is replayed: a file, or - for "+
				"the test's log")
		flag.String(diagramFlag, "",
			"a file to which actortest writes a run that fails or is replayed, as a sequence diagram of "+
				"Mermaid")
		flag.Bool(insideFlag, false, "show the events of the runtime's own actors too")
		flag.Uint64(seedFlag, 0,
			"where the chance of actortest begins, if not 0, instead of where the scenario says")
	}
}

// flagValue returns the value of a flag, or the zero value.
func flagValue[T any](name string) (v T) {
	if f := flag.Lookup(name); f != nil {
		if g, ok := f.Value.(flag.Getter); ok {
			v, _ = g.Get().(T)
		}
	}
	return v
}

// Option sets how [Run] runs a scenario.
type Option func(*config)

type config struct {
	runs       int
	budget     time.Duration
	seed       uint64
	strategies []Strategy
	twice      bool
	failed     bool           // the test had failed before Run
	match      *regexp.Regexp // for Fails: the pattern that a failure must match
	shrink     time.Duration
	lines      int // printed of a trace; negative: all
	internals  bool
	setup      runSetup
}

// WithRuns sets the number of orders in which the scenario is run: 100 by default, and a fifth of
// that under -short. It panics if n is not positive.
func WithRuns(n int) Option {
	if n < 1 {
		panic("gallop: actortest: WithRuns: want at least 1")
	}
	return func(c *config) { c.runs, c.budget = n, 0 }
}

// WithBudget runs the scenario in new orders until d of real time has passed. With 0 there is no
// budget, and [WithRuns] applies. WithBudget panics if d is negative.
func WithBudget(d time.Duration) Option {
	if d < 0 {
		panic("gallop: actortest: WithBudget(" + d.String() + "): want at least 0")
	}
	return func(c *config) { c.budget = d }
}

// WithSeed sets the seed of all random choices. The default is 0, so that every run of the test is
// the same.
func WithSeed(n uint64) Option { return func(c *config) { c.seed = n } }

// WithStrategies sets how the orders are chosen; the strategies take turns. The default is
// [Random], and [PCT] with depths 3, 8 and 12. [Run] ends early when none of them has another
// order. WithStrategies panics if s is empty or contains a zero Strategy.
func WithStrategies(s ...Strategy) Option {
	if len(s) == 0 {
		panic("gallop: actortest: WithStrategies(): want at least 1")
	}
	for _, one := range s {
		if one.plans == nil {
			panic("gallop: actortest: WithStrategies: a zero Strategy: use Random, PCT or Exhaustive")
		}
	}
	return func(c *config) { c.strategies = s }
}

// WithTwice runs every order twice, and fails the test if the two runs are not the same.
// Without it, only the first order is run twice, and one that fails.
func WithTwice() Option { return func(c *config) { c.twice = true } }

// WithWorkers sets the number of virtual workers: 4 by default. More workers allow more
// orders. It panics if n is not positive.
func WithWorkers(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("gallop: actortest: WithWorkers(%d): want at least 1", n))
	}
	return func(c *config) { c.setup.workers = n }
}

// WithSystem adds options of the system, such as [actor.WithBatch]. Some have another effect here:
//
//   - A hook of [actor.Hooks] is called for panics of behaviours and processes, but the run still
//     fails unless [AllowPanics] is given.
//   - Without an [actor.WithLogger], the log of the system and of [actor.Context.Logger] is printed only
//     with a run that has failed, or that was replayed.
//   - With an [actor.WithClock] the run fails: it has its own clock, for [R.Advance].
//   - An [actor.WithDeterministic] only sets the seed, like [actor.WithRandSeed], to the same value
//     in every run: the strategies decide the order.
func WithSystem(o ...actor.Option) Option {
	return func(c *config) { c.setup.options = append(c.setup.options, o...) }
}

// WithSteps sets how many messages and choices a run may have before it counts as endless:
// 50,000 by default. It panics if n is not positive.
func WithSteps(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("gallop: actortest: WithSteps(%d): want at least 1", n))
	}
	return func(c *config) { c.setup.steps = n }
}

// AllowPanics allows behaviours and processes to panic. Without it, a run fails if one of them does,
// except by a [Fault].
func AllowPanics() Option { return func(c *config) { c.setup.mayPanic = true } }

// Run runs a scenario again and again, each time in a new deterministic system and in
// another order, and fails the test at the first run that fails. A run fails
//
//   - by [R.Errorf] or [R.Fatalf], or by a panic;
//   - if messages are lost, or an actor can never run again;
//   - if at its end a caller waits for ever for a reply (see [AllowWaiting]);
//   - if the same order does not give the same run;
//   - if t fails during the run;
//   - if the scenario ends its goroutine other than by r.
//
// Run then searches for a simpler order that fails in the same way ([WithShrink]), and prints the
// events of that run in order ([WithTrace]), why it has failed, and, if the order repeats itself, a
// command that replays it:
//
//	go test -run '^TestName$' -gallop.replay=random-17
//
// Run ends early, and logs that, some seconds before the test's deadline, which go test -timeout
// sets. At its end it logs the [WithFaults] that matched nothing.
//
// Call Run once per test or subtest. The scenario runs in a goroutine of its own and
// must depend on nothing but r, which takes the place of t there. If the scenario skips
// the test, so does Run. Run panics if the scenario or an option is nil.
func Run(t testing.TB, scenario func(r *R), opts ...Option) {
	t.Helper()
	c := newConfig(scenario, opts)
	c.failed = t.Failed()
	p, out := c.replayed(t)
	if out == nil {
		p, out = c.search(t)
	}
	if out != nil {
		c.report(t, p, out)
	}
}

// replayed runs the order that -gallop.replay names, if it is set.
func (c *config) replayed(t testing.TB) (plan, *outcome) {
	t.Helper()
	replay := flagValue[string](replayFlag)
	if replay == "" {
		return nil, nil
	}
	p, err := parse(replay)
	if err != nil {
		t.Fatal(err)
	}
	c.shrink = 0 // no shrinking: this very order
	return p, c.runOne(t, p, true)
}

func newConfig(scenario func(*R), opts []Option) *config {
	if scenario == nil {
		panic("gallop: actortest: Run: a nil scenario")
	}
	c := &config{runs: defaultRuns, shrink: defaultShrink, lines: traceLines,
		internals:  flagValue[bool](insideFlag),
		strategies: []Strategy{Random(), PCT(3), PCT(8), PCT(12)}}
	if testing.Testing() && testing.Short() {
		c.runs /= shortDivisor
	}
	c.setup = runSetup{scenario: scenario, workers: 4, steps: maxSteps}
	for _, o := range opts {
		if o == nil {
			panic("gallop: actortest: a nil option")
		}
		o(c)
	}
	c.setup.matched = make([]bool, len(c.setup.faults))
	if d := flagValue[time.Duration](budgetFlag); d != 0 {
		WithBudget(d)(c)
	}
	if n := flagValue[uint64](seedFlag); n != 0 {
		c.seed = n
	}
	return c
}

// search takes turns among the strategies until one finds an order that fails, or whose two runs
// differ: then the test has failed. If there is none it logs how many were tried.
func (c *config) search(t testing.TB) (plan, *outcome) {
	t.Helper()
	var left []plans
	for _, s := range c.strategies {
		left = append(left, s.plans(c.seed))
	}
	began := time.Now()
	cut := searchDeadlineOf(t, began)
	done := 0
	orders := map[uint64]bool{}
	for i := 0; len(left) > 0 && c.continues(done, began) && !cut.reached(done, time.Now()); i++ {
		i %= len(left)
		p := left[i]()
		if p == nil {
			left = append(left[:i:i], left[i+1:]...)
			i--
			continue
		}
		out := c.runOne(t, p, false)
		done++
		orders[out.signature()] = true
		if out.failed() || (done == 1 || c.twice) && !c.setup.repeats(t, p, out) {
			return p, out
		}
	}
	tried := fmt.Sprintf("%d runs, no failure; orders: %d%v", done, len(orders), &cut)
	if c.match != nil {
		t.Fatalf("actortest: %s; want a failure that matches %q", tried, c.match)
		return nil, nil
	}
	t.Logf("actortest: %s", tried)
	for i, met := range c.setup.matched {
		if f := &c.setup.faults[i]; !met {
			t.Logf("actortest: fault %d struck nothing: in no run did anything fit type %q and "+
				"behaviour %q", i+1, f.Type, f.Behaviour)
		}
	}
	return nil, nil
}

// runOne runs the scenario once, and records whether it has failed or skipped the test itself.
func (c *config) runOne(t testing.TB, p plan, detail bool) *outcome {
	t.Helper()
	out := c.setup.run(p, detail)
	if out.exited && !t.Failed() && t.Skipped() {
		t.SkipNow()
	}
	out.failedOutside = !c.failed && t.Failed()
	return out
}

func (c *config) continues(done int, began time.Time) bool {
	if c.budget > 0 {
		return done == 0 || time.Since(began) < c.budget
	}
	return done < c.runs
}

// report prints a run that has failed, or that was replayed.
func (c *config) report(t testing.TB, p plan, out *outcome) {
	t.Helper()
	p, out, wrong := c.explain(t, p, out)
	if !out.failed() {
		return
	}
	if out.stack != "" {
		t.Log(out.stack)
	}
	if wrong == "" {
		wrong = replayLine(t, p)
	}
	t.Fatalf("%s\n%s", out.text(), wrong)
}

// replayLine returns the command that replays an order.
func replayLine(t testing.TB, p plan) string {
	return fmt.Sprintf("replay: go test -run '^%s$' -%s=%s", pattern(t.Name()), replayFlag, p)
}

// explain prints the events of a run, or of a simpler run that fails in the same way, and returns
// the printed one. wrong is the difference if the order does not repeat itself.
func (c *config) explain(t testing.TB, p plan, out *outcome) (_ plan, _ *outcome, wrong string) {
	t.Helper()
	if out.failed() {
		wrong = c.setup.checkRepeat(p, out)
	}
	if wrong == "" && out.failed() {
		if s := c.simplify(t, p, out); s != nil {
			t.Logf("actortest: found by %v; %v", p, s)
			p, out = onlyChoices(s.best.ranks, s.kept, s.seed), s.best
		}
	}
	if wrong == "" && !out.failedOutside && !out.exited {
		if again, err := parse(p.String()); err == nil {
			if detailed := c.setup.run(again, true); out.differs(detailed) == "" {
				out = detailed
			}
		}
	}
	c.print(t, out, p.String())
	return p, out, wrong
}

// repeats runs a plan once more, and fails the test if the second run differs.
func (s *runSetup) repeats(t testing.TB, p plan, out *outcome) bool {
	t.Helper()
	wrong := s.checkRepeat(p, out)
	if wrong != "" {
		t.Errorf("%s", wrong)
	}
	return wrong == ""
}

// checkRepeat runs a plan once more, and returns the difference of the second run, or "".
func (s *runSetup) checkRepeat(p plan, out *outcome) string {
	twin, err := parse(p.String())
	if err != nil {
		return err.Error()
	}
	difference := out.differs(s.run(twin, false))
	if difference == "" {
		return ""
	}
	return fmt.Sprintf("actortest: the same order (%s) does not give the same run: %s\nDoes "+
		"the scenario use time.Now, math/rand, a map's order, a select, or goroutines of its own?",
		p, difference)
}
