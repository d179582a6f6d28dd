package actor

import (
	"unsafe"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
)

// magazine is a worker's own cache of one pool's nodes. Sends take from its top, and finished
// messages that were made here go back there, so that the node used last, which is in the cache, is
// used next. Owner only.
//
// The cache is ample: the nodes of all that actors send until they are muted should come from it
// and go back to it, again and again, since a pool costs more than the rest of a message. The cache
// is bounded in bytes, since only the worker itself can give it up, and a sleeping worker does not.
// Of nodes of more than 16 KiB nothing stays here.
type magazine struct {
	top    *message
	room   int          // nodes that it lacks of as many as it may have
	remote []remoteList // by home: nodes that were made elsewhere
}

// remoteList collects nodes on their way home.
type remoteList struct {
	first *message
	room  int // nodes that it lacks of a free batch
}

const (
	// The most nodes that are recycled together, or leave a full magazine together.
	chainLength = 256

	// Of nodes on a magazine: of the smallest 8,192, which eight actors send at 1,000 each.
	magazineBytes = 256 << 10
	// Of nodes that leave it together, and of those on a magazine if they are large.
	chainBytes     = 32 << 10
	largestMany    = 1 << 10  // bytes of the largest nodes of which there may be more
	freeBatchBytes = 16 << 10 // of a free batch, for nodes of more than 256 bytes
)

// margin is how many frees it takes to fill two cache lines.
const margin = 1 + (2*cacheline.Size-1)/int(unsafe.Sizeof(magazine{}))

// newCache returns empty magazines for n pools, two cache lines away from anything allocated beside
// them: every message writes to magazines.
func newCache(n int) []magazine {
	cache, all := make([]magazine, n+2*margin)[margin:n+margin], allSizeClasses()
	for id := range cache {
		cache[id].room = all[id].keep
	}
	return cache
}

// has reports whether there is a node of pool p on the magazine.
func (c *Context) has(p uint16) bool { return int(p) < len(c.cache) && c.cache[p].top != nil }

// pop takes a node from the magazine. There must be one.
func (s *magazine) pop() *message {
	m := s.top
	s.top = m.next
	s.room++
	return m
}

// alloc returns a node of pool p. About a nanosecond while the cache lasts.
func (c *Context) alloc(p uint16) *message {
	if c.has(p) {
		return c.cache[p].pop()
	}
	return c.refill(p)
}

// refill fills an empty magazine with what waits in the pool, or with a new block, and takes a
// node.
func (c *Context) refill(id uint16) *message {
	if c.dry {
		return c.makeInTurn(id)
	}
	if c.travels != nil {
		return c.allocHidden(id)
	}
	if int(id) >= len(c.cache) {
		c.growCache()
	}
	s, p := &c.cache[id], sizeClassByID(id)
	m, n := p.get(c.owner)
	// A behaviour that sends more than runs takes longer than a unit of work did so far.
	c.w.SpendOverhead(n)
	if invariant.On {
		verifyLength(m, n, id, int(c.owner))
	}
	s.top, s.room = m.next, p.keep-(n-1)
	if invariant.On {
		verifyMagazine(s, p)
	}
	return m
}

// allocHidden is alloc in a behaviour whose cache is hidden.
func (c *Context) allocHidden(id uint16) (m *message) {
	c.withCache(func() { m = c.alloc(id) })
	return m
}

// dropCaches leaves to the GC what the worker keeps for reuse: its goroutine or the system
// ends, and there may never be another turn.
func (c *Context) dropCaches() {
	c.flushCache()
	c.chunks.Drop()
	c.rooting = nil
}

// flushCache leaves all nodes that the worker has to the pools. A worker that nobody has any more
// may not sit on a linked chain.
func (c *Context) flushCache() {
	for id := range c.cache {
		s := &c.cache[id]
		p := sizeClassByID(uint16(id))
		p.put(c.owner, s.top, p.keep-s.room)
		for home, a := range s.remote {
			p.put(uint16(home), a.first, p.batchLength-a.room)
		}
	}
	c.cache = nil
}

// growCache makes room for all layouts there are by now: a worker has no magazines before it needs
// them, and types may be declared late.
func (c *Context) growCache() {
	bigger := newCache(sizeClassCount())
	copy(bigger, c.cache)
	c.cache = bigger
}

// ensureCache is growCache for nodes that came from elsewhere, if that is worth it, which it
// reports. It is not worth it for a worker that is to be a spare after this turn: a thousand turns
// that block would have one message each, and caches of kilobytes.
func (c *Context) ensureCache() bool {
	if c.dry || c.w.Detached() {
		return false // they are the collector's
	}
	c.growCache()
	return true
}

// recycle is recycleChain for one node.
func (c *Context) recycle(m *message) {
	if !c.free(m) {
		c.recycleChain(m, m, 1)
	}
}

// free is recycle for nearly every node: one that was made here, if the magazine has room for more
// than it. Otherwise it does nothing and reports false.
func (c *Context) free(m *message) bool {
	if m.owner() == c.owner && int(m.sizeClass()) < len(c.cache) {
		if s := &c.cache[m.sizeClass()]; s.room > 1 {
			if invariant.On {
				verifyRecycle(s, m)
			}
			m.next, s.top = s.top, m
			s.room--
			return true
		}
	}
	return false
}

// recycleChain takes back the n nodes from first to end, of one origin, which hold no
// pointers any more. n is at most chainLength. The mark of a bias may come alone, and is left
// where it is.
func (c *Context) recycleChain(first, end *message, n int) {
	if invariant.On && !isBiasMark(first) {
		verifyChain(first, end, n)
	}
	if int(first.sizeClass()) >= len(c.cache) {
		if isBiasMark(first) {
			return
		}
		if c.travels != nil {
			c.withCache(func() { c.recycleChain(first, end, n) })
			return
		}
		if !c.ensureCache() {
			unlink(first, n)
			return
		}
	}
	s := &c.cache[first.sizeClass()]
	if owner := first.owner(); owner != c.owner {
		if owner != outsideOwner {
			c.w.Crossed(n)
		}
		s.freeRemote(first, end, n)
		return
	}
	end.next = s.top
	s.top = first
	if s.room -= n; s.room <= 0 {
		s.flush()
	}
}

// flush leaves a chain, and any excess, to the pool.
func (s *magazine) flush() {
	p := sizeClassByID(s.top.sizeClass())
	if invariant.On {
		verifyMagazine(s, p)
	}
	s.top = p.put(s.top.owner(), s.top, p.chain-s.room)
	s.room = p.chain
	if invariant.On {
		verifyMagazine(s, p)
	}
}

// freeRemote collects nodes that were made elsewhere, and sends them on when there are
// enough.
func (s *magazine) freeRemote(first, end *message, n int) {
	if s.remote == nil {
		s.makeRemote(first)
	}
	if invariant.On {
		verifyRemote(s, first)
	}
	a := &s.remote[first.owner()]
	end.next = a.first
	a.first = first
	if a.room -= n; a.room <= 0 {
		p := sizeClassByID(first.sizeClass())
		p.put(first.owner(), first, p.batchLength-a.room)
		*a = remoteList{room: p.batchLength}
	}
}

// makeRemote makes empty chains of nodes like m, by home. A call, which keeps freeRemote short.
//
//go:noinline
func (s *magazine) makeRemote(m *message) {
	room := sizeClassByID(m.sizeClass()).batchLength
	s.remote = make([]remoteList, maxOwners)
	for home := range s.remote {
		s.remote[home].room = room
	}
}
