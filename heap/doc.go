// Package heap gives an actor memory of its own: an arena that the GC never scans
// and that is freed whole.
//
// # Concepts
//
// An [Arena] hands out memory by moving one number forward. The memory comes in chunks that Go's
// allocator knows to hold no pointers. So a million actors with a million lists and trees cost the
// GC a million chunks to mark and not one object to scan. [Arena.Collect] copies the reachable
// objects to new chunks; [Arena.Release] frees everything. The chunks go to the [Recycler] of the
// present worker, where the next actor finds them.
//
// # Choosing
//
// Use an arena for many small objects that live with their actor, above all for linked ones: lists,
// trees, tables. Keep ordinary Go values for a state of a few fixed fields and for data with Go
// pointers. Use a [Blob] for bytes that several actors read, and a [Region] for a graph that
// changes its owner. docs/heap.md has a table, and measurements.
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
// Memory is zero when it is handed out, recycled or not, and aligned to 8 bytes. A handle is dead
// once its arena was released. It never becomes alive again, even if the arena is used anew.
// Dereferencing a dead handle, or a handle of another arena, panics. An arena with a limit holds no
// more than that, except for the needs of a collection: see [Arena.SetLimit]. A request that does
// not fit panics with [ErrArenaLimit], or returns it.
//
// A collection begins at [Root] values. For an actor these are its state and the messages in its
// mailbox. It follows handles, not Go pointers: types that keep handles behind Go pointers are
// refused as roots. Unreached objects are gone, and the handles to them are dead. A collection may
// run in steps, with behaviours in between, which do not notice it.
//
// Arenas and recyclers have one owner at a time and no locks. To pass an arena to another owner,
// the program must synchronize; within gallop the scheduler does.
//
// The README beside this file explains addresses and collections.
//
// This package has no compatibility promise: each version may change it.
package heap
