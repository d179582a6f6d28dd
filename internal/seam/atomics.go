//go:build !gallop_explore

package seam

import (
	stdatomic "sync/atomic"

	"go.uber.org/atomic"
)

// Pointer is an atomic pointer to T. It is sync/atomic's: each method of go.uber.org/atomic's calls
// a method of sync/atomic's, and inlining both leaves a no-op. A message had several of these
// no-ops. Besides, a program that links go.uber.org/atomic's is 30 KB larger, for methods that are
// not called.
type Pointer[T any] = stdatomic.Pointer[T]

// Uint32 is an atomic 32-bit word. It wraps sync/atomic's, because go.uber.org/atomic's takes eight
// bytes, four too many in every actor.
type Uint32 struct{ v stdatomic.Uint32 }

// Load returns the word.
func (x *Uint32) Load() uint32 { return x.v.Load() }

// Store sets the word.
func (x *Uint32) Store(v uint32) { x.v.Store(v) }

// Swap sets the word and returns the old one.
func (x *Uint32) Swap(v uint32) uint32 { return x.v.Swap(v) }

// CompareAndSwap sets the word to n if it is o.
func (x *Uint32) CompareAndSwap(o, n uint32) bool { return x.v.CompareAndSwap(o, n) }

// Add adds d and returns the sum.
func (x *Uint32) Add(d uint32) uint32 { return x.v.Add(d) }

// Int32 is an atomic signed 32-bit word. It wraps go.uber.org/atomic's instead of being an
// alias of it, because the compiler inlines the methods of an aliased type only into
// packages that import its own: each load was a call.
type Int32 struct{ v atomic.Int32 }

// Load returns the word.
func (x *Int32) Load() int32 { return x.v.Load() }

// Store sets the word.
func (x *Int32) Store(v int32) { x.v.Store(v) }

// Swap sets the word and returns the old one.
func (x *Int32) Swap(v int32) int32 { return x.v.Swap(v) }

// CompareAndSwap sets the word to n if it is o.
func (x *Int32) CompareAndSwap(o, n int32) bool { return x.v.CompareAndSwap(o, n) }

// Add adds d and returns the sum.
func (x *Int32) Add(d int32) int32 { return x.v.Add(d) }

// Bool is an atomic boolean. It wraps go.uber.org/atomic's for the same reason as Int32.
type Bool struct{ v atomic.Bool }

// Load returns the boolean.
func (x *Bool) Load() bool { return x.v.Load() }

// Store sets the boolean.
func (x *Bool) Store(v bool) { x.v.Store(v) }

// Swap sets the boolean and returns the old one.
func (x *Bool) Swap(v bool) bool { return x.v.Swap(v) }

// CompareAndSwap sets the boolean to n if it is o.
func (x *Bool) CompareAndSwap(o, n bool) bool { return x.v.CompareAndSwap(o, n) }

// Uint64 is an atomic 64-bit word. It is sync/atomic's, which is 8-byte aligned
// on 32-bit machines wherever it is embedded; go.uber.org/atomic's is not.
type Uint64 = stdatomic.Uint64

// Int64 is an atomic signed 64-bit word. It is sync/atomic's for the same reason as Uint64.
type Int64 = stdatomic.Int64

// Explored reports whether the instrumented twin of this file was compiled in.
const Explored = false

// Point is an interleaving point of explorations, for code that accesses plain memory. It compiles
// to nothing.
func Point() {}
