package observe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// A finding is made of signals: see docs/decisions/0054-findings.md. The lints that rules return
// are signals, and the lints of a view are findings.

// trait says how findings are made of the signals of a rule.
type trait struct {
	// rank orders the rules by how much they say about the cause. The sentence of a finding is that
	// of the signal with the highest rank.
	rank int
	// follows: the subject may be a victim, and the cause is at the end of its waits.
	follows bool
	// event: the rule itself shows the signal for a while after an event.
	event bool
}

var traits = map[string]trait{
	"ask-circle":        {rank: 100},
	"mute-circle":       {rank: 99},
	"pressure-deadlock": {rank: 98, event: true},
	"too-many-blocked":  {rank: 95, event: true},
	"restart-loop":      {rank: 90},
	"start-fails":       {rank: 89},
	"not-restarted":     {rank: 88},
	"panic":             {rank: 85, event: true},
	"self-send":         {rank: 82},
	"long-turn":         {rank: 80, follows: true, event: true},
	"put-off-reply":     {rank: 70, follows: true},
	"long-ask":          {rank: 68, follows: true},
	"long-call":         {rank: 67},
	"only-grows":        {rank: 65},
	"dead-letters":      {rank: 64},
	"hold":              {rank: 60},
	"shutdown":          {rank: 59},
	"muted-forever":     {rank: 58, follows: true},
	"full-channel":      {rank: 57},
	"long-mute":         {rank: 56, follows: true},
	"mail-waits":        {rank: 50, follows: true},
	"mute-chain":        {rank: 48, follows: true},
	"queue-grows":       {rank: 45, follows: true},
	"saturation":        {rank: 40},
	"garbage":           {rank: 38},
	"mute-crowd":        {rank: 35, follows: true},
	"imbalance":         {rank: 20},
	"no-processor":      {rank: 10},
}

const (
	// edgesCount is how long a wait of one actor for another counts after it was last seen. Mutes
	// come and go.
	edgesCount = 5 * time.Second
	// remembered is how long a signal counts after it was last seen.
	remembered = 10 * time.Second
	// ageKept is how long a subject without signals keeps its age.
	ageKept = time.Minute
)

// key identifies the subject of a signal: an actor or a process by its number, or anything else by
// a text.
type key struct {
	process bool
	id      uint64
	text    string
}

func actorKey(a inspect.Actor) key {
	if a.ID == 0 {
		return key{text: a.Type}
	}
	return key{id: a.ID}
}

// key returns the key of the subject.
func (l *lint) key() key {
	switch {
	case l.kind != "":
		return key{text: l.kind}
	case l.process != 0:
		return key{process: true, id: l.process}
	case len(l.about) > 0:
		return actorKey(l.about[0])
	}
	return key{text: l.subject}
}

// signal is a lint of a rule, and when it was last seen.
type signal struct {
	lint
	last time.Time
}

type signalKey struct {
	rule  string
	about key
}

// causes makes findings of signals, and remembers both.
type causes struct {
	waits   map[key]map[key]time.Time // who waits for whom, and when that was last seen
	asks    map[key]bool              // of these, the actors that were asked
	actors  map[key]inspect.Actor     // the actors that are waited for
	signals map[signalKey]*signal
	begun   map[key]age
}

// age is when a subject was first and last found.
type age struct{ first, last time.Time }

func newCauses() *causes {
	return &causes{waits: map[key]map[key]time.Time{}, asks: map[key]bool{},
		actors: map[key]inspect.Actor{}, signals: map[signalKey]*signal{}, begun: map[key]age{}}
}

// findings returns the findings of a view, in which the rules have found these signals.
func (c *causes) findings(v *view, found []lint) (all []lint) {
	c.learn(v)
	for _, l := range found {
		if l.severity == info {
			all = append(all, l)
		} else {
			c.remember(v, l)
		}
	}
	maps.DeleteFunc(c.signals, func(k signalKey, s *signal) bool {
		return v.at.Sub(s.last) > remembered || traits[k.rule].event && s.last.Before(v.at)
	})
	groups := map[key][]*signal{}
	for _, s := range c.signals {
		root := c.rootOf(v, s)
		groups[root] = append(groups[root], s)
	}
	behind := c.behind()
	for root, group := range groups {
		all = append(all, c.finding(v, root, group, behind[root]))
	}
	maps.DeleteFunc(c.begun, func(_ key, a age) bool { return v.at.Sub(a.last) > ageKept })
	return all
}

// learn notes who waits for whom.
func (c *causes) learn(v *view) {
	see := func(from, to key) {
		if c.waits[from] == nil {
			c.waits[from] = map[key]time.Time{}
		}
		c.waits[from][to] = v.at
	}
	clear(c.asks)
	for _, e := range v.graph.Mutes {
		see(actorKey(e.From), actorKey(e.To))
		c.actors[actorKey(e.To)] = e.To
	}
	for _, e := range v.graph.Asks {
		see(actorKey(e.From), actorKey(e.To))
		c.actors[actorKey(e.To)] = e.To
		c.asks[actorKey(e.To)] = true
	}
	for from, all := range c.waits {
		maps.DeleteFunc(all, func(_ key, at time.Time) bool { return v.at.Sub(at) > edgesCount })
		if len(all) == 0 {
			delete(c.waits, from)
		}
	}
	if len(c.actors) > 2*len(c.waits)+100 {
		clear(c.actors)
	}
}

