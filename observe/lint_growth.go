package observe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/supervise"
)

// onlyGrows finds numbers that only grow: actors of a type, timers, Pipes, stashed messages and
// put-off replies of an actor, children of a supervisor, processes of a type, processes that ask one,
// mail of a process, goroutines, the heap. A number is compared with itself ten seconds, a minute and
// ten minutes before.
type onlyGrows struct{ series map[counted]*series }

// counted identifies a number that is followed.
type counted struct {
	what string
	of   key
}

// A growing number is one that has grown by leastGrowth, and by a share of itself.
var growths = []struct {
	within time.Duration
	share  float64
}{{10 * time.Second, 0.15}, {time.Minute, 0.25}, {10 * time.Minute, 0.25}}

const (
	leastGrowth = 50
	leastHeap   = 32 << 20 // bytes
	leastSteps  = 3        // a number of samples that are larger than the one before
	heapSteps   = 2        // the same for the heap, which is known after a collection only
	mostSeries  = 2000
)

// step implements rule.
func (r *onlyGrows) step(v *view) []lint {
	if r.series == nil {
		r.series = map[counted]*series{}
	}
	var found []lint
	seen := map[counted]bool{}
	follow := func(c counted, n, least float64, make func(from figureAt, n float64) lint) {
		s := r.series[c]
		if s == nil {
			if len(r.series) == mostSeries {
				return
			}
			s = &series{}
			r.series[c] = s
		}
		seen[c] = true
		s.add(v.at, n)
		steps := leastSteps
		if c.what == "heap" {
			steps = heapSteps
		}
		if from, ok := s.growsSince(v.at, least, steps); ok {
			if l := make(from, n); l.says != "" {
				l.rule, l.severity = "only-grows", max(l.severity, check)
				if l.since.IsZero() {
					l.since = from.at
				}
				found = append(found, l)
			}
		}
	}
	r.holders(v, follow)
	r.processes(v, follow)
	r.actors(v, follow)
	r.program(v, follow)
	for c, s := range r.series {
		if !seen[c] && v.at.Sub(s.last().at) > edgesCount {
			delete(r.series, c)
		}
	}
	return mostOf(alone(found))
}

type followFunc = func(c counted, n, least float64, make func(from figureAt, n float64) lint)

func amount(n float64) string { return fmt.Sprintf("%.0f", n) }

func (*onlyGrows) holders(v *view, follow followFunc) {
	for _, h := range v.largest {
		a := h.Actor
		follow(counted{h.What, actorKey(a)}, float64(h.Count), leastGrowth, func(from figureAt, n float64) lint {
			return lint{about: []inspect.Actor{a}, says: "has " + plural(h.What) + " that only grow: " +
				v.more(from, n)}
		})
	}
	for _, h := range v.why {
		if h.Actor.ID != 0 || h.Actor.Type == "" || !mayLeak(h.What) {
			continue
		}
		follow(counted{h.What, key{text: h.Actor.Type}}, float64(h.Count), leastGrowth,
			func(from figureAt, n float64) lint {
				return lint{kind: h.What + " of " + h.Actor.Type, subject: clip(h.Actor.Type),
					says: "has " + plural(h.What) + " that only grow: " + v.more(from, n)}
			})
	}
}

func plural(what string) string {
	if s, ok := strings.CutSuffix(what, "reply"); ok {
		return s + "replies"
	}
	return what + "s"
}

// more says how much a number has grown.
func (v *view) more(from figureAt, n float64) string {
	return fmt.Sprintf("%s more in %s, and now %s", amount(n-from.n),
		short(v.at.Sub(from.at).Round(time.Second)), amount(n))
}

// mayLeak reports whether holders of a kind are made by code that may forget them.
func mayLeak(what string) bool {
	switch what {
	case "running turn", "queued turn", "mute", "pending restart", "pending stop":
		return false
	}
	return true
}

