package observe

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// running is the source of a running system.
type running struct{ sys *actor.System }

func (r running) find(id uint64) (inspect.Actor, bool) { return inspect.Find(r.sys, id) }

func (r running) state(ctx context.Context, a inspect.Actor) (inspect.Snapshot, error) {
	return inspect.State(ctx, a.Ref)
}

func (r running) stop(a inspect.Actor) { actor.Stop(r.sys, a.Ref) }

func (r running) begin() instruments {
	return &toolbox{
		sys:       r.sys,
		profile:   inspect.Profile(r.sys, 0),
		letters:   inspect.DeadLetters(r.sys),
		panics:    inspect.Panics(r.sys),
		long:      inspect.LongTurns(r.sys),
		deadlocks: inspect.PressureDeadlocks(r.sys),
		probes:    newProbes(inspect.Delay),
		loops:     newLoops(r.sys),
	}
}

// The census of actors and the supervision trees are looked at less often than every tick, because
// they cost time for each actor of the sample and each supervisor.
const (
	censusEvery   = 5
	profileWindow = 5 // ticks; the last two windows are shown
	mostActors    = 50
	treeTimeout   = 200 * time.Millisecond
)

// toolbox has the instruments that look at a system. One goroutine uses it.
type toolbox struct {
	sys       *actor.System
	profile   *inspect.Profiler
	letters   *inspect.Feed
	panics    *inspect.Recent[inspect.Panic]
	long      *inspect.Recent[inspect.LongTurn]
	deadlocks *inspect.Recent[inspect.PressureDeadlock]
	probes    *probes
	loops     *loops
	before    profiled // the previous window
	ticks     int
	census    inspect.Census
	seen      []inspect.Actor // actors of the census, by number

	processes     inspect.ProcessList
	groups        []inspect.Group
	groupsLeftOut int
}

func (t *toolbox) sample(at time.Time) *sample {
	s := &sample{
		at:        at,
		stats:     t.sys.Stats(),
		slots:     t.sys.Workers(),
		workers:   t.profile.Workers(),
		types:     inspect.Types(t.sys),
		names:     inspect.Names(t.sys),
		graph:     inspect.Graph(t.sys),
		why:       t.sys.Why(),
		holds:     inspect.Holds(t.sys),
		letters:   t.letters.Letters(),
		panics:    t.panics.All(),
		long:      t.long.All(),
		deadlocks: t.deadlocks.All(),
		waited:    waitedForProcessor(),
	}
	if len(s.workers) == 0 { // the profile has no look yet
		s.workers = inspect.Workers(t.sys)
	}
	s.recent, s.leftOut = t.letters.Recent()
	t.sampleProfile(s)
	if t.ticks%censusEvery == 0 {
		t.census = inspect.Population(t.sys)
		t.seen = slices.SortedFunc(slices.Values(t.census.Seen), byID)
	}
	s.census = t.census
	ctx, cancel := treeContext()
	defer cancel()
	s.trees, _ = inspect.Supervisors(ctx, t.sys) // the supervisors that answered in time
	t.sampleGroups(s)
	s.actors = t.known(s)
	t.probes.send(at, t.worthProbing(s))
	s.delays = t.probes.delays(at)
	t.loops.look(s.busy)
	s.loops = t.loops.found()
	t.ticks++
	return s
}

func treeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), treeTimeout)
}

// sampleProfile adds the profile of this window to that of the window before.
func (t *toolbox) sampleProfile(s *sample) {
	now := profiled{actors: t.profile.Actors(2 * mostActors), behaviours: t.profile.Behaviours()}
	now.looks, now.ran = t.profile.Samples()
	sum := t.before.plus(now)
	s.busy, s.behaviours, s.looks, s.ran = sum.actors, sum.behaviours, sum.looks, sum.ran
	if t.ticks%profileWindow == profileWindow-1 {
		t.before = now
		t.profile.Reset()
	}
}

// known returns the actors that can be found, each once, by number: actors that stand out, actors
// with a name, the busiest, and the sample of the population.
func (t *toolbox) known(s *sample) []inspect.Actor {
	others := map[uint64]inspect.Actor{}
	for _, a := range s.names {
		others[a.Actor.ID] = a.Actor
	}
	for _, a := range inspect.Roots(t.sys) {
		others[a.ID] = a
	}
	for _, b := range s.busy[:min(len(s.busy), mostActors)] {
		if _, ok := others[b.Actor]; ok || b.Actor == 0 {
			continue
		}
		if a, ok := inspect.Find(t.sys, b.Actor); ok {
			others[a.ID] = a
		}
	}
	return merged(t.seen, slices.SortedFunc(maps.Values(others), byID))
}

func byID(a, b inspect.Actor) int { return cmp.Compare(a.ID, b.ID) }

// merged merges two lists by number. For an actor in both, it takes the newer entry, from others.
func merged(old, others []inspect.Actor) []inspect.Actor {
	all := make([]inspect.Actor, 0, len(old)+len(others))
	for _, a := range others {
		n, there := slices.BinarySearchFunc(old, a, byID)
		all = append(append(all, old[:n]...), a)
		if old = old[n:]; there {
			old = old[1:]
		}
	}
	return append(all, old...)
}

// worthProbing orders the actors for probes: first the longest mailboxes, then the others by
// rotation.
func (t *toolbox) worthProbing(s *sample) []inspect.Actor {
	list := slices.Clone(s.actors)
	if n := len(list); n > 0 {
		first := t.ticks * probesPerTick % n
		list = append(list[first:], list[:first]...)
	}
	slices.SortStableFunc(list, func(a, b inspect.Actor) int { return b.Queued - a.Queued })
	return list
}

func (t *toolbox) over() bool {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // Wait does not wait
	return errors.Is(t.sys.Wait(ctx), actor.ErrSystemStopped)
}

func (t *toolbox) close() {
	t.profile.Stop()
	t.letters.Close()
	t.panics.Close()
	t.long.Close()
	t.deadlocks.Close()
	t.loops.close()
	t.probes.close()
}
