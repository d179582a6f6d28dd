// Package weaklist has a list of things that may go, which keeps none of them in memory.
package weaklist

import (
	"slices"
	"sync"
)

// List is a list of things that may go. An entry leads to one of them, and does not keep it: it is
// a weak pointer, or has one. The zero List is empty. Any goroutine may use it.
type List[E any] struct {
	mu      sync.Mutex
	all     []E  // guarded by mu
	tidy    int  // guarded by mu: the length to tidy at
	tidying bool // guarded by mu
}

// leastTidied is how long a list is before it is tidied.
const leastTidied = 64

// Add adds an entry. Now and then it has those dropped for which gone reports true, so that there
// are about as many of these as of others at most, but for the first few. That is done in a
// goroutine of its own: a weak pointer cannot be read while a GC cycle ends, which may take a tenth
// of a second, and Add is called in turns.
func (l *List[E]) Add(e E, gone func(E) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all = append(l.all, e); len(l.all) > max(l.tidy, leastTidied) && !l.tidying {
		l.tidying = true
		go l.clean(gone)
	}
}

// clean drops the entries for which gone reports true. One goroutine at a time calls it.
func (l *List[E]) clean(gone func(E) bool) {
	all := l.All()
	n := len(all)
	kept := slices.DeleteFunc(all, gone)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(kept, l.all[n:]...) // then entries added meanwhile
	l.tidy, l.tidying = 2*len(l.all), false
}

// All returns the entries, the oldest first. It includes entries whose things are gone.
func (l *List[E]) All() []E {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}
