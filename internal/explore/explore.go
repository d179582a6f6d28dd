package explore

import (
	"fmt"
	"sync"
	"time"
)

// DefaultMaxSteps is the bound of the steps of a schedule if Config.MaxSteps is zero.
const DefaultMaxSteps = 20_000

// Config says how to explore. Its zero value is not usable: Strategy must be set.
type Config struct {
	// Strategy picks the schedules. A strategy value holds no state, so that it may be used again
	// and gives the same schedules.
	Strategy Strategy
	// Name distinguishes several explorations of one test in replay strings.
	Name string
	// MaxSteps bounds one schedule; more steps are a livelock and a failure.
	// Zero means DefaultMaxSteps.
	MaxSteps int
	// Limit ends the exploration after that time; its Result describes the schedules run so far.
	// Zero means no limit: only then are the same schedules run every time.
	Limit time.Duration
}

// Result describes a finished exploration.
type Result struct {
	Strategy  string        // the name of the strategy, with its parameters
	Schedules int           // schedules that were run, a failing one included
	Steps     int64         // steps in all of them
	Exhausted bool          // the strategy has run every schedule of its space
	Elapsed   time.Duration // wall-clock time
	// Accesses of goroutines that are no threads. They are not among the steps.
	Strangers int64
	Failure   *Failure // the first failure, or nil
}

// String is one line for a log.
func (r Result) String() string {
	rate := float64(r.Schedules) / max(r.Elapsed.Seconds(), 1e-9)
	s := fmt.Sprintf("%s: %d schedules, %d steps, %.0f/s", r.Strategy, r.Schedules, r.Steps, rate)
	if r.Exhausted {
		s += ", exhausted"
	}
	if r.Strangers > 0 {
		s += fmt.Sprintf(", beside %d accesses of strangers", r.Strangers)
	}
	return s
}

// exploring is held for the length of an exploration: seam has one hook.
var exploring sync.Mutex

// Explore runs schedules of a scenario until one fails or the strategy ends. It
// works in every build, but in a plain one only Program's own methods are
// interleaving points. It must not be called from a scenario.
func Explore(cfg Config, scenario func(*Program)) Result {
	return exploreOr(cfg, scenario, func(*Failure) {})
}

// exploreOr is Explore, but calls lost for a failure that it cannot return: when a thread calls
// runtime.Goexit, the caller's goroutine ends as well.
func exploreOr(cfg Config, scenario func(*Program), lost func(*Failure)) Result {
	exploring.Lock()
	defer exploring.Unlock()
	p := newProgram(cfg, scenario)
	defer bind(p)()
	defer p.close(lost)
	start := time.Now()
	res := p.explore()
	res.Elapsed = time.Since(start)
	return res
}

// explore asks the strategy for schedules until it ends or one fails.
func (p *Program) explore() Result {
	picks := p.cfg.Strategy.start()
	res := Result{Strategy: p.cfg.Strategy.name}
	for late := p.cfg.deadline(); res.Failure == nil && !late(res.Schedules) && picks.begin(); {
		err := p.schedule(picks)
		picks.end()
		res.Schedules++
		res.Steps += int64(len(p.trace))
		if err != nil {
			res.Failure = p.explain(err, res.Schedules)
		}
	}
	res.Exhausted, res.Strangers = picks.exhausted(), p.strangers.Load()
	return res
}

// deadline returns a function that reports whether Limit is over after a number of schedules. It
// reads the clock every 64 schedules.
func (cfg *Config) deadline() func(schedules int) bool {
	if cfg.Limit <= 0 {
		return func(int) bool { return false }
	}
	end := time.Now().Add(cfg.Limit)
	return func(n int) bool { return n%64 == 63 && time.Now().After(end) }
}

// explain replays a failed schedule with its places recorded.
func (p *Program) explain(err error, schedule int) *Failure {
	f := &Failure{Err: err, Schedule: schedule, Trace: encode(p.trace), name: p.cfg.Name}
	p.places = &places{}
	again := p.schedule(Replay(f.Trace).start())
	f.Reproduced = again != nil && again.Error() == err.Error()
	f.Places = p.places.lines(p.trace)
	p.places = nil
	return f
}
