package observe

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// severity says how certain a lint is.
type severity int

const (
	info  severity = iota // how reliable the figures are
	check                 // possibly intended
	warn                  // a fault, now or soon
)

func (s severity) String() string { return [...]string{"info", "check", "warn"}[s] }

// A lint is a suspected fault.
type lint struct {
	rule     string // also its heading in docs/observe.md
	severity severity
	// about has the culprit first. says is the sentence without its subject: "takes …".
	about []inspect.Actor
	says  string
	// subject is the subject of the sentence if that is no actor: "a Hold".
	subject string
	since   time.Time
}

// A rule looks at each view in order and returns its findings. Thresholds are relative where
// possible, since a long time in one program is usual in another.
type rule interface{ step(v *view) []lint }

// allRules returns new rules, without memory of earlier views.
func allRules() []rule {
	return []rule{
		&longTurns{}, &queueGrows{}, &muteChain{}, &muteCrowd{}, &circles{}, longAsk{}, &selfSends{},
		&putOff{}, &holds{}, &imbalance{}, &tooManyBlocked{}, &deadLetterBurst{}, &restartLoop{},
		&mutedForever{}, pressureDeadlock{}, panicked{}, smallSample{}, &noProcessor{},
	}
}

// sortLints sorts the worst first; among lints of one severity, the oldest first.
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

// sentence returns the text of a lint.
func (p present) sentence(l *lint) string {
	if l.subject != "" {
		return l.subject + " " + l.says
	}
	says := l.says
	if len(l.about) > 1 { // "$1" in a sentence stands for the second actor
		says = strings.Replace(says, "$1", p.label(l.about[1]), 1)
	}
	return p.label(l.about[0]) + " " + says
}

// label names an actor in a sentence and is short.
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

// clip shortens a text to 80 characters.
func clip(text string) string {
	const most = 80
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// spells has, for each condition that holds, the time since when it has held.
type spells[K comparable] map[K]time.Time

// see starts a spell for each new condition and ends the spells of conditions that no longer hold.
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
