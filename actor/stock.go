package actor

import "github.com/gallop-go/gallop/internal/invariant"

// magazines are a worker's own stock of one pool's nodes, in chains, as in Bonwick's
// magazine allocator (USENIX 2001). Sends take from the chain in use and finished
// messages that were made here go back to it; full chains are put aside. Owner only.
//
// The stock is ample, so that a burst of a thousand messages does not empty it.
type magazines struct {
	use  *message
	n    int                  // nodes in use
	kept int                  // full chains put aside
	full [fullChains]*message // the head of each has its length
	away []awayChain          // by home: nodes that were made elsewhere
}

// awayChain collects nodes on their way home.
type awayChain struct {
	first *message
	n     int
}

const (
	chainLength = 256          // nodes of a full chain
	fullChains  = 8            // full chains that a worker keeps of each layout
	awayLength  = bundleLength // nodes that go home together
)

// newStock returns empty magazines for n pools, more than a cache line away from
// whatever is allocated beside them: every message writes to them.
func newStock(n int) []magazines {
	return make([]magazines, n+2)[1 : n+1]
}

// has tells whether the chain in use has a node of pool p.
func (c *Context) has(p uint16) bool { return int(p) < len(c.stock) && c.stock[p].use != nil }

// pop returns a node of the chain in use. There must be one.
func (s *magazines) pop() *message {
	m := s.use
	s.use = m.next
	s.n--
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
	s := &c.stock[id]
	m, n := s.takeFull()
	if m == nil {
		m, n = poolByID(id).get(c.home)
	}
	c.w.Charge(n) // a behaviour that sends more than runs takes longer than a unit of work did so far
	if invariant.On {
		verifyLength(m, n, id, int(c.home))
	}
	s.use, s.n = m.next, n-1
	if invariant.On {
		verifyMagazines(s)
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

// giveStock leaves all that the worker has to the pools, since it may not sit on a linked chain when
// nobody has the worker any more.
func (c *Context) giveStock() {
	for id := range c.stock {
		s := &c.stock[id]
		p := poolByID(uint16(id))
		p.put(c.home, s.use, s.n)
		for m, n := s.takeFull(); m != nil; m, n = s.takeFull() {
			p.put(c.home, m, n)
		}
		for home, a := range s.away {
			p.put(uint16(home), a.first, a.n)
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
	if s.n++; s.n >= chainLength {
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
	if s.n += n; s.n >= chainLength {
		s.rotate()
	}
}

// rotate puts the full chain aside, or leaves it to the pool.
func (s *magazines) rotate() {
	if invariant.On {
		verifyMagazines(s)
	}
	m := s.use
	m.length = uint16(s.n)
	s.use, s.n = nil, 0
	if s.kept < fullChains {
		s.full[s.kept] = m
		s.kept++
		return
	}
	poolByID(m.pool()).put(m.home(), m, int(m.length))
}

// sendHome collects nodes that were made elsewhere, and sends them on when there are
// enough.
func (s *magazines) sendHome(first, end *message, n int) {
	if s.away == nil {
		s.away = make([]awayChain, maxHomes)
	}
	if invariant.On {
		verifyAway(s, first)
	}
	a := &s.away[first.home()]
	end.next = a.first
	a.first = first
	if a.n += n; a.n >= awayLength {
		poolByID(first.pool()).put(first.home(), first, a.n)
		*a = awayChain{}
	}
}
