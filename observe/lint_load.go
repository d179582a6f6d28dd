package observe

import (
	"fmt"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/supervise"
)

// imbalance finds a worker that does three times as much work as another for ten seconds, although
// there are turns to steal.
type imbalance struct{ since time.Time }

const (
	imbalanceFactor = 3
	imbalanceFor    = 10 * tick
	imbalanceBusy   = 0.6
	// With more work than this done by surplus workers, the shares of single workers are
	// meaningless.
	imbalanceStandIns = 0.05
)

func (r *imbalance) step(v *view) []lint {
	most, least, n := -1.0, 2.0, 0
	busiest, standIns := 0, 0.0
	for _, w := range v.workers {
		if w.Pinned {
			continue
		}
		// A surplus worker does the work of the worker that it stands in for.
		if w.ID >= v.slots {
			standIns += w.Busy
			continue
		}
		n++
		least = min(least, w.Busy)
		if w.Busy > most {
			most, busiest = w.Busy, w.ID
		}
	}
	if n < 2 || most < imbalanceBusy || most < imbalanceFactor*least || v.queuedTurns() < 2 ||
		standIns > imbalanceStandIns {
		r.since = time.Time{}
		return nil
	}
	if r.since.IsZero() {
		r.since = v.at
	}
	if v.at.Sub(r.since) < imbalanceFor-tick {
		return nil
	}
	l := lint{rule: "imbalance", severity: check, since: r.since, kind: "imbalance",
		subject: fmt.Sprintf("Worker %d", busiest),
		says: fmt.Sprintf("is busy %.0f %% of the time and another only %.0f %%, "+
			"although turns are queued",
			100*most, 100*least)}
	if b := v.busy; len(b) > 0 && b[0].Actor != 0 && v.workersFor(b[0]) > most/2 {
		l.about = []inspect.Actor{v.find(b[0].Actor, b[0].Type)}
		l.says += fmt.Sprintf("; %s takes most of it", clip(l.about[0].String()))
	}
	return []lint{l}
}

func (s *sample) queuedTurns() int {
	for _, h := range s.why {
		if h.What == "queued turn" {
			return h.Count
		}
	}
	return 0
}

// tooManyBlocked finds behaviours that blocked their workers because too many others were blocking.
type tooManyBlocked struct {
	last  time.Time
	types map[string]int // how often a turn of each type was seen to block
}

func (r *tooManyBlocked) step(v *view) []lint {
	grown := v.rate(func(s *sample) uint64 { return s.stats.TooManyBlocked })
	if grown > 0 {
		r.last = v.at
	}
	if r.last.IsZero() || v.at.Sub(r.last) > showEvent {
		return nil
	}
	l := lint{rule: "too-many-blocked", severity: warn, since: r.last, kind: "too-many-blocked",
		subject: "Behaviours that block", says: fmt.Sprintf(
			"keep their workers from other actors: so many block at once (%d times so far)",
			v.stats.TooManyBlocked)}
	if typ := r.blocked(v); typ != "" {
		l.subject = clip(typ)
		l.says = fmt.Sprintf("has behaviours that block, and keep their workers from other actors: so many "+
			"block at once (%d times so far)", v.stats.TooManyBlocked)
	}
	return []lint{l}
}

// blocked returns the type of which most turns were seen to block.
func (r *tooManyBlocked) blocked(v *view) (typ string) {
	if r.types == nil {
		r.types = map[string]int{}
	}
	for _, w := range v.workers {
		if w.State == inspect.WorkerBlocking {
			r.types[w.Type]++
		}
	}
	for t, n := range r.types {
		if n > r.types[typ] || n == r.types[typ] && t < typ {
			typ = t
		}
	}
	return typ
}

// restartLoop finds children that are restarted again and again.
type restartLoop struct{ seen map[string][]restarted }

type restarted struct {
	at    time.Time
	total int
}

const (
	loopRestarts = 3
	loopWithin   = 10 * time.Second
)

func (r *restartLoop) step(v *view) []lint {
	seen := map[string][]restarted{}
	var found []lint
	walk(v.trees, "", func(path string, n supervise.Node) {
		list := append(r.seen[path], restarted{v.at, n.Restarts})
		for v.at.Sub(list[0].at) > loopWithin {
			list = list[1:]
		}
		seen[path] = list
		grown := n.Restarts - list[0].total
		if grown < loopRestarts {
			return
		}
		why := ""
		if n.Last != nil {
			why = ": " + clip(guard.Text(n.Last))
		}
		found = append(found, lint{rule: "restart-loop", severity: warn, since: list[0].at,
			about: v.child(n), subject: clip(path), path: path, says: fmt.Sprintf("was restarted %d times in %.0f s%s", grown,
				max(v.at.Sub(list[0].at).Seconds(), 1), why)})
	})
	r.seen = seen
	return mostOf(found)
}

// child returns the actor of a node, if there is one.
func (s *sample) child(n supervise.Node) []inspect.Actor {
	if n.Ref.IsZero() {
		return nil
	}
	return []inspect.Actor{s.find(n.Ref.ID(), n.Type)}
}

// startFails finds children that do not come up again: they have failed, and have not run since.
type startFails struct{ down map[string]time.Time }

const downLong = 3 * time.Second

