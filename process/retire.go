package process

import "fmt"

// A coroutine ends through its home, where the goroutine that retires it has to be. But another may
// be parked there, with which it had changed places. That one moves to where the retired one is,
// and the retired one goes home, if both belong to the goroutine that does it:
//
//   - The other has been retired as well, and waits for its own home.
//   - Or it is the other that is being retired, and the first had to wait, since the other ran a
//     process, which another worker could have resumed at any time.
//
// So each coroutine that waits has a home in which one in use is, or one of a pool, and there are no
// more of those that wait than of these. When all processes have ended, none is left.

// retire ends a coroutine that has no process and is parked. Its owner only.
func (s *System) retire(c *coroutine) {
	s.retiring.Lock()
	defer s.retiring.Unlock()
	for o := c.at.claimant; o != nil; o = c.at.claimant {
		c.at.claimant, o.at.retired = nil, nil
		c.changePlaces(o)
		o.exit()
	}
	home, at := &c.home, c.at
	other := home.retired
	switch {
	case at == home:
		c.exit()
	case other != nil:
		home.retired, at.retired = nil, other
		other.changePlaces(c)
		c.exit()
	default:
		at.retired, home.claimant = c, c
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

// exit ends a coroutine that is parked at home.
func (c *coroutine) exit() {
	c.quit = true
	defer func() {
		if v := recover(); v != nil && v != (lost{}) {
			panic(fmt.Sprint("gallop: invariant: a coroutine has failed: ", v))
		}
	}()
	c.home.swap()
}
