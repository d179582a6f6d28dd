package waitgraph

import (
	"weak"

	"github.com/gallop-go/gallop/internal/weaklist"
)

// Registry lists objects that record who waits for whom, for reports.
//
// Rejected: a list that actors enter when they begin to wait and leave when they go on. It costs
// locked instructions each time, in a program in which actors are muted often.
//
// Chosen: such objects are recycled, so they are listed once, when they are made, for good. The
// list is weak: the GC takes objects that sync.Pool drops. A wait writes two words more into an
// object that is written to anyway. The zero Registry is empty.
type Registry[T any] struct {
	list weaklist.List[weak.Pointer[T]]
}

// Add lists a new object. Any goroutine.
func (r *Registry[T]) Add(p *T) { r.list.Add(weak.Make(p), gone) }

func gone[T any](o weak.Pointer[T]) bool { return o.Value() == nil }

// Each calls f for every object that is left. Any goroutine.
func (r *Registry[T]) Each(f func(*T)) {
	for _, o := range r.list.All() {
		if p := o.Value(); p != nil {
			f(p)
		}
	}
}