func (*onlyGrows) processes(v *view, follow followFunc) {
	if v.processes.More {
		return // the numbers are not all there
	}
	for _, g := range v.processes.Types {
		follow(counted{"process", key{text: g.Type}}, float64(g.Count), leastGrowth,
			func(from figureAt, n float64) lint {
				return lint{kind: "processes of " + g.Type, subject: clip(g.Type),
					says: "has processes that only grow in number: " + v.more(from, n) + v.mostlyIn(g.Type)}
			})
	}
	for _, g := range v.processes.Asked {
		follow(counted{"asks", key{process: true, id: g.ID}}, float64(g.Count), leastGrowth,
			func(from figureAt, n float64) lint {
				return lint{process: g.ID, subject: processLabel(g.Type, g.ID, ""), victims: g.Count,
					says: "has requests without a reply that only grow in number: " + v.more(from, n)}
			})
	}
	for _, p := range v.processes.Processes {
		if p.Queued < leastGrowth {
			continue
		}
		name := ""
		if len(p.Names) > 0 {
			name = p.Names[0]
		}
		follow(counted{"mail", key{process: true, id: p.ID}}, float64(p.Queued), leastGrowth,
			func(from figureAt, n float64) lint {
				return lint{process: p.ID, severity: warn, subject: processLabel(p.Type, p.ID, name),
					says: "has a mailbox that only grows: " + v.more(from, n) + " messages" + isIn(p)}
			})
	}
}

// mostlyIn says where processes of a type are.
func (s *sample) mostlyIn(typ string) string {
	for _, p := range s.processes.Processes {
		if p.Type == typ && p.Waits {
			return isIn(p)
		}
	}
	return ""
}

// isIn says what a process waits for.
func isIn(p inspect.Process) string {
	switch {
	case !p.Waits:
		return ""
	case p.At != "":
		return "; it waits in " + p.On + ", in " + p.At
	}
	return "; it waits in " + p.On
}

// actors follows the number of actors, and the children of each supervisor.
func (r *onlyGrows) actors(v *view, follow followFunc) {
	walk(v.trees, "", func(path string, n supervise.Node) {
		if !n.Supervises {
			return
		}
		follow(counted{"child", key{text: path}}, float64(len(n.Children)), leastGrowth,
			func(from figureAt, m float64) lint {
				l := lint{kind: "children of " + path, subject: clip(path), path: path,
					says: "has children that only grow in number: " + v.more(from, m)}
				if len(n.Children) > 0 {
					l.says += ", the last of type " + clip(n.Children[len(n.Children)-1].Type)
				}
				return l
			})
	})
	living := float64(v.stats.Spawned - v.stats.Stopped)
	follow(counted{"actors", key{}}, living, leastGrowth, func(from figureAt, n float64) lint {
		l := lint{since: from.at}
		typ, seen := v.youngest(from.at.Add(-2 * tick))
		if n > float64(v.census.Total.High+v.census.Before) || typ == "" {
			return lint{} // the GC has collected them, or it is not known yet which they are
		}
		l.kind, l.subject = "actors of "+typ, clip(typ)
		l.says = fmt.Sprintf("has actors that only grow in number: of all actors there are %s"+
			"; of the sample of one in %d, %s", v.more(from, n), inspect.OneIn, seen)
		return l
	})
}

// youngest returns the type of most of the actors of the sample that were spawned since a time and
// live on, and how many these are.
func (s *sample) youngest(since time.Time) (typ, seen string) {
	types, all := map[string]int{}, 0
	for _, a := range s.census.Seen {
		if a.Spawned.After(since) {
			types[a.Type]++
			all++
		}
	}
	for t, n := range types {
		if n > types[typ] || n == types[typ] && t < typ {
			typ = t
		}
	}
	if 2*types[typ] <= all {
		return "", ""
	}
	return typ, fmt.Sprintf("%d of the %d youngest", types[typ], all)
}

