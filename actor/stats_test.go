package actor_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gallop-go/gallop/actor"
)

// "They are exact after System.Wait": the totals are the sums over the workers, and
// what was sent is what was run.
func TestStats_AddUp(t *testing.T) {
	sys := start(t, actor.Workers(3))
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
