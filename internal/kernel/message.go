package kernel

import (
	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// Package msg has the memory of messages. This file has the kernel's names for its types, and the
// nodes of a worker.

// Message is the header of every message. The payload follows it in memory.
type Message = msg.Message

// messageList is a queue of messages.
type messageList = msg.List

// SizeClass is one layout of messages.
type SizeClass = msg.SizeClass

// PayloadOf returns a pointer to the payload of m. M must be the payload type of m's size class, or
// have the same shape. The caller owns m.
func PayloadOf[M any](m *Message) *M { return (*M)(m.Payload()) }

// Alloc returns a node of a size class. It takes about a nanosecond while the cache lasts. Owner
// only.
func (c *Turn) Alloc(id uint16) *Message {
	if m := c.Cache.Take(id); m != nil {
		return m
	}
	return c.refill(id)
}

// refill is Alloc for an empty magazine.
func (c *Turn) refill(id uint16) (m *Message) {
	if c.Dry {
		return c.makeInTurn(id)
	}
	if c.Travels != nil {
		c.withCache(func() { m = c.Alloc(id) })
		return m
	}
	m, n := c.Cache.Refill(id)
	// A behaviour that sends more than it runs takes longer than a unit of work did so far.
	c.W.SpendOverhead(n)
	return m
}

// dropCaches leaves the worker's caches to the garbage collector: its goroutine or the system ends,
// and there may never be another turn.
func (c *Turn) dropCaches() {
	c.Cache.Flush()
	c.Chunks.Drop()
	c.rooting = nil
}

// RecycleChain takes back the n nodes from first to end, which have one tag and hold no pointers
// any more. n is at most msg.ChainLength. A bias mark may come alone, and is left where it is.
// Owner only.
func (c *Turn) RecycleChain(first, end *Message, n int) {
	if !c.Cache.Covers(first.SizeClass()) && !c.mayRecycle(first, end, n) {
		return
	}
	if crossed := c.Cache.FreeChain(first, end, n); crossed > 0 {
		c.W.Crossed(crossed)
	}
}

// mayRecycle makes a magazine for nodes of another cache, and reports true. If a magazine is not
// worth it, mayRecycle disposes of the nodes itself and reports false. A worker that will be idle
// after this turn gets none: with a thousand turns that block, each would keep kilobytes for one
// message.
func (c *Turn) mayRecycle(first, end *Message, n int) bool {
	switch {
	case first.IsMark():
		return false
	case c.Travels != nil:
		c.withCache(func() { c.RecycleChain(first, end, n) })
		return false
	case c.Dry || c.W.Detached():
		msg.Unlink(first, n)
		return false
	}
	c.Cache.Grow()
	return true
}
