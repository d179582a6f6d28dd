package actor

// What turn.go and send.go still call by these names. Gone with the next change to them.

func (limits) measure(a *cell, c *Context) bool { return a.measure(c) }

type boundKeeper struct{}

func (boundKeeper) deliver(a *cell, c *Context, m *message) error { return a.deliverBounded(c, m) }
func (boundKeeper) refill(a *cell, c *Context) bool               { return a.refill(c) }

type arenaCollector struct{}

func (*cell) arenaKeeper() arenaCollector                  { return arenaCollector{} }
func (arenaCollector) collecting(a *cell, c *Context) bool { return a.collectMore(c) }
