//go:build gallop_explore

package seam

import "unsafe"

// excluded is memory whose accesses are no interleaving points. Only the explorer uses it, as it
// does the hooks.
var excluded []span

type span struct {
	from, to uintptr
	// Or the GC could use it again, and accesses to that would be excluded.
	held unsafe.Pointer
}

// Exclude makes accesses within *x no interleaving points, until ExcludeNone: all that is done to
// it between two points elsewhere is part of one step. It is for explorations of code that stands
// upon a protocol which is explored by itself, and which would otherwise use up the preemptions.
// This leaves schedules out, and makes none up.
func Exclude[T any](x *T) { exclude(unsafe.Pointer(x), unsafe.Sizeof(*x)) }

// ExcludeAll is Exclude for the elements of a slice.
func ExcludeAll[T any](s []T) {
	var one T
	exclude(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(one))
}

// ExcludeNone makes all accesses interleaving points again.
func ExcludeNone() {
	clear(excluded)
	excluded = excluded[:0]
}

func exclude(at unsafe.Pointer, size uintptr) {
	excluded = append(excluded, span{uintptr(at), uintptr(at) + size, at})
}

// access comes before each access to the memory at x.
func access(x unsafe.Pointer) {
	for i := range excluded {
		if s := &excluded[i]; uintptr(x)-s.from < s.to-s.from {
			return
		}
	}
	Hook()
}
