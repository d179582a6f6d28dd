package group

import (
	"errors"

	"github.com/gallop-go/gallop/actor"
)

// RegistryActor is the state of the actor of a registry. It is exported for the declaration
// of a registry as the child of a supervisor: see [RegistryForSupervisor].
type RegistryActor[K, V comparable] struct {
	t        *table[K, V]
	monitors map[V]actor.Monitor
	members  map[actor.Monitor]V
	watchers map[actor.Monitor]*watcher[K, V]
}

// registryType is the type of the registries for one type of keys and members.
type registryType[K, V comparable] struct {
	typ       *actor.Type[RegistryActor[K, V]]
	look      actor.Behaviour[RegistryActor[K, V], actor.None]
	order     actor.Behaviour[RegistryActor[K, V], order[K, V]]
	recovered actor.Behaviour[RegistryActor[K, V], recovery[K, V]]
	down      actor.Behaviour[RegistryActor[K, V], actor.Down]
}

// recovery says that a courier has come to a watcher that did not keep up.
type recovery[K, V comparable] struct {
	x    *watcher[K, V]
	life int
}

func newRegistryType[K, V comparable]() *registryType[K, V] {
	t := &registryType[K, V]{typ: actor.NewType[RegistryActor[K, V]]("registry")}
	t.look = actor.Declare[actor.None](t.typ, "look", actor.Urgent())
	t.order = actor.Declare[order[K, V]](t.typ, "order")
	t.recovered = actor.Declare[recovery[K, V]](t.typ, "recovered", actor.Urgent())
	t.down = actor.Declare[actor.Down](t.typ, "down")
	t.typ.OnStart((*RegistryActor[K, V]).start)
	t.typ.Table(t.look.Do((*RegistryActor[K, V]).doLook), t.order.Do((*RegistryActor[K, V]).doOrder),
		t.recovered.Do((*RegistryActor[K, V]).doRecovered), t.down.Do((*RegistryActor[K, V]).doDown))
	return t
}

// RegistryForSupervisor makes a registry whose actor is the child of a supervisor:
//
//	rooms := group.RegistryForSupervisor[string, actor.Ref[user]]()
//	supervise.Worker[group.RegistryActor[string, actor.Ref[user]]]{Name: "rooms", Type: rooms.Type(), Init: rooms.Init}
//
// It can be used at once. Members and watchers outlive every restart of the actor, even one
// by which a new actor takes its place. While there is no actor, nobody hears of changes
// and of ends; the next one catches up. Declare it once for each tree that runs: a second
// actor for the same registry fails to start.
func RegistryForSupervisor[K, V comparable]() Registry[K, V] {
	return Registry[K, V]{newTable[K, V](true)}
}

// Type is the actor type of the registry, for [RegistryForSupervisor].
func (r Registry[K, V]) Type() *actor.Type[RegistryActor[K, V]] { return r.ready().typ.typ }

// Init makes the state of the registry's actor, for [RegistryForSupervisor].
func (r Registry[K, V]) Init(a *RegistryActor[K, V]) { a.t = r.ready() }

// start takes over the table, as a predecessor or an earlier life has left it.
func (a *RegistryActor[K, V]) start(c *actor.Context) error {
	if !a.t.serveBy(actor.Self[RegistryActor[K, V]](c)) {
		return errors.New("gallop: group: the Registry has an actor already: make one for each tree")
	}
	a.monitors, a.members = map[V]actor.Monitor{}, map[actor.Monitor]V{}
	a.watchers = map[actor.Monitor]*watcher[K, V]{}
	w := &a.t.watch
	w.life++
	for _, e := range w.all.list {
		if e.there {
			a.monitorWatcher(c, e.val)
		}
	}
	for _, v := range a.t.everybody() {
		a.monitor(c, v)
	}
	a.doLook(c, actor.None{})
	for _, e := range w.all.list {
		if e.there && e.val.busy { // its courier belongs to another life
			a.catchUp(c, e.val)
		}
	}
	for _, o := range a.t.takeOrders() {
		a.doOrder(c, o)
	}
	return nil
}

// monitor makes the actor hear of the end of a member that can be watched.
func (a *RegistryActor[K, V]) monitor(c *actor.Context, v V) {
	if target, ok := any(v).(actor.Target); ok {
		if _, there := a.monitors[v]; !there {
			m := actor.Watch(c, target, a.t.typ.down)
			a.monitors[v], a.members[m] = m, v
		}
	}
}

func (a *RegistryActor[K, V]) monitorWatcher(c *actor.Context, x *watcher[K, V]) {
	if target, ok := x.h.(actor.Target); ok {
		x.mon = actor.Watch(c, target, a.t.typ.down)
		a.watchers[x.mon] = x
	}
}

// doLook takes over what has changed in the table, and tells those who watch.
func (a *RegistryActor[K, V]) doLook(c *actor.Context, _ actor.None) {
	w := &a.t.watch
	for _, ch := range a.t.take(w.wanted) {
		for _, v := range ch.Joined {
			a.monitor(c, v)
		}
		for _, v := range ch.gone {
			if m, there := a.monitors[v]; there {
				actor.Unwatch(c, m)
				delete(a.monitors, v)
				delete(a.members, m)
			}
		}
		before := w.told[ch.Key]
		if delete(w.told, ch.Key); len(ch.Members) > 0 {
			w.told[ch.Key] = ch.Members
		}
		n := 0
		for _, e := range w.each.list {
			if e.there {
				n++
				a.tell(c, e.val, ch.Change, before)
			}
		}
		if of := w.of[ch.Key]; of != nil {
			for _, e := range of.list {
				if e.there && !e.val.each {
					n++
					a.tell(c, e.val, ch.Change, before)
				}
			}
		}
		c.Gas(n + len(ch.Joined) + len(ch.Left))
	}
}

