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

func (r running) mail(a inspect.Actor) []inspect.MailOf { return inspect.Mail(a.Ref) }

func (r running) process(id uint64) (inspect.Process, string, bool) {
	return inspect.FindProcess(r.sys, id)
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
		machine:   newMachineLook(),
	}
}

// The census of actors and the supervision trees are looked at less often than every tick, because
// they cost time for each actor of the sample and each supervisor.
const (
	censusEvery   = 5
	profileWindow = 5 // ticks; the last two windows are shown
	mostActors    = 50
	largestShown  = 5
	timersLooked  = 20_000 // whose owners are looked at
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
	machine   *machineLook
	pressures pressures
	turns     map[turnKey]nowTurn
	// last has the results of looks that are repeated when their pace allows it.
	last   sample
	timers int // of actors
	paces  struct{ graph, why, now, census, trees, actors pace }

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
		holds:     inspect.Holds(t.sys),
		letters:   t.letters.Letters(),
		panics:    t.panics.All(),
		long:      t.long.All(),
		deadlocks: t.deadlocks.All(),
		machine:   t.machine.sample(at),
		ending:    inspect.IsShuttingDown(t.sys),
	}
	if len(s.workers) == 0 { // the profile has no look yet
		s.workers = inspect.Workers(t.sys)
	}
	s.recent, s.leftOut = t.letters.Recent()
	t.sampleProfile(s)
	t.paces.graph.do(at, func() { t.last.graph, t.last.graphAt = inspect.Graph(t.sys), at })
	t.paces.why.do(at, func() {
		t.last.why, t.last.largest, t.timers = inspect.Holders(t.sys, largestShown, 1+t.timers/timersLooked)
		t.last.whyAt = at
	})
	t.paces.now.do(at, func() { t.last.now = t.turnsNow() })
	s.graph, s.why, s.largest = t.last.graph, t.last.why, t.last.largest
	s.graphAt, s.whyAt = t.last.graphAt, t.last.whyAt
	s.now, s.pressed = t.last.now, t.pressures.found(at)
	if t.ticks%censusEvery == 0 {
		t.paces.census.do(at, func() {
			t.census = inspect.Population(t.sys)
			t.seen = slices.SortedFunc(slices.Values(t.census.Seen), byID)
		})
	}
	s.census = t.census
	t.paces.trees.do(at, func() {
		ctx, cancel := treeContext()
		defer cancel()
		t.last.trees, _ = supervisors(ctx, t.sys) // the supervisors that answered in time
	})
	s.trees = t.last.trees
	t.sampleGroups(s)
	t.paces.actors.do(at, func() {
		t.last.names = inspect.Names(t.sys)
		t.last.actors = t.known(t.last.names, s)
	})
	s.names, s.actors = t.last.names, t.last.actors
	t.probes.send(at, t.worthProbing(s))
	s.delays, s.waits = t.probes.delays(at), t.probes.waits(at, s.find)
	t.loops.look(s.busy)
	s.loops = t.loops.found()
	t.ticks++
	return s
}

// turnNowShown is the time from which turns that run now are looked at.
const turnNowShown = time.Second / 2

// turnsNow returns the turns that have lasted for long, each with its stack as it was first seen.
func (t *toolbox) turnsNow() (all []nowTurn) {
	kept := map[turnKey]nowTurn{}
	for _, turn := range inspect.TurnsNow(t.sys, turnNowShown) {
		k := turnKey{turn.Worker, turn.Actor.ID, turn.Process, turn.Behaviour}
		n := nowTurn{Turn: turn}
		if before, ok := t.turns[k]; ok && before.Lasted < turn.Lasted {
			n.at, n.stack = before.at, before.stack
		} else if len(kept) < mostStacks {
			stack := turn.Stack()
			n.stack, n.at = string(stack), inspect.UserFrame(stack)
		}
		kept[k] = n
		all = append(all, n)
	}
	t.turns = kept
	slices.SortFunc(all, func(a, b nowTurn) int { return cmp.Compare(b.Lasted, a.Lasted) })
	return all[:min(len(all), mostRecent)]
}

// mostStacks is the number of long turns whose stacks are looked at.
const mostStacks = 8

// turnKey identifies a turn together with its length.
type turnKey struct {
	worker         int
	actor, process uint64
	behaviour      string
}

func treeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), treeTimeout)
}

// sampleProfile adds the profile of this window to that of the window before.
func (t *toolbox) sampleProfile(s *sample) {
	now := profiled{actors: t.profile.Actors(2 * mostActors), behaviours: t.profile.Behaviours()}
	now.looks, now.ran = t.profile.Samples()
	now.rounds = t.profile.Rounds()
	sum := t.before.plus(now)
	s.busy, s.behaviours, s.looks, s.ran = sum.actors, sum.behaviours, sum.looks, sum.ran
	s.rounds = sum.rounds
	if t.ticks%profileWindow == profileWindow-1 {
		t.before = now
		t.profile.Reset()
	}
}

// known returns the actors that can be found, each once, by number: actors that stand out, actors
// with a name, the busiest, and the sample of the population.
func (t *toolbox) known(names []inspect.Named, s *sample) []inspect.Actor {
	others := map[uint64]inspect.Actor{}
	for _, a := range names {
		others[a.Actor.ID] = a.Actor
	}
	for _, h := range s.largest {
		others[h.Actor.ID] = h.Actor
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

// worthProbing returns actors for probes: first the longest mailboxes, then others by rotation.
func (t *toolbox) worthProbing(s *sample) (list []inspect.Actor) {
	for _, a := range s.actors {
		if a.Queued > 0 {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b inspect.Actor) int { return b.Queued - a.Queued })
	n := len(s.actors)
	for i := range min(n, 4*probesPerTick) {
		list = append(list, s.actors[(t.ticks*probesPerTick+i)%n])
	}
	return list
}

func (t *toolbox) glance(at time.Time) { t.pressures.glance(at, inspect.Pressed(t.sys)) }

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
