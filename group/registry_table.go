package group

import (
	"slices"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// registryTable is the part of a registry that all its users share. A change is made under the lock
// and recorded in dirty; then the registry's actor is sent sync. Nothing is sent while the lock is
// held, and dirty is in the order of the changes, which the order of those messages need not be.
type registryTable[K, V comparable] struct {
	typ *registryType[K, V]
	place[registryActor[K, V]]
	subscribers keySubscribers[K, V]

	mu     sync.RWMutex
	groups orderedMap[K, *keyGroup[K, V]] // guarded by mu; includes groups that just became empty
	keysOf map[V]*orderedMap[K, struct{}] // the groups of a member; guarded by mu
	// changed since the last sync; guarded by mu
	dirty    []*keyGroup[K, V]
	notified bool // a sync is on its way; guarded by mu
}

// keyGroup is the group of a key. Guarded by the lock of its table.
type keyGroup[K, V comparable] struct {
	key          K
	list         orderedMap[V, struct{}]
	cached       []V // copy of list; nil: list has changed since
	joined, left orderedMap[V, struct{}]
	dirty        bool
}

func newRegistryTable[K, V comparable]() *registryTable[K, V] {
	return &registryTable[K, V]{
		typ: typeOnce(newRegistryType[K, V]), place: place[registryActor[K, V]]{kind: "Registry"},
		subscribers: keySubscribers[K, V]{byKey: map[K]*orderedMap[actor.Handler[Change[K, V]],
			*keySubscriber[K, V]]{}, lastSent: map[K][]V{}},
		keysOf: map[V]*orderedMap[K, struct{}]{},
	}
}

// snapshot returns the members of a group, in a slice that is never modified: later changes make a
// new one. The caller holds the lock.
func (g *keyGroup[K, V]) snapshot() []V {
	if g.cached == nil {
		g.cached = slices.Clip(g.list.keys())
	}
	return g.cached
}

// closed reports whether the registry has ended: its actor has, and is not replaced.
func (t *registryTable[K, V]) closed() bool {
	now := t.current.Load()
	return now != nil && now.Status() == actor.StatusEnded && !t.isDeclared()
}

// update runs f under the lock. If f returns true, for a change, the actor is sent sync.
func (t *registryTable[K, V]) update(from actor.Sender, f func() bool) {
	kernel.EnvOf(from) // before anything has changed
	t.mu.Lock()
	ref := t.actorRef()
	sync := !t.closed() && f() && !t.notified && !ref.IsZero()
	t.notified = t.notified || sync
	t.mu.Unlock()
	if sync && t.typ.sync.TrySend(from, ref, struct{}{}) != nil {
		// its system refuses, or it has ended: its successor syncs when it starts
		t.mu.Lock()
		t.notified = false
		t.mu.Unlock()
	}
}

// join adds a member, and reports whether it was new. The caller holds the lock.
func (t *registryTable[K, V]) join(key K, v V) bool {
	g := t.group(key)
	if g.list.find(v) != nil {
		return false
	}
	g.list.add(v, struct{}{})
	g.joined.add(v, struct{}{})
	if t.keysOf[v] == nil {
		t.keysOf[v] = &orderedMap[K, struct{}]{}
	}
	t.keysOf[v].add(key, struct{}{})
	t.markDirty(g)
	return true
}

// leave removes a member, and reports whether it was one. The caller holds the lock.
func (t *registryTable[K, V]) leave(key K, v V) bool {
	e := t.groups.find(key)
	if e == nil || !e.val.list.remove(v) {
		return false
	}
	if g := e.val; !g.joined.remove(v) {
		g.left.add(v, struct{}{})
	}
	t.markDirty(e.val)
	if keys := t.keysOf[v]; keys.remove(key) && keys.len() == 0 {
		delete(t.keysOf, v)
	}
	return true
}

// leaveAll removes a member from all its groups, and reports whether it was in one. The caller
// holds the lock.
func (t *registryTable[K, V]) leaveAll(v V) bool {
	keys := t.keysOf[v]
	if keys == nil {
		return false
	}
	for _, k := range keys.keys() {
		t.leave(k, v)
	}
	return true
}

// group returns the group of a key, which it makes if necessary. The caller holds the lock.
func (t *registryTable[K, V]) group(key K) *keyGroup[K, V] {
	if e := t.groups.find(key); e != nil {
		return e.val
	}
	g := &keyGroup[K, V]{key: key}
	t.groups.add(key, g)
	t.markDirty(g)
	return g
}

// markDirty records that a group has changed. The caller holds the lock.
func (t *registryTable[K, V]) markDirty(g *keyGroup[K, V]) {
	g.cached = nil
	if !g.dirty {
		g.dirty = true
		t.dirty = append(t.dirty, g)
	}
}

// members returns the members of a group.
func (t *registryTable[K, V]) members(key K) []V {
	t.mu.RLock()
	e, closed := t.groups.find(key), t.closed()
	if e == nil || closed || e.val.cached != nil || e.val.list.len() == 0 {
		var now []V
		if e != nil && !closed {
			now = e.val.cached
		}
		t.mu.RUnlock()
		return now
	}
	t.mu.RUnlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if e = t.groups.find(key); e == nil {
		return nil
	}
	return e.val.snapshot()
}

// keys returns the keys that have members.
func (t *registryTable[K, V]) keys() []K {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed() {
		return nil
	}
	var all []K
	for _, e := range t.groups.list {
		if e.present && e.val.list.len() > 0 {
			all = append(all, e.key)
		}
	}
	return all
}

// groupChange is a change of a group, as takeChanges returns it.
type groupChange[K, V comparable] struct {
	Change[K, V]
	departed []V // members of Left that are in no group now
}

// takeChanges returns the changes since the last call, in the order in which the groups changed
// first. Members are filled in only for keys with a subscriber. The registry's actor only.
func (t *registryTable[K, V]) takeChanges(wanted func(K) bool) []groupChange[K, V] {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notified = false
	all := make([]groupChange[K, V], 0, len(t.dirty))
	for _, g := range t.dirty {
		g.dirty = false
		ch := groupChange[K, V]{Change: Change[K, V]{Key: g.key, Joined: g.joined.keys(),
			Left: g.left.keys()}}
		for _, v := range ch.Left {
			if t.keysOf[v] == nil {
				ch.departed = append(ch.departed, v)
			}
		}
		if wanted(g.key) {
			ch.Members = g.snapshot()
		}
		g.joined, g.left = orderedMap[V, struct{}]{}, orderedMap[V, struct{}]{}
		if g.list.len() == 0 {
			t.groups.remove(g.key)
		}
		all = append(all, ch)
	}
	t.dirty = nil
	return all
}

// request sends the actor a subscribeRequest, or keeps it until there is one.
func (t *registryTable[K, V]) request(from actor.Sender, req subscribeRequest[K, V]) {
	order(&t.place, from, t.typ.request, (*registryActor[K, V]).doRequest, req)
}