// tell tells a watcher of a change, now or, if it does not keep up, later.
func (a *RegistryActor[K, V]) tell(c *actor.Context, x *watcher[K, V], ch Change[K, V], before []V) {
	switch {
	case x.busy:
		x.miss(ch.Key, missing[V]{before: before})
	case x.missed.find(ch.Key) != nil:
		if ch, news := x.missedOf(ch.Key, ch.Members); news {
			a.give(c, x, ch)
		}
	case len(ch.Joined)+len(ch.Left) > 0:
		a.give(c, x, ch)
	}
}

// give sends a Change to a watcher. If that does not keep up, or its handler leads to no actor, a
// courier does it: so a handler that panics harms the courier alone.
func (a *RegistryActor[K, V]) give(c *actor.Context, x *watcher[K, V], ch Change[K, V]) {
	if _, ok := x.h.(actor.Target); ok {
		err := x.h.TrySend(c, ch)
		if err == nil || isEnd(err) { // of an end the actor hears by itself
			return
		}
	}
	x.busy = true
	me, t, life := actor.Self[RegistryActor[K, V]](c), a.t.typ, a.t.watch.life
	sendByCourier(c, x.h, ch, func(c *actor.Context) {
		_ = t.recovered.TrySend(c, me, recovery[K, V]{x, life}) // in vain if the registry has ended
	})
}

func (a *RegistryActor[K, V]) doRecovered(c *actor.Context, r recovery[K, V]) {
	if r.life != a.t.watch.life || a.t.watch.all.find(r.x.h) == nil {
		return
	}
	if a.catchUp(c, r.x); !r.x.busy && hasEnded(r.x.h) {
		a.t.watch.forget(r.x) // of the end of a handler that is no Target nobody hears
	}
}

// catchUp tells a watcher that keeps up again what it has missed.
func (a *RegistryActor[K, V]) catchUp(c *actor.Context, x *watcher[K, V]) {
	x.busy = false
	for _, k := range x.missed.keys() {
		if x.busy {
			return
		}
		if ch, news := x.missedOf(k, a.t.watch.told[k]); news {
			a.give(c, x, ch)
		}
	}
}

func (a *RegistryActor[K, V]) doOrder(c *actor.Context, o order[K, V]) {
	w := &a.t.watch
	e := w.all.find(o.h)
	switch {
	case o.what == unwatch && e != nil:
		w.unwant(e.val, o.key)
		a.letGo(c, e.val)
		return
	case o.what == unwatchAll && e != nil:
		x := e.val
		x.each = false
		w.forget(x)
		a.letGo(c, x)
		return
	case o.what == unwatch, o.what == unwatchAll:
		return
	case e == nil:
		x := &watcher[K, V]{h: o.h}
		w.all.add(o.h, x)
		a.monitorWatcher(c, x)
		e = w.all.find(o.h)
	}
	a.begin(c, e.val, o)
}

// begin makes a watcher hear of a key, or of all.
func (a *RegistryActor[K, V]) begin(c *actor.Context, x *watcher[K, V], o order[K, V]) {
	w := &a.t.watch
	switch {
	case o.what == watch && x.keys.find(o.key) == nil:
		w.want(x, o.key)
		if !x.each {
			x.miss(o.key, missing[V]{first: true})
			a.t.touchKeys(o.key)
		}
	case o.what == watchAll && !x.each:
		x.each = true
		w.each.add(x.h, x)
		for _, k := range a.t.keys() {
			if x.keys.find(k) == nil {
				x.miss(k, missing[V]{first: true})
				a.t.touchKeys(k)
			}
		}
	}
	a.doLook(c, actor.None{})
}

// letGo forgets a watcher that watches nothing any more.
func (a *RegistryActor[K, V]) letGo(c *actor.Context, x *watcher[K, V]) {
	if x.each || x.keys.len() > 0 {
		return
	}
	actor.Unwatch(c, x.mon)
	delete(a.watchers, x.mon)
	a.t.watch.forget(x)
}

// doDown hears that a member or a watcher has ended.
func (a *RegistryActor[K, V]) doDown(c *actor.Context, d actor.Down) {
	if x := a.watchers[d.Monitor]; x != nil {
		delete(a.watchers, d.Monitor)
		a.t.watch.forget(x)
		return
	}
	v, there := a.members[d.Monitor]
	if !there {
		return
	}
	delete(a.members, d.Monitor)
	delete(a.monitors, v)
	a.t.mu.Lock()
	a.t.leaveAll(v)
	a.t.mu.Unlock()
	a.doLook(c, actor.None{})
}

// everybody returns all members of all groups, each once.
func (t *table[K, V]) everybody() []V {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var all roster[V, struct{}]
	for _, g := range t.groups.list {
		if !g.there {
			continue
		}
		for _, e := range g.val.list.list {
			if e.there && all.find(e.key) == nil {
				all.add(e.key, struct{}{})
			}
		}
	}
	return all.keys()
}

// touchKeys makes the actor find a group changed, though it is not.
func (t *table[K, V]) touchKeys(key K) {
	t.mu.Lock()
	t.touch(t.group(key))
	t.mu.Unlock()
}

// takeOrders returns the orders that came before there was an actor.
func (t *table[K, V]) takeOrders() []order[K, V] {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.orders
	t.orders = nil
	return o
}
