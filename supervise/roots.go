package supervise

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/weaklist"
)

// roots are the supervisors without a supervisor, of all systems, for package inspect. The list is
// weak: it keeps no supervisor in memory, and no system.
var roots weaklist.List[func() actor.AnyRef]

func init() { access.SupervisorsOf = supervisorsOf }

// weaklyHeld is the method of access.InspectorOf's result that this package uses.
type weaklyHeld interface {
	Weak(ref actor.AnyRef) (get func() actor.AnyRef)
}

// listed puts a new root in the list, and returns it.
func listed(s Supervisor) Supervisor {
	roots.Add(access.InspectorOf(actor.SystemOf(s)).(weaklyHeld).Weak(s.Any()), isGone)
	return s
}

func isGone(get func() actor.AnyRef) bool {
	ref := get()
	return ref.IsZero() || actor.StatusOf(ref) == actor.StatusEnded
}

// supervisorsOf is access.SupervisorsOf.
func supervisorsOf(sys any) (all []any) {
	for _, get := range roots.All() {
		ref := get()
		if ref.IsZero() || actor.SystemOf(ref) != sys.(*actor.System) ||
			actor.StatusOf(ref) == actor.StatusEnded {
			continue
		}
		if r, ok := actor.As[supervisor](ref); ok {
			all = append(all, Supervisor{r})
		}
	}
	return all
}
