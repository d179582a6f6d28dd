package msg

import (
	"unsafe"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
)

// Cache has the nodes that a worker uses again, in a magazine for each size class. The worker that
// owns it only, except where a method says otherwise.
//
// The cache is ample: the nodes of all that actors send until they are muted should come from it
// and go back to it, again and again, since a size class costs more than the rest of a message. The
// cache is bounded in bytes, since only the worker itself can give it up, and a sleeping worker
// does not. Of nodes of more than 16 KiB nothing stays here.
type Cache struct {
	magazines []magazine // by size class
	hidden    []magazine // the magazines that Hide has put away
	owner     uint16
}

// magazine holds free nodes of one size class. Sends take from its top, and finished messages that
// the worker has made go back there, so that the node used last, which is in the processor's cache,
// is used next.
type magazine struct {
	top    *Message
	room   int          // nodes that it lacks of as many as it may have
	remote []remoteList // by owner: nodes that others have made
}

// remoteList collects nodes on their way to their owner.
type remoteList struct {
	first *Message
	room  int // nodes that it lacks of a free batch
}

const (
	// ChainLength is the most nodes that are recycled together, or leave a full magazine together.
	ChainLength = 256

	// Of the smallest nodes a magazine holds 8,192, which eight actors send at 1,000 each.
	magazineBytes = 256 << 10
	chainBytes    = 32 << 10 // of nodes that leave a magazine together
	largestMany   = 1 << 10  // larger nodes: a chain of them at most
	batchBytes    = 16 << 10 // of a free batch, for large nodes
)

// margin is how many magazines it takes to fill two cache lines.
const margin = 1 + (2*cacheline.Size-1)/int(unsafe.Sizeof(magazine{}))

// NewCache returns a cache without magazines, of the worker with a number.
func NewCache(worker int) Cache { return Cache{owner: uint16(worker % Outside)} }

// Owner returns the number by which nodes name the cache.
func (c *Cache) Owner() uint16 { return c.owner }

// Take returns a node of a size class; nil if the magazine is empty, or there is none.
func (c *Cache) Take(id uint16) *Message {
	if int(id) >= len(c.magazines) {
		return nil
	}
	s := &c.magazines[id]
	m := s.top
	if m != nil {
		s.top = m.Next
		s.room++
	}
	return m
}

// Refill fills an empty magazine with a free batch, or with a new block, and takes a node. It
// returns how many nodes there were.
func (c *Cache) Refill(id uint16) (m *Message, n int) {
	if !c.Covers(id) {
		c.Grow()
	}
	s, class := &c.magazines[id], ByID(id)
	m, n = class.get(c.owner)
	if invariant.On {
		verifyLength(m, n, id, int(c.owner))
	}
	s.top, s.room = m.Next, class.keep-(n-1)
	if invariant.On {
		verifyMagazine(s, class)
	}
	return m, n
}

// Covers reports whether there is a magazine for a size class.
func (c *Cache) Covers(id uint16) bool { return int(id) < len(c.magazines) }

// Grow makes magazines for all size classes that there are by now: a worker has none before it
// needs them, and types may be declared late. They are two cache lines away from anything allocated
// beside them, since every message writes to magazines.
func (c *Cache) Grow() {
	all := All()
	bigger := make([]magazine, len(all)+2*margin)[margin : len(all)+margin]
	for id := range bigger {
		bigger[id].room = all[id].keep
	}
	copy(bigger, c.magazines)
	c.magazines = bigger
}

// Flush leaves all nodes to their size classes. A worker that has gone may not keep a linked chain.
func (c *Cache) Flush() {
	for id := range c.magazines {
		s, class := &c.magazines[id], ByID(uint16(id))
		class.put(c.owner, s.top, class.keep-s.room)
		for owner, r := range s.remote {
			class.put(uint16(owner), r.first, class.batch-r.room)
		}
	}
	c.magazines = nil
}

// Hide makes the cache seem empty, until Show: each Take returns nil.
func (c *Cache) Hide() { c.hidden, c.magazines = c.magazines, nil }

// Show undoes Hide.
func (c *Cache) Show() { c.magazines, c.hidden = c.hidden, nil }

// Free takes back nearly every node: one that the worker has made, if the magazine has room for
// more than it. Otherwise it does nothing and reports false.
func (c *Cache) Free(m *Message) bool {
	if id := m.SizeClass(); m.Owner() == c.owner && int(id) < len(c.magazines) {
		if s := &c.magazines[id]; s.room > 1 {
			if invariant.On {
				verifyFree(s, m)
			}
			m.Next, s.top = s.top, m
			s.room--
			return true
		}
	}
	return false
}

// FreeChain takes back the n nodes from first to end, which have one tag and hold no pointers any
// more. n is at most [ChainLength]. It returns how many of them another worker has made.
func (c *Cache) FreeChain(first, end *Message, n int) (crossed int) {
	if invariant.On {
		verifyChain(first, end, n)
	}
	s := &c.magazines[first.SizeClass()]
	if owner := first.Owner(); owner != c.owner {
		s.freeRemote(first, end, n)
		if owner == Outside {
			return 0
		}
		return n
	}
	end.Next = s.top
	s.top = first
	if s.room -= n; s.room <= 0 {
		s.flush()
	}
	return 0
}

// flush leaves a chain, and any excess, to the size class.
func (s *magazine) flush() {
	class := ByID(s.top.SizeClass())
	if invariant.On {
		verifyMagazine(s, class)
	}
	s.top = class.put(s.top.Owner(), s.top, class.chain-s.room)
	s.room = class.chain
	if invariant.On {
		verifyMagazine(s, class)
	}
}

// freeRemote collects nodes that another worker has made, and sends them on when there are enough.
func (s *magazine) freeRemote(first, end *Message, n int) {
	if s.remote == nil {
		s.makeRemote(first)
	}
	if invariant.On {
		verifyRemote(s, first)
	}
	r := &s.remote[first.Owner()]
	end.Next = r.first
	r.first = first
	if r.room -= n; r.room <= 0 {
		class := ByID(first.SizeClass())
		class.put(first.Owner(), first, class.batch-r.room)
		*r = remoteList{room: class.batch}
	}
}

// makeRemote makes empty lists of nodes like m, by owner.
func (s *magazine) makeRemote(m *Message) {
	room := ByID(m.SizeClass()).batch
	s.remote = make([]remoteList, MaxOwners)
	for owner := range s.remote {
		s.remote[owner].room = room
	}
}
