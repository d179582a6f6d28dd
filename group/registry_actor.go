package group

import (
	"reflect"

	"github.com/gallop-go/gallop/actor"
)

// registryActor is the state of the actor of a registry.
type registryActor[K, V comparable] struct {
	table       *registryTable[K, V]
	monitors    map[V]actor.Monitor
	members     map[actor.Monitor]V
	subscribers map[actor.Monitor]*keySubscriber[K, V]
}

// registryType is the type of the registries for one type of keys and members.
type registryType[K, V comparable] struct {
	typ       *actor.Type[registryActor[K, V]]
	sync      actor.Behaviour[registryActor[K, V], struct{}]
	request   actor.Behaviour[registryActor[K, V], subscribeRequest[K, V]]
	recovered actor.Behaviour[registryActor[K, V], recovery[K, V]]
	down      actor.Behaviour[registryActor[K, V], actor.Down]
	// A key may be one that cannot be found again: see mustBeKey.
	checksKeys bool
}

// recovery is the message that a relay to a subscriber which did not keep up has ended.
type recovery[K, V comparable] struct {
	subscriber *keySubscriber[K, V]
	generation int
}

func newRegistryType[K, V comparable]() *registryType[K, V] {
	t := &registryType[K, V]{typ: actor.NewType[registryActor[K, V]]("registry"),
		checksKeys: mayBeNoKey(reflect.TypeFor[K]())}
	t.sync = actor.Declare[struct{}](t.typ, "sync", actor.Urgent())
	t.request = actor.Declare[subscribeRequest[K, V]](t.typ, "request")
	t.recovered = actor.Declare[recovery[K, V]](t.typ, "recovered", actor.Urgent())
	// Urgent: a member that has ended leaves at once, however many changes wait.
	t.down = actor.Declare[actor.Down](t.typ, "down", actor.Urgent())
	unrefused(t.sync)
	unrefused(t.recovered)
	unrefused(t.down)
	t.typ.OnStart((*registryActor[K, V]).start)
	t.typ.Table(t.sync.Handle((*registryActor[K, V]).doSync),
		t.request.Handle((*registryActor[K, V]).doRequest),
		t.recovered.Handle((*registryActor[K, V]).doRecovered),
		t.down.Handle((*registryActor[K, V]).doDown))
	return t
}

// start takes over the table in the state in which the actor before it, or before the restart, left
// it.
func (a *registryActor[K, V]) start(c *actor.Context) error {
	carryOut, err := a.table.enter(a, c)
	if err != nil {
		return err
	}
	a.monitors, a.members = map[V]actor.Monitor{}, map[actor.Monitor]V{}
	a.subscribers = map[actor.Monitor]*keySubscriber[K, V]{}
	w := &a.table.subscribers
	w.generation++
	for _, e := range w.all.list {
		if e.present {
			a.monitorSubscriber(c, e.val)
		}
	}
	for _, v := range a.table.allMembers() {
		a.monitor(c, v)
	}
	a.doSync(c, struct{}{})
	for _, e := range w.all.list {
		if e.present && e.val.lagging { // its relay was of the actor before the restart
			a.catchUp(c, e.val)
		}
	}
	carryOut()
	return nil
}

// monitor watches a member, if it is an actor.
func (a *registryActor[K, V]) monitor(c *actor.Context, v V) {
	if target, ok := any(v).(actor.Target); ok {
		if _, there := a.monitors[v]; !there {
			m := actor.Watch(c, target, a.table.typ.down)
			a.monitors[v], a.members[m] = m, v
		}
	}
}

func (a *registryActor[K, V]) monitorSubscriber(c *actor.Context, x *keySubscriber[K, V]) {
	if target, ok := x.h.(actor.Target); ok {
		x.monitor = actor.Watch(c, target, a.table.typ.down)
		a.subscribers[x.monitor] = x
	}
}

// doSync takes the changes from the table and notifies subscribers.
func (a *registryActor[K, V]) doSync(c *actor.Context, _ struct{}) {
	w := &a.table.subscribers
	for _, ch := range a.table.takeChanges(w.hasSubscriber) {
		for _, v := range ch.Joined {
			a.monitor(c, v)
		}
		for _, v := range ch.departed {
			if m, there := a.monitors[v]; there {
				actor.Unwatch(c, m)
				delete(a.monitors, v)
				delete(a.members, m)
			}
		}
		before := w.lastSent[ch.Key]
		if delete(w.lastSent, ch.Key); len(ch.Members) > 0 {
			w.lastSent[ch.Key] = ch.Members
		}
		n := 0
		for _, e := range w.allKeys.list {
			if e.present {
				n++
				a.notify(c, e.val, ch.Change, before)
			}
		}
		if of := w.byKey[ch.Key]; of != nil {
			for _, e := range of.list {
				if e.present && !e.val.allKeys {
					n++
					a.notify(c, e.val, ch.Change, before)
				}
			}
		}
		c.Gas(n + len(ch.Joined) + len(ch.Left))
	}
}

// notify sends a subscriber a change, or records it if the subscriber does not keep up.
func (a *registryActor[K, V]) notify(c *actor.Context, x *keySubscriber[K, V], ch Change[K, V],
	before []V) {
	switch {
	case x.lagging:
		x.addMissed(ch.Key, missedChange[V]{before: before})
	case x.missed.find(ch.Key) != nil:
		if ch, news := x.takeMissed(ch.Key, ch.Members); news {
			a.deliver(c, x, ch)
		}
	case len(ch.Joined)+len(ch.Left) > 0:
		a.deliver(c, x, ch)
	}
}

