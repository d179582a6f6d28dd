package observe

import (
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// signals is a rule that finds the same in each sample, up to one.
type signals struct {
	all   []lint
	until int
	n     int
}

func (r *signals) step(v *view) []lint {
	if r.n++; r.n > r.until {
		return nil
	}
	var all []lint
	for _, l := range r.all {
		l.since = v.at
		all = append(all, l)
	}
	return all
}

// about is a signal about an actor.
func about(rule string, s severity, a inspect.Actor) lint {
	return lint{rule: rule, severity: s, about: []inspect.Actor{a}, says: "says " + rule}
}

// told is the findings of a view in words.
func told(v []lint) string {
	p := present{v: &view{sample: &sample{}}, redact: func(_, text string) string { return text }}
	var all []string
	for i := range v {
		all = append(all, v[i].severity.String()+" "+p.sentence(&v[i]))
	}
	return strings.Join(all, "\n")
}

// "One finding for one cause, and its subject is the culprit … the victims are counted in it."
func TestCauses(t *testing.T) {
	six := mutesOf(1, 2, 3, 4, 5, 6)
	asks := func(ids ...uint64) *sample {
		s := &sample{}
		for _, e := range mutesOf(ids...).graph.Mutes {
			s.graph.Asks = append(s.graph.Asks, e)
		}
		return s
	}
	for _, c := range []struct {
		name  string
		found []lint
		s     *sample
		want  string
	}{
		{"a victim of a chain alone is noticed",
			[]lint{about("queue-grows", warn, an("stage", 3))}, six,
			"warn stage#6 does not keep up; 5 others wait for it"},
		{"victims and the end of a chain",
			[]lint{about("queue-grows", warn, an("stage", 3)), about("mail-waits", warn, an("stage", 4)),
				about("mute-chain", warn, an("stage", 6)), about("mute-crowd", check, an("stage", 2))}, six,
			"warn stage#6 says mute-chain; 5 others wait for it"},
		{"the turn of the end says more than its mail",
			[]lint{about("mail-waits", warn, an("stage", 6)), about("long-turn", warn, an("stage", 6))}, six,
			"warn stage#6 says long-turn; 5 others wait for it"},
		{"the end of a chain of asks",
			[]lint{about("long-ask", warn, an("stage", 2)), about("mail-waits", warn, an("stage", 1))},
			asks(1, 2, 3), "warn stage#3 has not answered; 2 others wait for it"},
		{"a circle has no end",
			[]lint{about("mail-waits", warn, an("stage", 2)), about("mail-waits", warn, an("stage", 3))},
			mutesOf(1, 2, 3, 2), "warn stage#2 says mail-waits; 2 others wait for it"},
		{"two causes",
			[]lint{about("mail-waits", warn, an("stage", 3)), about("mail-waits", warn, an("other", 9)),
				about("mute-crowd", check, an("third", 10))}, six,
			"warn stage#6 does not keep up; 5 others wait for it\n" +
				"warn other#9 says mail-waits\ncheck third#10 says mute-crowd"},
		{"an actor, of which two things are known",
			[]lint{about("panic", check, an("disk", 3)), about("restart-loop", warn, an("disk", 3))}, &sample{},
			"warn disk#3 says restart-loop"},
		{"what does not follow waits",
			[]lint{about("panic", check, an("stage", 3))}, six, "check stage#3 says panic"},
		{"mail waits for the workers",
			[]lint{about("mail-waits", warn, an("victim", 7)), about("mail-waits", warn, an("hot", 8)),
				{rule: "saturation", severity: warn, subject: "hot.work", kind: "saturation", says: "takes all"}},
			&sample{rounds: 100, busy: []inspect.Busy{{Actor: 8, Samples: 90}, {Actor: 7, Samples: 5}}},
			"warn hot#8 says mail-waits\nwarn hot.work takes all; 1 other waits for it"},
		{"a hint about figures is no finding",
			[]lint{{rule: "small-sample", severity: info, subject: "The sample", says: "is small"}}, &sample{},
			"info The sample is small"},
	} {
		t.Run(c.name, func(t *testing.T) {
			views := walkThrough(&signals{all: c.found, until: 1}, 1, func(int) *sample { return c.s })
			if got := told(views[0]); got != c.want {
				t.Errorf("found\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// "A signal counts for ten seconds after it was last seen, and a finding has the age of its first
// signal." "a cause that is known later takes over the findings of its victims, with their age."
func TestMemory(t *testing.T) {
	// The mailbox of the victim is found at once, and for whom it is muted after three seconds.
	all := walkThrough(&signals{all: []lint{about("queue-grows", warn, an("stage", 3))}, until: 5}, 17,
		func(n int) *sample {
			if n >= 3 && n < 6 {
				return mutesOf(3, 4)
			}
			return &sample{}
		})
	for n, v := range all {
		want := "warn stage#3 says queue-grows"
		switch {
		case n >= 3 && n <= 10: // the last mute was seen in the sixth sample
			want = "warn stage#4 does not keep up; 1 other waits for it"
		case n > 14:
			want = ""
		}
		if got := told(v); got != want {
			t.Errorf("sample %d: %q, want %q", n, got, want)
		}
		if len(v) == 0 {
			continue
		}
		if n < 11 && !v[0].since.Equal(all[0][0].since) {
			t.Errorf("sample %d: since %v", n, v[0].since)
		}
		if want := all[0][0].since.Add(time.Duration(min(n, 4)) * time.Second); !v[0].last.Equal(want) {
			t.Errorf("sample %d: last seen %v, want %v", n, v[0].last, want)
		}
	}
}

// A finding that comes and goes does not blink, and keeps its age for a minute.
func TestMemory_ComesAndGoes(t *testing.T) {
	found := func(n int) bool { return n%8 < 2 && n < 20 || n == 60 || n == 140 }
	all := walkThrough(ruleFunc(func(v *view) []lint {
		if n := int(v.seconds()); found(n) {
			l := about("mail-waits", warn, an("canvas", 3))
			l.since = v.at
			return []lint{l}
		}
		return nil
	}), 141, func(int) *sample { return &sample{} })
	for n, v := range all {
		if is := len(v) == 1; is != (n <= 27 || n >= 60 && n <= 70 || n == 140) {
			t.Errorf("sample %d: %d findings", n, len(v))
		}
	}
	if begun := all[0][0].since; !all[60][0].since.Equal(begun) || all[140][0].since.Equal(begun) {
		t.Error("its age", all[60][0].since, all[140][0].since)
	}
}

type ruleFunc func(v *view) []lint

func (f ruleFunc) step(v *view) []lint { return f(v) }
