package msg

import "github.com/gallop-go/gallop/internal/invariant"

// Invariants of nodes and of their caches, for builds that check them.

// verifyList checks that a list ends in its last message.
func verifyList(l *List) {
	if l.First != nil {
		invariant.Check(l.Last != nil && l.Last.Next == nil, "a list of messages goes on behind its last")
	}
}

// verifyMagazine checks a magazine. It may be too full by up to a chain.
func verifyMagazine(s *magazine, class *SizeClass) {
	n := class.keep - s.room
	invariant.Check(n >= 0 && (s.top == nil) == (n == 0),
		"a magazine of %d messages, and there are some: %v", n, s.top != nil)
	invariant.Check(n < class.keep+ChainLength, "a magazine of %d messages, and %d may be kept", n,
		class.keep)
}

// verifyChain checks n nodes from first to end that are recycled together.
func verifyChain(first, end *Message, n int) {
	invariant.Check(n >= 1 && n <= ChainLength, "%d messages are recycled together", n)
	m := first
	for range n - 1 {
		invariant.Check(!m.IsMark(), "a mark is recycled")
		invariant.Check(m.OwnerTag == first.OwnerTag,
			"messages with tags %#x and %#x are recycled together", first.OwnerTag, m.OwnerTag)
		m = m.Next
		invariant.Check(m != nil, "%d messages are recycled, and there are less", n)
	}
	invariant.Check(m == end, "%d messages are recycled, and there are more", n)
	invariant.Check(!m.IsMark(), "a mark is recycled behind %d messages", n-1)
}

// verifyFree checks a node that is about to be used again.
func verifyFree(s *magazine, m *Message) {
	verifyChain(m, m, 1)
	invariant.Check(m != s.top, "a message is recycled twice")
}

// verifyLength checks a chain that came from a size class.
func verifyLength(m *Message, want int, id uint16, owner int) {
	n := 1
	for k := m; k.Next != nil; k = k.Next {
		n++
	}
	invariant.Check(want == n, "a chain of %d messages says that it has %d", n, want)
	invariant.Check(m.SizeClass() == id, "a message of size class %d is in size class %d",
		m.SizeClass(), id)
	invariant.Check(int(m.Owner()) == owner, "a message of owner %d is among those of owner %d",
		m.Owner(), owner)
}

// verifyOutside checks a node for a sender without a worker.
func verifyOutside(s *SizeClass, m *Message) {
	invariant.Check(m.SizeClass() == s.ID, "a message of size class %d is in size class %d",
		m.SizeClass(), s.ID)
	invariant.Check(m.Owner() == Outside, "a message of owner %d is among those from outside",
		m.Owner())
}

// verifyRemote checks a list of nodes on their way to their owner.
func verifyRemote(s *magazine, first *Message) {
	invariant.Check(first.Owner() < MaxOwners, "a message goes to owner %d", first.Owner())
	r, batch := s.remote[first.Owner()], ByID(first.SizeClass()).batch
	invariant.Check(r.room > 0 && r.room <= batch, "%d messages wait for their owner", batch-r.room)
	invariant.Check((r.first == nil) == (r.room == batch),
		"messages wait for their owner, and their number is wrong")
}
