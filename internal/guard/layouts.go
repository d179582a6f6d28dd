package guard

import (
	"slices"
	"sync/atomic"
)

// layout says whose methods the contexts of a type have.
type layout struct {
	of  uintptr // the first word of such a context; Go never frees the memory it points to
	own bool    // the methods of the type itself call no user's code, or guard it
	// The methods call those of the context in the first field.
	derived bool
}

// layouts are the known types of contexts with own set. There are few: the types of package
// context, os/signal and the runtime.
var layouts atomic.Pointer[[]layout]

// layoutOf returns the layout of a known type, or nil.
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

// learn returns the layout l of a type with the first word of. It adds l to layouts if l.own is
// set.
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
