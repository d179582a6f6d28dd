// Package indexset has unordered collections from which members are removed in constant time. An
// actor keeps its links, its monitors and its names in them, and a system its stop list: there may
// be a hundred thousand of each.
//
//   - [Set]: each member knows its index in the set.
//   - [Multi]: a set whose members are also found by a key, which several may share.
//   - [Keys]: a set of keys, without members.
//
// An index counts from 1, so that the zero index says that a member is in no set. It is stored in
// the member, and only the set writes to it. A member of two sets has two indexes.
//
// Removing a member moves the last member to its index. So the order is not the order of arrival,
// but the same history always gives the same order: a run that works in this order can be repeated
// from a seed.
//
// A collection belongs to one goroutine at a time, such as the worker that runs the actor, or is
// guarded by a lock. The same lock guards the indexes. All zero values are empty.
package indexset
