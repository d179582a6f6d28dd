package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/kernel"
)

// MaxQueued is the largest number of messages counted in one mailbox.
const MaxQueued = 1000

// Actor describes an actor at one moment.
type Actor struct {
	// Ref keeps the actor's memory alive as long as the description is kept. It is zero for an
	// actor of a [Census] that has had no turn yet.
	Ref actor.AnyRef `json:"-"`
	// ID, Type, Name and Path are as in [actor.ActorName].
	ID   uint64
	Type string
	Name string
	Path string
	// Status is the result of [actor.StatusOf].
	Status actor.Status
	// Queued is the number of messages in the mailbox, counted up to MaxQueued. It is a hint while
	// the actor runs.
	Queued int
	// Spawned is the time of the spawn, which is known for actors of a [Census]; otherwise zero.
	Spawned time.Time
	// Overloaded: the actor does not keep up, or applies pressure. Muted: it waits for such an
	// actor. Suspended: it waits for its restart.
	Overloaded, Muted, Suspended bool
	// Pinned: its type has a thread of its own ([actor.WithPinnedThread]).
	Pinned bool
}

// String returns the type and the number, as in "socket#4".
func (a Actor) String() string { return fmt.Sprintf("%s#%d", a.Type, a.ID) }

// Describe describes one actor. It panics if ref is zero. It counts up to MaxQueued messages, which
// takes some microseconds.
func Describe(ref actor.AnyRef) Actor { return describe(cellOf("Describe", ref).Ref()) }

func describe(ref kernel.AnyRef) Actor {
	a := ref.Cell()
	status, queued := a.Status(), 0
	if status != kernel.StatusEnded {
		kernel.PeekMail(a, func(uint64, uint16) bool { queued++; return queued < MaxQueued })
	}
	load, who := kernel.PeekLoad(a), a.ActorName()
	return Actor{Ref: actor.AnyRef(ref), ID: who.ID, Type: who.Type, Name: who.Name, Path: who.Path,
		Status: actor.Status(status), Queued: queued,
		Overloaded: load&(backpressure.Overloaded|backpressure.Pressed) != 0,
		Muted:      load&backpressure.Muted != 0 && a.BlockedOn.Parked(),
		Suspended:  kernel.PeekSuspended(a), Pinned: a.Typ().Pinned}
}

// describeAll describes actors, sorted by number. They may belong to different systems.
func describeAll(refs map[kernel.AnyRef]bool) []Actor {
	all := make([]Actor, 0, len(refs))
	for ref := range refs {
		all = append(all, describe(ref))
	}
	slices.SortFunc(all, func(a, b Actor) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// MailOf is the number of messages for one behaviour in a mailbox.
type MailOf struct {
	Behaviour string // "" for messages of the runtime
	Count     int
}

// Mail counts the messages in an actor's mailbox by behaviour, up to MaxQueued in all, the largest
// number first. It is a hint while the actor runs.
func Mail(ref actor.AnyRef) (all []MailOf) {
	n, by := 0, map[string]int{}
	eachMail(cellOf("Mail", ref), func(behaviour string) bool {
		by[behaviour]++
		n++
		return n < MaxQueued
	})
	for behaviour, count := range by {
		all = append(all, MailOf{behaviour, count})
	}
	slices.SortFunc(all, func(a, b MailOf) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Behaviour, b.Behaviour))
	})
	return all
}

// Find returns the actor with a number, if it can be found: it has a name, is one of [Roots], runs,
// or is in the sample of [Population]. gallop keeps no list of the other actors.
func Find(sys *actor.System, id uint64) (a Actor, ok bool) {
	s := of(sys)
	for ref := range rootsOf(s) {
		if ref.ID() == id && ref.Cell().Sys() == s {
			return describe(ref), true
		}
	}
	eachSampled(s, func(ref kernel.AnyRef, typ string, number uint64, lived time.Duration) {
		if number == id {
			a, ok = sampled(ref, typ, id), true
			a.Spawned = wall(s).Add(-lived)
		}
	})
	return a, ok
}

// Named is an actor with one of its names.
type Named struct {
	Name  string // the actor that has it
	Actor Actor  // whose it is
}

// Names returns all registered names ([actor.Context.Register]) with their actors, sorted by name.
func Names(sys *actor.System) []Named {
	var all []Named
	eachName(of(sys), func(name string, ref kernel.AnyRef) {
		all = append(all, Named{name, describe(ref)})
	})
	slices.SortFunc(all, func(a, b Named) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Roots returns the actors that can be found without a list of all actors, sorted by number. These
// are actors that
//
//   - have a name or a stash,
//   - run, or are muted,
//   - are under pressure while others wait for them,
//   - ask in their turn, or are asked,
//   - wait for their restart or for the end of their children,
//   - know actors of other systems.
func Roots(sys *actor.System) []Actor {
	return describeAll(rootsOf(of(sys)))
}

func rootsOf(s *kernel.System) map[kernel.AnyRef]bool {
	all := map[kernel.AnyRef]bool{}
	add := func(ref kernel.AnyRef) { all[ref] = true }
	eachName(s, func(_ string, ref kernel.AnyRef) { add(ref) })
	eachRunning(s, add)
	eachListed(s, add)
	eachPressed(s, func(ref kernel.AnyRef, _ uint32) { add(ref) })
	eachWait(s, func(who, to kernel.AnyRef, _ int64, _ bool) {
		add(who)
		add(to)
	})
	return all
}
