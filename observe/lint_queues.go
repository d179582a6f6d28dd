package observe

import (
	"fmt"
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// queueGrows finds mailboxes with more messages than are counted, in three samples running. A
// mailbox that is bounded by muting its senders is found only if its mail waits long.
type queueGrows struct {
	times map[uint64]int
	since map[uint64]time.Time
}

const queueSamples = 3

func (r *queueGrows) step(v *view) []lint {
	times, since := map[uint64]int{}, map[uint64]time.Time{}
	var found []lint
	for _, a := range v.actors {
		if a.Queued < inspect.MaxQueued || v.boundedBy(a) {
			continue
		}
		times[a.ID] = r.times[a.ID] + 1
		since[a.ID] = v.at
		if first, ok := r.since[a.ID]; ok {
			since[a.ID] = first
		}
		if times[a.ID] >= queueSamples {
			found = append(found, lint{rule: "queue-grows", severity: warn,
				about: []inspect.Actor{a}, since: since[a.ID],
				says: fmt.Sprintf("has %d messages or more in its mailbox", inspect.MaxQueued) +
					v.because(a)})
		}
	}
	r.times, r.since = times, since
	return mostOf(found)
}

// longWait is how long mail in a mailbox may wait while the senders are muted.
const longWait = time.Second

// boundedBy reports whether muted senders keep a mailbox from growing and the probes to actors of
// its type were quick.
func (s *sample) boundedBy(a inspect.Actor) bool {
	if !slices.ContainsFunc(s.graph.Mutes, func(e inspect.Edge) bool { return e.To.ID == a.ID }) {
		return false
	}
	for _, d := range s.delays {
		if d.typ == a.Type {
			return max(d.waits, d.last) < longWait
		}
	}
	return true
}

// because adds the known reason for a long mailbox.
func (v *view) because(a inspect.Actor) string {
	switch {
	case a.Muted:
		return ": it is muted, and waits for another"
	case a.Suspended:
		return ": it waits for its restart"
	}
	for _, b := range v.busy {
		if b.Actor == a.ID && b.Behaviour != "" {
			return fmt.Sprintf(", mostly running %q", b.Behaviour)
		}
	}
	return ""
}

// mostOf returns the first five lints of a rule; more would add nothing.
func mostOf(found []lint) []lint {
	const most = 5
	return found[:min(len(found), most)]
}

// deadLetterBurst finds more than a hundred dead letters a second.
type deadLetterBurst struct{ since spells[inspect.Letters] }

const burst = 100 // a second

func (r *deadLetterBurst) step(v *view) []lint {
	is := map[inspect.Letters]bool{}
	rates := map[inspect.Letters]inspect.Letters{}
	for _, l := range v.letters {
		k := inspect.Letters{Type: l.Type, Behaviour: l.Behaviour, Reason: l.Reason,
			FromType: l.FromType}
		if l.Rate > burst && !l.BestEffort {
			is[k], rates[k] = true, l
		}
	}
	if r.since == nil {
		r.since = spells[inspect.Letters]{}
	}
	r.since.see(v.at, is)
	var found []lint
	for k, l := range rates {
		from := "from outside"
		if l.FromType != "" {
			from = "from " + clip(l.FromType)
		}
		found = append(found, lint{rule: "dead-letters", severity: warn, since: r.since[k],
			subject: fmt.Sprintf("%.0f messages a second", l.Rate),
			says: fmt.Sprintf("to %s.%s %s do not run: %s", clip(l.Type), clip(l.Behaviour), from,
				clip(l.Reason))})
	}
	return mostOf(found)
}

// putOff finds put-off replies that seem forgotten: for ten seconds their number, for one actor,
// never fell.
type putOff struct{ held map[uint64]putOffs }

type putOffs struct {
	count int
	since time.Time
}

const forgotten = 10 * time.Second

func (r *putOff) step(v *view) []lint {
	held := map[uint64]putOffs{}
	var found []lint
	for _, h := range v.why {
		if h.What != "put-off reply" {
			continue
		}
		p := r.held[h.Actor.ID]
		if p.since.IsZero() || h.Count < p.count {
			p.since = v.at
		}
		p.count = h.Count
		held[h.Actor.ID] = p
		if v.at.Sub(p.since) < forgotten || h.Actor.ID == 0 {
			continue
		}
		found = append(found, lint{rule: "put-off-reply", severity: check, since: p.since,
			about: []inspect.Actor{v.find(h.Actor.ID, h.Actor.Type)},
			says:  fmt.Sprintf("has put off %s, and given none of them", replies(h.Count))})
	}
	r.held = held
	return mostOf(found)
}

func replies(n int) string {
	if n == 1 {
		return "a reply"
	}
	return fmt.Sprintf("%d replies", n)
}

// noProcessor finds that threads wait for a processor: then a turn that takes long may only be
// waiting.
type noProcessor struct{ since time.Time }

const starvedMuch = 0.5 // threads that wait, on average

func (r *noProcessor) step(v *view) []lint {
	n := v.starved()
	if n < starvedMuch {
		r.since = time.Time{}
		return nil
	}
	if r.since.IsZero() {
		r.since = v.at
	}
	return []lint{{rule: "no-processor", severity: info, since: r.since, subject: "The machine",
		says: fmt.Sprintf("has no processor for %.1f threads of this program at a time: "+
			"turns and waits take longer than they would", n)}}
}

// smallSample says how reliable the figures are; it should be read first.
type smallSample struct{}

const enoughLooks = 100

func (smallSample) step(v *view) []lint {
	if v.seconds() >= 10 || v.ran >= enoughLooks {
		return nil
	}
	return []lint{{rule: "small-sample", severity: info, since: v.since, subject: "The sample",
		says: fmt.Sprintf("is small yet: a turn ran at %d looks in %.0f s. "+
			"Shares may be wrong by %.0f %%",
			v.ran, v.seconds(), 100*min(1, 2*standardError(v.ran)))}}
}
