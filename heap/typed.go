package heap

import "unsafe"

// Ptr is a handle to a T in an [Arena]. It is 8 bytes and no pointer: it may be part of
// an actor's state, of a message and of other objects of the arena, and the GC
// does not look at it. Handles compare with ==; two are equal if they lead to the same
// object. The zero value is the nil handle.
type Ptr[T any] struct {
	// Makes Ptr[A] and Ptr[B] types that cannot be converted, and gives reflection the type T.
	_ [0]*T
	h handle
}

// New makes a zeroed T in the arena. It costs a few nanoseconds and does not touch the
// memory; see BenchmarkNew. Owner only.
//
// New panics with the path of the wrong field if T is not pointer-free, or
// has a field of a type that was converted from a handle type. If the arena is full, it panics
// with an error that wraps [ErrArenaLimit]: in an actor, that ends the actor.
func New[T any](a *Arena) Ptr[T] {
	if isAdmitted(typeWord[T]()) {
		if h, ok := a.bump(granules(sizeOf[T]())); ok {
			return Ptr[T]{h: h}
		}
	}
	return newSlow[T](a)
}

// newSlow is New for the first T, and for full chunks.
func newSlow[T any](a *Arena) Ptr[T] {
	p, err := TryNew[T](a)
	if err != nil {
		panic(err)
	}
	return p
}

// TryNew is [New] for code that can go on without the object: it returns an error that wraps
// [ErrArenaLimit] if the arena is full. If T is not pointer-free, TryNew panics as New does. Owner
// only.
func TryNew[T any](a *Arena) (Ptr[T], error) {
	admit[T]()
	h, err := a.alloc(sizeOf[T]())
	return Ptr[T]{h: h}, err
}

// Deref returns the object. The pointer is valid until the behaviour returns; the
// handle stays valid. For an object of the chunk that is being filled, Deref costs a
// comparison and one load; for older objects, two loads that depend on each other.
//
// It panics if p is nil, if the object was collected or the arena released since p was
// made, and if p belongs to another arena. Owner only.
func (p Ptr[T]) Deref(a *Arena) *T { return (*T)(a.pages.at(p.h)) }

// IsZero reports whether p is the nil handle.
func (p Ptr[T]) IsZero() bool { return p.h == 0 }

// sizeOf returns the size of a T, which the compiler knows.
func sizeOf[T any]() uintptr { return unsafe.Sizeof(*(*T)(nil)) }
