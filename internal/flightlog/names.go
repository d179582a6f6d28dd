package flightlog

import (
	"maps"
	"math"
	"sync"

	"github.com/gallop-go/gallop/internal/seam"
)

// Name is the subject of an event: a behaviour of a type or, if Behaviour is "", a type.
type Name struct{ Type, Behaviour string }

// names numbers the subjects of events, for all systems of the process, since dispatch tables are
// common to them. Types stay for ever, and so do these numbers.
var names struct {
	mu sync.Mutex
	// Copied when it grows, under mu.
	now seam.Pointer[numbered]
}

// numbered is read-only.
type numbered struct {
	all []Name // the first is for subjects without a number
	of  map[Name]uint16
}

// IndexOf returns the number of a name, which it gives at first; 0 if too many have one. Without a
// lock if the name has one. Any goroutine.
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

// NameOf returns the name of a number; a zero Name if there is none. Any goroutine.
func NameOf(i uint16) Name {
	if now := names.now.Load(); now != nil && int(i) < len(now.all) {
		return now.all[i]
	}
	return Name{}
}
