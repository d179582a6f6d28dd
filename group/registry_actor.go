package group

import (
	"reflect"

	"github.com/gallop-go/gallop/actor"
)

// registryActor is the state of the actor of a registry.
type registryActor[K, V comparable] struct {
	table    *registryTable[K, V]
	monitors map[V]actor.Monitor
	members  map[actor.Monitor]V
	watchers map[actor.Monitor]*watcher[K, V]
}

// registryType is the type of the registries for one type of keys and members.
type registryType[K, V comparable] struct {
	typ       *actor.Type[registryActor[K, V]]
	sync      actor.Behaviour[registryActor[K, V], struct{}]
	request   actor.Behaviour[registryActor[K, V], watchRequest[K, V]]
	recovered actor.Behaviour[registryActor[K, V], recovery[K, V]]
	down      actor.Behaviour[registryActor[K, V], actor.Down]
	// A key may be one that cannot be found again: see mustBeKey.
	checksKeys bool
}

// recovery is the message that a relay to a watcher which did not keep up has ended.
type recovery[K, V comparable] struct {
	watcher    *watcher[K, V]
	generation int
}

func newRegistryType[K, V comparable]() *registryType[K, V] {
	t := &registryType[K, V]{typ: actor.NewType[registryActor[K, V]]("registry"),
		checksKeys: mayBeNoKey(reflect.TypeFor[K]())}
	t.sync = actor.Declare[struct{}](t.typ, "sync", actor.Urgent())
	t.request = actor.Declare[watchRequest[K, V]](t.typ, "request")
	t.recovered = actor.Declare[recovery[K, V]](t.typ, "recovered", actor.Urgent())
	// Urgent: a member that has ended leaves at once, however many changes wait.
	t.down = actor.Declare[actor.Down](t.typ, "down", actor.Urgent())
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
	a.watchers = map[actor.Monitor]*watcher[K, V]{}
	w := &a.table.watchers
	w.generation++
	for _, e := range w.all.list {
		if e.present {
			a.monitorWatcher(c, e.val)
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

func (a *registryActor[K, V]) monitorWatcher(c *actor.Context, x *watcher[K, V]) {
	if target, ok := x.h.(actor.Target); ok {
		x.monitor = actor.Watch(c, target, a.table.typ.down)
		a.watchers[x.monitor] = x
	}
}

// doSync takes the changes from the table and notifies watchers.
func (a *registryActor[K, V]) doSync(c *actor.Context, _ struct{}) {
	w := &a.table.watchers
	for _, ch := range a.table.takeChanges(w.isWatched) {
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

// notify sends a watcher a change, or records it if the watcher does not keep up.
func (a *registryActor[K, V]) notify(c *actor.Context, x *watcher[K, V], ch Change[K, V],
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

// deliver sends a Change to a watcher. If that does not keep up, or its handler leads to no actor,
// a relay sends it: so a handler that panics ends only the relay.
func (a *registryActor[K, V]) deliver(c *actor.Context, x *watcher[K, V], ch Change[K, V]) {
	if _, ok := x.h.(actor.Target); ok {
		err := x.h.TrySend(c, ch)
		if err == nil || isEnd(err) { // the monitor reports an end
			return
		}
	}
	x.lagging = true
	me, t, generation := actor.Self[registryActor[K, V]](c), a.table.typ, a.table.watchers.generation
	sendByRelay(c, x.h, ch, func(c *actor.Context) {
		_ = t.recovered.TrySend(c, me, recovery[K, V]{x, generation}) // fails if the registry has ended
	})
}

func (a *registryActor[K, V]) doRecovered(c *actor.Context, r recovery[K, V]) {
	if r.generation != a.table.watchers.generation ||
		a.table.watchers.all.find(r.watcher.h) == nil {
		return
	}
	if a.catchUp(c, r.watcher); !r.watcher.lagging && hasEnded(r.watcher.h) {
		a.table.watchers.remove(r.watcher) // a handler that is no Target has no monitor
	}
}

// catchUp sends a watcher that keeps up again the changes it has missed.
func (a *registryActor[K, V]) catchUp(c *actor.Context, x *watcher[K, V]) {
	x.lagging = false
	for _, k := range x.missed.keys() {
		if x.lagging {
			return
		}
		if ch, news := x.takeMissed(k, a.table.watchers.lastSent[k]); news {
			a.deliver(c, x, ch)
		}
	}
}

func (a *registryActor[K, V]) doRequest(c *actor.Context, req watchRequest[K, V]) {
	w := &a.table.watchers
	e := w.all.find(req.h)
	switch {
	case req.op == opUnwatch && e != nil:
		w.removeKey(e.val, req.key)
		a.dropIfIdle(c, e.val)
		return
	case req.op == opUnwatchAll && e != nil:
		x := e.val
		x.allKeys = false
		w.remove(x)
		a.dropIfIdle(c, x)
		return
	case req.op == opUnwatch, req.op == opUnwatchAll:
		return
	case e == nil:
		x := &watcher[K, V]{h: req.h}
		w.all.add(req.h, x)
		a.monitorWatcher(c, x)
		e = w.all.find(req.h)
	}
	a.addWatch(c, e.val, req)
}

// addWatch makes a watcher watch a key, or all keys.
func (a *registryActor[K, V]) addWatch(c *actor.Context, x *watcher[K, V], req watchRequest[K, V]) {
	w := &a.table.watchers
	switch {
	case req.op == opWatch && x.keys.find(req.key) == nil:
		w.addKey(x, req.key)
		if !x.allKeys {
			x.addMissed(req.key, missedChange[V]{initial: true})
			a.table.markKeyDirty(req.key)
		}
	case req.op == opWatchAll && !x.allKeys:
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

// dropIfIdle forgets a watcher that watches no key any more.
func (a *registryActor[K, V]) dropIfIdle(c *actor.Context, x *watcher[K, V]) {
	if x.allKeys || x.keys.len() > 0 {
		return
	}
	actor.Unwatch(c, x.monitor)
	delete(a.watchers, x.monitor)
	a.table.watchers.remove(x)
}

// doDown removes a member or a watcher that has ended.
func (a *registryActor[K, V]) doDown(c *actor.Context, d actor.Down) {
	if x := a.watchers[d.Monitor]; x != nil {
		delete(a.watchers, d.Monitor)
		a.table.watchers.remove(x)
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
