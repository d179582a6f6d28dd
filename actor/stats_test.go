package actor_test

import (
	"context"
	"runtime"
	"testing"
	"time"

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

// TestStats_Restarts: each further life of a supervised actor is counted, and of these the ones after
// an error: not after a panic, a normal end or an order.
func TestStats_Restarts(t *testing.T) {
	g := guard(t, mortal{}, restart)
	says := func(what string, all, byError uint64) {
		t.Helper()
		quiet(t, g.sys)
		st := g.sys.Stats()
		equal(t, what+": restarts", st.Restarts, all)
		equal(t, what+": restarts after an error", st.ErrorRestarts, byError)
	}
	says("the first life", 0, 0)
	doAct.Send(g.sys, g.child, func(*mortal, *actor.Context) { panic(1) })
	says("a panic", 1, 0)
	doAct.Send(g.sys, g.child, func(_ *mortal, c *actor.Context) { c.Exit(errUser) })
	says("an error", 2, 1)
	doAct.Send(g.sys, g.child, func(_ *mortal, c *actor.Context) { c.Stop() })
	says("a normal end", 3, 1)
	actor.Restart(g.sys, g.child)
	says("an order", 4, 1)
}

// TestStats_LongTurns: a turn and a call of Blocking that last for long are counted once, and are
// among those of now until they end. Reports beyond one a second are not made, and the turns count.
func TestStats_LongTurns(t *testing.T) {
	sys := start(t, actor.WithWorkers(1), actor.WithLongTurn(time.Millisecond),
		actor.WithHooks(actor.Hooks{LongTurn: func(actor.LongTurnReport) {}}))
	may := make(chan struct{})
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(*puppet, *actor.Context) { <-may })
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		c.Blocking(func() { <-may })
	})
	for st := sys.Stats(); st.LongTurnsNow != 2 || st.LongTurns != 2; st = sys.Stats() {
		runtime.Gosched() // a hang is the test's time-out
	}
	close(may)
	quiet(t, sys)
	equal(t, "long turns", sys.Stats().LongTurns, 2)
	equal(t, "long turns now", sys.Stats().LongTurnsNow, 0)
}
