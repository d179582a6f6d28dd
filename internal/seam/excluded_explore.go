//go:build gallop_explore

package seam

import "unsafe"

// excluded is memory whose accesses are no interleaving points. Like the hooks, it is for the
// explorer alone.
var excluded []span

type span struct {
	from, to uintptr
	// Keeps the memory allocated. Otherwise Go could use it for another object, whose accesses
	// would be excluded too.
	held unsafe.Pointer
}

// Exclude makes accesses within *x no interleaving points, until ExcludeNone: all accesses to it
// between two points elsewhere are part of one step. It is for explorations of code that uses a
// protocol with explorations of its own, which would otherwise use up the preemptions. Exclude
// leaves schedules out, and adds none that is impossible.
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

// access is called before each access to the memory at x.
func access(x unsafe.Pointer) {
	for i := range excluded {
		if s := &excluded[i]; uintptr(x)-s.from < s.to-s.from {
			return
		}
	}
	Hook()
}
