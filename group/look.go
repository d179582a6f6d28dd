package group

import (
	"reflect"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/weaklist"
)

// shown are the pools, topics and registries without a supervisor, of the systems that are looked
// into, for package inspect. The list is weak: it keeps none of them in memory.
var shown weaklist.List[func() actor.AnyRef]

func init() { access.GroupsOf = groupsOf }

// lookedInto has the methods of access.InspectorOf's result that this package uses.
type lookedInto interface {
	IsLookedInto() bool
	Weak(ref actor.AnyRef) (get func() actor.AnyRef)
}

// listed puts a new actor in the list, if its system is looked into, and returns its ref.
func listed[S any](r actor.Ref[S]) actor.Ref[S] {
	if in := access.InspectorOf(actor.SystemOf(r)).(lookedInto); in.IsLookedInto() {
		shown.Add(in.Weak(r.Any()), isGone)
	}
	return r
}

func isGone(get func() actor.AnyRef) bool {
	ref := get()
	return ref.IsZero() || actor.StatusOf(ref) == actor.StatusEnded
}

// groupsOf is access.GroupsOf.
func groupsOf(sys any) (refs []any) {
	for _, get := range shown.All() {
		ref := get()
		if !ref.IsZero() && actor.SystemOf(ref) == sys.(*actor.System) &&
			actor.StatusOf(ref) != actor.StatusEnded {
			refs = append(refs, ref)
		}
	}
	return refs
}

// Inspect says, to package inspect, how many members the pool has. It implements observe.Inspector.
func (p *poolActor[M]) Inspect() any {
	l := access.GroupLook{What: "pool", Of: typeName[M](), Members: len(p.members)}
	for _, m := range p.members {
		if m.h == nil || m.down {
			l.Down++
		}
	}
	return l
}

// Inspect says, to package inspect, how many subscribers the topic has. It implements
// observe.Inspector.
func (t *topicActor[M]) Inspect() any {
	return access.GroupLook{What: "topic", Of: typeName[M](), Members: t.subscribers.len()}
}

// Inspect says, to package inspect, how many groups and members the registry has. It implements
// observe.Inspector.
func (a *registryActor[K, V]) Inspect() any {
	t := a.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	return access.GroupLook{What: "registry", Of: typeName[K]() + " to " + typeName[V](),
		Members: len(t.keysOf), Keys: t.groups.len()}
}

func typeName[T any]() string { return reflect.TypeFor[T]().String() }
