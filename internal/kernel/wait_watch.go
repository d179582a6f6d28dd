package kernel

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/kernel/waitgraph"
	"github.com/gallop-go/gallop/internal/seam"
)

const (
	longWait = time.Second            // a wait that is worth a warning
	waitLook = 500 * time.Millisecond // between two looks at who waits
	// waitForget is the time without a long wait after which every long wait is reported again.
	waitForget = time.Minute
	waitsTold  = 4 // in one line
)

// waitWatch warns of actors that are muted, or wait for a reply in their turn, for more than a
// second. It is an alarm of the system's clock, which is set while any actor waits, and then looks
// at the registry twice a second. A muted actor pays for one load and one store; nothing is done
// while no actor waits. A deterministic system has no watch: an alarm would let its time pass.
//
// A wait counts from the first look after it has begun, so it is never reported too early, and at
// most two looks too late.
//
//	an actor that begins to wait             the look
//	B1  writes its name into the entry       L1  none waits at this look and the last one:
//	B2  loads now; if that is 0: arms             now = 0
//	                                         L2  looks once more; if any waits: arms
//
// No wait is overlooked: if B2 finds now as it was before L1, L2 comes after B1.
type waitWatch struct {
	sys *System
	On  bool       // read-only
	now seam.Int64 // the time of the last look; 0: no look is due

	mu       sync.Mutex
	alarm    seam.Alarm // guarded by mu; nil: it was never needed
	ended    bool       // guarded by mu
	empty    bool       // guarded by mu: none waited at the last look
	reported uint64     // guarded by mu: warnings due so far, written or left out
	toldAt   int64      // guarded by mu: the time of the last; 0: there was none
}

// begin returns the time from which a wait counts that begins now, and sets the alarm if it is not
// set. Any goroutine.
func (w *waitWatch) begin() int64 {
	now := w.now.Load()
	if now == 0 {
		now = w.arm()
	}
	return now + int64(waitLook)
}

// arm sets the alarm unless it is set, and returns the time of the last look. It is rare, and so is
// not inlined.
//
//go:noinline
func (w *waitWatch) arm() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now.Load()
	if now != 0 || w.ended {
		return now
	}
	clock := w.sys.Opts.Clock
	if w.alarm == nil {
		w.alarm = clock.NewAlarm(w.look)
	}
	now = max(clock.Nanos(), 1)
	w.empty = false
	w.now.Store(now)
	w.alarm.Set(now + int64(waitLook))
	return now
}

// look is one look at the registry. It warns of long waits and sets the alarm for the next look.
func (w *waitWatch) look() {
	all := w.sys.allWaits()
	w.mu.Lock()
	if w.ended {
		w.mu.Unlock()
		return
	}
	now := max(w.sys.Opts.Clock.Nanos(), 1)
	switch {
	case len(all) > 0:
		w.empty = false
	case !w.empty:
		w.empty = true
	default:
		w.now.Store(0) // L1
		w.mu.Unlock()
		if len(w.sys.allWaits()) > 0 { // L2
			w.arm()
		}
		return
	}
	w.now.Store(now)
	all = slices.DeleteFunc(all, func(o oneWait) bool { return !o.isLong(now) })
	n, tell := w.lines(now, len(all) > 0)
	w.alarm.Set(now + int64(w.pause()))
	w.mu.Unlock()
	if tell {
		w.tell(all, now, n)
	}
}

// pause returns the time until the next look: waitLook on a clock that runs by itself. On a clock
// that a test moves, each look is a step of VirtualClock.Advance. There the pause doubles with
// each warning that was due, written or not. Caller holds mu.
func (w *waitWatch) pause() time.Duration {
	if w.sys.Opts.Clock.Flows() {
		return waitLook
	}
	return waitLook << min(w.reported, 16)
}

// lines counts a warning that is due, at most one a second, and returns its number. tell is true
// for the first, second, fourth and so on, which are written. Caller holds mu.
func (w *waitWatch) lines(now int64, long bool) (n uint64, tell bool) {
	since := time.Duration(now - w.toldAt)
	switch {
	case !long && since >= waitForget:
		w.reported = 0
	case long && (w.toldAt == 0 || since >= longWait):
		w.reported, w.toldAt = w.reported+1, now
		return w.reported, w.reported&(w.reported-1) == 0
	}
	return 0, false
}