// remember notes a signal.
func (c *causes) remember(v *view, l lint) {
	k := signalKey{l.rule, l.key()}
	if s := c.signals[k]; s != nil && s.since.Before(l.since) {
		l.since = s.since
	}
	c.signals[k] = &signal{l, v.at}
}

// next returns the actor that an actor waits for. Of several it takes the newest wait, and among
// equally new ones an actor that waits itself.
func (c *causes) next(from key) (to key, ok bool) {
	better := func(a, b key) bool {
		at, bt := c.waits[from][a], c.waits[from][b]
		if !at.Equal(bt) {
			return at.After(bt)
		}
		if aw, bw := len(c.waits[a]) > 0, len(c.waits[b]) > 0; aw != bw {
			return aw
		}
		return a.id < b.id
	}
	for k := range c.waits[from] {
		if !ok || better(k, to) {
			to, ok = k, true
		}
	}
	return to, ok
}

// end returns the end of the waits that begin with an actor. Of a circle there is no end: then it
// returns the actor of the circle with the smallest number.
func (c *causes) end(from key) key {
	seen := map[key]bool{}
	for at := from; ; {
		to, ok := c.next(at)
		if !ok {
			return at
		}
		if seen[at] = true; !seen[to] {
			at = to
			continue
		}
		first := to
		for k, _ := c.next(to); k != to; k, _ = c.next(k) {
			if k.id < first.id {
				first = k
			}
		}
		return first
	}
}

// behind returns, for each end of waits, the actors that wait for it directly or through others.
func (c *causes) behind() map[key]map[key]bool {
	all := map[key]map[key]bool{}
	for from := range c.waits {
		end := c.end(from)
		if all[end] == nil {
			all[end] = map[key]bool{}
		}
		all[end][from] = true
	}
	return all
}

// saturated is the key of the finding that all workers are busy.
var saturated = key{text: "saturation"}

// rootOf returns the cause of a signal.
func (c *causes) rootOf(v *view, s *signal) key {
	k := s.key()
	if s.rule == "saturation" {
		return saturated
	}
	if !traits[s.rule].follows || k.id == 0 {
		return k
	}
	end := c.end(k)
	if end == k && (s.rule == "mail-waits" || s.rule == "queue-grows") && v.workersOf(k) < littleBusy {
		for of := range c.signals {
			if of.rule == "saturation" {
				return saturated
			}
		}
	}
	return end
}

// littleBusy is the number of workers that an actor keeps busy, up to which its mail waits for
// others.
const littleBusy = 0.2

// finding makes one finding of the signals with one cause. behind are the actors that wait for it.
func (c *causes) finding(v *view, root key, group []*signal, behind map[key]bool) lint {
	slices.SortFunc(group, func(a, b *signal) int {
		return cmp.Or(first(a.key() == root || root == saturated && a.rule == "saturation",
			b.key() == root || root == saturated && b.rule == "saturation"),
			cmp.Compare(traits[b.rule].rank, traits[a.rule].rank),
			b.last.Compare(a.last), cmp.Compare(a.key().id, b.key().id), cmp.Compare(a.key().text, b.key().text))
	})
	l := group[0].lint
	victims := maps.Clone(behind)
	if victims == nil {
		victims = map[key]bool{}
	}
	for i, s := range group {
		l.severity = max(l.severity, s.severity)
		if s.since.Before(l.since) {
			l.since = s.since
		}
		if s.last.After(l.last) {
			l.last = s.last
		}
		if s.key() != root && s.key().id != 0 {
			victims[s.key()] = true
		}
		if i > 0 {
			l.also = append(l.also, s.lint)
		}
	}
	delete(victims, root)
	if l.victims = max(l.victims, len(victims)); group[0].key() != root && root != saturated {
		l = c.atTheEnd(v, root, l, group[0])
	}
	if a, ok := c.begun[root]; ok && a.first.Before(l.since) {
		l.since = a.first
	}
	c.begun[root] = age{l.since, v.at}
	return l
}

// first orders true before false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// atTheEnd returns the finding about a cause of which only victims were noticed.
func (c *causes) atTheEnd(v *view, root key, l lint, victim *signal) lint {
	a, ok := c.actors[root]
	if now := v.find(root.id, a.Type); now.Type != "" || !ok {
		a = now
	}
	l.also = append([]lint{victim.lint}, l.also...)
	l.about, l.subject, l.process, l.kind = []inspect.Actor{a}, "", 0, ""
	l.says = "does not keep up" + v.because(a)
	if c.asks[root] {
		l.says = "has not answered" + v.because(a)
	}
	return l
}

// waiting returns the words for the victims of a finding.
func waiting(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "; 1 other waits for it"
	}
	return fmt.Sprintf("; %d others wait for it", n)
}
