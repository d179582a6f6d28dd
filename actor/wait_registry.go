package actor

import (
	"sync"
	"weak"

	"github.com/gallop-go/gallop/backpressure"
)

// Who waits for whom is written in two places: in the entries of the wait lists of gates, for muted
// actors, and in the calls of asks, for behaviours that wait. Both are found here, for reports.
//
// Rejected: a list that actors enter when they are muted and leave when they go on. It costs locked
// instructions each time, in a program in which actors are muted often.
//
// Chosen: entries and calls are recycled, so they are listed once, when they are made, for good.
// The lists are weak: what sync.Pool drops, the GC takes. A mute or an ask writes two words more
// into an object that it writes to anyway.
type registry[T any] struct {
	mu  sync.Mutex
	all []weak.Pointer[T] // guarded by mu
	// Guarded by mu: at this length those that are gone are dropped.
	tidy int
}

// Those of all systems, as the pools are.
var (
	mutes       registry[backpressure.Waiter[waiting]]
	asksInTurns registry[callState]
)

// leastTidied is how many entries a list has before it is tidied.
const leastTidied = 64

// add lists a new object. Any goroutine.
func (r *registry[T]) add(p *T) {
	w := weak.Make(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) >= max(r.tidy, leastTidied) {
		left := r.all[:0]
		for _, o := range r.all {
			if o.Value() != nil {
				left = append(left, o)
			}
		}
		clear(r.all[len(left):])
		r.all, r.tidy = left, 2*len(left)
	}
	r.all = append(r.all, w)
}

// each calls f for every object that is left. Any goroutine.
func (r *registry[T]) each(f func(*T)) {
	r.mu.Lock()
	all := append([]weak.Pointer[T](nil), r.all...)
	r.mu.Unlock()
	for _, w := range all {
		if p := w.Value(); p != nil {
			f(p)
		}
	}
}

// oneWait is an actor that waits for another, as it looks from outside.
type oneWait struct {
	who, to *cell
	since   int64
	asks    bool // in its turn, by Ask; else it is muted
}

// waits returns who waits for whom in s. An actor that is muted for several is there several times.
// Any goroutine.
func (s *System) allWaits() (all []oneWait) {
	add := func(w oneWait) {
		if w.who != nil && w.to != nil && w.who.peekSys() == s {
			all = append(all, w)
		}
	}
	mutes.each(func(w *backpressure.Waiter[waiting]) { add(peekMute(&w.Who)) })
	asksInTurns.each(func(k *callState) { add(peekAsk(&k.wait)) })
	return all
}

// peekSys returns the system of an actor that was found by a peek: nothing orders its spawn
// before this read but that the read came by a pointer to it.
//
//go:norace
//go:noinline
func (a *cell) peekSys() *System { return a.shared().sys }

// peekMute reads an entry that belongs to a wait list, or to whoever empties that. So the race
// detector is told to look away, as in Context.peek. Each word is loaded whole; the two pointers
// lead to actors, which the GC keeps; and if they do not belong together the actor was muted anew
// in between, and reports name a receiver that it has been muted for before.
//
//go:norace
//go:noinline
func peekMute(w *waiting) oneWait { return oneWait{w.muted, w.to, w.since, false} }

// peekAsk is peekMute for a call.
//
//go:norace
//go:noinline
func peekAsk(w *askWait) oneWait { return oneWait{w.who, w.to, w.since, true} }

// askWait says which actor waits for the call in its turn. Written by that turn.
type askWait struct {
	who, to *cell
	since   int64 // see waitWatch; 0: unknown
}

// begin notes that me waits for a reply of to.
func (w *askWait) begin(me, to *cell) {
	*w = askWait{who: me, to: to}
	if watch := &me.sys().waits; watch.on {
		w.since = watch.begin()
	}
}

func (w *askWait) end() { *w = askWait{} }
