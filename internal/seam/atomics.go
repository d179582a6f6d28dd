//go:build !gallop_explore

package seam

import (
	stdatomic "sync/atomic"

	"go.uber.org/atomic"
)

// Pointer is an atomic pointer to T.
type Pointer[T any] = atomic.Pointer[T]

// Uint32 is an atomic 32-bit word.
type Uint32 = atomic.Uint32

// Int32 is an atomic signed 32-bit word.
type Int32 = atomic.Int32

// Bool is an atomic boolean.
type Bool = atomic.Bool

// Uint64 is an atomic 64-bit word. It is sync/atomic's, which is 8-byte aligned
// on 32-bit machines wherever it is embedded; go.uber.org/atomic's is not.
type Uint64 = stdatomic.Uint64

// Int64 is the signed twin of Uint64, aligned for the same reason.
type Int64 = stdatomic.Int64

// Explored tells whether the instrumented twin of this file was compiled in.
const Explored = false

// Point is an interleaving point between plain accesses that some other step
// must not be able to split. It compiles to nothing.
func Point() {}
