package observe

import (
	"fmt"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

const (
	longTurn       = 10 * time.Millisecond
	longTurnFactor = 20 // times the median of other actors of the type
	othersLeast    = 3  // actors of the type that the median needs
	turnsKept      = 64 // reports of each type
	// showEvent is how long an event stays on the page.
	showEvent = 15 * time.Second
)

// longTurns finds turns that ran long, and much longer than the reported turns of other actors of
// the type. The runtime reports the turns (actor.WithLongTurn): a worker that is seen with one
// actor again and again may have run many short turns. Declared blocking (actor.Context.Blocking,
// or an ask) is not long, because the worker runs other actors meanwhile.
type longTurns struct {
	heard time.Time // the last report
	// starved has the reports made while the machine lacked processors. One such report may concern
	// a turn that only waited for a processor, so several are needed.
	starved map[doing][]time.Time
	seen    map[string][]seenTurn
	shown   map[uint64]longLint
}

// doing is a behaviour of a type.
type doing struct{ typ, behaviour string }

const (
	starvedLeast = 3 // reports of a behaviour within showEvent
	// starvedFrom is the waiting time of threads, in seconds a second, from which reports are
	// doubted.
	starvedFrom = 0.1
)

// doubtful reports whether a turn may be long because its thread had no processor.
func (r *longTurns) doubtful(v *view, k doing, now time.Time) bool {
	if v.starved() < starvedFrom {
		return false
	}
	if r.starved == nil {
		r.starved = map[doing][]time.Time{}
	}
	r.starved[k] = append(slices.DeleteFunc(r.starved[k], func(t time.Time) bool {
		return now.Sub(t) > showEvent
	}), now)
	return len(r.starved[k]) < starvedLeast
}

type seenTurn struct {
	actor uint64
	ran   time.Duration
}

// longLint is a lint that is shown for a while after its turn has ended.
type longLint struct {
	lint
	until time.Time
}

func (r *longTurns) step(v *view) []lint {
	if r.seen == nil {
		r.seen, r.shown = map[string][]seenTurn{}, map[uint64]longLint{}
	}
	for _, l := range v.long {
		if !l.At.After(r.heard) {
			continue
		}
		r.heard = l.At
		// Without a behaviour the runtime itself was slow, on a machine that lacks processors.
		if !l.Blocking && l.Behaviour != "" && !v.pinned(l.Type) &&
			!r.doubtful(v, doing{l.Type, l.Behaviour}, l.At) {
			r.look(l.At, v.find(l.ActorID, l.Type), l.Behaviour, l.AtLeast)
		}
	}
	var found []lint
	for id, l := range r.shown {
		if v.at.After(l.until) {
			delete(r.shown, id)
			continue
		}
		found = append(found, l.lint)
	}
	return mostOf(found)
}

// look records a turn, and a lint if the turn is long.
func (r *longTurns) look(now time.Time, a inspect.Actor, behaviour string, ran time.Duration) {
	least := r.least(a)
	list := append(r.seen[a.Type], seenTurn{a.ID, ran})
	r.seen[a.Type] = list[max(0, len(list)-turnsKept):]
	if ran <= least {
		return
	}
	l, ok := r.shown[a.ID]
	if !ok {
		l.since = now
	}
	l.rule, l.severity, l.about, l.until = "long-turn", warn, []inspect.Actor{a}, now.Add(showEvent)
	l.says = fmt.Sprintf("runs %q for %s and more, while its messages wait", behaviour, short(ran))
	r.shown[a.ID] = l
}

// least returns the longest turn that is not reported: longTurnFactor times the median of other
// actors of the type.
func (r *longTurns) least(a inspect.Actor) time.Duration {
	var others []time.Duration
	who := map[uint64]bool{}
	for _, t := range r.seen[a.Type] {
		if t.actor != a.ID {
			others = append(others, t.ran)
			who[t.actor] = true
		}
	}
	if len(who) < othersLeast {
		return longTurn
	}
	slices.Sort(others)
	return max(longTurn, longTurnFactor*others[len(others)/2])
}

// find returns the known data of an actor.
func (s *sample) find(id uint64, typ string) inspect.Actor {
	if i, ok := slices.BinarySearchFunc(s.actors, id, func(a inspect.Actor, id uint64) int {
		return int(min(max(int64(a.ID-id), -1), 1))
	}); ok {
		return s.actors[i]
	}
	return inspect.Actor{ID: id, Type: typ, Status: actor.StatusBusy}
}

func (s *sample) pinned(typ string) bool {
	return slices.ContainsFunc(s.types, func(t inspect.Type) bool {
		return t.Name == typ &&
			t.Pinned
	})
}

// panicked reports the panics of the last seconds. A supervisor may have dealt with them.
type panicked struct{}

func (panicked) step(v *view) []lint {
	type at struct{ typ, behaviour string }
	latest, count := map[at]inspect.Panic{}, map[at]int{}
	for _, p := range v.sample.panics {
		if v.at.Sub(p.At) < showEvent {
			k := at{p.Type, p.Behaviour}
			latest[k] = p
			count[k]++
		}
	}
	var found []lint
	for k, p := range latest {
		says := fmt.Sprintf("panicked in %q: see Panics", p.Behaviour)
		if n := count[k]; n > 1 {
			says = fmt.Sprintf("was the last of %d that panicked in %q: see Panics", n, p.Behaviour)
		}
		a := v.find(p.ActorID, p.Type)
		a.Name = p.Name
		found = append(found, lint{rule: "panic", severity: check, about: []inspect.Actor{a},
			says: says, since: p.At})
	}
	return found
}

// selfSends finds actors that keep themselves busy: most of their messages come from themselves.
type selfSends struct{ since spells[uint64] }

const selfSendsLeast = 100 // messages in the window that is watched

func (r *selfSends) step(v *view) []lint {
	is := map[uint64]bool{}
	for _, s := range v.loops {
		is[s.actor.ID] = s.all >= selfSendsLeast && 2*s.self > s.all
		if !is[s.actor.ID] {
			delete(is, s.actor.ID)
		}
	}
	if r.since == nil {
		r.since = spells[uint64]{}
	}
	r.since.see(v.at, is)
	var found []lint
	for _, s := range v.loops {
		if is[s.actor.ID] {
			found = append(found, lint{rule: "self-send", severity: warn,
				about: []inspect.Actor{s.actor}, since: r.since[s.actor.ID],
				says: fmt.Sprintf("has sent itself %.0f %% of the messages that it runs",
					100*float64(s.self)/float64(s.all))})
		}
	}
	return found
}
