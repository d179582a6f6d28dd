package actor_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestNames: SpawnNamed, Register, Unregister and Lookup, and the errors of each.
func TestNames(t *testing.T) {
	sys := start(t)
	p, err := puppetType.SpawnNamed(sys, "punch", puppet{n: 7})
	must(t, err)
	got, err := actor.Lookup[puppet](sys, "punch")
	must(t, err)
	equal(t, "the actor of that name", got, p)
	_, err = puppetType.SpawnNamed(sys, "punch", puppet{})
	wants(t, err, actor.ErrNameTaken)
	if !strings.Contains(err.Error(), `"punch"`) {
		t.Errorf("%v does not tell the name", err)
	}
	_, err = actor.Lookup[puppet](sys, "judy")
	wants(t, err, actor.ErrNoName)
	_, err = actor.Lookup[bell](sys, "punch")
	wants(t, err, actor.ErrOtherType)
	inside(t, sys, func(c *actor.Context) {
		wants(t, c.Register("punch"), actor.ErrNameTaken)
		must(t, c.Register("judy"))
		must(t, c.Register("judy")) // "It returns nil if the actor has that name already"
		must(t, c.Register("toby"))
		me := actor.Self[puppet](c)
		for _, name := range []string{"judy", "toby"} {
			r, err := actor.Lookup[puppet](c, name)
			must(t, err)
			equal(t, name, r, me)
		}
		equal(t, "Unregister", c.Unregister("judy"), true)
		equal(t, "a second Unregister", c.Unregister("judy"), false)
		equal(t, "Unregister of another's name", c.Unregister("punch"), false)
		_, err := actor.Lookup[puppet](c, "judy")
		wants(t, err, actor.ErrNoName)
		panics(t, "Register: an empty name", func() { _ = c.Register("") })
		panics(t, "SpawnNamed: an empty name", func() { _, _ = puppetType.SpawnNamed(c, "", puppet{}) })
	})
	_, err = puppetType.SpawnNamed(sys, "toby", puppet{})
	wants(t, err, actor.ErrNameTaken) // the name of an actor that is idle and not known elsewhere
}

// TestNames_Memory: "A named actor stays in memory until then", though no code has its
// ref.
func TestNames_Memory(t *testing.T) {
	sys := start(t)
	_, err := puppetType.SpawnNamed(sys, "alone", puppet{n: 7})
	must(t, err)
	for range 3 {
		runtime.GC()
	}
	r, err := actor.Lookup[puppet](sys, "alone")
	must(t, err)
	n, err := value.Ask(soon(t), r, struct{}{})
	must(t, err)
	equal(t, "state", n, 7)
}

// TestNames_NotSpawned: a spawn that fails leaves its name free.
func TestNames_NotSpawned(t *testing.T) {
	sys := start(t)
	gap := actor.NewType[blank]("gap")
	actor.Declare[int](gap, "open")
	panics(t, "has no method", func() { _, _ = gap.SpawnNamed(sys, "free", blank{}) })
	_, err := puppetType.SpawnNamed(sys, "free", puppet{})
	must(t, err)
	sys.Stop()
	for _, name := range []string{"late", "free"} { // also a name that another actor still has
		_, err = puppetType.SpawnNamed(sys, name, puppet{})
		wants(t, err, actor.ErrSystemStopped)
	}
}

// TestBug_K50_NameRace: if two callers spawn with one name at the same time, it gets one actor: "It
// returns ErrNameTaken, and spawns no actor, if the name is taken: of several callers who take the
// same name at the same time, exactly one gets it."
func TestBug_K50_NameRace(t *testing.T) {
	sys := start(t)
	for round := range scaled(500) {
		name := fmt.Sprint("contested ", round)
		var won atomic.Int64
		var winner atomic.Uint64
		var all sync.WaitGroup
		take := func(from actor.Sender) {
			switch r, err := puppetType.SpawnNamed(from, name, puppet{}); err {
			case nil:
				won.Add(1)
				winner.Store(r.ID())
			default:
				wants(t, err, actor.ErrNameTaken)
				equal(t, "ref of a loser", r.IsZero(), true)
			}
		}
		for range 3 {
			all.Go(func() { take(sys) })
			do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
				if c.Register(name) == nil {
					won.Add(1)
					winner.Store(c.ActorID())
				}
			})
		}
		all.Wait()
		quiet(t, sys)
		equal(t, "winners", won.Load(), 1)
		r, err := actor.Lookup[puppet](sys, name)
		must(t, err)
		equal(t, "the actor of that name", r.ID(), winner.Load())
	}
}

