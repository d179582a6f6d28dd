// Package heap gives an actor memory of its own: an arena that Go's collector
// never scans and that is freed whole.
//
// # What it is
//
// An [Arena] hands out memory by moving one number forward. The memory comes in
// chunks that Go's allocator knows to hold no pointers, so that a million actors
// with a million lists and trees cost Go's collector a million chunks to mark
// and not one object to scan. What an arena holds is never freed piece by piece:
// [Arena.Release] frees all of it, and the chunks go to the [Recycler] of the
// worker at hand, where the next actor finds them.
//
// # Choosing
//
// Use an arena for many small objects that live as long as their actor, and
// above all for linked ones: lists, trees, tables. Keep ordinary Go values for a
// state of a few fixed fields, for what must hold Go pointers, and for what dies
// at very different times: until an arena is released, it only grows.
//
// # Using
//
// Objects are reached by handles: [Ptr] for one value, [Slice] for several,
// [String] for text. A handle is a number, so it may stand in the actor's state,
// in a message and in other objects of the same arena:
//
//	type node struct {
//		value int
//		next  heap.Ptr[node]
//	}
//
//	n := heap.New[node](a)
//	n.Deref(a).value = 7
//
// Types with a Go pointer in them are refused, with the path of the field. A
// pointer, slice or string that Deref returns is valid until the behaviour
// returns; keep the handle, not the pointer.
//
// # Guarantees
//
// Memory is zero when it is handed out, recycled or not, and aligned to 8 bytes.
// A handle is dead once its arena was released, and never becomes alive again,
// not even when the arena is used anew: dereferencing it, or a handle of another
// arena, panics. An arena with a limit never holds more than it; what would not
// fit panics with, or returns, [ErrArenaLimit].
//
// Arenas and recyclers have one owner at a time and no locks. Whoever hands one
// over synchronizes; within gallop the scheduler does.
//
// # Extending
//
// The README beside this file says how addresses work and what they leave room
// for: a collector that moves objects, and regions that change owners.
package heap
