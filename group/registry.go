package group

import (
	"reflect"
	"slices"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// Registry is a table of groups: a key and its members, which any goroutine or actor can list, and
// to whose changes any actor can subscribe. A member is any comparable value: an [actor.Ref], an
// [actor.AnyRef], an [actor.Handler], an [actor.Asker], or a struct around one of these. Make one
// with [NewRegistry], as many per system as you like. It can be used at once; start its actor with
// [Registry.Start], or as the child of a supervisor with [Registry.Child]. It may be copied. The zero
// Registry is not usable: its methods panic.
//
// # Order
//
// A registry is a shared table and an actor that maintains it. Join, Leave and Members work on the
// table under a mutex and take effect before they return: a Join synchronizes before every Members
// that returns the member, and a goroutine or actor sees its own Join at once. Subscribers are
// notified later, by the actor: each gets the changes of one key in the order in which they took
// place. Changes in quick succession are combined into one; a member that has left again by then is
// not mentioned.
//
// # Ends
//
// A member that is an [actor.Target], as refs are and the handlers that [actor.Behaviour.To]
// returns, leaves all its groups when it ends; a restart in place is no end. The registry learns of
// an end asynchronously, so Members may return a member that has just ended. Any other member stays
// until it leaves. A key without members is removed.
//
// # Restarts
//
// Members and subscribers survive every restart of the actor, also if it is replaced by a new one.
// While there is no actor, subscribers are not notified, and members that end stay in; the next
// actor catches up.
//
// # Subscribers that do not keep up
//
// They do not slow the registry or other subscribers down. They get the changes that they have
// missed as one Change for each key when they have recovered.
type Registry[K, V comparable] struct{ t *registryTable[K, V] }

// Change is the message to a subscriber of a [Registry]: the members that have joined a group and that
// have left it since the last Change of that key, and all members now. The first Change of a key
// has all members, and is sent even if there are none.
type Change[K, V comparable] struct {
	// Key is the group's key.
	Key K
	// Joined and Left are the members that have joined and left. One that has left and joined again
	// is in both. If the subscriber has missed that, it is in both if its place among the members has
	// changed. Members are those of the last Change without Left, and then Joined.
	Joined, Left []V
	// Members are all members after the change, in the order in which they joined. The
	// slice is shared: do not change its elements.
	Members []V
}

// NewRegistry makes a registry, which is not started yet.
func NewRegistry[K, V comparable]() Registry[K, V] {
	return Registry[K, V]{newRegistryTable[K, V]()}
}

// Start starts the registry's actor, and returns the registry. The actor ends with its system or by
// [Registry.Stop]. Start panics if the registry was started before, or is the child of a supervisor.
func (r Registry[K, V]) Start(from actor.Sender) Registry[K, V] {
	t := r.ready()
	t.start(from)
	t.publish(listed(t.typ.typ.Spawn(from, registryActor[K, V]{table: t})))
	return r
}

// Child declares the registry's actor as the child of a supervisor. Set what it says about restarts
// and the like in what Child returns. A registry is for one running tree: a second actor fails to
// start. Child panics if the registry was started.
func (r Registry[K, V]) Child(name string) supervise.Worker[registryActor[K, V]] {
	t := r.ready()
	t.declare()
	return supervise.Worker[registryActor[K, V]]{Name: name, Type: t.typ.typ,
		Init: func(a *registryActor[K, V]) { a.table = t }}
}

func (r Registry[K, V]) ready() *registryTable[K, V] {
	if r.t == nil {
		panic("gallop: group: a zero Registry: use NewRegistry")
	}
	return r.t
}

// Join makes v a member of the group of that key; a second Join does nothing. Join panics if key or
// v is nil, cannot be compared, or is not equal to itself, or if v is a zero ref. It takes constant
// time.
func (r Registry[K, V]) Join(from actor.Sender, key K, v V) {
	t := r.ready()
	mustBeKey("Join", "key", key)
	mustBeKey("Join", "member", v)
	if z, ok := any(v).(interface{ IsZero() bool }); ok && z.IsZero() {
		panic("gallop: group: Join of a zero Ref")
	}
	t.update(from, func() bool { return t.join(key, v) })
}

// Leave removes v from the group of that key, if it is a member. Leave panics as [Registry.Join]
// does, but not for a zero ref.
func (r Registry[K, V]) Leave(from actor.Sender, key K, v V) {
	t := r.ready()
	mustBeKey("Leave", "key", key)
	mustBeKey("Leave", "member", v)
	t.update(from, func() bool { return t.leave(key, v) })
}

// Members returns the members of the group of that key, in the order in which they joined; nil if
// there are none. It sends no message: it takes a read lock, and copies the group only if that has
// changed since the last call. The slice is shared: do not change its elements. Members of a
// registry that has ended returns nil. Members panics if key is nil, cannot be compared, or is not
// equal to itself. Any goroutine.
func (r Registry[K, V]) Members(key K) []V {
	t := r.ready()
	if t.typ.checksKeys {
		mustBeKey("Members", "key", key)
	}
	return t.members(key)
}

// Keys returns the keys that have members, in the order in which they were added, in a new slice.
// Any goroutine.
func (r Registry[K, V]) Keys() []K { return r.ready().keys() }

// Subscribe makes h get a [Change] now, with the members of the group of that key, and another one
// whenever a member joins or leaves, until [Registry.Unsubscribe] or the end of h. A second Subscribe
// does nothing. Subscribe panics if h is nil or a value that cannot be compared, or if key cannot be
// one.
func (r Registry[K, V]) Subscribe(from actor.Sender, key K, h actor.Handler[Change[K, V]]) {
	t := r.ready()
	mustBeKey("Subscribe", "key", key)
	mustBeHandler("Subscribe", h)
	t.request(from, subscribeRequest[K, V]{opSubscribe, key, h})
}

// Unsubscribe undoes [Registry.Subscribe]. A Change that is on its way still comes. Unsubscribe
// panics as Subscribe does.
func (r Registry[K, V]) Unsubscribe(from actor.Sender, key K, h actor.Handler[Change[K, V]]) {
	t := r.ready()
	mustBeKey("Unsubscribe", "key", key)
	mustBeHandler("Unsubscribe", h)
	t.request(from, subscribeRequest[K, V]{opUnsubscribe, key, h})
}

// SubscribeAll is [Registry.Subscribe] for all keys, including those that are added later. At first h gets
// a Change for each key that has members.
func (r Registry[K, V]) SubscribeAll(from actor.Sender, h actor.Handler[Change[K, V]]) {
	t := r.ready()
	mustBeHandler("SubscribeAll", h)
	t.request(from, subscribeRequest[K, V]{op: opSubscribeAll, h: h})
}

// UnsubscribeAll undoes [Registry.SubscribeAll], and every [Registry.Subscribe] of h.
func (r Registry[K, V]) UnsubscribeAll(from actor.Sender, h actor.Handler[Change[K, V]]) {
	t := r.ready()
	mustBeHandler("UnsubscribeAll", h)
	t.request(from, subscribeRequest[K, V]{op: opUnsubscribeAll, h: h})
}

// Any returns the registry's actor, to be watched, joined or linked; the zero AnyRef before the
// registry has started. A registry that is a supervisor's child may get another actor.
func (r Registry[K, V]) Any() actor.AnyRef { return r.ready().actorRef().Any() }

// Stop ends the registry, as [actor.Stop] does. Its members go on. It does nothing before the
// registry has started.
func (r Registry[K, V]) Stop(from actor.Sender) { r.ready().stop(from) }

// mustBeKey panics if a value could not be found again in a map.
func mustBeKey[T comparable](call, what string, v T) {
	val := reflect.ValueOf(&v).Elem()
	switch {
	case val.Kind() == reflect.Interface && val.IsNil():
		panic("gallop: group: " + call + " with a nil " + what)
	case !val.Comparable():
		panic("gallop: group: " + call + " with a " + what + " that cannot be compared")
	}
	if again := v; again != v { // it contains a NaN
		panic("gallop: group: " + call + " with a " + what + " that is not equal to itself")
	}
}

// mayBeNoKey reports whether a map may fail to find a value of t again, although == can be applied to
// t: t is, or contains, an interface, whose value may not be comparable, or a number that may be NaN.
func mayBeNoKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return mayBeNoKey(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if mayBeNoKey(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// minus returns the values of a that are not in b, in order.
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
