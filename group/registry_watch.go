package group

import "github.com/gallop-go/gallop/actor"

// watchers are those who watch a registry. They belong to its actor, but are in the table, so that
// they survive a restart.
type watchers[K, V comparable] struct {
	all orderedMap[actor.Handler[Change[K, V]], *watcher[K, V]] // everybody
	// those who watch all keys
	allKeys orderedMap[actor.Handler[Change[K, V]], *watcher[K, V]]
	// those who watch a key
	byKey map[K]*orderedMap[actor.Handler[Change[K, V]], *watcher[K, V]]
	// who was in a group that is watched, when they were told last
	lastSent map[K][]V
	// how often the actor has started
	generation int
}

// watcher is one of them.
type watcher[K, V comparable] struct {
	h       actor.Handler[Change[K, V]]
	allKeys bool                           // it watches all keys
	keys    orderedMap[K, struct{}]        // that it watches besides
	lagging bool                           // a courier is on its way to it: it does not keep up
	missed  orderedMap[K, missedChange[V]] // what it has to be told as soon as it does
	monitor actor.Monitor
}

// missing is a group of which a watcher was not told all.
type missedChange[V comparable] struct {
	before  []V  // what it was told last
	initial bool // it was told nothing yet
}

// verb is what an order wants.
type watchOp uint8

const (
	opWatch watchOp = iota
	opUnwatch
	opWatchAll
	opUnwatchAll
)

// order tells the actor who wants to watch.
type watchRequest[K, V comparable] struct {
	op  watchOp
	key K
	h   actor.Handler[Change[K, V]]
}

// wanted reports whether somebody watches a key.
func (w *watchers[K, V]) isWatched(key K) bool { return w.allKeys.len() > 0 || w.byKey[key] != nil }

// want enters a watcher for a key.
func (w *watchers[K, V]) addKey(x *watcher[K, V], key K) {
	if w.byKey[key] == nil {
		w.byKey[key] = &orderedMap[actor.Handler[Change[K, V]], *watcher[K, V]]{}
	}
	w.byKey[key].add(x.h, x)
	x.keys.add(key, struct{}{})
}

// unwant undoes want.
func (w *watchers[K, V]) removeKey(x *watcher[K, V], key K) {
	if !x.keys.remove(key) {
		return
	}
	if of := w.byKey[key]; of.remove(x.h) && of.len() == 0 {
		delete(w.byKey, key)
	}
	if !x.allKeys {
		x.missed.remove(key)
	}
}

// forget removes a watcher.
func (w *watchers[K, V]) remove(x *watcher[K, V]) {
	for _, k := range x.keys.keys() {
		w.removeKey(x, k)
	}
	w.allKeys.remove(x.h)
	w.all.remove(x.h)
	x.missed = orderedMap[K, missedChange[V]]{}
}

// miss notes that a watcher has to be told of a group.
func (x *watcher[K, V]) addMissed(key K, m missedChange[V]) {
	if x.missed.find(key) == nil {
		x.missed.add(key, m)
	}
}

// missedOf makes the Change that a watcher has missed. It reports false if there is nothing to
// tell.
func (x *watcher[K, V]) takeMissed(key K, now []V) (ch Change[K, V], news bool) {
	m := x.missed.find(key).val
	x.missed.remove(key)
	ch = Change[K, V]{Key: key, Joined: minus(now, m.before), Left: minus(m.before, now),
		Members: now}
	return ch, m.initial || len(ch.Joined)+len(ch.Left) > 0
}
