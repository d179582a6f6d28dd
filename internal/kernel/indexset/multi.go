package indexset

import "github.com/gallop-go/gallop/internal/invariant"

// few is the size up to which a collection looks at its members one by one to find a key. A larger
// Multi makes a map at the next search, and keeps it until it is empty. A larger Keys makes a map
// when a key is added, and keeps it for good.
const few = 32

// Multi is a set whose members have keys. Several members may share a key. Owner only.
type Multi[K comparable, T any] struct {
	entries []keyed[K, T]
	// The index of the latest member with each key; nil: look at each.
	latest map[K]int
}

type keyed[K comparable, T any] struct {
	entry[T]
	key   K
	older int // while there is a map: the next index with this key, or 0
}

// Len returns the number of members.
func (m *Multi[K, T]) Len() int { return len(m.entries) }

// Add adds a member that is not in the set. at points to its index.
func (m *Multi[K, T]) Add(key K, member *T, at *int) {
	if invariant.On {
		verifyAdd(member, at)
	}
	m.entries = append(m.entries, keyed[K, T]{entry: entry[T]{member, at}, key: key})
	*at = len(m.entries)
	if m.latest != nil {
		m.chain(*at)
	}
}

// Find returns a member with this key, or nil.
func (m *Multi[K, T]) Find(key K) *T {
	if m.latest == nil && len(m.entries) > few {
		m.latest = make(map[K]int)
		for i := range m.entries {
			m.chain(i + 1)
		}
	}
	if m.latest != nil {
		if at := m.latest[key]; at > 0 {
			return m.entries[at-1].member
		}
		return nil
	}
	for i := len(m.entries) - 1; i >= 0; i-- {
		if m.entries[i].key == key {
			return m.entries[i].member
		}
	}
	return nil
}

// Remove removes the member whose index at points to, and reports whether it was in the set.
func (m *Multi[K, T]) Remove(at *int) bool {
	i := *at - 1
	if i < 0 {
		return false
	}
	if invariant.On {
		m.verifyRemove(i, at)
	}
	gone, n := m.entries[i], len(m.entries)-1
	if m.latest != nil {
		m.relink(gone.key, i+1, gone.older)
	}
	if last := m.entries[n]; i < n {
		if m.latest != nil {
			m.relink(last.key, n+1, i+1)
		}
		m.entries[i], *last.at = last, i+1
	}
	m.entries[n] = keyed[K, T]{}
	m.entries = m.entries[:n]
	*at = 0
	if n == 0 {
		m.latest = nil
	}
	if invariant.On {
		m.verifyKey(gone.key)
	}
	return true
}

// Pop removes the last member and returns it, or nil if the set is empty.
func (m *Multi[K, T]) Pop() *T {
	if len(m.entries) == 0 {
		return nil
	}
	last := m.entries[len(m.entries)-1]
	m.Remove(last.at)
	return last.member
}

// Members returns a new slice of the members, in order.
func (m *Multi[K, T]) Members() []*T {
	all := make([]*T, len(m.entries))
	for i := range m.entries {
		all[i] = m.entries[i].member
	}
	return all
}

// chain makes a member the latest with its key.
func (m *Multi[K, T]) chain(at int) {
	e := &m.entries[at-1]
	e.older = m.latest[e.key]
	m.latest[e.key] = at
}

// relink replaces index from by index to in the list of members with a key. If to is 0, it ends the
// list there.
func (m *Multi[K, T]) relink(key K, from, to int) {
	switch at := m.latest[key]; {
	case at != from:
		for m.entries[at-1].older != from {
			at = m.entries[at-1].older
		}
		m.entries[at-1].older = to
	case to != 0:
		m.latest[key] = to
	default:
		delete(m.latest, key)
	}
}
