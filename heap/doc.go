// Package heap gives an actor memory of its own: an arena that the GC never scans
// and that is freed whole.
//
// # What it is
//
// An [Arena] hands out memory by moving one number forward. The memory comes in chunks that
// Go's allocator knows to hold no pointers. So a million actors with a million lists and
// trees cost the GC a million chunks to mark and not one object to scan.
// [Arena.Collect] copies what is still reached to new chunks; [Arena.Release] frees all of
// it. The chunks go to the [Recycler] of the worker at hand, where the next actor finds
// them.
//
// # Choosing
//
// Use an arena for many small objects that live with their actor, above all for linked
// ones: lists, trees, tables. Keep ordinary Go values for a state of a few fixed fields and
// for what must hold Go pointers. Use a [Blob] for bytes that several actors read, a
// [Region] for a graph that changes its owner. docs/heap.md has a table, and measurements.
//
// # Using
//
// Objects are reached by handles: [Ptr] for one value, [Slice] for several, [String] for
// text, [Map] and [TextMap] for tables. A handle is a number, so it may stand in the
// actor's state, in a message and in other objects of the same arena:
//
//	type node struct {
//		value int
//		next  heap.Ptr[node]
//	}
//
//	n := heap.New[node](a)
//	n.Deref(a).value = 7
//
// Types with a Go pointer in them are refused, with the path of the field. So are types
// defined from a handle type, which the collector would not recognize. A pointer, slice or
// string that Deref returns is valid until the behaviour returns; keep the handle, not the
// pointer.
//
// # Guarantees
//
// Memory is zero when it is handed out, recycled or not, and aligned to 8 bytes. A handle
// is dead once its arena was released, and never becomes alive again, not even when the
// arena is used anew. Dereferencing a dead handle, or a handle of another arena, panics. An
// arena with a limit takes no more than that, except what a collection needs and leaves:
// see [Arena.SetLimit]. What would not fit panics with [ErrArenaLimit], or returns it.
//
// A collection begins at [Root] values, which for an actor are its state and the messages
// in its mailbox. It follows handles, not Go pointers: types that keep handles behind Go
// pointers are refused as roots. What it does not reach is gone, and the handles to it are
// dead. It may go on in steps, with behaviours in between, which notice nothing.
//
// Arenas and recyclers have one owner at a time and no locks. The owner that hands one over must
// synchronize; within gallop the scheduler does.
//
// # Extending
//
// The README beside this file says how addresses and collections work, and what they
// leave room for.
//
// This package has no compatibility promise: each version may change it.
package heap
