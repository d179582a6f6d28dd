package inspect

import (
	"reflect"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

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
	of(sys).EachType(func(t *kernel.TypeInfo) {
		var names []string
		for _, d := range t.Decls[kernel.UserIDs:] {
			names = append(names, d.Name)
		}
		all = append(all, Type{t.Name, names, stateBytes(t), t.Pinned})
	})
	return all
}

// stateType returns the name of the Go type of a state of the type.
func stateType(t *kernel.TypeInfo) string { return reflect.TypeOf(t.State).Elem().String() }

// stateBytes returns the size of a state of the type.
func stateBytes(t *kernel.TypeInfo) int { return int(reflect.TypeOf(t.State).Elem().Size()) }
