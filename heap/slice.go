package heap

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// Slice is a handle to a row of Ts in an [Arena], of fixed length. It is two words and
// no pointer; see [Ptr]. The zero value is the empty slice.
type Slice[T any] struct {
	_ [0]*T
	h handle
	n int
}

// MakeSlice makes n zeroed Ts in a row. It costs as much as [New].
//
// It panics if n is negative, if T is not pointer-free, and with an error that wraps
// [ErrArenaLimit] if the arena is full. Owner only.
func MakeSlice[T any](a *Arena, n int) Slice[T] {
	s, err := TryMakeSlice[T](a, n)
	if err != nil {
		panic(err)
	}
	return s
}

// TryMakeSlice is [MakeSlice], but returns an error that wraps [ErrArenaLimit] if the
// arena is full. Owner only.
func TryMakeSlice[T any](a *Arena, n int) (Slice[T], error) {
	admit[T]()
	if n <= 0 {
		checkLength(n)
		return Slice[T]{}, nil
	}
	h, err := a.alloc(rowSize(sizeOf[T](), n))
	if err != nil {
		return Slice[T]{}, err
	}
	return Slice[T]{h: h, n: n}, nil
}

// rowSize returns the size of n elements, or more than MaxObject if that overflows.
func rowSize(elem uintptr, n int) uintptr {
	hi, lo := bits.Mul(uint(elem), uint(n))
	if hi != 0 {
		return MaxObject + 1
	}
	return uintptr(lo)
}

func checkLength(n int) {
	if n < 0 {
		panic(fmt.Sprintf("gallop: heap: MakeSlice: negative length %d", n))
	}
}

// Len returns the number of elements.
func (s Slice[T]) Len() int { return s.n }

// IsZero reports whether s is the empty slice.
func (s Slice[T]) IsZero() bool { return s.n == 0 }

// Deref returns the elements, with no capacity beyond them. The Go slice is valid until the
// behaviour returns; appending to it makes a copy outside of the arena. Deref costs as much as
// [Ptr.Deref], and panics as it does, except that the empty slice is nil in every arena. Owner
// only.
func (s Slice[T]) Deref(a *Arena) []T {
	if s.n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(a.pages.at(s.h)), s.n)
}

// At returns a pointer to element i, valid until the behaviour returns. It panics if i
// is out of range, and as [Ptr.Deref] does. To visit all elements, Deref once. Owner
// only.
func (s Slice[T]) At(a *Arena, i int) *T {
	if uint(i) >= uint(s.n) {
		panicRange(i, s.n)
	}
	return (*T)(unsafe.Add(a.pages.at(s.h), uintptr(i)*sizeOf[T]()))
}

func panicRange(i, n int) {
	panic(fmt.Sprintf("gallop: heap: index %d out of range of a slice of length %d", i, n))
}
