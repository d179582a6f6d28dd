package actor

import (
	"github.com/gallop-go/gallop/actor/internal/waitgraph"
	"github.com/gallop-go/gallop/backpressure"
)

// Who waits for whom is written in two places: in the entries of the wait lists of gates, for muted
// actors, and in the calls of asks, for behaviours that wait. Both are found here, for reports.

// Those of all systems, as the pools are.
var (
	mutes       waitgraph.Registry[backpressure.Waiter[waiting]]
	asksInTurns waitgraph.Registry[callState]
)

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
	mutes.Each(func(w *backpressure.Waiter[waiting]) { add(peekMute(&w.Who)) })
	asksInTurns.Each(func(k *callState) { add(peekAsk(&k.wait)) })
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
