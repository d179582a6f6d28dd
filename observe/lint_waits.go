package observe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// streaks has, for each actor by its number, in how many samples running it was found.
type streaks map[uint64]streak

// streak is a number of samples and the time of the first.
type streak struct {
	times int
	since time.Time
}

// goOn extends the streak of an actor by one sample, and stores it in now, the streaks of that
// sample.
func (s streaks) goOn(now streaks, actor uint64, at time.Time) streak {
	k := s[actor]
	if k.times++; k.times == 1 {
		k.since = at
	}
	now[actor] = k
	return k
}

// muteChain finds chains of muted actors, each muted for the next. The actor at the end holds up
// all of them. A chain of three has to be seen in two samples.
type muteChain struct{ last streaks }

const (
	chainLength  = 3
	chainSamples = 2
)

func (r *muteChain) step(v *view) []lint {
	if !v.isNew(graphAt) {
		return nil
	}
	next, actors := map[uint64]uint64{}, map[uint64]inspect.Actor{}
	for _, e := range v.graph.Mutes {
		next[e.From.ID] = e.To.ID
		actors[e.To.ID] = e.To
	}
	longest := map[uint64]int{} // by the actor at their end
	for id := range next {
		if end, n, circle := follow(next, id); !circle && n > longest[end] {
			longest[end] = n
		}
	}
	now := streaks{}
	var found []lint
	for end, n := range longest {
		if n < chainLength {
			continue
		}
		if s := r.last.goOn(now, end, v.at); s.times >= chainSamples {
			found = append(found, lint{rule: "mute-chain", severity: warn,
				about: []inspect.Actor{actors[end]}, since: s.since,
				says: fmt.Sprintf("holds up a chain of %d muted actors: it does not keep up", n)})
		}
	}
	r.last = now
	return mostOf(found)
}

// muteCrowd finds actors for which the same many are muted, in crowdSamples looks running. That may
// be intended back-pressure, and it is the reason why the senders are slow. Looks while a thread
// had no processor do not count: then the actor could not run.
type muteCrowd struct{ last map[uint64]mutedCrowd }

const (
	crowdSize    = 20
	crowdSamples = 3
)

// mutedCrowd has the actors that were muted for one in all looks, how many looks, and since when.
type mutedCrowd struct {
	who   map[uint64]bool
	times int
	since time.Time
}

func (r *muteCrowd) step(v *view) []lint {
	if !v.isNew(graphAt) || v.machine.lackedShare() > muchLacked {
		return nil
	}
	muted, actors := map[uint64]map[uint64]bool{}, map[uint64]inspect.Actor{}
	for _, e := range v.graph.Mutes {
		if muted[e.To.ID] == nil {
			muted[e.To.ID] = map[uint64]bool{}
		}
		muted[e.To.ID][e.From.ID] = true
		actors[e.To.ID] = e.To
	}
	now := map[uint64]mutedCrowd{}
	var found []lint
	for id, who := range muted {
		c := r.last[id]
		if c.times == 0 {
			c = mutedCrowd{who: who, since: v.at}
		}
		maps.DeleteFunc(c.who, func(from uint64, _ bool) bool { return !who[from] })
		if len(c.who) < crowdSize {
			c = mutedCrowd{who: who, since: v.at}
		}
		if len(c.who) < crowdSize {
			continue
		}
		c.times++
		if now[id] = c; c.times >= crowdSamples {
			found = append(found, lint{rule: "mute-crowd", severity: check,
				about: []inspect.Actor{actors[id]}, since: c.since,
				says: fmt.Sprintf("has %d actors muted for it", len(who))})
		}
	}
	r.last = now
	return mostOf(found)
}

// follow walks a chain to its end. It returns the number of steps and reports a circle.
func follow(next map[uint64]uint64, id uint64) (end uint64, n int, circle bool) {
	for to, ok := next[id]; ok; to, ok = next[id] {
		id = to
		if n++; n > len(next) {
			return id, n, true
		}
	}
	return id, n, false
}

// circles finds actors that wait for each other in a circle. inspect has confirmed each circle.
type circles struct{ since spells[string] }

func (r *circles) step(v *view) []lint {
	if r.since == nil {
		r.since = spells[string]{}
	}
	is := map[string]bool{}
	for _, c := range v.graph.Circles {
		is[circleKey(c)] = true
	}
	r.since.see(v.at, is)
	var found []lint
	for _, c := range v.graph.Circles {
		l := lint{rule: "mute-circle", severity: warn, about: c, since: r.since[circleKey(c)]}
		does := "is muted"
		if v.asksIn(c) {
			l.rule, does = "ask-circle", "asks"
		}
		switch len(c) {
		case 1:
			l.says = does + " and waits for itself"
		case 2:
			l.says = does + " and waits for $1, which waits for it: a circle of 2"
		default:
			l.says = fmt.Sprintf("%s and waits for $1, and so on: "+
				"a circle of %d that wait for each other",
				does, len(c))
		}
		found = append(found, l)
	}
	return mostOf(found)
}

