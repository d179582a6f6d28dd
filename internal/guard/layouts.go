package guard

import (
	"slices"
	"sync/atomic"
)

// layout says who answers for the contexts of a type.
type layout struct {
	of  uintptr // the first word of such a context: Go keeps what it points to
	own bool    // the runtime or package context alone
	// It passes questions on to the context in its first field.
	derived bool
}

// layouts are the known types of contexts for which no code of the user's answers. There are few:
// the types of package context, and of the runtime.
var layouts atomic.Pointer[[]layout]

// layoutOf returns the layout of a type that is known, or nil.
func layoutOf(of uintptr) *layout {
	if all := layouts.Load(); all != nil {
		for i := range *all {
			if l := &(*all)[i]; l.of == of {
				return l
			}
		}
	}
	return nil
}

// learn keeps the layout of a type, unless that is the user's.
func learn(of uintptr, l layout) *layout {
	l.of = of
	for l.own {
		old := layouts.Load()
		var all []layout
		if old != nil {
			all = slices.Clone(*old)
		}
		all = append(all, l)
		if layouts.CompareAndSwap(old, &all) {
			break
		}
	}
	return &l
}
