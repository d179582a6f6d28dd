package kernel

import (
	"weak"

	"github.com/gallop-go/gallop/internal/weaklist"
)

// Roster is a list of actors, of all systems, for internal/inspect. It is weak: it keeps no actor in
// memory, and no system. The zero Roster is empty. Any goroutine may use it.
type Roster struct {
	list weaklist.List[func() AnyRef]
}

var (
	// Supervisors are the supervisors of package supervise that have no supervisor.
	Supervisors Roster
	// Groups are the pools, topics and registries of package group that were made without a
	// supervisor, in systems that were looked into by then: see System.IsInspected.
	Groups Roster
)

// Add adds an actor. ref must not be zero.
func (r *Roster) Add(ref AnyRef) {
	ref.must("Add")
	r.list.Add(ref.Weak(), func(get func() AnyRef) bool { return get().isGone() })
}

// Of returns the actors of a system that have not ended, in the order in which they were added.
func (r *Roster) Of(s *System) (all []AnyRef) {
	for _, get := range r.list.All() {
		if ref := get(); !ref.isGone() && ref.b.Sys() == s {
			all = append(all, ref)
		}
	}
	return all
}

// Weak returns a function that returns r until the garbage collector has freed the actor, and the
// zero AnyRef from then on. The function does not keep the actor alive. Any goroutine.
func (r AnyRef) Weak() (get func() AnyRef) {
	w := weak.Make(r.b)
	return func() AnyRef { return AnyRef{w.Value()} }
}

// isGone reports whether r refers to no actor, or to one that has ended.
func (r AnyRef) isGone() bool { return r.b == nil || r.b.Status() == StatusEnded }

// GroupLook describes a pool, a topic or a registry. The method Inspect of their states returns it.
type GroupLook struct {
	What string `json:"what"` // pool, ask pool, topic or registry
	// Of is the Go type of its messages, or those of its keys and members.
	Of      string `json:"of"`
	Members int    `json:"members"`        // or subscribers
	Down    int    `json:"down,omitempty"` // members that wait for their restart
	Keys    int    `json:"keys,omitempty"` // of a registry
}
