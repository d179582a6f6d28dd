package actor

import "github.com/gallop-go/gallop/actor/internal/msg"

// alloc returns a node of a size class. About a nanosecond while the cache lasts.
func (c *Context) alloc(id uint16) *message {
	if m := c.cache.Take(id); m != nil {
		return m
	}
	return c.refill(id)
}

// refill is alloc for an empty magazine.
func (c *Context) refill(id uint16) (m *message) {
	if c.dry {
		return c.makeInTurn(id)
	}
	if c.travels != nil {
		c.withCache(func() { m = c.alloc(id) })
		return m
	}
	m, n := c.cache.Refill(id)
	// A behaviour that sends more than it runs takes longer than a unit of work did so far.
	c.w.SpendOverhead(n)
	return m
}

// dropCaches leaves to the GC what the worker keeps for reuse: its goroutine or the system ends, and
// there may never be another turn.
func (c *Context) dropCaches() {
	c.cache.Flush()
	c.chunks.Drop()
	c.rooting = nil
}

// recycleChain takes back the n nodes from first to end, which have one tag and hold no pointers any
// more. n is at most msg.ChainLength. A bias mark may come alone, and is left where it is.
func (c *Context) recycleChain(first, end *message, n int) {
	if !c.cache.Covers(first.SizeClass()) && !c.mayRecycle(first, end, n) {
		return
	}
	if crossed := c.cache.FreeChain(first, end, n); crossed > 0 {
		c.w.Crossed(crossed)
	}
}

// mayRecycle makes a magazine for nodes from elsewhere, if that is worth it, which it reports.
// Otherwise it has done with them what is to be done. It is not worth it for a worker that is to be
// idle after this turn: a thousand turns that block would have one message each, and caches of
// kilobytes.
func (c *Context) mayRecycle(first, end *message, n int) bool {
	switch {
	case first.IsMark():
		return false
	case c.travels != nil:
		c.withCache(func() { c.recycleChain(first, end, n) })
		return false
	case c.dry || c.w.Detached():
		msg.Unlink(first, n)
		return false
	}
	c.cache.Grow()
	return true
}
