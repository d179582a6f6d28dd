package observe

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/inspect"
)

// queueGrows finds mailboxes with more messages than are counted, in three samples running. If the
// delay of the actor or of its type is known, mail that does not wait for long is no fault.
type queueGrows struct {
	times map[uint64]int
	since map[uint64]time.Time
}

const queueSamples = 3

func (r *queueGrows) step(v *view) []lint {
	times, since := map[uint64]int{}, map[uint64]time.Time{}
	var found []lint
	for _, a := range v.actors {
		if a.Queued < inspect.MaxQueued || v.isQuick(a) {
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

// longWait is how long mail may wait.
const longWait = time.Second

// isQuick reports whether mail to an actor, or to actors of its type, is known to wait only
// briefly; or whether it is not known, and its senders are muted.
func (s *sample) isQuick(a inspect.Actor) bool {
	for _, w := range s.waits {
		if w.actor.ID == a.ID {
			return w.delay < longWait
		}
	}
	for _, d := range s.delays {
		if d.typ == a.Type {
			return max(d.waits, d.last) < longWait
		}
	}
	return slices.ContainsFunc(s.graph.Mutes, func(e inspect.Edge) bool { return e.To.ID == a.ID })
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

// deadLetterBurst finds more than a hundred dead letters a second, of one kind or in all; or an
// actor that has ended, and to which messages are sent nonetheless in each of ten seconds running.
type deadLetterBurst struct {
	since spells[inspect.Letters]
	ended streaks // of the receivers
}

const (
	burst        = 100 // a second
	lettersTimes = 10
)

func (r *deadLetterBurst) step(v *view) []lint {
	is := map[inspect.Letters]bool{}
	rates := map[inspect.Letters]inspect.Letters{}
	all, kinds, most := 0.0, 0, inspect.Letters{}
	receivers := map[inspect.Letters]float64{}
	for _, l := range v.letters {
		if l.BestEffort || l.Rate == 0 || l.Reason == guard.Text(actor.ErrDeadlock) {
			continue
		}
		k := inspect.Letters{Type: l.Type, Behaviour: l.Behaviour, Reason: l.Reason, FromType: l.FromType}
		all, kinds = all+l.Rate, kinds+1
		to := inspect.Letters{Type: l.Type, Behaviour: l.Behaviour, Reason: l.Reason}
		if receivers[to] += l.Rate; receivers[to] > receivers[most] {
			most = to
		}
		if l.Rate > burst {
			is[k], rates[k] = true, l
		}
	}
	if len(rates) == 0 && all > burst {
		is[most] = true
	}
	if r.since == nil {
		r.since = spells[inspect.Letters]{}
	}
	r.since.see(v.at, is)
	if len(rates) == 0 && all > burst {
		return []lint{{rule: "dead-letters", severity: warn, since: r.since[most], kind: "dead letters",
			subject: fmt.Sprintf("%.0f messages a second", all),
			says: fmt.Sprintf("of %d kinds do not run, most of them to %s.%s: %s", kinds, clip(most.Type),
				clip(most.Behaviour), clip(most.Reason))}}
	}
	found := r.toEnded(v, rates)
	for k, l := range rates {
		found = append(found, lint{rule: "dead-letters", severity: warn, since: r.since[k],
			kind:    "dead letters " + l.Type + "." + l.Behaviour + " " + l.FromType + " " + l.Reason,
			subject: fmt.Sprintf("%.0f messages a second", l.Rate),
			says: fmt.Sprintf("to %s.%s %s do not run: %s", clip(l.Type), clip(l.Behaviour), v.sender(l),
				clip(l.Reason))})
	}
	return mostOf(found)
}

// toEnded finds actors to which letters come all the time. bursts are found without it.
func (r *deadLetterBurst) toEnded(v *view, bursts map[inspect.Letters]inspect.Letters) (found []lint) {
	now, last := streaks{}, map[uint64]inspect.Letter{}
	for _, l := range v.recent {
		if !l.BestEffort && l.Reason == guard.Text(actor.ErrStopped) && v.at.Sub(l.At) <= 2*tick {
			last[l.Actor.ID] = l
		}
	}
	for _, id := range slices.Sorted(maps.Keys(last)) {
		l := last[id]
		k := inspect.Letters{Type: l.Actor.Type, Behaviour: l.Behaviour, Reason: l.Reason, FromType: l.FromType}
		s := r.ended.goOn(now, id, v.at)
		if _, ok := bursts[k]; ok || s.times < lettersTimes {
			continue
		}
		a := inspect.Actor{ID: id, Type: l.Actor.Type, Name: l.Actor.Name, Path: l.Actor.Path, Status: actor.StatusEnded}
		found = append(found, lint{rule: "dead-letters", severity: check, since: s.since, about: []inspect.Actor{a},
			says: fmt.Sprintf("has ended, and is still sent %q %s", l.Behaviour, v.sender(k))})
	}
	r.ended = now
	return found
}

// deadlockedAsk finds asks that fail at once because they would wait for themselves.
type deadlockedAsk struct{}

func (deadlockedAsk) step(v *view) []lint {
	var found []lint
	for _, l := range v.letters {
		if l.Reason != guard.Text(actor.ErrDeadlock) || v.at.Sub(l.Last) > showEvent {
			continue
		}
		found = append(found, lint{rule: "ask-circle", severity: warn, about: []inspect.Actor{v.receiver(l)},
			since: l.First, says: fmt.Sprintf("is asked for %q %s, and waits for that itself: %d asks have failed",
				l.Behaviour, v.sender(l), l.Count)})
	}
	return mostOf(found)
}

// receiver returns the receiver of the last of some dead letters. An idle actor may be in no list:
// then the letter has its ref.
func (s *sample) receiver(of inspect.Letters) inspect.Actor {
	for _, l := range slices.Backward(s.recent) {
		if l.Actor.Type != of.Type || l.Behaviour != of.Behaviour || l.Reason != of.Reason {
			continue
		}
		a := s.find(l.Actor.ID, of.Type)
		if ref := l.Ref(); a.Ref.IsZero() && !ref.IsZero() {
			return inspect.Describe(ref)
		}
		return a
	}
	return inspect.Actor{Type: of.Type}
}

// sender says where most of some dead letters come from: from one actor, a type, or outside.
func (s *sample) sender(of inspect.Letters) string {
	if of.FromType == "" {
		return "from outside"
	}
	counts, all := map[uint64]int{}, 0
	for _, l := range s.recent {
		if l.Actor.Type == of.Type && l.Behaviour == of.Behaviour && l.Reason == of.Reason &&
			l.FromType == of.FromType {
			counts[l.From]++
			all++
		}
	}
	for id, n := range counts {
		if id != 0 && 2*n > all {
			return fmt.Sprintf("from %s#%d", clip(of.FromType), id)
		}
	}
	return "from " + clip(of.FromType)
}

// putOff finds put-off replies that seem forgotten: for ten seconds their number, for one actor,
// never fell. If many actors of a type have some, as for long polls, the number must have grown.
type putOff struct{ held map[uint64]putOffs }

type putOffs struct {
	first, count int
	since        time.Time
}

const forgotten = 10 * time.Second

func (r *putOff) step(v *view) []lint {
	if !v.isNew(whyAt) {
		return nil
	}
	held := map[uint64]putOffs{}
	var found []lint
	for _, h := range v.largest {
		if h.What != "put-off reply" {
			continue
		}
		id := h.Actor.ID
		p := r.held[id]
		if p.since.IsZero() || h.Count < p.count {
			p.since, p.first = v.at, h.Count
		}
		p.count = h.Count
		held[id] = p
		few := slices.ContainsFunc(v.why, func(o actor.Holder) bool { return o.What == h.What && o.Actor.ID == id })
		if v.at.Sub(p.since) < forgotten || !few && p.count == p.first {
			continue
		}
		found = append(found, lint{rule: "put-off-reply", severity: check, since: p.since,
			about: []inspect.Actor{h.Actor},
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
