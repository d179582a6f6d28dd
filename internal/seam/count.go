package seam

import (
	"sync/atomic"

	"github.com/gallop-go/gallop/internal/nocmp"
)

// Count is an atomic figure that is no interleaving point in any build. It is for figures for which
// no thread waits, and for figures that a cleanup of the GC changes: a cleanup runs at any time, in
// the middle of another exploration as well.
type Count struct {
	_ nocmp.Field
	v atomic.Int64
}

// Load returns the figure.
func (c *Count) Load() int64 { return c.v.Load() }

// Add adds d and returns the sum.
func (c *Count) Add(d int64) int64 { return c.v.Add(d) }
