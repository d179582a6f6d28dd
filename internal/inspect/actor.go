package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// MaxQueued is how many messages are counted in one mailbox.
const MaxQueued = 1000

// Actor describes an actor at one moment.
type Actor struct {
	// Ref keeps the actor's memory alive as long as the description is kept. It is zero of an actor
	// in a [Census] that has had no turn yet.
	Ref actor.AnyRef `json:"-"`
	// ID, Type, Name and Path are those of [actor.ActorName].
	ID   uint64
	Type string
	Name string
	Path string
	// Status is what [actor.StatusOf] returns.
	Status actor.Status
	// Queued is how many messages wait in the mailbox, counted up to MaxQueued. It is a hint
	// while the actor runs.
	Queued int
	// Spawned is when it was spawned; the zero Time: unknown. It is known of actors in a [Census].
	Spawned time.Time
	// Overloaded says that it does not keep up, or applies pressure; Muted that it waits for one that
	// does not; Suspended that it waits for its restart.
	Overloaded, Muted, Suspended bool
	// Pinned says that its type has a thread of its own ([actor.WithPinnedThread]).
	Pinned bool
}

// String returns the type and the number, as in "socket#4".
func (a Actor) String() string { return fmt.Sprintf("%s#%d", a.Type, a.ID) }

// Describe describes one actor. It panics if ref is zero. It looks at up to MaxQueued messages,
// some microseconds.
func Describe(ref actor.AnyRef) Actor { return describe(ofActor("Describe", ref), ref) }

func describe(in source, ref actor.AnyRef) Actor {
	who, status, l := in.Look(ref, MaxQueued)
	return Actor{Ref: ref, ID: who.ID, Type: who.Type, Name: who.Name, Path: who.Path,
		Status: status, Queued: l.Queued, Overloaded: l.Overloaded, Muted: l.Muted,
		Suspended: l.Suspended, Pinned: l.Pinned}
}

// describeAll describes actors, by number. Actors of other systems may be among them.
func describeAll(in source, refs map[actor.AnyRef]bool) []Actor {
	all := make([]Actor, 0, len(refs))
	for ref := range refs {
		all = append(all, describe(in, ref))
	}
	slices.SortFunc(all, func(a, b Actor) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Find returns the actor of that number if it is known: it has a name, or is one of [Roots],
// runs, or is in the sample of [Population]. Of most actors gallop keeps no list.
func Find(sys *actor.System, id uint64) (a Actor, ok bool) {
	in := of(sys)
	for ref := range rootsOf(in) {
		if ref.ID() == id && actor.SystemOf(ref) == sys {
			return describe(in, ref), true
		}
	}
	in.EachSampled(func(ref actor.AnyRef, typ string, number uint64, lived time.Duration) {
		if number == id {
			a, ok = sampled(in, ref, typ, id), true
			a.Spawned = in.Wall().Add(-lived)
		}
	})
	return a, ok
}

// Named is an actor with one of its names.
type Named struct {
	Name  string // one of its names
	Actor Actor  // whose it is
}

// Names returns the names that are taken ([actor.Context.Register]), in order, and whose they
// are. It walks over all of them.
func Names(sys *actor.System) []Named {
	in := of(sys)
	var all []Named
	in.EachName(func(name string, ref actor.AnyRef) {
		all = append(all, Named{name, describe(in, ref)})
	})
	slices.SortFunc(all, func(a, b Named) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Roots returns the actors that can be found although there is no list of all: those that have a
// name, run, are muted, are under pressure and have others waiting, ask in their turn or are
// asked, wait for their restart or for their children's end, have a stash, or know actors of
// other systems. By number.
func Roots(sys *actor.System) []Actor {
	in := of(sys)
	return describeAll(in, rootsOf(in))
}

func rootsOf(in source) map[actor.AnyRef]bool {
	all := map[actor.AnyRef]bool{}
	add := func(ref actor.AnyRef) { all[ref] = true }
	in.EachName(func(_ string, ref actor.AnyRef) { add(ref) })
	in.EachRunning(add)
	in.EachListed(add)
	in.EachPressed(add)
	in.EachWait(func(who, to actor.AnyRef, _ int64, _ bool) {
		add(who)
		add(to)
	})
	return all
}
