package waitgraph

import (
	"weak"

	"github.com/gallop-go/gallop/internal/weaklist"
)

// Registry lists the objects that record a wait and its target, for reports.
//
// Rejected: a list that actors enter when they begin to wait and leave when they go on. It costs
// locked instructions each time, in a program in which actors are muted often.
//
// Chosen: the objects are recycled, so each is listed once, when it is made. The list is weak: the
// GC takes objects that sync.Pool drops. A wait writes two more words into an object that it writes
// to anyway. The zero Registry is empty.
type Registry[T any] struct {
	list weaklist.List[weak.Pointer[T]]
}

// Add lists a new object. Any goroutine.
func (r *Registry[T]) Add(p *T) { r.list.Add(weak.Make(p), gone) }

func gone[T any](o weak.Pointer[T]) bool { return o.Value() == nil }

// Each calls f for every object that the GC has not freed. Any goroutine.
func (r *Registry[T]) Each(f func(*T)) {
	for _, o := range r.list.All() {
		if p := o.Value(); p != nil {
			f(p)
		}
	}
}
