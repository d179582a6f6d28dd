package otel_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
	"github.com/gallop-go/gallop/otel"
)

// falling are the metrics that are no counters.
var falling = []string{"gallop.workers", "gallop.long_turns_now", "gallop.holders"}

// collect returns all points, as "name{key=value}", and the units by name.
func collect(t testing.TB, r metric.Reader) (points map[string]int64, units map[string]string) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := r.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	points, units = map[string]int64{}, map[string]string{}
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			sum := m.Data.(metricdata.Sum[int64])
			if units[m.Name] = m.Unit; sum.IsMonotonic == slices.Contains(falling, m.Name) {
				t.Errorf("%s: monotonic is %v", m.Name, sum.IsMonotonic)
			}
			for _, p := range sum.DataPoints {
				points[m.Name+labels(p.Attributes)] = p.Value
			}
		}
	}
	return points, units
}

func labels(attrs attribute.Set) string {
	var all []string
	for _, a := range attrs.ToSlice() {
		all = append(all, string(a.Key)+"="+a.Value.String())
	}
	return "{" + strings.Join(all, ",") + "}"
}

// stir makes figures grow.
func stir(t testing.TB, sys *actor.System) {
	s := storeType.Spawn(sys, store{})
	for n := range 12 {
		note.Send(sys, s, n)
	}
	wait(t, sys)
	note.Send(sys, s, 13)
	wait(t, sys)
	note.Send(sys, s, 1)
	wait(t, sys)
}

func wait(t testing.TB, sys *actor.System) {
	t.Helper()
	if err := sys.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func start(t testing.TB, opts ...actor.Option) *actor.System {
	quiet := actor.WithHooks(actor.Hooks{
		DeadLetter: func(actor.DeadLetter) {}, Panic: func(actor.PanicReport) {},
	})
	sys := actor.Start(append([]actor.Option{quiet}, opts...)...)
	t.Cleanup(sys.Stop)
	return sys
}

// TestRegisterMetrics: the collected figures equal Stats, with "16 for the system and 10 for its
// workers".
func TestRegisterMetrics(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := metric.NewManualReader()
	p := metric.NewMeterProvider(metric.WithReader(r))
	reg, err := otel.RegisterMetrics(sys, p, otel.WithSystem("a"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		stir(t, sys)
	}
	sys.Stop() // or a worker might still go to sleep
	st := sys.Stats()
	got, units := collect(t, r)
	if len(units) != 26 {
		t.Errorf("%d instruments, want 26", len(units))
	}
	want := map[string]uint64{"messages": st.Messages, "spawned": 2, "stopped": 2, "panics": 2,
		"dead_letters": 2, "best_effort_dead_letters": 0, "mutes": st.Mutes, "unmutes": st.Unmutes,
		"exempted": 0, "pressure_deadlocks": 0, "too_many_blocked": 0, "workers": 2,
		"restarts": 0, "error_restarts": 0, "long_turns": st.LongTurns, "long_turns_now": 0}
	for i, w := range st.Workers {
		for key, n := range map[string]uint64{"turns": w.Turns, "messages": w.Messages,
			"steals": w.Steals, "steal_misses": w.StealMisses, "parks": w.Parks, "wakes": w.Wakes,
			"yields": w.Yields, "next_slot": w.NextSlot, "injected": w.Injected, "spills": w.Spills} {
			want[fmt.Sprintf("worker.%s,gallop.worker=%d", key, i)] = n
		}
	}
	for key, n := range want {
		name, worker, _ := strings.Cut(key, ",")
		if name = "gallop." + name + "{gallop.system=a"; worker != "" {
			name += "," + worker
		}
		if g, ok := got[name+"}"]; !ok || g != int64(n) {
			t.Errorf("%s is %d (%v), want %d", name, g, ok, n)
		}
		delete(got, name+"}")
	}
	if len(got) > 0 {
		t.Errorf("and there is %v", got)
	}
	if units["gallop.messages"] != "{message}" {
		t.Errorf("the unit of messages is %q", units["gallop.messages"])
	}
	if err := reg.Unregister(); err != nil {
		t.Fatal(err)
	}
	if got, _ := collect(t, r); len(got) != 0 {
		t.Errorf("collected after Unregister: %v", got)
	}
}

// TestRegisterMetrics_Options: WithWhy counts the holders by kind, and a kind that is gone stays with
// 0; WithProfiler has the figures of the profiler.
func TestRegisterMetrics_Options(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	p := observe.Profile(sys, time.Millisecond)
	defer p.Stop()
	r := metric.NewManualReader()
	if _, err := otel.RegisterMetrics(sys, metric.NewMeterProvider(metric.WithReader(r)), otel.WithWhy(),
		otel.WithProfiler(p)); err != nil {
		t.Fatal(err)
	}
	release, err := sys.Hold()
	if err != nil {
		t.Fatal(err)
	}
	got, _ := collect(t, r)
	if n := got["gallop.holders{gallop.kind=Hold}"]; n != 1 {
		t.Errorf("%d holds, want 1: %v", n, got)
	}
	release()
	for all := uint64(0); all == 0; {
		all, _ = p.Saturation()
	}
	p.Stop()
	got, units := collect(t, r)
	if n, ok := got["gallop.holders{gallop.kind=Hold}"]; n != 0 || !ok {
		t.Errorf("%d holds (%v), want 0", n, ok)
	}
	all, busy := p.Saturation()
	if got["gallop.looks{}"] != int64(all) || got["gallop.busy_looks{}"] != int64(busy) || len(units) != 29 {
		t.Errorf("%d instruments: %v, want %d looks, %d busy", len(units), got, all, busy)
	}
}
