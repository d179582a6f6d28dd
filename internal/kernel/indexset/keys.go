package indexset

import "slices"

// Keys is a set of keys. The first key stays the first until it is removed. Owner only.
type Keys[K comparable] struct {
	keys []K
	at   map[K]int // the position of each key; nil: look at each
}

// Len returns the number of keys.
func (s *Keys[K]) Len() int { return len(s.keys) }

// All returns the keys, in order. The slice belongs to the set, and is valid until the set changes.
func (s *Keys[K]) All() []K { return s.keys }

// Add adds a key that is not in the set.
func (s *Keys[K]) Add(key K) {
	s.keys = append(s.keys, key)
	if s.at != nil {
		s.at[key] = len(s.keys) - 1
	} else if len(s.keys) > few {
		s.at = make(map[K]int)
		for i, k := range s.keys {
			s.at[k] = i
		}
	}
}

// Position returns the position of a key, from 0, or -1 if the key is not in the set.
func (s *Keys[K]) Position(key K) int {
	if s.at == nil {
		return slices.Index(s.keys, key)
	}
	if i, ok := s.at[key]; ok {
		return i
	}
	return -1
}

// RemoveAt removes the key at a position. The last key takes its place.
func (s *Keys[K]) RemoveAt(i int) {
	end := len(s.keys) - 1
	if s.at != nil {
		s.at[s.keys[end]] = i
		delete(s.at, s.keys[i])
	}
	var none K
	s.keys[i], s.keys[end] = s.keys[end], none
	s.keys = s.keys[:end]
}
