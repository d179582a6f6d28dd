package group

import "github.com/gallop-go/gallop/actor"

// watchers are those who watch a registry. They belong to its actor, but are in the table, so that
// they survive a restart.
type watchers[K, V comparable] struct {
	all  roster[actor.Handler[Change[K, V]], *watcher[K, V]]        // everybody
	each roster[actor.Handler[Change[K, V]], *watcher[K, V]]        // those who watch all keys
	of   map[K]*roster[actor.Handler[Change[K, V]], *watcher[K, V]] // those who watch a key
	told map[K][]V                                                  // who was in a group that is watched, when they were told last
	life int                                                        // how often the actor has started
}

// watcher is one of them.
type watcher[K, V comparable] struct {
	h      actor.Handler[Change[K, V]]
	each   bool                  // it watches all keys
	keys   roster[K, struct{}]   // that it watches besides
	busy   bool                  // a courier is on its way to it: it does not keep up
	missed roster[K, missing[V]] // what it has to be told as soon as it does
	mon    actor.Monitor
}

// missing is a group of which a watcher was not told all.
type missing[V comparable] struct {
	before []V  // what it was told last
	first  bool // it was told nothing yet
}

// verb is what an order wants.
type verb uint8

const (
	watch verb = iota
	unwatch
	watchAll
	unwatchAll
)

// order tells the actor who wants to watch.
type order[K, V comparable] struct {
	what verb
	key  K
	h    actor.Handler[Change[K, V]]
}

// wanted reports whether somebody watches a key.
func (w *watchers[K, V]) wanted(key K) bool { return w.each.len() > 0 || w.of[key] != nil }

// want enters a watcher for a key.
func (w *watchers[K, V]) want(x *watcher[K, V], key K) {
	if w.of[key] == nil {
		w.of[key] = &roster[actor.Handler[Change[K, V]], *watcher[K, V]]{}
	}
	w.of[key].add(x.h, x)
	x.keys.add(key, struct{}{})
}

// unwant undoes want.
func (w *watchers[K, V]) unwant(x *watcher[K, V], key K) {
	if !x.keys.remove(key) {
		return
	}
	if of := w.of[key]; of.remove(x.h) && of.len() == 0 {
		delete(w.of, key)
	}
	if !x.each {
		x.missed.remove(key)
	}
}

// forget removes a watcher.
func (w *watchers[K, V]) forget(x *watcher[K, V]) {
	for _, k := range x.keys.keys() {
		w.unwant(x, k)
	}
	w.each.remove(x.h)
	w.all.remove(x.h)
	x.missed = roster[K, missing[V]]{}
}

// miss notes that a watcher has to be told of a group.
func (x *watcher[K, V]) miss(key K, m missing[V]) {
	if x.missed.find(key) == nil {
		x.missed.add(key, m)
	}
}

// missedOf makes the Change that a watcher has missed. It reports false if there is nothing to tell.
func (x *watcher[K, V]) missedOf(key K, now []V) (ch Change[K, V], news bool) {
	m := x.missed.find(key).val
	x.missed.remove(key)
	ch = Change[K, V]{Key: key, Joined: minus(now, m.before), Left: minus(m.before, now), Members: now}
	return ch, m.first || len(ch.Joined)+len(ch.Left) > 0
}
