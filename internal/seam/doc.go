// Package seam owns all that a schedule depends on: atomics, parking, the clock and chance. Every
// protocol of gallop touches shared memory only through these types.
//
// In a plain build they are types of go.uber.org/atomic, wrapped so that no call is left. Types of
// sync/atomic replace those that are not aligned on 32-bit machines, are too large, or leave
// something behind (docs/decisions/0002-the-seam.md). So the compiled code is that of the atomics
// themselves, as BenchmarkSeam shows. Under the build tag gallop_explore, the same names are
// instrumented types that pass through Hook before each access, so that an explorer can run the
// production source of a protocol under any interleaving.
//
// Go's atomics are sequentially consistent. So exploring interleavings of
// sequentially consistent steps is sound, as long as every shared access of a
// protocol is one of these, or its memory is owned and the code says by whom. The
// exceptions are Flag, Gauge and Window, whose stores are weaker; see their
// documentation.
package seam
