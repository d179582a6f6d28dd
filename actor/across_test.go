package actor_test

import (
	"context"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// Two systems in one process, whose actors deal with each other.

// TestAcross_WaitsPanic: "It panics if a behaviour calls it", of either system.
func TestAcross_WaitsPanic(t *testing.T) {
	here, there := start(t), start(t)
	kept, _ := there.Hold()
	defer kept()
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // what does not panic must not hang either
	other := puppetType.Spawn(there, puppet{})
	inside(t, here, func(c *actor.Context) {
		self := actor.Self[puppet](c)
		for name, f := range map[string]func(sys *actor.System, r actor.Ref[puppet]){
			"StopWait":  func(sys *actor.System, r actor.Ref[puppet]) { _ = actor.StopWait(ctx, sys, r) },
			"DrainWait": func(sys *actor.System, r actor.Ref[puppet]) { _ = actor.DrainWait(ctx, sys, r) },
			"KillWait":  func(sys *actor.System, r actor.Ref[puppet]) { _ = actor.KillWait(ctx, sys, r) },
			"Join":      func(sys *actor.System, r actor.Ref[puppet]) { _, _ = actor.Join(ctx, sys, r) },
		} {
			panics(t, name+" called from a behaviour", func() { f(there, self) })
			panics(t, name+" called from a behaviour", func() { f(here, other) })
		}
	})
	equal(t, "the other actor", other.Standing(), actor.Idle)
}
