//go:build !race && !gallop_explore

package seam

// On amd64 every plain store is a release store. Go's atomic store adds a full fence, which Flag
// and Gauge do not need. The compiler moves no plain store past a call, an atomic access or another
// store. It drops a store if another store to the same word follows with only stores in between, so
// code that needs both puts an atomic access between them. See TestReleaseStoresStay. In assembly
// release stores would be calls, two for each message.
// docs/decisions/0017-price-of-a-message.md

// Each architecture has its own methods, and no function that they share: each call that is inlined
// may leave a no-op.

// StoreRelease sets the word. The caller's earlier writes are visible to a goroutine that loads the
// new value. Only for the party that alone may change the present value.
func (f *Flag) StoreRelease(v uint32) { f.v = v }

// StoreRelease publishes the figure. One writer.
func (g *Gauge) StoreRelease(v uint64) { g.v = v }
