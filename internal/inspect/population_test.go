package inspect_test

import (
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

var crowdType = actor.NewType[[2]uint64]("crowd")

// TestPopulation (O2b): how many actors live is within the interval that is shown, in at least 98
// % of the runs, those collected, ended and of other types included. 200 runs in the nightly
// form.
func TestPopulation(t *testing.T) {
	const crowd, dolls = 60_000, 20_000
	runs := nightly(12, 200)
	good, all := 0, 0
	for range runs {
		sys := start(t)
		inspect.Begin(sys)
		spawner := dollType.Spawn(sys, doll{})
		var living []actor.AnyRef
		in(t, spawner, func(_ *doll, c *actor.Context) {
			for i := range crowd {
				r := crowdType.Spawn(c, [2]uint64{})
				if i%3 == 0 {
					living = append(living, r.Any())
				}
			}
			for range dolls {
				living = append(living, dollType.Spawn(c, doll{}).Any())
			}
		})
		for i := range dolls { // from outside
			r := crowdType.Spawn(sys, [2]uint64{})
			if i%2 == 0 {
				living = append(living, r.Any())
			}
		}
		quiet(t, sys)
		runtime.GC()
		c := inspect.Population(sys)
		// The population is all spawned actors without the spawner itself and without collected
		// actors.
		want := map[string]uint64{"crowd": crowd/3 + dolls/2, "doll": dolls, "": crowd/3 + 3*dolls/2}
		for _, e := range append(c.Types, c.Total) {
			all++
			if e.Low <= want[e.Type] && want[e.Type] <= e.High {
				good++
			}
		}
		equal(t, "estimates", len(c.Types), 2)
		equal(t, "before", c.Before, 0)
		for _, a := range c.Seen {
			if a.Spawned.IsZero() {
				t.Error("it is not known when an actor of the sample was spawned")
			}
		}
		runtime.KeepAlive(living)
		sys.Stop()
	}
	if t.Logf("%d of %d estimates", good, all); good < min(all*98/100, all-4) {
		t.Errorf("only %d of %d estimates have the truth", good, all)
	}
}

// TestPopulation_Outside: actors that are spawned from outside are in the sample as often as
// others.
func TestPopulation_Outside(t *testing.T) {
	sys := start(t)
	inspect.Begin(sys)
	const n = 200_000
	all := make([]actor.Ref[[2]uint64], n)
	for i := range all {
		all[i] = crowdType.Spawn(sys, [2]uint64{})
	}
	if e := inspect.Population(sys).Total; e.Low > n || e.High < n {
		t.Errorf("%+v of %d", e, n) // always the same: the numbers are
	}
	runtime.KeepAlive(all)
}

// TestPopulation_Late: actors that were spawned before Begin are counted but not estimated. An
// actor that has ended is not living.
func TestPopulation_Late(t *testing.T) {
	sys := start(t)
	spawner := dollType.Spawn(sys, doll{})
	var all []actor.Ref[doll]
	spawn := func() {
		in(t, spawner, func(_ *doll, c *actor.Context) {
			for range 20_000 {
				all = append(all, dollType.Spawn(c, doll{}))
			}
		})
	}
	spawn()
	equal(t, "before", inspect.Population(sys).Before, 20_001)
	spawn()
	if n := inspect.Population(sys).Total.Seen; n == 0 {
		t.Error("none is seen")
	}
	for _, r := range all {
		actor.Stop(sys, r)
	}
	quiet(t, sys)
	equal(t, "seen at the end", inspect.Population(sys).Total.Seen, 0)
	runtime.KeepAlive(all)
}

// TestPopulation_InTheMiddle: an actor whose spawn is not over is counted, and its ref is not given
// away before it has had a turn; the race detector has nothing to say.
func TestPopulation_InTheMiddle(t *testing.T) {
	sys := start(t)
	inspect.Begin(sys)
	spawner := dollType.Spawn(sys, doll{})
	done := make(chan struct{})
	do.Send(sys, spawner, func(_ *doll, c *actor.Context) {
		for i := range nightly(30_000, 2_000_000) {
			r := dollType.SpawnChild(c, doll{n: 1})
			if i%2 == 0 {
				count.Send(c, r, 1)
			}
			actor.Stop(c, r)
		}
		close(done)
	})
	for {
		for _, a := range inspect.Population(sys).Seen {
			inspect.Find(sys, a.ID)
			if a.Ref.IsZero() {
				continue
			}
			s, err := inspect.State(soon(t), a.Ref)
			if err == nil && s.GoType != "inspect_test.doll" {
				t.Errorf("%+v", s)
			}
		}
		select {
		case <-done:
			quiet(t, sys)
			return
		default:
		}
	}
}
