package actor

import "github.com/gallop-go/gallop/internal/invariant"

// magazines are a worker's own stock of one pool's nodes, in chains, as in Bonwick's
// magazine allocator (USENIX 2001). Sends take from the chain in use and finished
// messages that were made here go back to it; full chains are put aside. Owner only.
//
// The stock is ample, so that a burst of a thousand messages does not empty it, and
// bounded in bytes, since only the worker itself can give it up, and one that sleeps does not.
// So the larger the nodes, the shorter the chains. Of nodes larger than a chain nothing stays here.
type magazines struct {
	use  *message
	room int                  // nodes that the chain in use lacks of a full one; below 0 if it is longer
	kept int                  // full chains put aside
	full [fullChains]*message // the head of each has its length
	away []awayChain          // by home: nodes that were made elsewhere
}

// awayChain collects nodes on their way home.
type awayChain struct {
	first *message
	room  int // nodes that it lacks of a bundle
}

const (
	chainLength = 256 // the most nodes of a full chain, and that are recycled together
	fullChains  = 8   // full chains that a worker keeps of each layout, unless its nodes are large

	chainBytes  = 32 << 10 // of a chain. Nodes of 128 bytes and less fill it with less
	bundleBytes = 16 << 10 // of a bundle, for nodes of more than 256 bytes
	largestFull = 1 << 10  // bytes of the largest nodes of which full chains are kept
)

// newStock returns empty magazines for n pools, more than a cache line away from
// whatever is allocated beside them: every message writes to them.
func newStock(n int) []magazines {
	stock, all := make([]magazines, n+2)[1:n+1], allPools()
	for id := range stock {
		stock[id].room = all[id].chain
	}
	return stock
}

// has tells whether the chain in use has a node of pool p.
func (c *Context) has(p uint16) bool { return int(p) < len(c.stock) && c.stock[p].use != nil }

// pop returns a node of the chain in use. There must be one.
func (s *magazines) pop() *message {
	m := s.use
	s.use = m.next
	s.room++
	return m
}

// alloc returns a node of pool p. About a nanosecond while the stock lasts.
func (c *Context) alloc(p uint16) *message {
	if c.has(p) {
		return c.stock[p].pop()
	}
	return c.restock(p)
}

// restock turns to a full chain, takes one from the pool, or makes a block.
func (c *Context) restock(id uint16) *message {
	if c.dry {
		return c.makeInTurn(id)
	}
	if int(id) >= len(c.stock) {
		c.growStock()
	}
	s, p := &c.stock[id], poolByID(id)
	m, n := s.takeFull()
	if m == nil {
		m, n = p.get(c.home)
	}
	c.w.Charge(n) // a behaviour that sends more than runs takes longer than a unit of work did so far
	if invariant.On {
		verifyLength(m, n, id, int(c.home))
	}
	s.use, s.room = m.next, p.chain-(n-1)
	if invariant.On {
		verifyMagazines(s, p)
	}
	return m
}

// takeFull returns a full chain that was put aside, and its length.
func (s *magazines) takeFull() (m *message, n int) {
	if s.kept == 0 {
		return nil, 0
	}
	s.kept--
	m, s.full[s.kept] = s.full[s.kept], nil
	return m, int(m.length)
}

// dropHoard leaves to Go's collector what the worker keeps to use again: its goroutine ends, or the system, and
// nobody knows whether there is ever another turn.
func (c *Context) dropHoard() {
	c.giveStock()
	c.chunks.Drop()
	c.rooting = nil
}

// giveStock leaves all that the worker has to the pools, since it may not sit on a linked chain when
// nobody has the worker any more.
func (c *Context) giveStock() {
	for id := range c.stock {
		s := &c.stock[id]
		p := poolByID(uint16(id))
		p.put(c.home, s.use, p.chain-s.room)
		for m, n := s.takeFull(); m != nil; m, n = s.takeFull() {
			p.put(c.home, m, n)
		}
		for home, a := range s.away {
			p.put(uint16(home), a.first, p.bundle-a.room)
		}
	}
	c.stock = nil
}

// growStock makes room for all layouts there are by now: a worker has none before it
// needs them, and types may be declared late.
func (c *Context) growStock() {
	bigger := newStock(poolCount())
	copy(bigger, c.stock)
	c.stock = bigger
}

// beginStock is growStock for nodes that came from elsewhere, and tells whether it is worth
// it: not to a worker that is to be a spare after this turn. A thousand turns that block
// have one message each, and stocks of five kilobytes.
func (c *Context) beginStock() bool {
	if c.dry || c.w.Stray() {
		return false // they are the collector's
	}
	c.growStock()
	return true
}

// recycle is recycleChain for one node.
func (c *Context) recycle(m *message) {
	if m.home() != c.home || int(m.pool()) >= len(c.stock) {
		c.recycleChain(m, m, 1)
		return
	}
	s := &c.stock[m.pool()]
	if invariant.On {
		verifyRecycle(s, m)
	}
	m.next, s.use = s.use, m
	if s.room--; s.room <= 0 {
		s.rotate()
	}
}

// recycleChain takes back the n nodes from first to end, of one origin, which hold no
// pointers any more. n is at most chainLength. The mark of a lease may come alone, and is left
// where it is.
func (c *Context) recycleChain(first, end *message, n int) {
	if invariant.On && !isMark(first) {
		verifyChain(first, end, n)
	}
	if int(first.pool()) >= len(c.stock) {
		if isMark(first) {
			return
		}
		if !c.beginStock() {
			unlink(first, n)
			return
		}
	}
	s := &c.stock[first.pool()]
	if home := first.home(); home != c.home {
		if home != outside {
			c.w.Crossed(n)
		}
		s.sendHome(first, end, n)
		return
	}
	end.next = s.use
	s.use = first
	if s.room -= n; s.room <= 0 {
		s.rotate()
	}
}

// rotate puts the full chain aside, or leaves it to the pool: so it does one that is twice as
// long, or they would become ever longer where a worker runs many messages and sends few.
func (s *magazines) rotate() {
	m := s.use
	p := poolByID(m.pool())
	if invariant.On {
		verifyMagazines(s, p)
	}
	n := p.chain - s.room
	s.use, s.room = nil, p.chain
	if s.kept < p.full && n < 2*p.chain {
		m.length = uint16(n)
		s.full[s.kept] = m
		s.kept++
		return
	}
	p.put(m.home(), m, n)
}

// sendHome collects nodes that were made elsewhere, and sends them on when there are
// enough.
func (s *magazines) sendHome(first, end *message, n int) {
	if s.away == nil {
		s.beginAway(first)
	}
	if invariant.On {
		verifyAway(s, first)
	}
	a := &s.away[first.home()]
	end.next = a.first
	a.first = first
	if a.room -= n; a.room <= 0 {
		p := poolByID(first.pool())
		p.put(first.home(), first, p.bundle-a.room)
		*a = awayChain{room: p.bundle}
	}
}

// beginAway makes empty chains of nodes like m, by home. A call, which keeps sendHome short.
//
//go:noinline
func (s *magazines) beginAway(m *message) {
	room := poolByID(m.pool()).bundle
	s.away = make([]awayChain, maxHomes)
	for home := range s.away {
		s.away[home].room = room
	}
}
