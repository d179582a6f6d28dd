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

// longTurns finds turns that run for long now, by the runtime's records, and turns that ran long,
// by its reports (actor.WithLongTurn), and much longer than the reported turns of other actors of
// the type. A worker that is seen with one actor again and again may have run many short turns, so
// the profile says nothing. A turn that blocks (actor.Context.Blocking) keeps no worker, and is
// found if mail waits for it.
type longTurns struct {
	heard time.Time // the last report
	// doubted has the reports of turns that may have been long because their threads had no processor.
	doubted map[doing][]time.Time
	seen    map[string][]seenTurn
	shown   map[uint64]longLint
}

// doing is a behaviour of a type.
type doing struct{ typ, behaviour string }

const (
	turnNow     = time.Second      // from which a turn that runs now is found
	blockedNow  = 2 * time.Second  // the same, for one that blocks while mail waits
	callbackNow = 10 * time.Second // the same, for OnStart and the like, which block without mail
	// After so many reports of a behaviour within showEvent, a turn is found although its thread may
	// have had no processor, if it was long without the share of time that threads wait.
	doubtedLeast = 5
)

// nowTurn is a turn that has lasted for long and still does.
type nowTurn struct {
	inspect.Turn
	at    string // the line of the user's code; "" if that is not known
	stack string
}

// now returns the findings about turns that run now.
func (r *longTurns) now(v *view) (found []lint) {
	for _, t := range v.now {
		ran := t.Lasted - v.machine.lackedIn(t.Lasted)
		l := lint{rule: "long-turn", severity: warn, since: v.at.Add(-t.Lasted)}
		what := fmt.Sprintf("runs %q", t.Behaviour)
		if t.Process != 0 {
			l.process, l.subject = t.Process, processLabel(t.Type, t.Process, t.Name)
			what = "blocks its worker"
		} else {
			l.about = []inspect.Actor{t.Actor}
		}
		switch {
		case !t.Blocking && ran >= turnNow && (t.Behaviour != "" || t.Process != 0):
			l.says = fmt.Sprintf("%s for %s and still does%s%s", what, short(t.Lasted), in(t.at), t.mail())
		case t.Blocking && ran >= blockedNow && t.Actor.Queued > 0 && !v.waitsInAsk(t.Actor):
			l.says = fmt.Sprintf("has been in Blocking in %q for %s%s%s", t.Behaviour, short(t.Lasted), in(t.at),
				t.mail())
		case t.Blocking && ran >= callbackNow && isCallback(t.Behaviour) && !v.waitsInAsk(t.Actor):
			l.says = fmt.Sprintf("has been in Blocking in %s for %s%s", t.Behaviour, short(t.Lasted), in(t.at))
		default:
			continue
		}
		found = append(found, l)
	}
	return mostOf(found)
}

func in(line string) string {
	if line == "" {
		return ""
	}
	return ", in " + line
}

// mail says how many messages wait for the turn.
func (t *nowTurn) mail() string {
	switch n := t.Actor.Queued; {
	case n == 0:
		return ""
	case n >= inspect.MaxQueued:
		return fmt.Sprintf(", while %d messages or more wait", inspect.MaxQueued)
	case n == 1:
		return ", while a message waits"
	default:
		return fmt.Sprintf(", while %d messages wait", n)
	}
}

func isCallback(name string) bool {
	return name == "init" || name == "OnStart" || name == "OnStop" || name == "Stop"
}

// waitsInAsk reports whether an actor waits for a reply in its turn.
func (s *sample) waitsInAsk(a inspect.Actor) bool {
	return slices.ContainsFunc(s.graph.Asks, func(e inspect.Edge) bool { return e.From.ID == a.ID })
}

// processLabel names a process in a sentence.
func processLabel(typ string, id uint64, name string) string {
	text := fmt.Sprintf("%s#%d", typ, id)
	if name != "" {
		text += " (" + name + ")"
	}
	return clip(text)
}

// ran returns how long a reported turn has run for certain; 0 if its thread may have had no
// processor.
func (r *longTurns) ran(v *view, l inspect.LongTurn) time.Duration {
	lacked := v.machine.lackedIn(l.AtLeast)
	if l.AtLeast > lacked && lacked < longTurn {
		return l.AtLeast
	}
	if r.doubted == nil {
		r.doubted = map[doing][]time.Time{}
	}
	k := doing{l.Type, l.Behaviour}
	r.doubted[k] = append(slices.DeleteFunc(r.doubted[k], func(t time.Time) bool {
		return l.At.Sub(t) > showEvent
	}), l.At)
	if share := v.machine.lackedShare(); len(r.doubted[k]) >= doubtedLeast && share < muchLacked {
		return time.Duration(float64(l.AtLeast) * (1 - share))
	}
	return 0
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
		if !l.Blocking && l.Behaviour != "" && !v.pinned(l.Type) {
			r.look(l.At, v.find(l.ActorID, l.Type), l.Behaviour, l.AtLeast, r.ran(v, l))
		}
	}
	found := r.now(v)
	still := map[uint64]bool{}
	for _, l := range found {
		if l.process == 0 {
			still[l.about[0].ID] = true
		}
	}
	for id, l := range r.shown {
		if v.at.After(l.until) {
			delete(r.shown, id)
		} else if !still[id] {
			found = append(found, l.lint)
		}
	}
	return mostOf(found)
}

// look records a turn, and a lint if the turn is long.
func (r *longTurns) look(now time.Time, a inspect.Actor, behaviour string, lasted, ran time.Duration) {
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
	l.says = fmt.Sprintf("runs %q for %s and more, while its messages wait", behaviour, short(lasted))
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
