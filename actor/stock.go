package actor

// magazines are a worker's own stock of one pool's nodes: two chains, as in
// Bonwick's magazine allocator (USENIX 2001). Sends take from the chain in use and
// finished messages go back to it; when it is full it becomes the spare one, and a
// spare one that is pushed out goes to the pool whole. Nothing is ever counted or
// walked: every node knows how many follow it. Owner only.
type magazines struct {
	use   *message // at most chainLength nodes
	spare *message // nil or chainLength nodes
}

// alloc returns a node of pool p. Under a nanosecond while the stock lasts.
func (c *Context) alloc(p uint16) *message {
	if int(p) < len(c.stock) {
		if m := c.stock[p].use; m != nil {
			c.stock[p].use = m.next
			return m
		}
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
	return m
}

// recycle takes a node back. The payload has been cleared if it had pointers.
func (c *Context) recycle(m *message) {
	if int(m.pool) >= len(c.stock) {
		return // declared late and run here first: Go's collector takes it
	}
	s := &c.stock[m.pool]
	h := s.use
	m.depth = 1
	if h != nil {
		if h.depth >= chainLength {
			h = s.rotate()
		} else {
			m.depth = h.depth + 1
		}
	}
	m.next, m.sender = h, nil
	s.use = m
}

// rotate puts the full chain aside and returns what remains in use: nothing.
func (s *magazines) rotate() *message {
	if s.spare != nil {
		poolByID(s.spare.pool).spare.Put(s.spare)
	}
	s.spare = s.use
	return nil
}
