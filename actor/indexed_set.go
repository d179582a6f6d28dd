package actor

import "github.com/gallop-go/gallop/internal/invariant"

// indexed set is an unordered list of things that know their places in it, so that each leaves in
// constant time. The same history always gives the same order. Owner only.
type indexedSet[T any] struct{ entries []entry[T] }

type entry[T any] struct {
	who *T
	at  *int // its place, from 1; 0: it has none
}

func (r *indexedSet[T]) add(who *T, at *int) {
	if invariant.On {
		verifyAdd(who, at)
	}
	r.entries = append(r.entries, entry[T]{who, at})
	*at = len(r.entries)
}

// remove frees the place and reports whether there was one.
func (r *indexedSet[T]) remove(at *int) bool {
	i := *at - 1
	if i < 0 {
		return false
	}
	if invariant.On {
		verifyRemove(r, i, at)
	}
	n := len(r.entries) - 1
	last := r.entries[n]
	r.entries[i], *last.at = last, i+1
	r.entries[n] = entry[T]{}
	r.entries = r.entries[:n]
	*at = 0
	return true
}

// pop removes the last; nil if there is none.
func (r *indexedSet[T]) pop() *T {
	if len(r.entries) == 0 {
		return nil
	}
	s := r.entries[len(r.entries)-1]
	r.remove(s.at)
	return s.who
}
