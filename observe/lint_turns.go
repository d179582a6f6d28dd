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
	longTurnFactor = 20 // times what is usual for the other actors of the type
	othersLeast    = 3  // actors of the type, before it is known what is usual
	turnsKept      = 64 // reports of each type
	// What has happened is shown for so long after it.
	showEvent = 15 * time.Second
)

// longTurns finds turns that ran for long, and much longer than those of other actors of the type
// that were reported. It hears of turns from the runtime (actor.WithLongTurn): a worker that is
// seen with the same actor again and again may have run many short turns. Turns that block as
// declared (actor.Context.Blocking, or an ask) are not long: their workers run other actors.
type longTurns struct {
	heard time.Time // the last report
	// Reports while the machine had no processor for all threads: one may say that of a turn which
	// only waited for a processor, so it counts if there are several.
	starved map[doing][]time.Time
	seen    map[string][]seenTurn
	shown   map[uint64]longLint
}

// doing is what an actor of a type does.
type doing struct{ typ, behaviour string }

const (
	starvedLeast = 3 // reports of a behaviour in the time of showEvent
	// So long, in a second, threads have to wait for a processor before that is a reason for doubt.
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

// longLint is a lint that stays after its turn has ended.
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
		// Without a behaviour it is the runtime itself that takes long, on a machine without time.
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

// look notes a turn, and remembers a lint if it is long.
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

// least is how long a turn may be, by the median of the reports of other actors of the type.
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

// find describes an actor as well as it is known.
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

// panicked says what has panicked in the last seconds: a supervisor may have dealt with it.
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

// selfSends finds actors that keep themselves busy: most of their messages are their own.
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
