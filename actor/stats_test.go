package actor_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gallop-go/gallop/actor"
)

// TestStats_AddUp: "They are exact after System.Wait": the totals are the sums over the workers,
// and all messages that were sent have run.
func TestStats_AddUp(t *testing.T) {
	sys := start(t, actor.WithWorkers(3))
	const actors, each = 50, 200
	for range actors {
		r := puppetType.Spawn(sys, puppet{})
		for range each {
			count.Send(sys, r, 1)
		}
	}
	must(t, sys.Wait(context.Background()))
	got := sys.Stats()
	var sum actor.Stats
	for _, w := range got.Workers {
		sum.Messages += w.Messages
		sum.Turns += w.Turns
		sum.Steals += w.Steals
		sum.Parks += w.Parks
		sum.Injected += w.Injected
	}
	sum.Workers, sum.Spawned = got.Workers, actors
	if d := cmp.Diff(sum, got); d != "" {
		t.Errorf("sums and totals differ (-sum +total):\n%s", d)
	}
	equal(t, "messages run", got.Messages, actors*each)
}

// TestStats_TakenBack: a stashed message has not run. No counter shows it as run and later goes
// down.
func TestStats_TakenBack(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	var then actor.Stats
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		do.Stash(c, func(*puppet, *actor.Context) {})
		for range 10 { // so that the worker publishes its counters
			c.Gas(actor.DefaultGas)
		}
		then = sys.Stats()
		c.Stop()
	})
	quiet(t, sys)
	equal(t, "messages in the middle of it", then.Messages, 0)
	equal(t, "messages", sys.Stats().Messages, 0) // it has not run, and will not run
}

// TestStats_NotSpawned: an actor that ended before its ref was known, because its system spawns no
// more, does not count as an actor.
func TestStats_NotSpawned(t *testing.T) {
	sys := start(t)
	puppetType.Spawn(sys, puppet{})
	quiet(t, sys)
	sys.Stop()
	puppetType.Spawn(sys, puppet{})
	mortalType.Spawn(sys, mortal{}) // has an OnStart
	for _, spawn := range []func() error{
		func() error { _, err := puppetType.SpawnNamed(sys, "late", puppet{}); return err },
		func() error { _, err := mortalType.SpawnNamed(sys, "late", mortal{}); return err },
	} {
		wants(t, spawn(), actor.ErrSystemStopped)
	}
	equal(t, "spawned", sys.Stats().Spawned, 1)
}