func circleKey(c []inspect.Actor) string {
	var b strings.Builder
	for _, a := range c {
		fmt.Fprint(&b, a.ID, " ")
	}
	return b.String()
}

// asksIn reports whether one of the actors of a circle waits in an ask.
func (s *sample) asksIn(circle []inspect.Actor) bool {
	for _, e := range s.graph.Asks {
		for _, a := range circle {
			if a.ID == e.From.ID {
				return true
			}
		}
	}
	return false
}

// longAsk finds actors that have not answered an ask for long.
type longAsk struct{}

const askOpen = 5 * time.Second

func (longAsk) step(v *view) []lint {
	var found []lint
	for _, e := range oldestTo(v.graph.Asks, askOpen) {
		found = append(found, lint{rule: "long-ask", severity: warn, since: v.at.Add(-e.AtLeast),
			about: []inspect.Actor{e.To, e.From},
			says: fmt.Sprintf("has not answered $1, which waits in %q, for %s", e.Behaviour,
				short(e.AtLeast))})
	}
	return found
}

// oldestTo returns, for each actor that is waited for, the wait that lasts longest. Waits of up to
// least are left out.
func oldestTo(waits []inspect.Edge, least time.Duration) map[uint64]inspect.Edge {
	oldest := map[uint64]inspect.Edge{}
	for _, e := range waits {
		if e.AtLeast > max(least, oldest[e.To.ID].AtLeast) {
			oldest[e.To.ID] = e
		}
	}
	return oldest
}

// longMute finds actors for which another has been muted for long without a break, and actors that
// have applied pressure for as long while others were muted for them now and then.
type longMute struct{}

const muteOpen = 5 * time.Second

func (longMute) step(v *view) []lint {
	oldest := oldestTo(v.graph.Mutes, muteOpen)
	pressed := map[uint64]bool{}
	for _, a := range v.graph.Pressed {
		pressed[a.ID] = true
	}
	var found []lint
	for id, e := range oldest {
		says := fmt.Sprintf("has kept $1 muted for %s", short(e.AtLeast))
		if pressed[id] {
			says = fmt.Sprintf("applies pressure, and has kept $1 muted for %s", short(e.AtLeast))
		}
		found = append(found, lint{rule: "long-mute", severity: warn, since: v.at.Add(-e.AtLeast),
			about: []inspect.Actor{e.To, e.From}, says: says + v.because(e.To)})
	}
	for _, p := range v.pressed {
		if _, ok := oldest[p.actor.ID]; ok || p.last.Sub(p.first) <= muteOpen {
			continue
		}
		found = append(found, lint{rule: "long-mute", severity: warn, since: p.first,
			about: []inspect.Actor{p.actor},
			says: fmt.Sprintf("has applied pressure for %s without releasing it, and its senders are muted",
				short(v.at.Sub(p.first))) + v.because(p.actor)})
	}
	return mostOf(found)
}

// fullChannel finds channels of Go's into which a message waits to be put, in channelSamples
// samples running: bridge.ToChan. It also finds crowdSize processes of a type or more that wait to
// send to a channel in sendSamples samples running, each in the same line.
type fullChannel struct {
	last  streaks
	sends map[uint64]sending
}

const (
	channelSamples = 6
	sendSamples    = 10
)

// sending is a process that waits to send to a channel: in which line, in how many samples, and
// since when.
type sending struct {
	at string
	streak
}

// processes finds types of processes that wait to send.
func (r *fullChannel) processes(v *view) (found []lint) {
	now, last := map[uint64]sending{}, r.sends
	stuck, first := map[string]int{}, map[string]inspect.Process{}
	since := map[string]time.Time{}
	for _, p := range v.processes.Processes {
		if p.On != "channel send" {
			continue
		}
		s, going := last[p.ID]
		if !going || p.At != "" && s.at != "" && p.At != s.at {
			s = sending{streak: streak{since: v.at}}
		}
		s.at, s.times = cmp.Or(p.At, s.at), s.times+1
		if now[p.ID] = s; s.times < sendSamples {
			continue
		}
		if stuck[p.Type]++; stuck[p.Type] == 1 || s.since.Before(since[p.Type]) {
			since[p.Type] = s.since
		}
		p.At = s.at
		first[p.Type] = p
	}
	r.sends = now
	for _, typ := range slices.Sorted(maps.Keys(stuck)) {
		if n := stuck[typ]; n >= crowdSize {
			found = append(found, lint{rule: "full-channel", severity: check, kind: "sends of " + typ,
				subject: clip(typ), since: since[typ], says: fmt.Sprintf(
					"has %d processes that have waited at a channel that has no room for %s%s", n,
					short(v.at.Sub(since[typ])), isIn(first[typ]))})
		}
	}
	return found
}