// TestNames_FreeAtTheEnd: "The name is free again when the actor has ended …, and that is before
// any code can learn of it: by ErrStopped, by a dead letter or by a message."
func TestNames_FreeAtTheEnd(t *testing.T) {
	for what, end := range map[string]func(*puppet, *actor.Context) (any, error){
		"stop":  func(_ *puppet, c *actor.Context) (any, error) { c.Stop(); return nil, nil },
		"panic": func(*puppet, *actor.Context) (any, error) { panic("on purpose") },
	} {
		t.Run(what, func(t *testing.T) {
			var sys *actor.System
			var letters atomic.Int64
			sys = start(t, actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
				letters.Add(1)
				if r, err := actor.Lookup[puppet](sys, "name"); err == nil && r.ID() == d.ActorID {
					t.Error("a dead letter, and the name is not free")
				}
			}}))
			for range scaled(1000) {
				letters.Store(0)
				p, err := puppetType.SpawnNamed(sys, "name", puppet{})
				must(t, err)
				blocked := make(chan struct{})
				do.Send(sys, p, func(*puppet, *actor.Context) { <-blocked })
				asked := make(chan error, 1)
				go func() {
					_, err := try.Ask(soon(t), p, end)
					for err == nil {
						_, err = value.Ask(soon(t), p, struct{}{}) // until the actor has ended
					}
					_, taken := puppetType.SpawnNamed(sys, "name", puppet{})
					asked <- taken
				}()
				count.Send(sys, p, 1)
				close(blocked)
				must(t, receive(t, "the end", asked))
				next, err := actor.Lookup[puppet](sys, "name")
				must(t, err)
				actor.Stop(sys, next)
				quiet(t, sys)
			}
		})
	}
}

// TestNames_Many: one actor with many names, which come and go, compared with a plain set of names.
func TestNames_Many(t *testing.T) {
	sys := start(t)
	name := func(i int) string { return "name " + strconv.Itoa(i) }
	r := mortalType.Spawn(sys, mortal{})
	in(t, r, func(_ *mortal, c *actor.Context) {
		chance, has := rand.New(rand.NewPCG(1, 2)), map[int]bool{}
		for range scaled(3000) {
			i := chance.IntN(60)
			if chance.IntN(2) == 0 {
				must(t, c.Register(name(i)))
				has[i] = true
			} else {
				equal(t, "Unregister of "+name(i), c.Unregister(name(i)), has[i])
				delete(has, i)
			}
		}
		for i := range 60 {
			_, err := actor.Lookup[mortal](c, name(i))
			equal(t, name(i)+" is there", err == nil, has[i])
		}
	})
	must(t, actor.StopWait(soon(t), r))
	equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
}

// TestNames_NotAtTheEnd: an actor that takes no mail any more gets no name, because others would
// find it by that. Its own names are free.
func TestNames_NotAtTheEnd(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	var got []error
	try := func(c *actor.Context) { got = append(got, c.Register("again")) }
	typ := actor.NewType[puppet]("registrar").OnStop(func(_ *puppet, c *actor.Context, _ error) {
		try(c)
	})
	do := actor.Declare[deed](typ, "do")
	typ.Table(do.Handle((*puppet).Do))
	r, err := typ.SpawnNamed(sys, "first", puppet{})
	must(t, err)
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		must(t, c.Register("again"))
		must(t, c.Register("again"))
		for range 2 {
			do.Send(c, r, func(_ *puppet, c *actor.Context) {
				try(c)
				_, err := actor.Lookup[puppet](c, "again")
				wants(t, err, actor.ErrNoName)
			})
		}
		actor.Drain(c, r)
	})
	quiet(t, sys)
	equal(t, "tries", len(got), 3) // twice while it drains, once in OnStop
	for _, err := range got {
		wants(t, err, actor.ErrStopped)
	}
}
