package msg

import (
	"unsafe"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
)

// Cache has the nodes that a worker uses again, in a magazine for each size class. Only the worker
// that owns it calls its methods.
//
// The cache is large: it should serve all messages that actors send until they are muted, since
// taking a node from a size class costs more than the rest of a message. The cache is bounded in
// bytes, since only the worker itself can empty it, and a sleeping worker does not. It keeps no
// nodes of more than 16 KiB.
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
	room   int          // the number of nodes that may still be added
	remote []remoteList // by owner: nodes that others have made
}

// remoteList collects nodes on their way to their owner.
type remoteList struct {
	first *Message
	room  int // the number of nodes that a free batch still lacks
}

const (
	// ChainLength is the maximum number of nodes that are recycled together, or leave a full
	// magazine together.
	ChainLength = 256

	// The bytes of a magazine. It holds 8,192 of the smallest nodes: 1,000 for each of eight
	// actors.
	magazineBytes = 256 << 10
	chainBytes    = 32 << 10 // of nodes that leave a magazine together
	largestMany   = 1 << 10  // of larger nodes a magazine holds only a chain
	batchBytes    = 16 << 10 // of a free batch of large nodes
)

// margin is the number of magazines that fill two cache lines.
const margin = 1 + (2*cacheline.Size-1)/int(unsafe.Sizeof(magazine{}))

// NewCache returns a cache without magazines for a worker, which is given by its number.
func NewCache(worker int) Cache { return Cache{owner: uint16(worker % Outside)} }

// Owner returns the number by which nodes name the cache.
func (c *Cache) Owner() uint16 { return c.owner }

// Take returns a node of a size class. It returns nil if the magazine is empty or does not exist.
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

// Refill fills an empty magazine with a free batch, or with a new block, and takes a node. n is the
// number of nodes of the batch or block.
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

// Grow makes the missing magazines for all present size classes. A worker has no magazines before
// it needs them, and types may be declared late. Two cache lines separate the magazines from memory
// allocated beside them, since every message writes to magazines.
func (c *Cache) Grow() {
	all := All()
	bigger := make([]magazine, len(all)+2*margin)[margin : len(all)+margin]
	for id := range bigger {
		bigger[id].room = all[id].keep
	}
	copy(bigger, c.magazines)
	c.magazines = bigger
}

// Flush gives all nodes to their size classes. It is called when the worker goes: an abandoned
// cache would hold linked chains (see [SizeClass]).
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

// Hide makes the cache seem empty until Show is called: Take returns nil.
func (c *Cache) Hide() { c.hidden, c.magazines = c.magazines, nil }

// Show undoes Hide.
func (c *Cache) Show() { c.magazines, c.hidden = c.hidden, nil }

// Free takes back a node that the worker has made, if the magazine has room for at least two nodes.
// That is the usual case. Otherwise it does nothing and returns false.
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

// FreeChain takes back the n nodes from first to end, which have the same tag and cleared payloads.
// n is at most [ChainLength]. It returns the number of nodes that another worker has made: n or 0.
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

// flush gives the excess nodes and one chain to the size class.
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

// freeRemote collects nodes that another worker has made, and gives them to the size class when
// they fill a free batch.
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
