package indexset

import "github.com/gallop-go/gallop/internal/invariant"

// Invariants of members, for builds that check them.

// verifyAdd checks a member that is added.
func verifyAdd[T any](member *T, at *int) {
	invariant.Check(member != nil, "nil is added to a set")
	invariant.Check(*at == 0, "a member is added that has index %d already", *at)
}

// verifyRemove checks the indexes of the member to be removed and of the last member.
func (s *Set[T]) verifyRemove(i int, at *int) {
	invariant.Check(i < len(s.entries), "index %d in a set of %d", i+1, len(s.entries))
	verifyIndexes(s.entries[i], s.entries[len(s.entries)-1], at, len(s.entries))
}

func (m *Multi[K, T]) verifyRemove(i int, at *int) {
	invariant.Check(i < len(m.entries), "index %d in a set of %d", i+1, len(m.entries))
	verifyIndexes(m.entries[i].entry, m.entries[len(m.entries)-1].entry, at, len(m.entries))
}

func verifyIndexes[T any](gone, last entry[T], at *int, n int) {
	invariant.Check(gone.at == at, "index %d of a set is another member's", *at)
	invariant.Check(*last.at == n, "the last of %d in a set has index %d", n, *last.at)
}

// verifyKey checks the map, and its entry for one key.
func (m *Multi[K, T]) verifyKey(key K) {
	invariant.Check(m.latest == nil || len(m.entries) > 0, "an empty set has a map")
	invariant.Check(len(m.latest) <= len(m.entries),
		"%d members have %d keys", len(m.entries), len(m.latest))
	for at := m.latest[key]; at != 0; at = m.entries[at-1].older {
		e := m.entries[at-1]
		invariant.Check(e.key == key && *e.at == at,
			"a key leads to a member with another, or with index %d at %d", *e.at, at)
	}
}
