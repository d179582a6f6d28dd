package kernel

import (
	"cmp"
	"slices"
)

// Holders returns the result of [System.Why]. For each kind of holder it also calls f for the
// actors that have most of them, up to so many actors, with their number n. "stashed message" is a
// kind there, though a stash holds nothing. It looks at one timer in so many, and returns the
// number of all timers of actors. f calls [Cell.Found] first, as for a [Glimpse]. Any goroutine.
func (s *System) Holders(most, timerStride int, f func(what string, n int, of *Cell)) (why []Holder,
	timers int) {
	t := s.tally(timerStride)
	why = t.holders()
	for _, a := range s.StopList.Members() {
		t.note("stashed message", a, nil, peekStash(a))
	}
	for _, k := range t.kinds {
		k.largest(most, f)
	}
	return why, t.timers
}

// largest calls f for the actors with the largest numbers.
func (k tallied) largest(most int, f func(what string, n int, of *Cell)) {
	var top []*Cell
	for _, a := range k.all {
		if a == nil || len(top) == most && k.by[a].n <= k.by[top[most-1]].n {
			continue
		}
		top = append(top, a)
		slices.SortStableFunc(top, func(a, b *Cell) int { return cmp.Compare(k.by[b].n, k.by[a].n) })
		top = top[:min(len(top), most)]
	}
	for _, a := range top {
		f(k.what, k.by[a].n, a)
	}
}

// peekStash returns the length of an actor's stash, as peekLife looks.
//
//go:norace
//go:noinline
func peekStash(a *Cell) int {
	if s := StashOf(a.Cold); s != nil {
		return s.kept.n
	}
	return 0
}
