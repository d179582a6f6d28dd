// Package seam has the types on which a schedule depends: atomics, locks, parking and clocks. Every
// protocol of gallop touches shared memory only through these types.
//
// In a plain build they are types of go.uber.org/atomic, wrapped so that no call is left. Types of
// sync/atomic replace types that are not aligned on 32-bit machines, are too large, or leave no-ops
// in the code (docs/decisions/0002-the-seam.md). So the compiled code is that of the atomics
// themselves, as BenchmarkSeam shows. Under the build tag gallop_explore, the same names are
// instrumented types that call Hook before each access, so that an explorer can run the
// production source of a protocol under any interleaving.
//
// Go's atomics are sequentially consistent. So exploring interleavings of sequentially consistent
// steps is sound if every access of a protocol to shared memory goes through these types, or the
// memory has an owner, which the code names. The exceptions are Flag, Gauge, Relaxed and Window,
// whose stores are weaker; see their documentation.
package seam
