package process

import "fmt"

// A coroutine ends through its own cell: the goroutine that ends it has to be parked there. But
// another coroutine may be there, with which it has changed places. Then that one moves to the cell
// of the ending one, and the ending one to its own cell, if both belong to the calling goroutine:
//
//   - The other has been retired as well, and waits for its own cell.
//   - Or the other is being retired now, and the first had to wait, since the other ran a
//     process, which another worker could have resumed at any time.
//
// So the cell of each waiting coroutine holds a coroutine that is in use or in a pool, and at most
// as many wait as are in use or pooled. When all processes have ended, none is left.

// retire ends a coroutine that has no process and is parked. Its owner only.
func (s *System) retire(c *coroutine) {
	s.retiring.Lock()
	defer s.retiring.Unlock()
	for o := c.at.claimant; o != nil; o = c.at.claimant {
		c.at.claimant, o.at.retired = nil, nil
		c.changePlaces(o)
		o.exit()
	}
	own, at := &c.own, c.at
	other := own.retired
	switch {
	case at == own:
		c.exit()
	case other != nil:
		own.retired, at.retired = nil, other
		other.changePlaces(c)
		c.exit()
	default:
		at.retired, own.claimant = c, c
	}
}

// changePlaces has two coroutines that are parked change places. Caller owns both, and holds
// retiring.
func (c *coroutine) changePlaces(o *coroutine) {
	here, there := c.at, o.at
	c.move, o.move = there, here
	here.swap() // c goes on, to there; o goes on, to here; and the caller
	c.at, o.at = there, here
}

// exit ends a coroutine that is parked in its own cell.
func (c *coroutine) exit() {
	c.quit = true
	defer func() {
		if v := recover(); v != nil && v != (lost{}) {
			panic(fmt.Sprint("gallop: invariant: a coroutine has failed: ", v))
		}
	}()
	c.own.swap()
}
