package actortest_test

import (
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actortest"
)

// TestMisuse_Nil: "Run panics if the scenario or an option is nil", and over other mistakes before
// a run begins.
func TestMisuse_Nil(t *testing.T) {
	idle := func(*actortest.R) {}
	for words, f := range map[string]func(){
		"Run: a nil scenario": func() { actortest.Run(t, nil) },
		"a nil option":        func() { actortest.Run(t, idle, actortest.WithRuns(1), nil) },
		"WithStrategies: a zero Strategy": func() {
			actortest.WithStrategies(actortest.Random(), actortest.Strategy{})
		},
		"WithRuns: want at least 1":       func() { actortest.WithRuns(0) },
		"WithWorkers(0): want at least 1": func() { actortest.WithWorkers(0) },
		"PCT(0): want 1 to 65536":         func() { actortest.PCT(0) },
		"PCT(65537): want 1 to 65536":     func() { actortest.PCT(1<<16 + 1) },
		"WithSteps(0): want at least 1":   func() { actortest.WithSteps(0) },
		"WithBudget(-1ns): want at least": func() { actortest.WithBudget(-1) },
		"NewProbe with a nil":             func() { actortest.NewProbe[int](nil, "probe") },
		"NewProbe with a nil or zero": func() {
			actortest.NewProbe[int](new(actortest.R), "probe")
		},
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok ||
					!strings.HasPrefix(s, "gallop: actortest: "+words) {
					t.Errorf("panic %q, want one that begins with %q", s, words)
				}
			}()
			f()
		}()
	}
}
