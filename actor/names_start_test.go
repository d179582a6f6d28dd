package actor_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// namedStarts are acts of an actor in OnStart on its names and its end. keeps has the suffixes of
// the names that it has afterwards: "" for the name from SpawnNamed, and "-" for that name with a
// dash. nil means that it ends.
var namedStarts = []struct {
	what  string
	keeps []string
	do    func(t testing.TB, name string, c *actor.Context) error
}{
	{"nothing", []string{""}, func(testing.TB, string, *actor.Context) error { return nil }},
	{"register", []string{"", "-"}, func(_ testing.TB, name string, c *actor.Context) error {
		return c.Register(name + "-")
	}},
	{"again", []string{""}, func(_ testing.TB, name string, c *actor.Context) error {
		return c.Register(name)
	}},
	{"unregister", []string{}, func(t testing.TB, name string, c *actor.Context) error {
		equal(t, "Unregister in OnStart", c.Unregister(name), true)
		return nil
	}},
	{"lookup", []string{""}, func(t testing.TB, name string, c *actor.Context) error {
		r, err := actor.Lookup[mortal](c, name)
		must(t, err)
		equal(t, "Lookup in OnStart", r.ID(), c.ActorID())
		return nil
	}},
	{"stop", nil, func(_ testing.TB, _ string, c *actor.Context) error { c.Stop(); return nil }},
	{"fail", nil, func(testing.TB, string, *actor.Context) error { return errUser }},
	{"panic", nil, func(testing.TB, string, *actor.Context) error { panic("on purpose") }},
}

// TestBug_K50_NamedBeforeStart: an actor has its name before it runs, so that acts of OnStart on
// its names and its end are not lost: "The name is free again when the actor has ended".
func TestBug_K50_NamedBeforeStart(t *testing.T) {
	sys := start(t, actor.WithWorkers(3),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	for _, s := range namedStarts {
		t.Run(s.what, func(t *testing.T) {
			for round := range scaled(200) {
				var refs [4]actor.Ref[mortal]
				names := [len(refs)]string{}
				spawn := func(from actor.Sender, i int) {
					names[i] = fmt.Sprint(s.what, " ", round, " ", i)
					onStart := func(_ *mortal, c *actor.Context) error { return s.do(t, names[i], c) }
					r, err := mortalType.SpawnNamed(from, names[i], mortal{onStart: onStart})
					must(t, err) // also for an actor that ends in OnStart
					refs[i] = r
				}
				var outside sync.WaitGroup
				for i := range refs {
					if i%2 == 0 {
						outside.Go(func() { spawn(sys, i) })
					} else {
						do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
							spawn(c, i)
						})
					}
				}
				outside.Wait()
				quiet(t, sys)
				for i, r := range refs {
					has(t, sys, r, names[i], s.keeps)
					equal(t, "ended", r.Status() == actor.StatusEnded, s.keeps == nil)
					actor.Stop(sys, r)
				}
				quiet(t, sys)
				for i, r := range refs {
					has(t, sys, r, names[i], nil)
				}
			}
		})
	}
}

// has fails unless r has exactly these names, which begin with name, and no other actor has such
// names.
func has(t testing.TB, sys *actor.System, r actor.Ref[mortal], name string, keeps []string) {
	t.Helper()
	left := len(keeps)
	for _, end := range []string{"", "-"} {
		switch got, err := actor.Lookup[mortal](sys, name+end); {
		case err == nil && got == r:
			left--
		case !errors.Is(err, actor.ErrNoName):
			t.Errorf("%q belongs to %v, %v", name+end, got, err)
		}
	}
	equal(t, "names missing of "+name, left, 0)
}

// TestNames_StartIsFirst: an actor can be found as soon as it has its name. Still, OnStart runs
// "before its first message, even an urgent one".
func TestNames_StartIsFirst(t *testing.T) {
	sys := start(t, actor.WithWorkers(3))
	for round := range scaled(500) {
		name := fmt.Sprint("early ", round)
		var begun, ran atomic.Int64
		var spawned atomic.Bool
		message := func(*mortal, *actor.Context) {
			ran.Add(1)
			equal(t, "starts before a message", begun.Load(), 1)
		}
		var all sync.WaitGroup
		for i := range 2 {
			all.Go(func() {
				for {
					last := spawned.Load()
					if r, err := actor.Lookup[mortal](sys, name); err == nil && i == 0 {
						doAct.Send(sys, r, message)
						return
					} else if err == nil {
						rush.Send(sys, r, message)
						return
					} else if last {
						t.Errorf("%v of an actor that is spawned", err)
						return
					}
					runtime.Gosched()
				}
			})
		}
		all.Go(func() {
			defer spawned.Store(true)
			_, err := mortalType.SpawnNamed(sys, name, mortal{onStart: func(*mortal, *actor.Context) error {
				begun.Add(1)
				return nil
			}})
			must(t, err)
		})
		all.Wait()
		quiet(t, sys)
		equal(t, "messages", ran.Load(), 2)
	}
}
