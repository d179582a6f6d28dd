package inspect_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// TestTypes: the types are listed with their behaviours and the size of a state, and only those
// that the system has had actors of.
func TestTypes(t *testing.T) {
	sys := start(t)
	equal(t, "types before a spawn", len(inspect.Types(sys)), 0)
	dollType.Spawn(sys, doll{})
	all := inspect.Types(sys)
	if len(all) != 1 || all[0].Name != "doll" || all[0].Pinned ||
		all[0].StateBytes != int(reflect.TypeFor[doll]().Size()) ||
		!slices.Equal(all[0].Behaviours, []string{"do", "count", "keep", "query"}) {
		t.Errorf("%+v", all)
	}
}

// TestWorkers: a worker is shown with the behaviour and the actor that it runs; one whose turn
// blocks is shown so.
func TestWorkers(t *testing.T) {
	sys := start(t)
	a, b := dollType.Spawn(sys, doll{}), dollType.Spawn(sys, doll{})
	release := stuck(t, sys, a)
	blocks, stay := make(chan struct{}), make(chan struct{})
	do.Send(sys, b, func(_ *doll, c *actor.Context) { c.Blocking(func() { close(blocks); <-stay }) })
	<-blocks
	of := func(r actor.Ref[doll]) inspect.Worker {
		for _, w := range inspect.Workers(sys) {
			if w.Actor == r.ID() {
				return w
			}
		}
		return inspect.Worker{}
	}
	w := of(a)
	equal(t, "state", w.State, inspect.WorkerRunning)
	equal(t, "type", w.Type, "doll")
	equal(t, "behaviour", w.Behaviour, "do")
	equal(t, "state of the other", of(b).State, inspect.WorkerBlocking)
	close(stay)
	release()
	quiet(t, sys)
	eventually(t, "all are idle", func() bool {
		return !slices.ContainsFunc(inspect.Workers(sys), func(w inspect.Worker) bool {
			return w.State != inspect.WorkerIdle
		})
	})
}

// TestDescribe: mail, names and overload are shown.
func TestDescribe(t *testing.T) {
	sys := start(t)
	r, err := dollType.SpawnNamed(sys, "front", doll{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "mail of an idle actor", inspect.Describe(r.Any()).Queued, 0)
	release := stuck(t, sys, r)
	for range 7 {
		count.Send(sys, r, 1)
	}
	a := inspect.Describe(r.Any())
	equal(t, "name", a.Name, "front")
	equal(t, "text", a.String(), r.String())
	equal(t, "mail, with what runs", a.Queued, 8)
	equal(t, "status", a.Status, actor.StatusBusy)
	for range 2 * inspect.MaxQueued {
		count.Send(sys, r, 1)
	}
	equal(t, "mail is counted up to a limit", inspect.Describe(r.Any()).Queued, inspect.MaxQueued)
	release()
	quiet(t, sys)
	if err := actor.StopWait(soon(t), r); err != nil {
		t.Fatal(err)
	}
	equal(t, "status at the end", inspect.Describe(r.Any()).Status, actor.StatusEnded)
}

// TestRoots: an actor that has a name, runs, waits or is waited for is found, by its number as
// well. Any other actor is not.
func TestRoots(t *testing.T) {
	sys := start(t, actor.WithWorkers(3))
	named, _ := dollType.SpawnNamed(sys, "b", doll{})
	first, _ := dollType.SpawnNamed(sys, "a", doll{})
	asked, asks := dollType.Spawn(sys, doll{}), dollType.Spawn(sys, doll{})
	unknown := dollType.Spawn(sys, doll{})
	release := stuck(t, sys, asked)
	do.Send(sys, asks, func(*doll, *actor.Context) {
		_, _ = query.Ask(soon(t), asked, func(*doll, *actor.Context) int { return 0 })
	})
	eventually(t, "it asks", func() bool { return len(inspect.Graph(sys).Asks) == 1 })
	var got, names []string
	for _, a := range inspect.Roots(sys) {
		got = append(got, a.String())
	}
	want := []string{named.String(), first.String(), asked.String(), asks.String()}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, n := range inspect.Names(sys) {
		names = append(names, n.Name+n.Actor.String())
	}
	if !slices.Equal(names, []string{"a" + first.String(), "b" + named.String()}) {
		t.Errorf("names: %v", names)
	}
	a, ok := inspect.Find(sys, asks.ID())
	equal(t, "found", ok && a.Ref == asks.Any(), true)
	_, ok = inspect.Find(sys, unknown.ID())
	equal(t, "the unknown one is found", ok, false)
	release()
	quiet(t, sys)
}

// TestMisuse: a system that was not started, and a zero ref, panic in our words.
func TestMisuse(t *testing.T) {
	sys := start(t)
	var none context.Context
	for name, f := range map[string]func(){
		"nil system":  func() { inspect.Types(nil) },
		"zero ref":    func() { inspect.Describe(actor.AnyRef{}) },
		"empty probe": func() { inspect.Around(sys, inspect.Probe{}) },
		"interval":    func() { inspect.Profile(sys, -1) },
		"nil context": func() { _, _ = inspect.State(none, dollType.Spawn(sys, doll{}).Any()) },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || len(s) < 8 || s[:8] != "gallop: " {
					t.Errorf("%s: %v", name, s)
				}
			}()
			f()
		}()
	}
}
