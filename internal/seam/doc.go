// Package seam is the one place that owns what a schedule depends on: atomics,
// parking, the clock and chance. Every protocol of gallop touches shared memory
// through these types alone.
//
// In a plain build they are go.uber.org/atomic types, aliased or wrapped (and
// sync/atomic's where those are not aligned on 32-bit machines, or too large), so the compiled
// code is that of the atomics themselves: BenchmarkSeam shows it. Under the
// build tag gallop_explore the same names are instrumented types that pass
// through Hook before each access, so that an explorer can put the production
// source of a protocol under any interleaving.
//
// Go's atomics are sequentially consistent, so exploring interleavings of
// sequentially consistent steps is sound as long as every shared access of a
// protocol is one of these, or is owned and says by whom. The exceptions are
// Flag, Gauge and Window, whose stores are weaker; see their documentation.
package seam
