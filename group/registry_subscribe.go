package group

import (
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// keySubscribers holds the subscribers of a registry. Only the registry's actor uses it. It is part of
// the table, so that it survives a restart.
type keySubscribers[K, V comparable] struct {
	all orderedMap[actor.Handler[Change[K, V]], *keySubscriber[K, V]] // all subscribers
	// subscribers of all keys
	allKeys orderedMap[actor.Handler[Change[K, V]], *keySubscriber[K, V]]
	// subscribers of a single key
	byKey map[K]*orderedMap[actor.Handler[Change[K, V]], *keySubscriber[K, V]]
	// members in the last Change, of each group with a subscriber
	lastSent map[K][]V
	// number of starts of the actor
	generation int
}

// keySubscriber is a subscriber of a registry.
type keySubscriber[K, V comparable] struct {
	h       actor.Handler[Change[K, V]]
	allKeys bool                           // of SubscribeAll
	keys    orderedMap[K, struct{}]        // of Subscribe
	lagging bool                           // it does not keep up: a relay is on its way to it
	missed  orderedMap[K, missedChange[V]] // to be sent when it has recovered
	monitor actor.Monitor
}

// missedChange is a group of which a subscriber has missed changes.
type missedChange[V comparable] struct {
	before  []V  // members in the last Change that it got
	initial bool // it got no Change yet
}

// subscribeOp is the kind of a subscribeRequest.
type subscribeOp uint8

const (
	opSubscribe subscribeOp = iota
	opUnsubscribe
	opSubscribeAll
	opUnsubscribeAll
)

// subscribeRequest is the message of Subscribe, Unsubscribe, SubscribeAll and UnsubscribeAll.
type subscribeRequest[K, V comparable] struct {
	op  subscribeOp
	key K
	h   actor.Handler[Change[K, V]]
}

// hasSubscriber reports whether there is a subscriber for a key.
func (w *keySubscribers[K, V]) hasSubscriber(key K) bool {
	return w.allKeys.len() > 0 || w.byKey[key] != nil
}

// addKey adds a subscriber for a key.
func (w *keySubscribers[K, V]) addKey(x *keySubscriber[K, V], key K) {
	if w.byKey[key] == nil {
		w.byKey[key] = &orderedMap[actor.Handler[Change[K, V]], *keySubscriber[K, V]]{}
	}
	w.byKey[key].add(x.h, x)
	x.keys.add(key, struct{}{})
}

// removeKey undoes addKey.
func (w *keySubscribers[K, V]) removeKey(x *keySubscriber[K, V], key K) {
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

// remove removes a subscriber.
func (w *keySubscribers[K, V]) remove(x *keySubscriber[K, V]) {
	for _, k := range x.keys.keys() {
		w.removeKey(x, k)
	}
	w.allKeys.remove(x.h)
	w.all.remove(x.h)
	x.missed = orderedMap[K, missedChange[V]]{}
}

// addMissed records that a subscriber has missed a change of a group.
func (x *keySubscriber[K, V]) addMissed(key K, m missedChange[V]) {
	if x.missed.find(key) == nil {
		x.missed.add(key, m)
	}
}

// takeMissed makes the Change that a subscriber has missed. It returns false if nothing has changed.
func (x *keySubscriber[K, V]) takeMissed(key K, now []V) (ch Change[K, V], news bool) {
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
