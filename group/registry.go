package group

import (
	"reflect"
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// Registry knows who belongs to which group: several members under a key, which anybody
// can list, and of which anybody can hear who comes and goes. A member is whatever can be
// compared: an [actor.Ref], an [actor.AnyRef], an [actor.Handler], an asker, or a struct
// around one of these. Make one with [NewRegistry], as many per system as you like, or
// with [RegistryForSupervisor]. It may be copied. The zero Registry is not ready: using
// it panics.
//
// # Order
//
// A registry is a table that all share, and an actor that looks after it. Join, Leave and
// Members work on the table and take effect before they return: a Join synchronizes
// before every Members that returns the member, and what a goroutine or an actor has
// joined it finds there itself. The watchers are told by the actor, after the fact: each
// hears the changes of one key in the order in which they took place. Changes that follow
// each other closely come as one; a member that has gone again by then is not mentioned.
//
// # Ends
//
// A member that is an [actor.Target], as refs are and the handlers that
// [actor.Behaviour.To] returns, leaves all its groups when it ends; a restart in its place
// is no end. As an end is heard of later, Members may return a member that has just ended.
// Any other member stays until it leaves. A key whose last member has left is gone.
//
// # Watchers that do not keep up
//
// hold up nobody. What they miss comes as one Change for each key when they have
// recovered.
type Registry[K, V comparable] struct{ t *registryTable[K, V] }

// Change is what a watcher of a [Registry] hears: who has joined a group and who has left
// it since the last Change of that key, and who is in it now. The first Change that a
// watcher hears of a key has all members, and comes also if there are none.
type Change[K, V comparable] struct {
	// Key is the group's key.
	Key K
	// Joined and Left are who has come and who has gone. One that has gone and come again is
	// in both.
	Joined, Left []V
	// Members are all members after the change, in the order in which they joined. The
	// slice is shared: do not change its elements.
	Members []V
}

// NewRegistry makes a registry, whose actor ends with its system or by [Registry.Stop].
func NewRegistry[K, V comparable](from actor.Sender) Registry[K, V] {
	r := Registry[K, V]{newRegistryTable[K, V](false)}
	r.t.setActor(r.t.typ.typ.Spawn(from, RegistryActor[K, V]{table: r.t}))
	return r
}

func (r Registry[K, V]) ready() *registryTable[K, V] {
	if r.t == nil {
		panic("gallop: group: a zero Registry: use NewRegistry")
	}
	return r.t
}

// Join makes v a member of the group of that key. If it is one already, it stays as it is.
// Join panics if key or v is nil, cannot be compared, or is not equal to itself, or if v is
// a zero ref. It costs the same however many members there are.
func (r Registry[K, V]) Join(from actor.Sender, key K, v V) {
	t := r.ready()
	mustBeKey("Join", "key", key)
	mustBeKey("Join", "member", v)
	if z, ok := any(v).(interface{ IsZero() bool }); ok && z.IsZero() {
		panic("gallop: group: Join of a zero Ref")
	}
	t.update(from, func() bool { return t.join(key, v) })
}

// Leave takes v out of the group of that key. If it is not in there, it does nothing. Leave
// panics as [Registry.Join] does, but not for a zero ref.
func (r Registry[K, V]) Leave(from actor.Sender, key K, v V) {
	t := r.ready()
	mustBeKey("Leave", "key", key)
	mustBeKey("Leave", "member", v)
	t.update(from, func() bool { return t.leave(key, v) })
}

// Members returns the members of the group of that key, in the order in which they joined;
// nil if there are none. It asks nobody: it takes a lock for a moment, and copies the group
// only if that has changed since the last call. The slice is shared: do not change its
// elements. Members of a registry that has ended returns nil. Any goroutine.
func (r Registry[K, V]) Members(key K) []V { return r.ready().members(key) }

// Keys returns the keys that have members, in the order in which they came. It copies all
// of them. Any goroutine.
func (r Registry[K, V]) Keys() []K { return r.ready().keys() }

// Watch makes h hear a [Change] now, with the members that the group of that key has, and
// one whenever a member comes or goes, until [Registry.Unwatch] or the end of h. Watching
// twice changes nothing. Watch panics if h is nil or a value that cannot be compared, or if
// key cannot be one.
func (r Registry[K, V]) Watch(from actor.Sender, key K, h actor.Handler[Change[K, V]]) {
	t := r.ready()
	mustBeKey("Watch", "key", key)
	mustBeHandler("Watch", h)
	t.request(from, watchRequest[K, V]{opWatch, key, h})
}

// Unwatch undoes [Registry.Watch]. A Change that is on its way still comes. Unwatch panics
// as Watch does.
func (r Registry[K, V]) Unwatch(from actor.Sender, key K, h actor.Handler[Change[K, V]]) {
	t := r.ready()
	mustBeKey("Unwatch", "key", key)
	mustBeHandler("Unwatch", h)
	t.request(from, watchRequest[K, V]{opUnwatch, key, h})
}

// WatchAll is [Registry.Watch] for all keys, also those that are still to come. At first h
// hears a Change for each key that has members.
func (r Registry[K, V]) WatchAll(from actor.Sender, h actor.Handler[Change[K, V]]) {
	t := r.ready()
	mustBeHandler("WatchAll", h)
	t.request(from, watchRequest[K, V]{op: opWatchAll, h: h})
}

// UnwatchAll undoes [Registry.WatchAll], and every [Registry.Watch] of h.
func (r Registry[K, V]) UnwatchAll(from actor.Sender, h actor.Handler[Change[K, V]]) {
	t := r.ready()
	mustBeHandler("UnwatchAll", h)
	t.request(from, watchRequest[K, V]{op: opUnwatchAll, h: h})
}

// Any returns the actor that looks after the registry, to be watched or joined. It returns
// the zero AnyRef if a supervisor has not started it yet.
func (r Registry[K, V]) Any() actor.AnyRef { return r.ready().actorRef().Any() }

// Stop ends the registry, as [actor.Stop] does. Its members go on. A registry whose actor
// has not been started is left as it is.
func (r Registry[K, V]) Stop(from actor.Sender) {
	if ref := r.ready().actorRef(); !ref.IsZero() {
		actor.Stop(from, ref)
	}
}

// mustBeKey panics if a value cannot be found again in a map.
func mustBeKey[T comparable](call, what string, v T) {
	val := reflect.ValueOf(&v).Elem()
	switch {
	case val.Kind() == reflect.Interface && val.IsNil():
		panic("gallop: group: " + call + " with a nil " + what)
	case !val.Comparable():
		panic("gallop: group: " + call + " with a " + what + " that cannot be compared")
	}
	if again := v; again != v { // it has a NaN in it
		panic("gallop: group: " + call + " with a " + what + " that is not equal to itself")
	}
}

// minus returns the values of a that are not in b, in their order.
func minus[V comparable](a, b []V) []V {
	if len(a) == 0 {
		return nil
	}
	in := make(map[V]bool, len(b))
	for _, v := range b {
		in[v] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(v V) bool { return in[v] })
}
