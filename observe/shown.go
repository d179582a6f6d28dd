package observe

import (
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
	"github.com/gallop-go/gallop/supervise"
)

// shown remembers the actors of findings, graphs and so on for a while after they were shown, so that
// a person can open them. It keeps their memory alive.
type shown map[uint64]shownActor

type shownActor struct {
	inspect.Actor
	last time.Time
}

const (
	shownFor  = time.Minute
	mostShown = 2000
)

// see notes the actors of a view.
func (s shown) see(v *view) {
	for id, a := range s {
		if v.at.Sub(a.last) > shownFor {
			delete(s, id)
		}
	}
	add := func(a inspect.Actor) {
		if _, ok := s[a.ID]; !a.Ref.IsZero() && (ok || len(s) < mostShown) {
			s[a.ID] = shownActor{a, v.at}
		}
	}
	for i := range v.lints {
		for _, a := range v.lints[i].about {
			add(a)
		}
	}
	for _, e := range v.graph.Mutes[:min(len(v.graph.Mutes), mostEdges)] {
		add(e.From)
		add(e.To)
	}
	for _, e := range v.graph.Asks[:min(len(v.graph.Asks), mostEdges)] {
		add(e.From)
		add(e.To)
	}
	for _, t := range v.now {
		add(t.Actor)
	}
	for _, l := range v.largest {
		add(l.Actor)
	}
	for _, p := range v.processes.Processes {
		add(p.For)
	}
	for _, b := range v.busy[:min(len(v.busy), mostActors)] {
		add(v.find(b.Actor, b.Type))
	}
}

// open returns an actor that the view shows, or that was shown a moment ago, as it is now.
func (l *look) open(v *view, id uint64) (a inspect.Actor, ok bool) {
	l.mu.Lock()
	ref := l.seen[id].Ref
	l.mu.Unlock()
	if one := v.find(id, ""); ref.IsZero() {
		ref = one.Ref
	}
	for _, g := range v.groups {
		if g.Actor.ID == id {
			ref = g.Actor.Ref
		}
	}
	walk(v.trees, "", func(_ string, n supervise.Node) {
		if !n.Ref.IsZero() && n.Ref.ID() == id {
			ref = n.Ref
		}
	})
	if ref.IsZero() {
		return inspect.Actor{}, false
	}
	return inspect.Describe(ref), true
}