func (r *fullChannel) step(v *view) []lint {
	sends := r.processes(v)
	if !v.isNew(whyAt) {
		return sends
	}
	now, found := streaks{}, sends
	for _, h := range v.largest {
		if h.What != "ToChan" {
			continue
		}
		if s := r.last.goOn(now, h.Actor.ID, v.at); s.times >= channelSamples {
			found = append(found, lint{rule: "full-channel", severity: warn, about: []inspect.Actor{h.Actor},
				since: s.since, says: "has a message for a channel of Go's that has no room (ToChan)"})
		}
	}
	r.last = now
	return mostOf(found)
}

// longCall finds processes for which others wait, and that wait for something else: in callSamples
// samples running they were never seen to run or to receive, and the same process waited for their
// reply, or for room in their mailbox.
type longCall struct{ last map[uint64]call }

const callSamples = 6

// call is a process that is asked: who has waited in all samples, how many samples, and since when.
type call struct {
	by    map[uint64]bool
	times int
	since time.Time
}

func (r *longCall) step(v *view) []lint {
	now, found := map[uint64]call{}, []lint(nil)
	by, all := map[uint64]map[uint64]bool{}, map[uint64]inspect.Process{}
	for _, p := range v.processes.Processes {
		all[p.ID] = p
		if p.Asked != 0 {
			if by[p.Asked] == nil {
				by[p.Asked] = map[uint64]bool{}
			}
			by[p.Asked][p.ID] = true
		}
	}
	for id, callers := range by {
		p, ok := all[id]
		if !ok || !p.Waits || p.On == "receive" || p.Asked != 0 || p.For.ID != 0 {
			continue
		}
		c, going := r.last[id]
		if !going {
			c = call{by: callers, since: v.at}
		}
		for who := range c.by {
			if !callers[who] {
				delete(c.by, who)
			}
		}
		if len(c.by) == 0 {
			continue
		}
		c.times++
		if now[id] = c; c.times >= callSamples {
			found = append(found, lint{rule: "long-call", severity: warn, process: id, since: c.since,
				subject: processLabel(p.Type, id, strings.Join(p.Names, " ")), victims: len(callers),
				says: fmt.Sprintf("keeps the same processes waiting for %s%s", short(v.at.Sub(c.since)), isIn(p))})
		}
	}
	r.last = now
	return mostOf(found)
}

// mutedForever finds systems in which every remaining actor waits for an actor under pressure.
type mutedForever struct {
	times int
	since time.Time
}

func (r *mutedForever) step(v *view) []lint {
	mutes, others := 0, 0
	var a inspect.Actor
	for _, h := range v.why {
		switch h.What {
		case "mute":
			mutes += h.Count
			a = v.find(h.Actor.ID, h.Actor.Type)
		case "put-off reply", "SendWait": // neither keeps the system from ending
		default:
			others++
		}
	}
	if mutes == 0 || others > 0 {
		*r = mutedForever{}
		return nil
	}
	if r.times++; r.times == 1 {
		r.since = v.at
	}
	if r.times < chainSamples {
		return nil
	}
	return []lint{{rule: "muted-forever", severity: warn, about: []inspect.Actor{a}, since: r.since,
		says: fmt.Sprintf("is muted, as are %d in all, and nothing else is left to do", mutes)}}
}

// pressureDeadlock shows the pressure deadlocks that the runtime reported.
type pressureDeadlock struct{}

// deadlockShown is longer than the interval at which the runtime repeats a report.
const deadlockShown = time.Minute

func (pressureDeadlock) step(v *view) []lint {
	latest := map[uint64]lint{}
	for _, d := range v.deadlocks {
		if v.at.Sub(d.At) > deadlockShown {
			continue
		}
		a := v.find(d.Pressed.ID, d.Pressed.Type)
		l := lint{rule: "pressure-deadlock", severity: warn, about: []inspect.Actor{a}, since: d.At,
			says: fmt.Sprintf("applies pressure, and %d wait for it", len(d.Waits))}
		if len(d.Waits) > 0 {
			w := d.Waits[0].Who
			l.about = append(l.about, v.find(w.ID, w.Type))
			l.says = fmt.Sprintf("applies pressure, and $1 waits for it with %d in all", len(d.Waits))
		}
		if d.Closed {
			l.says += ", in a circle: it may wait for a message from them"
		}
		latest[a.ID] = l
	}
	var found []lint
	for _, l := range latest {
		found = append(found, l)
	}
	return mostOf(found)
}
