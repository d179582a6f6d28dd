package explore

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// Names of environment variables.
const (
	// replayVar holds a replay string; the exploration that it names runs it
	// instead of its strategy.
	replayVar = "GALLOP_REPLAY"
	// scaleVar multiplies the numbers of schedules of Portfolio (1 when unset).
	scaleVar = "GALLOP_EXPLORE_SCALE"
	// seedVar is the seed of Portfolio's strategies (1 when unset).
	seedVar = "GALLOP_EXPLORE_SEED"
	// timeVar is the time in which Portfolio explores one scenario. It replaces the numbers of
	// schedules. The bounded search has half of the time.
	timeVar = "GALLOP_EXPLORE_TIME"
	// preemptVar is the number of preemptions of Portfolio's bounded search (2 when unset).
	preemptVar = "GALLOP_EXPLORE_PREEMPTIONS"
)

// Run explores a scenario in a test and ends the test at the first failure. It
// skips the test in a plain build, where accesses are not interleaving points.
// When GALLOP_REPLAY names this exploration, Run runs only the schedule given there.
func Run(t testing.TB, cfg Config, scenario func(*Program)) Result {
	t.Helper()
	res := try(t, cfg, scenario)
	if res.Failure != nil {
		t.Fatalf("%s: %v", res.Strategy, res.Failure)
	}
	return res
}

// try explores for a test and logs the result.
func try(t testing.TB, cfg Config, scenario func(*Program)) Result {
	t.Helper()
	if !seam.Explored {
		t.Skip("needs -tags gallop_explore")
	}
	cfg.Name = fullName(t, cfg.Name)
	if trace, ok := wanted(cfg.Name); ok {
		cfg.Strategy = Replay(trace)
	}
	res := exploreOr(cfg, scenario, func(f *Failure) { t.Errorf("%v: %v", cfg.Strategy, f) })
	t.Log(res)
	return res
}

// fullName is the name of an exploration in replay strings.
func fullName(t testing.TB, name string) string {
	if name == "" {
		return t.Name()
	}
	return t.Name() + "#" + name
}

// wanted is the trace that GALLOP_REPLAY holds for the named exploration.
func wanted(name string) (trace string, ok bool) {
	v := os.Getenv(replayVar)
	i := strings.LastIndexByte(v, ':')
	if i < 0 || v[:i] != name {
		return "", false
	}
	return v[i+1:], true
}

// Portfolio runs a scenario under a mix of strategies, since no strategy finds every
// bug: Bounded with two preemptions (at most 20,000 schedules), Random, and PCT at depths
// 3, 8 and 12. These are up to 60,000 schedules. GALLOP_EXPLORE_SCALE multiplies them. -short
// divides the schedules of Random and PCT by ten, and leaves the bounded search whole.
// GALLOP_EXPLORE_SEED changes the seed. For nightly runs, GALLOP_EXPLORE_TIME is the time for a
// scenario, in place of numbers of schedules, and GALLOP_EXPLORE_PREEMPTIONS is the number of
// preemptions.
func Portfolio(t testing.TB, scenario func(*Program)) []Result {
	t.Helper()
	return PortfolioOf(t, schedules, schedules/2, scenario)
}

// PortfolioOf is Portfolio with other numbers of schedules: bounded for the bounded search, and
// others for each other strategy. It is for scenarios with long schedules.
func PortfolioOf(t testing.TB, bounded, others int, scenario func(*Program)) []Result {
	t.Helper()
	if _, ok := wanted(t.Name()); ok {
		return []Result{Run(t, Config{Strategy: Random(1, 1)}, scenario)}
	}
	var out []Result
	for _, cfg := range portfolio(bounded, others) {
		out = append(out, Run(t, cfg, scenario))
	}
	return out
}

// schedules is the number of schedules of Portfolio's bounded search. Each other strategy runs half
// as many.
const schedules = 20_000

func portfolio(bounded, others int) []Config {
	limit, _ := time.ParseDuration(os.Getenv(timeVar))
	if limit > 0 {
		bounded, others = 1<<30, 1<<30
	}
	scale, seed := int(setting(scaleVar, 1)), setting(seedVar, 1)
	m, n := bounded*scale, others*scale
	if testing.Short() {
		n /= 10
	}
	return []Config{
		{Strategy: Bounded(int(setting(preemptVar, 2)), m), Limit: limit / 2},
		{Strategy: Random(seed, n), Limit: limit / 8},
		{Strategy: PCT(3, seed, n), Limit: limit / 8},
		{Strategy: PCT(8, seed, n), Limit: limit / 8},
		{Strategy: PCT(12, seed, n), Limit: limit / 8},
	}
}

// setting is a number from the environment.
func setting(name string, otherwise uint64) uint64 {
	if v, err := strconv.ParseUint(os.Getenv(name), 10, 32); err == nil {
		return v
	}
	return otherwise
}

// Refute is the test of a seeded mutant. The test fails unless one of the
// strategies finds a failure, and its replay string reproduces it. The strategies run in the order
// given; without any, Portfolio's are used.
func Refute(t testing.TB, scenario func(*Program), strategies ...Strategy) *Failure {
	t.Helper()
	var cfgs []Config
	for _, s := range strategies {
		cfgs = append(cfgs, Config{Strategy: s})
	}
	if len(cfgs) == 0 {
		cfgs = portfolio(schedules, schedules)
	}
	for _, cfg := range cfgs {
		if res := try(t, cfg, scenario); res.Failure != nil {
			return refuted(t, res.Failure)
		}
	}
	t.Fatal("the mutant has survived")
	return nil
}

func refuted(t testing.TB, f *Failure) *Failure {
	t.Helper()
	if !f.Reproduced {
		t.Fatalf("not reproduced: %v", f)
	}
	t.Logf("refuted by schedule %d, %s: %v", f.Schedule, f.Trace, f.Err)
	return f
}
