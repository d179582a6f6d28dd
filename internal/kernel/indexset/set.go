package indexset

import "github.com/gallop-go/gallop/internal/invariant"

// Set is a set of members that know their indexes. Owner only.
type Set[T any] struct{ entries []entry[T] }

type entry[T any] struct {
	member *T
	at     *int // its index, from 1
}

// keptRoom is the number of members that an empty set has room for at most: thousands may come at
// once, and never again.
const keptRoom = 64

// Len returns the number of members.
func (s *Set[T]) Len() int { return len(s.entries) }

// Add adds a member that is not in the set. at points to its index.
func (s *Set[T]) Add(member *T, at *int) {
	if invariant.On {
		verifyAdd(member, at)
	}
	s.entries = append(s.entries, entry[T]{member, at})
	*at = len(s.entries)
}

// Remove removes the member whose index at points to, and reports whether it was in the set.
func (s *Set[T]) Remove(at *int) bool {
	i := *at - 1
	if i < 0 {
		return false
	}
	if invariant.On {
		s.verifyRemove(i, at)
	}
	n := len(s.entries) - 1
	last := s.entries[n]
	s.entries[i], *last.at = last, i+1
	s.entries[n] = entry[T]{}
	s.entries = s.entries[:n]
	if n == 0 && cap(s.entries) > keptRoom {
		s.entries = nil
	}
	*at = 0
	return true
}

// Pop removes the last member and returns it, or nil if the set is empty.
func (s *Set[T]) Pop() *T {
	if len(s.entries) == 0 {
		return nil
	}
	last := s.entries[len(s.entries)-1]
	s.Remove(last.at)
	return last.member
}

// Has reports whether a member, whose index at points to, is in the set.
func (s *Set[T]) Has(member *T, at *int) bool {
	return *at > 0 && *at <= len(s.entries) && s.entries[*at-1] == entry[T]{member, at}
}

// Members returns a new slice of the members, in order.
func (s *Set[T]) Members() []*T {
	all := make([]*T, len(s.entries))
	for i, e := range s.entries {
		all[i] = e.member
	}
	return all
}

// TakeAll empties the set and returns its members, in order.
func (s *Set[T]) TakeAll() []*T {
	all := s.Members()
	for _, e := range s.entries {
		*e.at = 0
	}
	s.entries = nil
	return all
}