func (r *startFails) step(v *view) []lint {
	var found []lint
	down := map[string]time.Time{}
	walk(v.trees, "", func(path string, n supervise.Node) {
		if n.State != supervise.BackingOff && n.State != supervise.Starting || n.Last == nil {
			return
		}
		since, ok := r.down[path]
		if !ok {
			since = v.at
		}
		down[path] = since
		if lasted := v.at.Sub(since); lasted >= downLong {
			found = append(found, lint{rule: "start-fails", severity: warn, since: since,
				about: v.child(n), subject: clip(path) + ofType(n), path: path,
				says: fmt.Sprintf("has been down for %s, after %d restarts: %s", short(lasted), n.Restarts,
					clip(guard.Text(n.Last)))})
		}
	})
	r.down = down
	return mostOf(found)
}

// notRestarted finds actors that have failed and wait for their restart, in notRestartedTimes looks
// running, while no supervisor of package supervise has them in its tree. See startFails for others.
type notRestarted struct{ last streaks }

const notRestartedTimes = 6

func (r *notRestarted) step(v *view) []lint {
	if !v.isNew(whyAt) {
		return nil
	}
	inTrees := map[uint64]bool{}
	walk(v.trees, "", func(_ string, n supervise.Node) {
		if !n.Ref.IsZero() {
			inTrees[n.Ref.ID()] = true
		}
	})
	now, found := streaks{}, []lint(nil)
	for _, h := range v.largest {
		if h.What != "pending restart" || inTrees[h.Actor.ID] {
			continue
		}
		if s := r.last.goOn(now, h.Actor.ID, v.at); s.times >= notRestartedTimes {
			l := lint{rule: "not-restarted", severity: warn, about: []inspect.Actor{h.Actor}, since: s.since,
				says: "has failed, and is neither restarted nor stopped"}
			if n := h.Actor.Queued; n > 0 {
				l.says += fmt.Sprintf(", while %d messages wait", n)
			}
			found = append(found, l)
		}
	}
	r.last = now
	return mostOf(found)
}

// ofType names the type of a node's actor, if that is not its name.
func ofType(n supervise.Node) string {
	if n.Type == "" || n.Type == n.Name {
		return ""
	}
	return " of type " + clip(n.Type)
}

// walk calls f for all nodes with their paths.
func walk(nodes []supervise.Node, above string, f func(path string, n supervise.Node)) {
	for _, n := range nodes {
		path := above + n.Name
		f(path, n)
		walk(n.Children, path+"/", f)
	}
}

// holds finds a growing number of holds from one place, and tells of a hold older than a minute and
// of holds that alone remain. That is meant so in a server, until the system is to end.
type holds struct {
	alone time.Time
	first map[string]int // holds of each place, when first seen
	since time.Time
}

const (
	holdOld    = time.Minute
	holdAlone  = 5 * time.Second
	holdsGrown = 10
)

func (r *holds) step(v *view) []lint {
	if r.first == nil {
		r.first, r.since = map[string]int{}, v.at
	}
	if !v.onlyHolds() {
		r.alone = time.Time{}
	} else if r.alone.IsZero() {
		r.alone = v.at
	}
	alone := !r.alone.IsZero() && v.at.Sub(r.alone) >= holdAlone
	places, oldest := map[string]int{}, map[string]time.Duration{}
	for _, h := range v.holds {
		places[h.At]++
		oldest[h.At] = max(oldest[h.At], h.For)
	}
	var found []lint
	for place, n := range places {
		if was, ok := r.first[place]; !ok || n < was {
			r.first[place] = n
		}
		grown := n - r.first[place]
		switch l := (lint{rule: "hold", since: v.at.Add(-oldest[place])}); {
		case grown >= holdsGrown:
			l.severity, l.subject = warn, fmt.Sprintf("%d holds", n)
			l.says = fmt.Sprintf("were taken in %s and not released, %d of them in the last %s", place,
				grown, short(v.at.Sub(r.since)))
			found = append(found, l)
		case alone || oldest[place] > holdOld:
			if l.subject = "A hold"; v.ending {
				l.severity = warn
			}
			l.says = fmt.Sprintf("of %s ago keeps the system from ending: taken in %s",
				short(oldest[place]), place)
			found = append(found, l)
		}
	}
	return mostOf(found)
}

// shutdown finds that the system is to end and does not, and names the holders.
type shutdown struct{ since time.Time }

const shutdownLong = 3 * time.Second

func (r *shutdown) step(v *view) []lint {
	if !v.ending || len(v.why) == 0 {
		r.since = time.Time{}
		return nil
	}
	if r.since.IsZero() {
		r.since = v.at
	}
	if v.at.Sub(r.since) < shutdownLong {
		return nil
	}
	var words []string
	for _, h := range v.why {
		if h.What != "put-off reply" && h.What != "SendWait" && len(words) < shutdownNames {
			words = append(words, clip(h.String()))
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []lint{{rule: "shutdown", severity: warn, since: r.since, subject: "Shutdown",
		says: "waits for " + strings.Join(words, ", ")}}
}

// shutdownNames is the number of holders that the finding names.
const shutdownNames = 8

// onlyHolds reports whether holds alone keep the system from being quiescent.
func (s *sample) onlyHolds() bool {
	some := false
	for _, h := range s.why {
		switch h.What {
		case "Hold":
			some = true
		case "put-off reply", "SendWait":
		default:
			return false
		}
	}
	return some
}
