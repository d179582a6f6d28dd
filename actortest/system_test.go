package actortest_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

// errPlanted is the value of planted panics.
var errPlanted = errors.New("planted")

// TestSystem_OnPanic: "a behaviour that panics fails the run, unless AllowPanics allows it", even
// if the scenario has a hook of its own, which sees the panic as well.
func TestSystem_OnPanic(t *testing.T) {
	seen := 0
	hook := actortest.WithSystem(actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
		if p.Value == errPlanted {
			seen++
		}
	}}))
	scenario := func(r *actortest.R) {
		seen = 0
		with(r, func(*actor.Context) { panic(errPlanted) })
		r.WhenQuiet(func() {
			if seen != 1 {
				r.Errorf("the hook has seen %d panics", seen)
			}
		})
	}
	fails(t, "puppet#1.do panicked: planted", scenario, hook, actortest.WithRuns(3))
	actortest.Run(t, scenario, hook, actortest.AllowPanics(), actortest.WithRuns(3))
}

// TestSystem_OnPanicThatPanics: a panic of the scenario's hook does not matter to the check, nor to
// the run.
func TestSystem_OnPanicThatPanics(t *testing.T) {
	hook := actortest.WithSystem(
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) { panic("in the hook") }}),
		actor.WithLogger(slog.New(slog.DiscardHandler)))
	scenario := func(r *actortest.R) { with(r, func(*actor.Context) { panic(errPlanted) }) }
	fails(t, "puppet#1.do panicked: planted", scenario, hook, actortest.WithRuns(3))
	actortest.Run(t, scenario, hook, actortest.AllowPanics(), actortest.WithRuns(3))
}

// TestSystem_Clock: a run has a clock of its own, which Advance moves. Another clock is refused,
// since no actor would use the clock that Advance moves. Options that Start refuses are refused,
// too.
func TestSystem_Clock(t *testing.T) {
	for say, o := range map[string]actor.Option{
		"WithClock: a run of actortest has its own": actor.WithClock(actor.NewVirtualClock(time.Time{})),
		"WithBatch(0): want at least 1":             actor.WithBatch(0),
	} {
		fails(t, "gallop: Start: "+say, func(r *actortest.R) { r.Advance(time.Hour) },
			actortest.WithSystem(o))
	}
}
