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
	// kind identifies a subject whose text changes, and process is the number of a subject that is a
	// process. path is the place of the subject in a supervision tree, if that is not an actor's.
	kind, path string
	process    uint64
	since      time.Time

	// Of findings only: see causes.
	last    time.Time // when a signal was last seen
	victims int       // others that wait for the subject
	also    []lint    // the other signals with the same cause
}

// A rule looks at each view in order and returns its findings. Thresholds are relative where
// possible, since a long time in one program is usual in another.
type rule interface{ step(v *view) []lint }

// allRules returns new rules, without memory of earlier views.
func allRules() []rule {
	return []rule{
		&longTurns{}, mailWaits{}, &queueGrows{}, &muteChain{}, &muteCrowd{}, longMute{}, &fullChannel{}, &circles{},
		longAsk{}, &longCall{}, &selfSends{}, &putOff{}, &onlyGrows{}, &holds{}, &saturation{}, &imbalance{},
		&tooManyBlocked{}, &deadLetterBurst{}, &restartLoop{}, &startFails{}, &notRestarted{}, &mutedForever{}, &shutdown{}, deadlockedAsk{},
		pressureDeadlock{}, panicked{}, &garbage{}, smallSample{}, &noProcessor{},
	}
}

// sortLints sorts the worst first; among lints of one severity, those for which most wait, then
// those of the rule with the highest rank, then the oldest first.
func sortLints(all []lint) {
	slices.SortStableFunc(all, func(a, b lint) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity),
			cmp.Compare(traits[b.rule].rank, traits[a.rule].rank), cmp.Compare(b.victims, a.victims),
			a.since.Compare(b.since), cmp.Compare(a.subject, b.subject))
	})
}

type apiLint struct {
	Rule     string     `json:"rule"`
	Severity string     `json:"severity"` // info, check or warn
	Text     string     `json:"text"`
	Since    time.Time  `json:"since"`
	Actors   []apiActor `json:"actors"`
	Advice   string     `json:"advice"`

	Age     float64   `json:"age_seconds"`
	Last    time.Time `json:"last_seen"`
	Subject string    `json:"subject"`                // the culprit, in words
	Path    string    `json:"subject_path,omitempty"` // its place in a supervision tree
	Process uint64    `json:"subject_process,omitempty"`
	Victims int       `json:"victims,omitempty"` // others that wait for it
	Also    []string  `json:"also,omitempty"`    // more that was found and has the same cause
}

const mostAlso = 3

func (p present) lints() []apiLint {
	all := []apiLint{}
	for i := range p.v.lints {
		l := &p.v.lints[i]
		a := apiLint{Rule: l.rule, Severity: l.severity.String(), Text: p.sentence(l), Since: l.since,
			Actors: p.actors(l.about), Advice: advice[l.rule], Age: max(0, p.v.at.Sub(l.since).Seconds()),
			Last: l.last, Subject: p.subject(l), Path: p.path(l.path), Process: l.process,
			Victims: l.victims}
		if l.last.IsZero() {
			a.Last = p.v.at
		}
		if len(l.about) > 0 && a.Path == "" {
			a.Path = p.path(l.about[0].Path)
		}
		for j := range l.also[:min(len(l.also), mostAlso)] {
			a.Also = append(a.Also, p.sentence(&l.also[j]))
		}
		all = append(all, a)
	}
	return all
}

// subject names the subject of a lint.
func (p present) subject(l *lint) string {
	if l.subject != "" || len(l.about) == 0 {
		return l.subject
	}
	return p.label(l.about[0])
}

// sentence returns the text of a lint.
func (p present) sentence(l *lint) string { return p.statement(l) + waiting(l.victims) }

func (p present) statement(l *lint) string {
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
