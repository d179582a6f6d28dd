package inspect

import "github.com/gallop-go/gallop/actor"

// Type describes an actor type.
type Type struct {
	// Name is the argument of [actor.NewType]. It need not be unique.
	Name string
	// Behaviours are the names of its behaviours, in the order of their declaration.
	Behaviours []string
	// StateBytes is the size of a state, without memory that it points to.
	StateBytes int
	// Pinned: the type has a thread of its own ([actor.WithPinnedThread]).
	Pinned bool
}

// Types returns the types of which the system has had actors, in the order of their first spawn in
// the process.
func Types(sys *actor.System) []Type {
	var all []Type
	of(sys).EachType(func(name string, behaviours []string, bytes int, pinned bool) {
		all = append(all, Type{name, behaviours, bytes, pinned})
	})
	return all
}
