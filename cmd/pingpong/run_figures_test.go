//go:build gallop_figures

package main

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// Ctrl-C with very much mail waiting is an interruption and no trouble, and is over at once. Each
// letter would take some allocations if it were passed to Hooks.DeadLetter.
func TestRun_InterruptedWithMuchMail(t *testing.T) {
	const letters = 20_000
	ctx, interrupt := context.WithCancel(t.Context())
	var before, after runtime.MemStats
	full := broken(func(_ context.Context, sys *actor.System, _ job) <-chan uint64 {
		spinnerSpin.Send(sys, spinnerType.Spawn(sys, spinner{first: func(c *actor.Context) {
			for range letters {
				spinnerSpin.Send(c, actor.Self[spinner](c), struct{}{})
			}
			runtime.ReadMemStats(&before)
			c.Stop()
			interrupt()
		}}), struct{}{})
		return nil
	})
	got, err := gallopTurn(ctx, full, job{n: 1}, options{}, &progress{})
	runtime.ReadMemStats(&after)
	if err != nil || !errors.Is(got.err, errInterrupted) || got.stats.DeadLetters < letters {
		t.Fatalf("start: %v, turn: %v, %d dead letters", err, got.err, got.stats.DeadLetters)
	}
	if allocs := after.Mallocs - before.Mallocs; allocs > letters/2 {
		t.Errorf("%d allocations for %d dead letters", allocs, letters)
	}
}