// program follows the figures of the Go program.
func (*onlyGrows) program(v *view, follow followFunc) {
	follow(counted{"goroutines", key{}}, float64(v.machine.goroutines), leastGrowth,
		func(from figureAt, n float64) lint {
			l := lint{kind: "goroutines", subject: "The number of goroutines",
				says: "only grows: " + v.more(from, n)}
			if len(v.machine.runs) > 0 {
				r := v.machine.runs[0]
				l.says += fmt.Sprintf("; %s of them are in %s", amount(r.N), r.At)
			}
			return l
		})
	follow(counted{"heap", key{}}, float64(v.machine.heap), leastHeap, func(from figureAt, n float64) lint {
		l := lint{kind: "heap", subject: "The heap", says: fmt.Sprintf("only grows: by %s in %s, to %s",
			bytesText(n-from.n), short(v.at.Sub(from.at).Round(time.Second)), bytesText(n))}
		if len(v.machine.holds) > 0 {
			l.says += "; most of it was allocated in " + v.machine.holds[0].At
		}
		return l
	})
}

func bytesText(n float64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GB", n/(1<<30))
	}
	return fmt.Sprintf("%.0f MB", n/(1<<20))
}

// alone drops what only follows from another finding: a type whose one actor has most of the number,
// and all actors if those of a supervisor are found.
func alone(found []lint) []lint {
	has := func(is func(l lint) bool) bool { return slices.ContainsFunc(found, is) }
	return slices.DeleteFunc(slices.Clone(found), func(l lint) bool {
		switch {
		case strings.HasPrefix(l.kind, "actors"):
			return has(func(o lint) bool { return strings.HasPrefix(o.kind, "children of ") })
		case l.kind == "goroutines":
			return has(func(o lint) bool {
				return o.kind != "goroutines" && (strings.HasPrefix(o.kind, "processes of ") ||
					strings.Contains(o.says, "has Pipes") || o.process != 0)
			})
		case l.kind == "heap":
			return len(found) > 1
		case l.subject != "" && strings.Contains(l.kind, " of "):
			return has(func(o lint) bool {
				return len(o.about) > 0 && l.kind != "" && strings.HasSuffix(l.kind, " of "+o.about[0].Type)
			})
		}
		return false
	})
}

// figureAt is a number at a time.
type figureAt struct {
	at time.Time
	n  float64
}

// series is a number over the last ten minutes: each sample for twelve seconds, and then one in ten
// seconds.
type series struct{ recent, old []figureAt }

func (s *series) last() figureAt { return s.recent[len(s.recent)-1] }

func (s *series) add(at time.Time, n float64) {
	s.recent = append(s.recent, figureAt{at, n})
	for at.Sub(s.recent[0].at) > 12*time.Second {
		if first := s.recent[0]; len(s.old) == 0 || first.at.Sub(s.old[len(s.old)-1].at) >= 10*time.Second {
			s.old = append(s.old, first)
		}
		s.recent = s.recent[1:]
	}
	for len(s.old) > 0 && at.Sub(s.old[0].at) > 11*time.Minute {
		s.old = s.old[1:]
	}
}

// growsSince returns the point since when the number has only grown, and enough.
func (s *series) growsSince(now time.Time, least float64, leastSteps int) (from figureAt, grows bool) {
	all := slices.Concat(s.old, s.recent)
	for _, g := range growths {
		i := slices.IndexFunc(all, func(p figureAt) bool { return now.Sub(p.at) <= g.within })
		if i < 0 || now.Sub(all[i].at) < g.within*8/10 {
			continue
		}
		first, last, steps := all[i], all[len(all)-1], 0
		fell := false
		for k, p := range all[i+1:] {
			before := all[i+k]
			fell = fell || p.n < before.n-0.01*before.n
			if p.n > before.n {
				steps++
			}
		}
		if !fell && steps >= leastSteps && last.n-first.n >= max(least, g.share*last.n) {
			return first, true
		}
	}
	return figureAt{}, false
}
