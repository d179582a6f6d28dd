package flightlog

import (
	"maps"
	"math"
	"sync"

	"github.com/gallop-go/gallop/internal/seam"
)

// Name is the subject of an event: a behaviour of a type or, if Behaviour is "", a type.
type Name struct{ Type, Behaviour string }

// names has the numbers of the subjects of events, for all systems of the process, since dispatch
// tables are common to them. Types stay for ever, and so do these numbers.
var names struct {
	mu sync.Mutex
	// Replaced by a larger copy under mu, and read without it.
	now seam.Pointer[numbered]
}

// numbered has names and their numbers. Read-only.
type numbered struct {
	all []Name // by number; 0 stands for subjects without a number
	of  map[Name]uint16
}

// IndexOf returns the number of a name. The first call for a name gives it a number. IndexOf
// returns 0 if all numbers are taken. It takes no lock if the name has a number. Any goroutine.
func IndexOf(typ, behaviour string) uint16 {
	n := Name{typ, behaviour}
	if now := names.now.Load(); now != nil {
		if i, ok := now.of[n]; ok {
			return i
		}
	}
	return number(n)
}

func number(n Name) uint16 {
	names.mu.Lock()
	defer names.mu.Unlock()
	old := names.now.Load()
	if old == nil {
		old = &numbered{all: []Name{{}}}
	}
	if i, ok := old.of[n]; ok || len(old.all) > math.MaxUint16 {
		return i
	}
	more := &numbered{of: maps.Clone(old.of), all: append(old.all[:len(old.all):len(old.all)], n)}
	if more.of == nil {
		more.of = map[Name]uint16{}
	}
	i := uint16(len(old.all))
	more.of[n] = i
	names.now.Store(more)
	return i
}

// NameOf returns the name of a number, or a zero Name if no name has it. Any goroutine.
func NameOf(i uint16) Name {
	if now := names.now.Load(); now != nil && int(i) < len(now.all) {
		return now.all[i]
	}
	return Name{}
}
