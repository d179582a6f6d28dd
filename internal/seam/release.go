//go:build (amd64 || arm64) && !race && !gallop_explore

package seam

import "sync/atomic"

// Flag is a 32-bit word that any number of parties change by CompareAndSwap or Swap. StoreRelease
// is for a party that alone may change the present value. It releases but does not fence, so it
// costs next to nothing; an atomic store is a locked instruction of 5–10 ns. A party that must see
// the writes of others after its store needs a read-modify-write in between, as in Dekker's
// algorithm. Code that uses StoreRelease names that read-modify-write.
type Flag struct{ v uint32 }

// Load returns the word. It acquires. Any goroutine.
func (f *Flag) Load() uint32 { return atomic.LoadUint32(&f.v) }

// CompareAndSwap sets the word to n if it is o. Any goroutine, for an o from which no other
// goroutine changes the word by StoreRelease.
func (f *Flag) CompareAndSwap(o, n uint32) bool { return atomic.CompareAndSwapUint32(&f.v, o, n) }

// Swap sets the word to n and returns the old value. Any goroutine, under the same condition as
// CompareAndSwap for the old value.
func (f *Flag) Swap(n uint32) uint32 { return atomic.SwapUint32(&f.v, n) }

// Gauge is a 64-bit figure with one writer and any number of readers, published
// without a fence. It must not be embedded where 64-bit words are unaligned.
type Gauge struct{ v uint64 }

// Load returns a recently published figure. Any goroutine.
func (g *Gauge) Load() uint64 { return atomic.LoadUint64(&g.v) }

// Add adds n to the figure. It does not release: no protocol depends on a gauge. A reader that
// needs the exact figure must synchronize with a later step of the writer. One writer.
func (g *Gauge) Add(n uint64) { g.v += n }

// Relaxed is a 64-bit word with one writer and any number of readers. The readers may see the
// stores to several such words in any order, so the values must show by themselves that they belong
// together. A Relaxed must not be embedded where 64-bit words are unaligned.
type Relaxed struct{ v uint64 }

// Load returns the word, whole. Any goroutine.
func (x *Relaxed) Load() uint64 { return atomic.LoadUint64(&x.v) }

// Store sets the word. It does not release. One writer.
func (x *Relaxed) Store(v uint64) { x.v = v }
