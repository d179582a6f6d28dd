//go:build gallop_explore

package seam

import (
	"sync/atomic"
	"unsafe"
)

// Explored reports whether the instrumented twin of atomics.go was compiled in.
const Explored = true

// Pointer is an atomic pointer to T.
type Pointer[T any] struct{ p atomic.Pointer[T] }

// Load returns the pointer.
func (x *Pointer[T]) Load() *T { access(unsafe.Pointer(x)); return x.p.Load() }

// Store sets the pointer.
func (x *Pointer[T]) Store(v *T) { access(unsafe.Pointer(x)); x.p.Store(v) }

// Swap sets the pointer and returns the old one.
func (x *Pointer[T]) Swap(v *T) *T { access(unsafe.Pointer(x)); return x.p.Swap(v) }

// CompareAndSwap sets the pointer to n if it is o.
func (x *Pointer[T]) CompareAndSwap(o, n *T) bool {
	access(unsafe.Pointer(x))
	return x.p.CompareAndSwap(o, n)
}

type word interface {
	~uint32 | ~int32 | ~uint64 | ~int64
}

// Word is an instrumented integer. The four integer types below share it.
type Word[T word] struct{ v atomic.Uint64 }

// Load returns the word.
func (x *Word[T]) Load() T { access(unsafe.Pointer(x)); return T(x.v.Load()) }

// Store sets the word.
func (x *Word[T]) Store(v T) { access(unsafe.Pointer(x)); x.v.Store(uint64(v)) }

// Swap sets the word and returns the old one.
func (x *Word[T]) Swap(v T) T { access(unsafe.Pointer(x)); return T(x.v.Swap(uint64(v))) }

// CompareAndSwap sets the word to n if it is o.
func (x *Word[T]) CompareAndSwap(o, n T) bool {
	access(unsafe.Pointer(x))
	return x.v.CompareAndSwap(uint64(o), uint64(n))
}

// Add adds d and returns the sum, in T's own width.
func (x *Word[T]) Add(d T) T {
	access(unsafe.Pointer(x))
	for {
		o := x.v.Load()
		n := T(o) + d
		if x.v.CompareAndSwap(o, uint64(n)) {
			return n
		}
	}
}

// Or sets the bits of m and returns the old word.
func (x *Word[T]) Or(m T) T { access(unsafe.Pointer(x)); return T(x.v.Or(uint64(m))) }

// And keeps the bits of m and returns the old word.
func (x *Word[T]) And(m T) T { access(unsafe.Pointer(x)); return T(x.v.And(uint64(m))) }

// Uint32 is an atomic 32-bit word.
type Uint32 = Word[uint32]

// Int32 is an atomic signed 32-bit word.
type Int32 = Word[int32]

// Uint64 is an atomic 64-bit word.
type Uint64 = Word[uint64]

// Int64 is an atomic signed 64-bit word.
type Int64 = Word[int64]

// Bool is an atomic boolean.
type Bool struct{ v atomic.Bool }

// Load returns the boolean.
func (x *Bool) Load() bool { access(unsafe.Pointer(x)); return x.v.Load() }

// Store sets the boolean.
func (x *Bool) Store(v bool) { access(unsafe.Pointer(x)); x.v.Store(v) }

// Swap sets the boolean and returns the old one.
func (x *Bool) Swap(v bool) bool { access(unsafe.Pointer(x)); return x.v.Swap(v) }

// CompareAndSwap sets the boolean to n if it is o.
func (x *Bool) CompareAndSwap(o, n bool) bool {
	access(unsafe.Pointer(x))
	return x.v.CompareAndSwap(o, n)
}
