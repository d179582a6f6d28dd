package group

import (
	"reflect"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// listed puts a new actor without a supervisor in the list for internal/inspect, if its system is
// looked into, and returns its ref.
func listed[S any](r actor.Ref[S]) actor.Ref[S] {
	ref := kernel.AnyRef(r)
	if ref.Cell().Sys().IsInspected() {
		kernel.Groups.Add(ref)
	}
	return r
}

// Inspect says, to internal/inspect, how many members the pool has. It implements observe.Inspector.
func (p *poolActor[M]) Inspect() any {
	l := kernel.GroupLook{What: "pool", Of: typeName[M](), Members: len(p.members)}
	for _, m := range p.members {
		if m.h == nil || m.down {
			l.Down++
		}
	}
	return l
}

// Inspect says, to internal/inspect, how many subscribers the topic has. It implements
// observe.Inspector.
func (t *topicActor[M]) Inspect() any {
	return kernel.GroupLook{What: "topic", Of: typeName[M](), Members: t.subscribers.len()}
}

// Inspect says, to internal/inspect, how many groups and members the registry has. It implements
// observe.Inspector.
func (a *registryActor[K, V]) Inspect() any {
	t := a.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	return kernel.GroupLook{What: "registry", Of: typeName[K]() + " to " + typeName[V](),
		Members: len(t.keysOf), Keys: t.groups.len()}
}

func typeName[T any]() string { return reflect.TypeFor[T]().String() }
