package inspect_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// TestGraph_Pressure: the graph names the actors that the report of a pressure deadlock names, and
// the circle that is closed by a message of the actor under pressure.
func TestGraph_Pressure(t *testing.T) {
	for seed := range uint64(5) {
		var report actor.PressureDeadlock
		sys := start(t, actor.WithDeterministic(seed), actor.WithHooks(actor.Hooks{
			PressureDeadlock: func(r actor.PressureDeadlock) { report = r }}))
		sink, source := dollType.Spawn(sys, doll{}), dollType.Spawn(sys, doll{})
		watcher := dollType.Spawn(sys, doll{})
		var g inspect.WaitGraph
		var pressures []inspect.Pressure
		do.Send(sys, sink, func(_ *doll, c *actor.Context) {
			c.ApplyPressure()
			do.Send(c, source, func(_ *doll, c *actor.Context) { count.Send(c, sink, 1) })
			do.Send(c, source, func(_ *doll, c *actor.Context) { // it is muted before
				do.Send(c, sink, func(_ *doll, c *actor.Context) { c.ReleasePressure() })
			})
			// When nothing can go on, the virtual time jumps here, before the waiting actors are
			// released.
			do.Send(c, watcher, func(_ *doll, c *actor.Context) {
				actor.After(c, time.Millisecond, do, func(*doll, *actor.Context) {
					g, pressures = inspect.Graph(sys), inspect.Pressed(sys)
				})
			})
		})
		quiet(t, sys)
		equal(t, "waits in the report", len(report.Waits), 1)
		equal(t, "mutes", len(g.Mutes), 1)
		equal(t, "who", g.Mutes[0].From.String(), report.Waits[0].Who.String())
		equal(t, "for", g.Mutes[0].To.String(), report.Waits[0].For.String())
		equal(t, "it is muted", g.Mutes[0].From.Muted, true)
		equal(t, "under pressure", len(g.Pressed) == 1 && g.Pressed[0].Ref == sink.Any(), true)
		equal(t, "circles", words(g.Circles), sink.String()+" "+source.String())
		equal(t, "pressures", len(pressures) == 1 && pressures[0].Actor == sink.Any() && pressures[0].Which != 0, true)
	}
}

func words(circles [][]inspect.Actor) string {
	var all []string
	for _, c := range circles {
		for _, a := range c {
			all = append(all, a.String())
		}
	}
	return strings.Join(all, " ")
}

// TestGraph_Asks: an ask is shown with the behaviour of its caller.
func TestGraph_Asks(t *testing.T) {
	sys := start(t)
	asked, asks := dollType.Spawn(sys, doll{}), dollType.Spawn(sys, doll{})
	release := stuck(t, sys, asked)
	do.Send(sys, asks, func(*doll, *actor.Context) {
		_, _ = query.Ask(context.Background(), asked, func(*doll, *actor.Context) int { return 0 })
	})
	eventually(t, "it asks", func() bool { return len(inspect.Graph(sys).Asks) == 1 })
	e := inspect.Graph(sys).Asks[0]
	equal(t, "who", e.From.Ref, asks.Any())
	equal(t, "whom", e.To.Ref, asked.Any())
	equal(t, "in", e.Behaviour, "do")
	release()
	quiet(t, sys)
	equal(t, "afterwards", len(inspect.Graph(sys).Asks), 0)
}

// TestGraph_NoFalseCircle: actors that mute each other, by turns and never in a circle, are never
// shown as one. A million looks in the nightly form.
func TestGraph_NoFalseCircle(t *testing.T) {
	sys := start(t)
	const n = 4
	var all [n]actor.Ref[doll]
	for i := range all {
		all[i] = dollType.Spawn(sys, doll{})
	}
	stop := make(chan struct{})
	var flood func(i int) deed
	flood = func(i int) deed {
		return func(_ *doll, c *actor.Context) {
			select {
			case <-stop:
				return
			default:
			}
			for range 200 {
				count.Send(c, all[(i+1)%n], 1)
			}
			do.Send(c, all[i], flood(i))
		}
	}
	for i := range all {
		do.Send(sys, all[i], flood(i))
	}
	mutes := 0
	for range nightly(20_000, 1_000_000) {
		g := inspect.Graph(sys)
		mutes += len(g.Mutes)
		if len(g.Circles) > 0 {
			t.Fatalf("a circle: %v", words(g.Circles))
		}
	}
	close(stop)
	quiet(t, sys)
	t.Logf("%d mutes were seen", mutes)
}

// TestHolds: a hold is named by the line that took it, until it is released.
func TestHolds(t *testing.T) {
	sys := start(t)
	inspect.Begin(sys)
	release, err := sys.Hold()
	if err != nil {
		t.Fatal(err)
	}
	all := inspect.Holds(sys)
	if len(all) != 1 || !strings.Contains(all[0].At, "TestHolds") ||
		!strings.Contains(all[0].At, "graph_test.go:") {
		t.Errorf("%+v", all)
	}
	if !slices.ContainsFunc(sys.Why(), func(h actor.Holder) bool { return h.What == "Hold" }) {
		t.Error("Why does not know it")
	}
	release()
	release()
	equal(t, "holds that are left", len(inspect.Holds(sys)), 0)
}
