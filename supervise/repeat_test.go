package supervise_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/supervise"
)

// A tree in which children of all kinds fail: with a back-off and jitter, with their siblings, and
// until their supervisor gives up.
var failingTree = supervise.Spec{Name: "app",
	Intensity: supervise.Intensity{Restarts: 9, Within: time.Minute}, Children: []supervise.Child{
		supervise.Worker[Disk]{Name: "disk", Type: DiskType,
			Backoff: supervise.Backoff{First: time.Second, Jitter: 0.5}},
		supervise.Spec{Name: "pair", Strategy: supervise.OneForAll,
			Intensity: supervise.Intensity{Restarts: 1, Within: time.Minute},
			Children: []supervise.Child{
				supervise.Worker[Disk]{Name: "left", Type: DiskType},
				supervise.Worker[Disk]{Name: "right", Type: DiskType, Restart: supervise.Transient},
			}},
	}}

// TestRepeat: "Restarts, including jitter, are reproducible if the schedule is": a seed gives the
// same restarts at the same times, and seeds give different ones.
func TestRepeat(t *testing.T) {
	orders, err := sim.Repeats(func(h *sim.Hooks, seed uint64) string {
		ctx := context.Background()
		sys := actor.Start(kernel.OptionFunc(func(o *kernel.Options) { o.Hooks = h }),
			actor.WithDeterministic(seed), actor.WithLogger(slog.New(slog.DiscardHandler)))
		root := supervise.Start(sys, failingTree)
		said := ""
		for _, path := range [][]string{{"disk"}, {"pair", "left"}, {"disk"}, {"pair", "right"},
			{"pair", "left"}} {
			d, err := supervise.Find[Disk](ctx, root, path...)
			if err != nil {
				said += fmt.Sprintln(path, err) // in the middle of a restart
				continue
			}
			for _, line := range []string{"a line", "", "another"} {
				n, err := Write.Ask(ctx, d, line)
				said += fmt.Sprintln(path, n, err)
			}
		}
		tree, err := supervise.Tree(ctx, root)
		said += fmt.Sprintln(tree, err)
		sys.Stop()
		st, counts := sys.Stats(), kernel.SystemOf(sys).SimCounts()
		if counts.Sent != st.Messages+st.DeadLetters || st.Panics < 3 {
			t.Errorf("%d sent, %d run, %d dead letters, %d panics", counts.Sent, st.Messages,
				st.DeadLetters, st.Panics)
		}
		return said
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d seeds twice, %d orders", sim.Seeds(), orders)
}
