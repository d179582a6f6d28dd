package supervise

import (
	"slices"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
)

// roots are the supervisors without a supervisor, of all systems, for package inspect. The list is
// weak: it keeps no supervisor in memory, and no system.
var roots struct {
	mu   sync.Mutex
	all  []func() actor.AnyRef // guarded by mu; zero: it is gone
	tidy int                   // guarded by mu: the length to tidy at
}

// leastTidied is how long the list is before it is tidied.
const leastTidied = 64

func init() { access.SupervisorsOf = supervisorsOf }

// weaklyHeld is the method of what access.InspectorOf returns that is needed here.
type weaklyHeld interface {
	Weak(ref actor.AnyRef) (get func() actor.AnyRef)
}

// listed puts a new root in the list, and returns it.
func listed(s Supervisor) Supervisor {
	weak := access.InspectorOf(actor.SystemOf(s)).(weaklyHeld).Weak(s.Any())
	roots.mu.Lock()
	defer roots.mu.Unlock()
	if len(roots.all) >= max(roots.tidy, leastTidied) {
		roots.all = slices.DeleteFunc(roots.all, func(get func() actor.AnyRef) bool {
			ref := get()
			return ref.IsZero() || actor.StatusOf(ref) == actor.StatusEnded
		})
		roots.tidy = 2 * len(roots.all)
	}
	roots.all = append(roots.all, weak)
	return s
}

// supervisorsOf is access.SupervisorsOf.
func supervisorsOf(sys any) (all []any) {
	roots.mu.Lock()
	list := slices.Clone(roots.all)
	roots.mu.Unlock()
	for _, get := range list {
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
