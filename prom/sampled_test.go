package prom_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
	"github.com/gallop-go/gallop/prom"
)

// TestWithPopulation: there are estimates "in all and for each type", equal to those of package
// observe.
func TestWithPopulation(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	c := prom.NewCollector(sys, prom.WithPopulation())
	if got := scrape(t, c); got["gallop_actors_estimate"] != 0 {
		t.Errorf("%v actors before any was spawned", got["gallop_actors_estimate"])
	}
	var refs []actor.AnyRef
	for range 20_000 {
		refs = append(refs, loadType.Spawn(sys, load{}).Any())
	}
	got := scrape(t, c)
	want := observe.Population(sys)["load"]
	if want == 0 {
		t.Fatal("none is in the sample")
	}
	for _, name := range []string{"gallop_actors_estimate", "gallop_type_actors_estimate{type=load}"} {
		if got[name] != float64(want) {
			t.Errorf("%s is %v, want %d", name, got[name], want)
		}
	}
	runtime.KeepAlive(refs)
}

// TestWithProfiler: a type that keeps a worker busy is seen at work.
func TestWithProfiler(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	p := observe.Profile(sys, time.Millisecond)
	defer p.Stop()
	c := prom.NewCollector(sys, prom.WithProfiler(p))
	stay := make(chan struct{})
	block := actor.NewType[load]("busy\xff")
	run := actor.Declare[int](block, "run")
	block.Table(run.Handle(func(*load, *actor.Context, int) { <-stay }))
	run.Send(sys, block.Spawn(sys, load{}), 1)
	for busy := uint64(0); busy < 3; runtime.Gosched() {
		_, byType := p.Looks()
		busy = byType["busy\xff"]
	}
	close(stay)
	wait(t, sys)
	p.Stop()
	got := scrape(t, c)
	all, byType := p.Looks()
	busy := byType["busy\xff"]
	if _, n := p.Saturation(); got["gallop_busy_looks_total"] != float64(n) || n == 0 {
		t.Errorf("%v looks found a turn, want %d", got["gallop_busy_looks_total"], n)
	}
	if n := got["gallop_looks_total"]; n != float64(all) {
		t.Errorf("%v looks, want %d", n, all)
	}
	if n := got["gallop_type_busy_looks_total{type=busy?}"]; n != float64(busy) {
		t.Errorf("seen %v times, want %d: %v", n, busy, got)
	}
}

// TestSampled_Series: there is "one for each type up to 200", so at most 25 + 10 for each worker
// + 3 for each type, and a type keeps its series. Prometheus's rules find nothing.
func TestSampled_Series(t *testing.T) {
	const types = 300
	sys := start(t, actor.WithWorkers(2))
	p := observe.Profile(sys, time.Hour)
	defer p.Stop()
	c := prom.NewCollector(sys, prom.WithPopulation(), prom.WithProfiler(p))
	var refs []actor.AnyRef
	for i := range types {
		typ := actor.NewType[load](fmt.Sprintf("type %d", i))
		typ.Table(actor.Declare[int](typ, "none").Handle(func(*load, *actor.Context, int) {}))
		for range 2 * 1024 { // one of them or more is in the sample
			refs = append(refs, typ.Spawn(sys, load{}).Any())
		}
	}
	before := scrape(t, c)
	workers := len(sys.Stats().Workers)
	if n, most := len(before), 25+10*workers+3*types; n > most {
		t.Errorf("%d series, at most %d were promised", n, most)
	}
	if n := len(before) - 16 - 10*workers - 3; n != 201 {
		t.Errorf("%d series of types, want 201", n)
	}
	if before["gallop_type_actors_estimate{type=other}"] == 0 {
		t.Error("the types beyond the 200th are not counted")
	}
	for name := range scrape(t, c) {
		if _, ok := before[name]; !ok && strings.Contains(name, "type=") {
			t.Errorf("%s was not there before", name)
		}
	}
	if problems, err := testutil.CollectAndLint(c); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v, %v", problems, err)
	}
	runtime.KeepAlive(refs)
}

// TestWithWhy: the holders are counted by kind, and a kind that is gone stays with 0.
func TestWithWhy(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	c := prom.NewCollector(sys, prom.WithWhy())
	holders := func() map[string]float64 {
		all := map[string]float64{}
		for name, v := range scrape(t, c) {
			if kind, ok := strings.CutPrefix(name, "gallop_holders{kind="); ok {
				all[strings.TrimSuffix(kind, "}")] = v
			}
		}
		return all
	}
	if all := holders(); len(all) != 0 {
		t.Errorf("%v of a system at rest", all)
	}
	var releases []func()
	for range 3 {
		release, err := sys.Hold()
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	if all := holders(); len(all) != 1 || all["Hold"] != 3 {
		t.Errorf("%v, want three holds", all)
	}
	for _, release := range releases {
		release()
	}
	if n, ok := holders()["Hold"]; n != 0 || !ok {
		t.Errorf("%v holds (%v), want 0", n, ok)
	}
}
