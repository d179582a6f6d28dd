package prom_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"go.uber.org/goleak"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/prom"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// load is an actor that does a bit of everything.
type load struct{ next actor.Ref[load] }

func (l *load) Work(c *actor.Context, n int) {
	switch {
	case n == 13:
		panic("thirteen")
	case n == 14:
		c.Blocking(func() {})
	case n > 100:
		work.Send(c, l.next, n-1)
	}
}

func (l *load) Hint(*actor.Context, int) {}

var (
	loadType   = actor.NewType[load]("load")
	work       = actor.Declare[int](loadType, "work")
	hint       = actor.Declare[int](loadType, "hint", actor.BestEffort())
	pinnedType = actor.NewType[load]("pinned", actor.WithPinnedThread())
	pinnedWork = actor.Declare[int](pinnedType, "work")
)

func init() {
	loadType.Table(work.Handle((*load).Work), hint.Handle((*load).Hint))
	pinnedType.Table(pinnedWork.Handle((*load).Work))
}

func start(t testing.TB, opts ...actor.Option) *actor.System {
	quiet := actor.WithHooks(actor.Hooks{
		DeadLetter: func(actor.DeadLetter) {}, Panic: func(actor.PanicReport) {},
	})
	sys := actor.Start(append([]actor.Option{quiet}, opts...)...)
	t.Cleanup(sys.Stop)
	return sys
}

// stir makes each figure that can be made grow do so, and waits.
func stir(t testing.TB, sys *actor.System) {
	a := loadType.Spawn(sys, load{})
	b := loadType.Spawn(sys, load{next: a})
	for range 50 {
		work.Send(sys, b, 101)
	}
	work.Send(sys, a, 14)
	pinnedWork.Send(sys, pinnedType.Spawn(sys, load{}), 1)
	wait(t, sys)
	work.Send(sys, a, 13)
	wait(t, sys)
	work.Send(sys, a, 1)
	hint.Send(sys, a, 1)
	wait(t, sys)
}