// deliver sends a Change to a subscriber. If the subscriber does not keep up, or its handler leads
// to no actor, a relay sends it: so a handler that panics ends only the relay.
func (a *registryActor[K, V]) deliver(c *actor.Context, x *keySubscriber[K, V], ch Change[K, V]) {
	if _, ok := x.h.(actor.Target); ok {
		err := x.h.TrySend(c, ch)
		if err == nil || isEnd(err) { // the monitor reports an end
			return
		}
	}
	x.lagging = true
	me, t := actor.Self[registryActor[K, V]](c), a.table.typ
	generation := a.table.subscribers.generation
	sendByRelay(c, x.h, ch, func(c *actor.Context) {
		_ = t.recovered.TrySend(c, me, recovery[K, V]{x, generation}) // fails if the registry has ended
	})
}

func (a *registryActor[K, V]) doRecovered(c *actor.Context, r recovery[K, V]) {
	if r.generation != a.table.subscribers.generation ||
		a.table.subscribers.all.find(r.subscriber.h) == nil {
		return
	}
	if a.catchUp(c, r.subscriber); !r.subscriber.lagging && hasEnded(r.subscriber.h) {
		a.table.subscribers.remove(r.subscriber) // a handler that is no Target has no monitor
	}
}

// catchUp sends a subscriber that keeps up again the changes it has missed.
func (a *registryActor[K, V]) catchUp(c *actor.Context, x *keySubscriber[K, V]) {
	x.lagging = false
	for _, k := range x.missed.keys() {
		if x.lagging {
			return
		}
		if ch, news := x.takeMissed(k, a.table.subscribers.lastSent[k]); news {
			a.deliver(c, x, ch)
		}
	}
}

func (a *registryActor[K, V]) doRequest(c *actor.Context, req subscribeRequest[K, V]) {
	w := &a.table.subscribers
	e := w.all.find(req.h)
	switch {
	case req.op == opUnsubscribe && e != nil:
		w.removeKey(e.val, req.key)
		a.dropIfIdle(c, e.val)
		return
	case req.op == opUnsubscribeAll && e != nil:
		x := e.val
		x.allKeys = false
		w.remove(x)
		a.dropIfIdle(c, x)
		return
	case req.op == opUnsubscribe, req.op == opUnsubscribeAll:
		return
	case e == nil:
		x := &keySubscriber[K, V]{h: req.h}
		w.all.add(req.h, x)
		a.monitorSubscriber(c, x)
		e = w.all.find(req.h)
	}
	a.addSubscription(c, e.val, req)
}

// addSubscription subscribes to a key, or to all keys.
func (a *registryActor[K, V]) addSubscription(c *actor.Context, x *keySubscriber[K, V],
	req subscribeRequest[K, V]) {
	w := &a.table.subscribers
	switch {
	case req.op == opSubscribe && x.keys.find(req.key) == nil:
		w.addKey(x, req.key)
		if !x.allKeys {
			x.addMissed(req.key, missedChange[V]{initial: true})
			a.table.markKeyDirty(req.key)
		}
	case req.op == opSubscribeAll && !x.allKeys:
		x.allKeys = true
		w.allKeys.add(x.h, x)
		for _, k := range a.table.keys() {
			if x.keys.find(k) == nil {
				x.addMissed(k, missedChange[V]{initial: true})
				a.table.markKeyDirty(k)
			}
		}
	}
	a.doSync(c, struct{}{})
}

// dropIfIdle forgets a subscriber without a key.
func (a *registryActor[K, V]) dropIfIdle(c *actor.Context, x *keySubscriber[K, V]) {
	if x.allKeys || x.keys.len() > 0 {
		return
	}
	actor.Unwatch(c, x.monitor)
	delete(a.subscribers, x.monitor)
	a.table.subscribers.remove(x)
}

// doDown removes a member or a subscriber that has ended.
func (a *registryActor[K, V]) doDown(c *actor.Context, d actor.Down) {
	if x := a.subscribers[d.Monitor]; x != nil {
		delete(a.subscribers, d.Monitor)
		a.table.subscribers.remove(x)
		return
	}
	v, there := a.members[d.Monitor]
	if !there {
		return
	}
	delete(a.members, d.Monitor)
	delete(a.monitors, v)
	a.table.mu.Lock()
	a.table.leaveAll(v)
	a.table.mu.Unlock()
	a.doSync(c, struct{}{})
}

// allMembers returns all members of all groups, each once.
func (t *registryTable[K, V]) allMembers() []V {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var all orderedMap[V, struct{}]
	for _, g := range t.groups.list {
		if !g.present {
			continue
		}
		for _, e := range g.val.list.list {
			if e.present && all.find(e.key) == nil {
				all.add(e.key, struct{}{})
			}
		}
	}
	return all.keys()
}

// markKeyDirty makes the actor treat a group as changed.
func (t *registryTable[K, V]) markKeyDirty(key K) {
	t.mu.Lock()
	t.markDirty(t.group(key))
	t.mu.Unlock()
}
