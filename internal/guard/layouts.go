package guard

import (
	"slices"
	"sync/atomic"
)

// layout says who answers for the contexts of a type.
type layout struct {
	of  uintptr // the first word of such a context: Go keeps what it points to
	own bool    // the runtime or package context alone
	// What it does not know itself it asks the context at its beginning.
	derived bool
}

// layouts are the types of which a context was asked for, and which are known to answer without
// code of the user's. There are few: those of package context, and of the runtime.
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
