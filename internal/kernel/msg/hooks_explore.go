//go:build gallop_explore

package msg

// Furnish puts n new nodes into the magazine of each size class, so that a test that explores takes
// no nodes from Go's pools.
func (c *Cache) Furnish(n int) {
	c.Grow()
	for id := range c.magazines {
		for range n {
			m := ByID(uint16(id)).New(c.owner)
			c.FreeChain(m, m, 1)
		}
	}
}
