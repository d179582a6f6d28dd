package inspect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/process"
)

//go:noinline
func staysIn(stay <-chan int) { <-stay }

// TestTurnsNow: "turns that have lasted for at least so long, by the runtime's own records. It does
// not matter when the look began": a behaviour, one in Blocking, and a process are stuck before the
// first look. A short turn is none.
func TestTurnsNow(t *testing.T) {
	sys := start(t, actor.WithWorkers(4))
	stay := make(chan int)
	defer close(stay)
	if all := inspect.TurnsNow(sys, 0); len(all) != 0 {
		t.Errorf("%+v in an idle system", all)
	}
	stuck, blocked := dollType.Spawn(sys, doll{}), dollType.Spawn(sys, doll{})
	do.Send(sys, stuck, func(*doll, *actor.Context) { staysIn(stay) })
	do.Send(sys, blocked, func(_ *doll, c *actor.Context) { c.Blocking(func() { staysIn(stay) }) })
	p := process.Go(join(sys), func(*process.Proc) { staysIn(stay) }, process.WithType("reader"))
	var got []string
	eventually(t, "all are seen", func() bool {
		got = nil
		for _, n := range inspect.TurnsNow(sys, 10*time.Millisecond) {
			who := n.Actor.String()
			if n.Process != 0 {
				who = fmt.Sprintf("%s#%d", n.Type, n.Process)
			}
			if n.Lasted < 10*time.Millisecond || !strings.Contains(string(n.Stack()), "inspect_test.staysIn") {
				t.Errorf("%+v\n%s", n, n.Stack())
			}
			got = append(got, fmt.Sprint(who, " ", n.Behaviour, " ", n.Blocking))
		}
		slices.Sort(got)
		return len(got) == 3
	})
	want := []string{fmt.Sprintf("doll#%d do false", stuck.ID()), fmt.Sprintf("doll#%d do true", blocked.ID()),
		fmt.Sprintf("reader#%d  false", p.ID())}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if all := inspect.TurnsNow(sys, time.Hour); len(all) != 0 {
		t.Errorf("%+v for an hour", all)
	}
}

// TestWorkers_Process: a worker that a process blocks is not idle.
func TestWorkers_Process(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	stay, runs := make(chan int), make(chan int)
	defer close(stay)
	p := process.Go(join(sys), func(*process.Proc) { close(runs); staysIn(stay) },
		process.WithType("reader"))
	<-runs
	w := inspect.Workers(sys)[0]
	equal(t, "worker", w, inspect.Worker{State: inspect.WorkerRunning, Type: "reader", Process: p.ID()})
	prof := inspect.Profile(sys, time.Millisecond)
	defer prof.Stop()
	eventually(t, "the profile has it", func() bool {
		all := prof.Actors(10)
		return len(all) == 1 && all[0].Process == p.ID() && all[0].Type == "reader"
	})
}

// TestHolders: "the actors that have most of them, up to so many".
func TestHolders(t *testing.T) {
	sys := start(t)
	var refs []actor.Ref[doll]
	for i := range 5 {
		r := dollType.Spawn(sys, doll{})
		refs = append(refs, r)
		do.Send(sys, r, func(_ *doll, c *actor.Context) {
			for range i {
				actor.After(c, time.Hour, count, 1)
			}
		})
	}
	do.Send(sys, refs[0], func(*doll, *actor.Context) {})
	eventually(t, "all timers are armed", func() bool { return len(sys.Why()) == 1 && sys.Why()[0].Count == 10 })
	for range 3 {
		keep.Send(sys, refs[4], 1)
	}
	var why []actor.Holder
	var largest []inspect.ActorHolder
	eventually(t, "all is stashed", func() bool {
		why, largest, _ = inspect.Holders(sys, 2, 1)
		return len(largest) == 3 && largest[2].Count == 3 && len(why) == 1 // no turn runs
	})
	equal(t, "why", fmt.Sprint(why), "[10 timers of doll]")
	got := ""
	for _, h := range largest {
		got += fmt.Sprintf("%d %s of %v\n", h.Count, h.What, h.Actor)
	}
	equal(t, "largest", got, fmt.Sprintf("4 timer of doll#%d\n3 timer of doll#%d\n3 stashed message of doll#%d\n",
		refs[4].ID(), refs[3].ID(), refs[4].ID()))
	why, largest, timers := inspect.Holders(sys, 1, 5)
	sum := 0
	for _, h := range why {
		sum += h.Count
	}
	equal(t, "one timer in five", sum, 10)
	equal(t, "all timers", timers, 10)
	equal(t, "shutting down", inspect.IsShuttingDown(sys), false)
	sys.Stop()
	equal(t, "shutting down", inspect.IsShuttingDown(sys), true)
}
