package actor

import "github.com/gallop-go/gallop/internal/invariant"

// What must hold of nodes and of the caches that they come from and go back to, in builds that
// check invariants.

// verifyBegun checks a node that is about to get its message, from a sender with context c.
func verifyBegun(c *Context, a *cell, d *descriptor, m *message) {
	invariant.Check(m.sizeClass() == d.size.id, "%s is to be sent in a node of pool %d", d.name, m.sizeClass())
	invariant.Check(c == nil || c.sys == a.sys(), "%s is sent to %v as from its own system", d.name, a)
	invariant.Check(d.typ == a.typ(), "%s is to be sent to %v", d.name, a)
}

// verifyMagazine checks a worker's cache, which a chain that was put on it may have made too much.
func verifyMagazine(s *magazine, p *sizeClass) {
	n := p.keep - s.room
	invariant.Check(n >= 0 && (s.top == nil) == (n == 0), "a stock of %d messages, and there are some: %v", n, s.top != nil)
	invariant.Check(n < p.keep+chainLength, "a stock of %d messages, and %d may be kept", n, p.keep)
}

// verifyChain checks n nodes from first to end that are recycled together.
func verifyChain(first, end *message, n int) {
	invariant.Check(n >= 1 && n <= chainLength, "%d messages are recycled together", n)
	m := first
	for range n - 1 {
		invariant.Check(m != &closedMark && m != &noMessage, "a mark is recycled")
		invariant.Check(m.ownerTag == first.ownerTag, "messages of origins %#x and %#x are recycled together", first.ownerTag, m.ownerTag)
		m = m.next
		invariant.Check(m != nil, "%d messages are recycled, and there are less", n)
	}
	invariant.Check(m == end, "%d messages are recycled, and there are more", n)
	invariant.Check(m != &closedMark && m != &noMessage, "a mark is recycled behind %d messages", n-1)
}

// verifyRecycle checks a node that is about to be used again.
func verifyRecycle(s *magazine, m *message) {
	verifyChain(m, m, 1)
	invariant.Check(m != s.top, "a message is recycled twice")
}

// verifyLength checks a chain that was left to others.
func verifyLength(m *message, want int, p uint16, home int) {
	n := 1
	for k := m; k.next != nil; k = k.next {
		n++
	}
	invariant.Check(want == n, "a chain of %d messages says that it has %d", n, want)
	invariant.Check(m.sizeClass() == p, "a message of pool %d is in the stock of pool %d", m.sizeClass(), p)
	invariant.Check(int(m.owner()) == home, "a message of home %d is in the stock of home %d", m.owner(), home)
}

// verifyOutside checks a node from the common cache.
func verifyOutside(p *sizeClass, m *message) {
	invariant.Check(m.sizeClass() == p.id, "a message of pool %d is in pool %d", m.sizeClass(), p.id)
	invariant.Check(m.owner() == outsideOwner, "a message of home %d is in the common stock", m.owner())
}

// verifyRemote checks a chain on its way home.
func verifyRemote(s *magazine, first *message) {
	invariant.Check(first.owner() < maxOwners, "a message goes home to %d", first.owner())
	a, bundle := s.remote[first.owner()], sizeClassByID(first.sizeClass()).batchLength
	invariant.Check(a.room > 0 && a.room <= bundle, "%d messages wait to go home", bundle-a.room)
	invariant.Check((a.first == nil) == (a.room == bundle), "messages wait to go home, and their number is wrong")
}
