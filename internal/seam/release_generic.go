//go:build !(amd64 || arm64) || race || gallop_explore

package seam

import "sync/atomic"

// Flag is a 32-bit word that any number of parties change. Here StoreRelease is an ordinary
// atomic store, which the race detector and the explorer understand.
type Flag struct{ v Uint32 }

// Load returns the word. Any goroutine.
func (f *Flag) Load() uint32 { return f.v.Load() }

// StoreRelease sets the word. Only for the party that alone may change the present value.
func (f *Flag) StoreRelease(v uint32) { f.v.Store(v) }

// CompareAndSwap sets the word to n if it is o.
func (f *Flag) CompareAndSwap(o, n uint32) bool { return f.v.CompareAndSwap(o, n) }

// Swap sets the word to n and returns the old value.
func (f *Flag) Swap(n uint32) uint32 { return f.v.Swap(n) }

// Gauge is a 64-bit figure with one writer and any number of readers. No protocol
// depends on a gauge, so it is no interleaving point.
type Gauge struct{ v atomic.Uint64 }

// Load returns the figure. Any goroutine.
func (g *Gauge) Load() uint64 { return g.v.Load() }

// StoreRelease publishes the figure. One writer.
func (g *Gauge) StoreRelease(v uint64) { g.v.Store(v) }

// Add adds n to the figure. One writer.
func (g *Gauge) Add(n uint64) { g.v.Add(n) }

// Relaxed is a 64-bit word with one writer and any number of readers. Here it is an ordinary atomic
// word, and its accesses are interleaving points of explorations.
type Relaxed struct{ v Uint64 }

// Load returns the word. Any goroutine.
func (x *Relaxed) Load() uint64 { return x.v.Load() }

// Store sets the word. One writer.
func (x *Relaxed) Store(v uint64) { x.v.Store(v) }
