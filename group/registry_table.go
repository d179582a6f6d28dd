package group

import (
	"slices"
	"sync"

	"github.com/gallop-go/gallop/actor"
)

// table is what a registry shares with all that use it. Whoever changes it does so under the lock,
// notes what has changed, and then tells the registry's actor to look: nothing is sent under the
// lock, and the notes are in the order of the changes, whatever the order of those messages.
type table[K, V comparable] struct {
	typ        *registryType[K, V]
	supervised bool // the actor comes back
	watch      watchers[K, V]

	mu     sync.RWMutex
	groups roster[K, *members[K, V]]      // guarded by mu; also those that have just become empty
	keysOf map[V]*roster[K, struct{}]     // the groups of a member; guarded by mu
	dirty  []*members[K, V]               // those that have changed since the actor looked; guarded by mu
	told   bool                           // the actor was told to look; guarded by mu
	actor  actor.Ref[RegistryActor[K, V]] // zero: it was not started yet; guarded by mu
	orders []order[K, V]                  // that came before the actor was started; guarded by mu
}

// members is a group. Guarded by the lock of its table.
type members[K, V comparable] struct {
	key          K
	list         roster[V, struct{}]
	now          []V // what is in list; nil: list has changed since
	joined, left roster[V, struct{}]
	dirty        bool
}

func newTable[K, V comparable](supervised bool) *table[K, V] {
	return &table[K, V]{
		typ: typeOnce(newRegistryType[K, V]), supervised: supervised,
		watch:  watchers[K, V]{of: map[K]*roster[actor.Handler[Change[K, V]], *watcher[K, V]]{}, told: map[K][]V{}},
		keysOf: map[V]*roster[K, struct{}]{},
	}
}

// snapshot returns the members of a group. It is never changed: later changes make a new one. The
// caller holds the lock.
func (g *members[K, V]) snapshot() []V {
	if g.now == nil {
		g.now = slices.Clip(g.list.keys())
	}
	return g.now
}

// server returns the actor; zero if there was none yet. Any goroutine.
func (t *table[K, V]) server() actor.Ref[RegistryActor[K, V]] {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.actor
}

// serveBy makes r the actor of the table. It reports false if there is another one, which has not
// ended.
func (t *table[K, V]) serveBy(r actor.Ref[RegistryActor[K, V]]) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.actor.IsZero() && t.actor != r && t.actor.Standing() != actor.Ended {
		return false
	}
	t.actor = r
	return true
}

// closed reports whether the table is nobody's any more. The caller holds the lock.
func (t *table[K, V]) closed() bool {
	return !t.supervised && !t.actor.IsZero() && t.actor.Standing() == actor.Ended
}

// change runs f under the lock. If f reports that something has changed, the actor is told to look.
func (t *table[K, V]) change(from actor.Sender, f func() bool) {
	t.mu.Lock()
	ref := t.actor
	look := !t.closed() && f() && !t.told && !ref.IsZero()
	t.told = t.told || look
	t.mu.Unlock()
	if look && t.typ.look.TrySend(from, ref, actor.None{}) != nil {
		t.mu.Lock() // its system refuses, or it has ended: a successor looks by itself
		t.told = false
		t.mu.Unlock()
	}
}

// join adds a member, and reports whether it is new. The caller holds the lock.
func (t *table[K, V]) join(key K, v V) bool {
	g := t.group(key)
	if g.list.find(v) != nil {
		return false
	}
	g.list.add(v, struct{}{})
	g.joined.add(v, struct{}{})
	if t.keysOf[v] == nil {
		t.keysOf[v] = &roster[K, struct{}]{}
	}
	t.keysOf[v].add(key, struct{}{})
	t.touch(g)
	return true
}

// leave removes a member, and reports whether it was there. The caller holds the lock.
func (t *table[K, V]) leave(key K, v V) bool {
	e := t.groups.find(key)
	if e == nil || !e.val.list.remove(v) {
		return false
	}
	if g := e.val; !g.joined.remove(v) {
		g.left.add(v, struct{}{})
	}
	t.touch(e.val)
	if keys := t.keysOf[v]; keys.remove(key) && keys.len() == 0 {
		delete(t.keysOf, v)
	}
	return true
}

// leaveAll removes a member from all its groups, and reports whether it was in one. The caller holds
// the lock.
func (t *table[K, V]) leaveAll(v V) bool {
	keys := t.keysOf[v]
	if keys == nil {
		return false
	}
	for _, k := range keys.keys() {
		t.leave(k, v)
	}
	return true
}

// group returns the group of a key, which it makes. The caller holds the lock.
func (t *table[K, V]) group(key K) *members[K, V] {
	if e := t.groups.find(key); e != nil {
		return e.val
	}
	g := &members[K, V]{key: key}
	t.groups.add(key, g)
	t.touch(g)
	return g
}

// touch notes that a group has changed. The caller holds the lock.
func (t *table[K, V]) touch(g *members[K, V]) {
	g.now = nil
	if !g.dirty {
		g.dirty = true
		t.dirty = append(t.dirty, g)
	}
}

// members returns who is in a group.
func (t *table[K, V]) members(key K) []V {
	t.mu.RLock()
	e, closed := t.groups.find(key), t.closed()
	if e == nil || closed || e.val.now != nil || e.val.list.len() == 0 {
		var now []V
		if e != nil && !closed {
			now = e.val.now
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
func (t *table[K, V]) keys() []K {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed() {
		return nil
	}
	var all []K
	for _, e := range t.groups.list {
		if e.there && e.val.list.len() > 0 {
			all = append(all, e.key)
		}
	}
	return all
}

// changed is a group that has changed, as the actor takes it out of the table.
type changed[K, V comparable] struct {
	Change[K, V]
	gone []V // those of Left that are in no group any more
}

// take returns what has changed since the last call, in the order in which the groups changed first.
// Members are filled in only where somebody wants to know. The actor's.
func (t *table[K, V]) take(wanted func(K) bool) []changed[K, V] {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.told = false
	all := make([]changed[K, V], 0, len(t.dirty))
	for _, g := range t.dirty {
		g.dirty = false
		ch := changed[K, V]{Change: Change[K, V]{Key: g.key, Joined: g.joined.keys(), Left: g.left.keys()}}
		for _, v := range ch.Left {
			if t.keysOf[v] == nil {
				ch.gone = append(ch.gone, v)
			}
		}
		if wanted(g.key) {
			ch.Members = g.snapshot()
		}
		g.joined, g.left = roster[V, struct{}]{}, roster[V, struct{}]{}
		if g.list.len() == 0 {
			t.groups.remove(g.key)
		}
		all = append(all, ch)
	}
	t.dirty = nil
	return all
}

// tell sends an order to the actor, or keeps it until there is one.
func (t *table[K, V]) tell(from actor.Sender, o order[K, V]) {
	t.mu.Lock()
	ref := t.actor
	if ref.IsZero() {
		t.orders = append(t.orders, o)
	}
	t.mu.Unlock()
	if !ref.IsZero() {
		t.typ.order.Send(from, ref, o)
	}
}