func wait(t testing.TB, sys *actor.System) {
	t.Helper()
	if err := sys.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// scrape gathers all series of a collector, as "name{label=value}".
func scrape(t testing.TB, cs ...prometheus.Collector) map[string]float64 {
	t.Helper()
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(cs...)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			all[f.GetName()+labels(m)] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return all
}

func labels(m *dto.Metric) string {
	var all []string
	for _, l := range m.Label {
		all = append(all, l.GetName()+"="+l.GetValue())
	}
	if len(all) == 0 {
		return ""
	}
	return "{" + strings.Join(all, ",") + "}"
}

// want returns the expected figures, listed by hand a second time.
func want(sys *actor.System, st actor.Stats) map[string]float64 {
	all := map[string]uint64{
		"messages_total": st.Messages, "spawned_total": st.Spawned, "stopped_total": st.Stopped,
		"panics_total": st.Panics, "dead_letters_total": st.DeadLetters,
		"best_effort_dead_letters_total": st.BestEffort, "mutes_total": st.Mutes,
		"unmutes_total": st.Unmutes, "exempted_total": st.Exempted,
		"pressure_deadlocks_total": st.PressureDeadlocks,
		"too_many_blocked_total":   st.TooManyBlocked,
		"restarts_total":           st.Restarts, "error_restarts_total": st.ErrorRestarts,
		"long_turns_total": st.LongTurns, "long_turns_now": uint64(st.LongTurnsNow),
		"workers": uint64(sys.Workers()),
	}
	pinned := 0
	for i, w := range st.Workers {
		name := fmt.Sprint(i)
		if w.Surplus {
			name = "surplus"
		} else if w.Pinned {
			name = fmt.Sprintf("pinned%d", pinned)
			pinned++
		}
		for key, n := range map[string]uint64{
			"turns": w.Turns, "messages": w.Messages, "steals": w.Steals,
			"steal_misses": w.StealMisses, "parks": w.Parks, "wakes": w.Wakes, "yields": w.Yields,
			"next_slot": w.NextSlot, "injected": w.Injected, "spills": w.Spills,
		} {
			all["worker_"+key+"_total{worker="+name+"}"] = n
		}
	}
	out := map[string]float64{}
	for key, n := range all {
		out["gallop_"+key] = float64(n)
	}
	return out
}

func differ(t *testing.T, got, want map[string]float64) {
	t.Helper()
	for key, n := range want {
		if g, ok := got[key]; !ok || g != n {
			t.Errorf("%s is %v (%v), want %v", key, g, ok, n)
		}
		delete(got, key)
	}
	for key, n := range got {
		t.Errorf("%s is %v, and should not be there", key, n)
	}
}

// TestCollector_EqualsStats: "The metrics are exact after actor.System.Wait, as Stats is."
func TestCollector_EqualsStats(t *testing.T) {
	sys := start(t, actor.WithWorkers(3))
	c := prom.NewCollector(sys)
	stir(t, sys)
	sys.Stop() // or a worker might still go to sleep
	st := sys.Stats()
	if st.Panics != 1 || st.DeadLetters != 2 || st.BestEffort != 1 || st.Messages < 100 {
		t.Fatalf("the figures do not show what was done: %+v", st)
	}
	differ(t, scrape(t, c), want(sys, st))
}

// TestCollector_AfterWait: the figures that are exact after Wait are exact in a running system too.
func TestCollector_AfterWait(t *testing.T) {
	sys := start(t, actor.WithDeterministic(1))
	c := prom.NewCollector(sys)
	for range 3 {
		stir(t, sys)
		differ(t, scrape(t, c), want(sys, sys.Stats()))
	}
}

// TestCollector_Lint: Prometheus's own rules for names find nothing.
func TestCollector_Lint(t *testing.T) {
	sys := start(t)
	stir(t, sys)
	problems, err := testutil.CollectAndLint(prom.NewCollector(sys, prom.WithSystem("a")))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestCollector_Series: there are "16 for the system and 10 for each worker", for any number of
// types and of actors.
func TestCollector_Series(t *testing.T) {
	const types, spawns = 300, 90_000
	sys := start(t, actor.WithWorkers(2))
	c := prom.NewCollector(sys)
	churn(t, sys, types, spawns)
	if n := sys.Stats().Spawned; n != spawns {
		t.Fatalf("%d actors were spawned, want %d", n, spawns)
	}
	workers := len(sys.Stats().Workers)
	if n := testutil.CollectAndCount(c); n != 16+10*workers {
		t.Errorf("%d series of %d workers and %d types, want %d", n, workers, types, 16+10*workers)
	}
}

// churn spawns actors of many types, each of which runs a message and ends.
func churn(t *testing.T, sys *actor.System, types, spawns int) {
	for i := range types {
		typ := actor.NewType[load](fmt.Sprintf("type %d", i))
		end := actor.Declare[int](typ, "end")
		typ.Table(end.Handle(func(_ *load, c *actor.Context, _ int) { c.Stop() }))
		for range spawns / types {
			end.Send(sys, typ.Spawn(sys, load{}), 1)
		}
		wait(t, sys)
	}
}

// TestWithSystem: two systems are in one registry if they have names, and are refused otherwise.
func TestWithSystem(t *testing.T) {
	a, b := start(t), start(t)
	got := scrape(t, prom.NewCollector(a, prom.WithSystem("a")),
		prom.NewCollector(b, prom.WithSystem("b")))
	for _, name := range []string{"a", "b"} {
		if _, ok := got["gallop_messages_total{system="+name+"}"]; !ok {
			t.Errorf("no figures of %s", name)
		}
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(prom.NewCollector(a))
	if err := reg.Register(prom.NewCollector(b)); err == nil {
		t.Error("a second system without a name is not refused")
	}
}

// TestMisuse: invalid arguments panic at the call.
func TestMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"gallop: prom: NewCollector of a nil System": func() { prom.NewCollector(nil) },
		"gallop: prom: WithSystem: empty name":       func() { prom.WithSystem("") },
	} {
		func() {
			defer func() {
				if r := recover(); r != name {
					t.Errorf("got %v, want %q", r, name)
				}
			}()
			f()
		}()
	}
}

// BenchmarkScrape measures a scrape, with the registry.
func BenchmarkScrape(b *testing.B) {
	sys := start(b, actor.WithWorkers(2))
	stir(b, sys)
	reg := prometheus.NewRegistry()
	reg.MustRegister(prom.NewCollector(sys))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := reg.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}
