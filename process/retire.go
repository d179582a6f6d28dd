package process

import "fmt"

// A coroutine ends through its home, where the goroutine that retires it has to be. But another may
// be parked there, which had changed places: then that one moves to where the retired one is, and
// the retired one goes home. If the other is a process that waits, another worker may resume it at
// any time. So the retired one lays claim to its home, and waits, until the process is resumed and
// its worker sees the claim. If the other has been retired as well, it is moved at once. So no home
// of a retired coroutine has another in it, and there are no more of them than of those in use.

// retire ends a coroutine that has no process and is parked. Its owner only.
func (s *System) retire(c *coroutine) {
	s.retiring.Lock()
	defer s.retiring.Unlock()
	c.freeClaimants()
	home, at := &c.home, c.at
	other := home.dead
	switch {
	case at == home:
		c.exit()
	case other != nil:
		home.dead, at.dead = nil, other
		other.giveWay(c)
		c.exit()
	default:
		at.dead = c
		home.claim.Store(c)
	}
}

// serveClaims ends the coroutines that wait for the cell in which c is. c's owner only.
func (s *System) serveClaims(c *coroutine) {
	s.retiring.Lock()
	defer s.retiring.Unlock()
	c.freeClaimants()
}

// freeClaimants is serveClaims. Caller holds retiring.
func (c *coroutine) freeClaimants() {
	for o := c.at.claim.Load(); o != nil; o = c.at.claim.Load() {
		c.at.claim.Store(nil)
		o.at.dead = nil
		c.giveWay(o)
		o.exit()
	}
}

// giveWay has c, which is parked in the home of o, and o change places. Caller owns both, and holds
// retiring.
func (c *coroutine) giveWay(o *coroutine) {
	home, at := &o.home, o.at
	c.move, o.move = at, home
	home.swap() // c goes on, to where o was; o goes on, home; and the caller
	c.at, o.at = at, home
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
