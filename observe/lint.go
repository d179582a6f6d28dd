package observe

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// severity says how sure a lint is that something is wrong.
type severity int

const (
	info  severity = iota // how far what is shown can be trusted
	check                 // it may be meant so
	warn                  // it is wrong, or will be
)

func (s severity) String() string { return [...]string{"info", "check", "warn"}[s] }

// A lint is something that seems to be wrong.
type lint struct {
	rule     string // also the heading in docs/observe.md
	severity severity
	// about has the culprit first. says is what is wrong with it, after its name: "takes …".
	about []inspect.Actor
	says  string
	// subject stands for the actor, where there is none: "a Hold".
	subject string
	since   time.Time
}

// A rule looks at each view, in order, and returns what it finds. Thresholds are relative where
// they can be, since what is long for one program is usual for another.
type rule interface{ step(v *view) []lint }

// allRules returns all rules, as they begin.
func allRules() []rule {
	return []rule{
		&longTurns{}, &queueGrows{}, &muteChain{}, &muteCrowd{}, &circles{}, longAsk{}, &selfSends{},
		&putOff{}, &holds{}, &imbalance{}, &tooManyBlocked{}, &deadLetterBurst{}, &restartLoop{},
		&mutedForever{}, pressureDeadlock{}, panicked{}, smallSample{}, &noProcessor{},
	}
}

// sortLints puts what is worst first, and of these what has lasted longest.
func sortLints(all []lint) {
	slices.SortStableFunc(all, func(a, b lint) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), a.since.Compare(b.since))
	})
}

type apiLint struct {
	Rule     string     `json:"rule"`
	Severity string     `json:"severity"` // info, check or warn
	Text     string     `json:"text"`
	Since    time.Time  `json:"since"`
	Actors   []apiActor `json:"actors"`
	Advice   string     `json:"advice"`
}

func (p present) lints() []apiLint {
	all := []apiLint{}
	for i := range p.v.lints {
		l := &p.v.lints[i]
		all = append(all, apiLint{l.rule, l.severity.String(), p.sentence(l), l.since,
			p.actors(l.about), advice[l.rule]})
	}
	return all
}

// sentence is a lint in words.
func (p present) sentence(l *lint) string {
	if l.subject != "" {
		return l.subject + " " + l.says
	}
	says := l.says
	if len(l.about) > 1 { // a sentence names a second actor by this sign
		says = strings.Replace(says, "$1", p.label(l.about[1]), 1)
	}
	return p.label(l.about[0]) + " " + says
}

// label names an actor in a sentence, without what would make it long.
func (p present) label(a inspect.Actor) string {
	if a.ID == 0 {
		return clip(a.Type)
	}
	text := a.String()
	if a.Name != "" {
		text += " (" + p.name(a.Name) + ")"
	}
	return clip(text)
}

// clip shortens what would fill a page.
func clip(text string) string {
	const most = 80
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// spells remembers since when something is so, for each of many things.
type spells[K comparable] map[K]time.Time

// see notes what is so now, forgets what no longer is, and returns since when each has been.
func (s spells[K]) see(now time.Time, is map[K]bool) {
	for k := range s {
		if !is[k] {
			delete(s, k)
		}
	}
	for k := range is {
		if _, ok := s[k]; !ok {
			s[k] = now
		}
	}
}