// isLong reports whether the wait goes on and has lasted for long.
func (o oneWait) isLong(now int64) bool {
	return o.since != 0 && now-o.since >= int64(longWait) && (o.asks || o.who.BlockedOn.Parked())
}

// tell writes the warning. It names the actors that have waited longest.
func (w *waitWatch) tell(all []oneWait, now int64, n uint64) {
	slices.SortStableFunc(all, func(a, b oneWait) int { return cmp.Compare(a.since, b.since) })
	var who []string
	for _, o := range all[:min(len(all), waitsTold)] {
		who = append(who, o.describe())
	}
	w.sys.warn("gallop: actors have waited for long", "who", strings.Join(who, "; "), "waits",
		len(all),
		"at_least", time.Duration(now-all[0].since), "so_far", n)
}

// describe says who waits for whom, as in "reader#2 is muted for log#3".
func (o oneWait) describe() string {
	mode := " is muted for "
	if o.asks {
		mode = " waits in Ask for "
	}
	return o.who.ActorName().Describe() + mode + o.to.ActorName().Describe()
}

// end stops the watch: its system stops.
func (w *waitWatch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.now.Store(0)
	if w.alarm != nil {
		w.alarm.Stop()
	}
}

// A wait is recorded in one of two places: the wait of a muted actor in an entry of a gate's wait
// list, and the wait of a behaviour in the call of its ask. For reports, both are found here.

// All systems share these registries, as they share pools.
var (
	mutes       waitgraph.Registry[waiterBlock]
	AsksInTurns waitgraph.Registry[CallState]
)

// oneWait is an actor that waits for another, as it looks from outside.
type oneWait struct {
	who, to *Cell
	since   int64
	asks    bool // in its turn, by Ask; else it is muted
}

// allWaits returns the waits of the actors in s for other actors: those of muted actors at gates,
// and those of actors whose turns wait in Ask. An actor that waits at several gates has an entry
// for each. Any goroutine.
func (s *System) allWaits() (all []oneWait) {
	add := func(w oneWait) {
		if w.who != nil && w.to != nil && peekSys(w.who) == s {
			all = append(all, w)
		}
	}
	mutes.Each(func(b *waiterBlock) {
		for i := range b {
			add(peekMute(&b[i].Who))
		}
	})
	AsksInTurns.Each(func(k *CallState) { add(peekAsk(&k.wait)) })
	return all
}

// EachWait calls f for each wait that has begun: who waits for to, since a date that waitWatch
// gives, or 0 if that is unknown. asks reports whether who waits for a reply. f calls [Cell.Found]
// of both first, as for a [Glimpse]. Any goroutine.
func (s *System) EachWait(f func(who, to *Cell, since int64, asks bool)) {
	for _, o := range s.allWaits() {
		if o.asks || o.who.BlockedOn.Parked() {
			f(o.who, o.to, o.since, o.asks)
		}
	}
}

// peekSys returns the system of an actor that was found by a peek. Only the pointer to the actor
// orders its spawn before this read.
//
//go:norace
//go:noinline
func peekSys(a *Cell) *System { return a.Shared().Sys }

// peekMute reads an entry that belongs to a wait list, or to the goroutine that empties the list.
// It is exempt from the race detector, as Turn.peek is. Each word is loaded whole, and the GC
// keeps the two actors. If the words do not belong together, the actor was muted anew in between;
// reports then name a receiver for which it was muted before.
//
//go:norace
//go:noinline
func peekMute(w *Waiting) oneWait { return oneWait{w.Muted, w.to, w.since, false} }

// peekAsk is peekMute for a call.
//
//go:norace
//go:noinline
func peekAsk(w *askWait) oneWait { return oneWait{w.who, w.to, w.since, true} }

// askWait is an actor that waits for a call in its turn. That turn writes it.
type askWait struct {
	who, to *Cell
	since   int64 // see waitWatch; 0: unknown
}

// begin notes that me waits for a reply of to.
func (w *askWait) begin(me, to *Cell) {
	*w = askWait{who: me, to: to}
	if watch := &me.Sys().Waits; watch.On {
		w.since = watch.begin()
	}
}

func (w *askWait) end() { *w = askWait{} }
