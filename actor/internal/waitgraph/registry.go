package waitgraph

import (
	"sync"
	"weak"
)

// Registry lists objects in which is written who waits for whom, to be found for reports.
//
// Rejected: a list that actors enter when they begin to wait and leave when they go on. It costs
// locked instructions each time, in a program in which actors are muted often.
//
// Chosen: such objects are recycled, so they are listed once, when they are made, for good. The
// list is weak: what sync.Pool drops, the GC takes. To wait writes two words more into an object
// that is written to anyway. The zero Registry is empty.
type Registry[T any] struct {
	mu  sync.Mutex
	all []weak.Pointer[T] // guarded by mu
	// Guarded by mu: at this length those that are gone are dropped.
	tidy int
}

// leastTidied is how many entries a list has before it is tidied.
const leastTidied = 64

// Add lists a new object. Any goroutine.
func (r *Registry[T]) Add(p *T) {
	w := weak.Make(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) >= max(r.tidy, leastTidied) {
		left := r.all[:0]
		for _, o := range r.all {
			if o.Value() != nil {
				left = append(left, o)
			}
		}
		clear(r.all[len(left):])
		r.all, r.tidy = left, 2*len(left)
	}
	r.all = append(r.all, w)
}

// Each calls f for every object that is left. Any goroutine.
func (r *Registry[T]) Each(f func(*T)) {
	r.mu.Lock()
	all := append([]weak.Pointer[T](nil), r.all...)
	r.mu.Unlock()
	for _, w := range all {
		if p := w.Value(); p != nil {
			f(p)
		}
	}
}
