//go:build !race && !gallop_explore

package seam

// StoreRelease sets the word. The caller's earlier writes are visible to a goroutine that loads the
// new value. Only for the party that alone may change the present value.
func (f *Flag) StoreRelease(v uint32) { storeRelease32(&f.v, v) }

// StoreRelease publishes the figure. One writer.
func (g *Gauge) StoreRelease(v uint64) { storeRelease64(&g.v, v) }

//go:noescape
func storeRelease32(p *uint32, v uint32)

//go:noescape
func storeRelease64(p *uint64, v uint64)
