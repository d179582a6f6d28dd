//go:build gallop_explore

package seam

import "unsafe"

// spared is memory whose accesses are no interleaving points. Only the explorer uses it, as it does
// the hooks.
var spared []span

type span struct {
	from, to uintptr
	held     unsafe.Pointer // or the collector could give it to another, who would be spared
}

// Spare makes accesses within *x no interleaving points, until SpareNone: all that is done to it
// between two points elsewhere is part of one step. It is for explorations of code that stands upon
// a protocol which is explored by itself, and which would otherwise use up the preemptions. This
// leaves schedules out, and makes none up.
func Spare[T any](x *T) { spare(unsafe.Pointer(x), unsafe.Sizeof(*x)) }

// SpareAll is Spare for the elements of a slice.
func SpareAll[T any](s []T) {
	var one T
	spare(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(one))
}

// SpareNone makes all accesses interleaving points again.
func SpareNone() {
	clear(spared)
	spared = spared[:0]
}

func spare(at unsafe.Pointer, size uintptr) {
	spared = append(spared, span{uintptr(at), uintptr(at) + size, at})
}

// access comes before each access to what lies at x.
func access(x unsafe.Pointer) {
	for i := range spared {
		if s := &spared[i]; uintptr(x)-s.from < s.to-s.from {
			return
		}
	}
	Hook()
}
