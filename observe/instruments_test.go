package observe

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

type player struct{ got int }

var (
	playerType = actor.NewType[player]("player")
	again      = actor.Declare[int](playerType, "again")
	_          = playerType.Table(again.Handle((*player).again),
		getAgain.Handle(func(*player, *actor.Context, int) (string, error) { return "", nil }))
)

// again sends itself so many messages, one after the other.
func (p *player) again(c *actor.Context, n int) {
	p.got++
	if n > 0 {
		again.Send(c, actor.Self[player](c), n-1)
	}
}

// A running system is seen as it is, and nothing of the looking keeps it from its end.
func TestARunningSystem(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	src := running{sys}
	tools := src.begin()
	defer tools.close()
	ref, err := playerType.SpawnNamed(sys, "one", player{})
	if err != nil {
		t.Fatal(err)
	}
	again.Send(sys, ref, 1000)
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := tools.sample(time.Now())
	if s.stats.Messages != 1001 || s.slots != sys.Workers() || len(s.names) != 1 {
		t.Errorf("%d messages, %d slots, %d names", s.stats.Messages, s.slots, len(s.names))
	}
	if a := s.find(ref.ID(), "player"); a.Name != "one" || a.Queued != 0 {
		t.Errorf("found %+v", a)
	}
	if a, ok := src.find(ref.ID()); !ok || a.Name != "one" {
		t.Errorf("found %+v, %v", a, ok)
	}
	size := int(reflect.TypeFor[player]().Size())
	if snap, err := src.state(t.Context(), s.find(ref.ID(), "")); err != nil || snap.Bytes != size {
		t.Errorf("%+v, %v", snap, err)
	}
	if err := sys.Wait(t.Context()); err != nil { // the probes are no reason to wait
		t.Fatal(err)
	}
	if tools.over() {
		t.Error("the system is said to have ended")
	}
	src.stop(s.find(ref.ID(), ""))
	if _, err := actor.Join(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	sys.Stop()
	if !tools.over() {
		t.Error("the system is not said to have ended")
	}
}

// Most of an actor's messages are from itself, or not.
func TestLoopsCountWhoSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var probe inspect.Probe
		probed, stopped := 0, 0
		l := &loops{
			probe: func(p inspect.Probe, typ string) func() {
				probe = p
				probed++
				return func() { stopped++ }
			},
			find: func(id uint64) (inspect.Actor, bool) { return an("spinner", id), true },
		}
		busy := []inspect.Busy{{Type: "spinner", Actor: 1, Share: 0.9}}
		for range 2 {
			l.look(busy)
		}
		for i := range uint64(10) {
			l.add(1, min(i, 1))
		}
		if probe.Before == nil || len(l.found()) != 0 {
			t.Error("it is not probed, or there is a result already")
		}
		pass(2 * loopsWindow)
		synctest.Wait()
		if got := l.found(); len(got) != 1 || got[0].all != 10 || got[0].self != 9 {
			t.Errorf("found %+v", got)
		}
		busy[0].Share = 0.1
		for range loopsEvery {
			l.look(busy)
		}
		l.close()
		if probed != 1 || stopped != 1 || len(l.found()) != 0 {
			t.Errorf("%d probed, %d stopped, found %v", probed, stopped, l.found())
		}
	})
}

// The delay of a type is that of its probes. One that does not run counts by how long it has
// waited.
func TestProbesOfTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := actor.Start()
		defer sys.Stop()
		var all []inspect.Actor
		for i := range 6 {
			a := inspect.Describe(playerType.Spawn(sys, player{}).Any())
			a.Type = []string{"quick", "stuck", "refused"}[i%3]
			all = append(all, a)
		}
		byRef := map[actor.AnyRef]string{}
		for _, a := range all {
			byRef[a.Ref] = a.Type
		}
		p := newProbes(func(ctx context.Context, ref actor.AnyRef) (time.Duration, error) {
			switch byRef[ref] {
			case "quick":
				return 3 * time.Millisecond, nil
			case "stuck":
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return 0, errors.New("too many")
		})
		begin := time.Now()
		p.send(begin, all)
		synctest.Wait()
		pass(4 * time.Second)
		p.send(time.Now(), all) // the stuck actors have a probe already
		synctest.Wait()
		d := p.delays(time.Now())
		if len(d) != 2 || d[0].typ != "quick" || d[0].p50 != 3*time.Millisecond || d[0].probes != 4 ||
			d[1].typ != "stuck" || d[1].waits != 4*time.Second || d[1].probes != 0 {
			t.Errorf("%+v", d)
		}
		pass(probeTimeout)
		synctest.Wait()
		if d := p.delays(time.Now()); d[1].p99 != probeTimeout || d[1].waits != 0 {
			t.Errorf("given up: %+v", d)
		}
		p.send(time.Now(), all)
		p.close()
	})
}

// Each actor is there once, by number, as the newer list has it.
func TestListsOfActorsAreMerged(t *testing.T) {
	got := merged([]inspect.Actor{an("old", 2), an("old", 4), an("old", 6)},
		[]inspect.Actor{an("new", 1), an("new", 4), an("new", 5), an("new", 7)})
	var said []string
	for _, a := range got {
		said = append(said, a.String())
	}
	if text := strings.Join(said, " "); text != "new#1 old#2 new#4 new#5 old#6 new#7" {
		t.Error(text)
	}
}
