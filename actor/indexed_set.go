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

// verifyAdd checks a thing that takes a place in a indexed set.
func verifyAdd[T any](who *T, at *int) {
	invariant.Check(who != nil, "nobody takes a place in a roster")
	invariant.Check(*at == 0, "who takes a place in a roster has place %d already", *at)
}

// verifyRemove checks the one that leaves place i of a indexed set: it knows its place, and the
// last one knows its own.
func verifyRemove[T any](r *indexedSet[T], i int, at *int) {
	invariant.Check(i < len(r.entries), "place %d of %d in a roster", i+1, len(r.entries))
	invariant.Check(r.entries[i].at == at, "place %d of a roster is another's", i+1)
	last := r.entries[len(r.entries)-1]
	invariant.Check(*last.at == len(r.entries), "the last of %d in a roster has place %d", len(r.entries), *last.at)
}
