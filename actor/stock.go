package actor

// magazines are a worker's own stock of one pool's nodes: two chains, as in
// Bonwick's magazine allocator (USENIX 2001). Sends take from the chain in use and
// finished messages go back to it; when it is full it becomes the spare one, and a
// spare one that is pushed out goes to the pool whole. Owner only.
type magazines struct {
	use   *message
	n     int      // nodes in use
	spare *message // nil, or a full chain whose head has its length
}

// chainLength is how many nodes make a full chain. A worker keeps at most about
// twice as many of each layout.
const chainLength = 256

// pop returns a node of pool p, or nil if the chain in use is empty.
func (c *Context) pop(p uint16) *message {
	if int(p) < len(c.stock) {
		s := &c.stock[p]
		if m := s.use; m != nil {
			s.use = m.next
			s.n--
			return m
		}
	}
	return nil
}

// alloc returns a node of pool p. About a nanosecond while the stock lasts.
func (c *Context) alloc(p uint16) *message {
	if m := c.pop(p); m != nil {
		return m
	}
	return c.restock(p)
}

// restock turns to the spare chain, takes one from the pool, or makes a node.
func (c *Context) restock(id uint16) *message {
	if int(id) >= len(c.stock) { // declared after this worker was made
		c.stock = append(c.stock, make([]magazines, poolCount()-len(c.stock))...)
	}
	s := &c.stock[id]
	m := s.spare
	s.spare = nil
	if m == nil {
		p := poolByID(id)
		if m, _ = p.spare.Get().(*message); m == nil {
			return p.fresh()
		}
	}
	s.use = m.next
	s.n = int(m.length) - 1
	return m
}

// recycle takes one node back. Its payload holds no pointers any more.
func (c *Context) recycle(m *message) {
	m.sender = nil
	c.recycleChain(m, m, 1)
}

// recycleChain takes back the n nodes from first to end, of one pool, which hold no
// pointers any more.
func (c *Context) recycleChain(first, end *message, n int) {
	if int(first.pool) >= len(c.stock) {
		return // declared late and run here first: Go's collector takes them
	}
	s := &c.stock[first.pool]
	end.next = s.use
	s.use = first
	if s.n += n; s.n >= chainLength {
		s.rotate()
	}
}

// rotate puts the full chain aside.
func (s *magazines) rotate() {
	if s.spare != nil {
		poolByID(s.spare.pool).spare.Put(s.spare)
	}
	s.use.length = uint32(s.n)
	s.use, s.n, s.spare = nil, 0, s.use
}
