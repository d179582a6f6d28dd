//go:build !race && !gallop_explore

package seam

// On amd64 every plain store is a release store. Go's atomic store adds a full fence, which Flag
// and Gauge do without. The compiler moves no plain store past a call, an atomic access or another
// store. It drops a store that another one to the same word follows with nothing but stores in
// between, so code that wants both puts an atomic access between them. See TestReleaseStoresStay.
// In assembly they were calls, of which a message took two.
// docs/decisions/0035-the-way-of-one-message.md

// They are no functions that both architectures call: each call that is inlined may leave a no-op.

// StoreRelease sets the word. What the caller wrote before is visible to whoever loads the new
// value. Who alone may leave the present one.
func (f *Flag) StoreRelease(v uint32) { f.v = v }

// StoreRelease publishes the figure. One writer.
func (g *Gauge) StoreRelease(v uint64) { g.v = v }
