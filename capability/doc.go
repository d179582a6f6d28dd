// Package capability expresses the permitted uses of shared values in types: one owner may change
// the value, or many may read it, or it may only be compared.
//
// # Concepts
//
// Data that two actors can reach is a data race unless one of three things holds. Each is
// a type here, named as in the Pony language:
//
//   - [Iso]: isolated. There is one owner, who may read and write, and who can give it away.
//     Afterwards, every use of a handle that the old owner kept panics.
//   - [Val]: a value. It is immutable, so any goroutine may read it.
//   - [Tag]: an identity. It can be compared and sent, and gives no access. The Ref of an
//     actor is a tag too: there is no way from it to the state.
//
// # Choosing
//
// Send plain values where they are small and without pointers: a copy is always safe. Use Iso for
// large values with one user at a time, and Val for values with many readers. To make data part of
// a receiver's own arena, use a Region or a Parcel of package heap.
//
// # Guarantees
//
// An Iso that was moved, taken or frozen is gone: its methods panic with an error that wraps
// [ErrGone], from whichever copy of the handle. Two goroutines that race to move one cannot both
// succeed. Go cannot promise that no other pointer into the value was kept: build it where it is,
// in the function given to [NewIso], and let nothing escape. Where invariants are checked, a write
// to a Val is found at the next View, if it is to the value itself or to its slices and maps. A
// write behind a pointer in it is not found: the target may belong to another owner, as with an
// actor whose Ref the value holds.
//
// # Types of your own
//
// A type that may be sent although it has pointers is marked by its package: [Immutable] if nothing
// changes its values, [Shared] if it has locks of its own. gallopvet, for go vet, reads the marks.
//
// # Costs
//
// An Iso, Val or Tag is one word. NewIso and NewVal make two allocations: the value, and
// the two or three words that hold it. Move and Freeze make one, of such words, and cost
// one locked instruction. View and Use are a load and a comparison.
//
// # Extending
//
// These are types for payloads. Package actor does not know them, and they do not slow down a send.
//
// This package has no compatibility promise: each version may change it.
package capability
