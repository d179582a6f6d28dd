package group

import (
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// watchers holds the watchers of a registry. Only the registry's actor uses it; it is part of the
// table so that it survives a restart.
type watchers[K, V comparable] struct {
	all orderedMap[actor.Handler[Change[K, V]], *watcher[K, V]] // all watchers
	// watchers of all keys
	allKeys orderedMap[actor.Handler[Change[K, V]], *watcher[K, V]]
	// watchers of a single key
	byKey map[K]*orderedMap[actor.Handler[Change[K, V]], *watcher[K, V]]
	// members of each watched group in the last Change
	lastSent map[K][]V
	// number of starts of the actor
	generation int
}

// watcher is a watcher of a registry.
type watcher[K, V comparable] struct {
	h       actor.Handler[Change[K, V]]
	allKeys bool                           // it watches all keys
	keys    orderedMap[K, struct{}]        // that it watches by Watch
	lagging bool                           // it does not keep up: a relay is on its way to it
	missed  orderedMap[K, missedChange[V]] // to be sent when it has recovered
	monitor actor.Monitor
}

// missedChange is a group of which a watcher has missed changes.
type missedChange[V comparable] struct {
	before  []V  // members in the last Change that it got
	initial bool // it got no Change yet
}

// watchOp is the kind of a watchRequest.
type watchOp uint8

const (
	opWatch watchOp = iota
	opUnwatch
	opWatchAll
	opUnwatchAll
)

// watchRequest is the message of Watch, Unwatch, WatchAll and UnwatchAll.
type watchRequest[K, V comparable] struct {
	op  watchOp
	key K
	h   actor.Handler[Change[K, V]]
}

// isWatched reports whether there is a watcher for a key.
func (w *watchers[K, V]) isWatched(key K) bool { return w.allKeys.len() > 0 || w.byKey[key] != nil }

// addKey adds a watcher for a key.
func (w *watchers[K, V]) addKey(x *watcher[K, V], key K) {
	if w.byKey[key] == nil {
		w.byKey[key] = &orderedMap[actor.Handler[Change[K, V]], *watcher[K, V]]{}
	}
	w.byKey[key].add(x.h, x)
	x.keys.add(key, struct{}{})
}

// removeKey undoes addKey.
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

// remove removes a watcher.
func (w *watchers[K, V]) remove(x *watcher[K, V]) {
	for _, k := range x.keys.keys() {
		w.removeKey(x, k)
	}
	w.allKeys.remove(x.h)
	w.all.remove(x.h)
	x.missed = orderedMap[K, missedChange[V]]{}
}

// addMissed records that a watcher has missed a change of a group.
func (x *watcher[K, V]) addMissed(key K, m missedChange[V]) {
	if x.missed.find(key) == nil {
		x.missed.add(key, m)
	}
}

// takeMissed makes the Change that a watcher has missed. It returns false if nothing has changed.
func (x *watcher[K, V]) takeMissed(key K, now []V) (ch Change[K, V], news bool) {
	m := x.missed.find(key).val
	x.missed.remove(key)
	kept := stayed(m.before, now)
	ch = Change[K, V]{Key: key, Joined: minus(now, kept), Left: minus(m.before, kept), Members: now}
	return ch, m.initial || len(ch.Joined)+len(ch.Left) > 0
}

// stayed returns the members that have stayed while others came and went. Members are in the order
// in which they joined, so these come first. One that has left and joined again before another did
// is among them if its place is the same.
func stayed[V comparable](before, now []V) []V {
	for n, v := range now {
		i := slices.Index(before, v)
		if i < 0 {
			return now[:n]
		}
		before = before[i+1:]
	}
	return now
}
