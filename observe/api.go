package observe

import (
	"fmt"
	"slices"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// The types whose names begin with api are the JSON answers of version 1 of the API. Later releases
// may add fields; a field keeps its name and its meaning. docs/observe.md explains the fields.

type apiActor struct {
	ID         uint64     `json:"id"`
	Type       string     `json:"type"`
	Name       string     `json:"name,omitempty"`
	Path       string     `json:"path,omitempty"`
	Status     string     `json:"status,omitempty"`
	Queued     int        `json:"queued"`
	More       bool       `json:"queued_more,omitempty"`        // the mailbox holds more than Queued messages
	Busy       float64    `json:"busy,omitempty"`               // share of the time of all busy workers
	Workers    float64    `json:"workers,omitempty"`            // workers that it keeps busy, on average
	Waits      float64    `json:"mail_waits_seconds,omitempty"` // how long its mail waits, if that is known
	Spawned    *time.Time `json:"spawned,omitempty"`
	Overloaded bool       `json:"overloaded,omitempty"`
	Muted      bool       `json:"muted,omitempty"`
	Suspended  bool       `json:"suspended,omitempty"`
	Pinned     bool       `json:"pinned,omitempty"`
}

type apiWorker struct {
	ID        int     `json:"id"`
	State     string  `json:"state"`
	Busy      float64 `json:"busy"`
	Type      string  `json:"type,omitempty"`
	Behaviour string  `json:"behaviour,omitempty"`
	Actor     uint64  `json:"actor,omitempty"`
	Process   uint64  `json:"process,omitempty"`
	For       float64 `json:"for_seconds,omitempty"` // of a turn that has lasted for long
	Pinned    bool    `json:"pinned,omitempty"`
	Messages  float64 `json:"messages_per_second"`
	Steals    float64 `json:"steals_per_second"`
	Parks     float64 `json:"parks_per_second"`
}

type apiBusy struct {
	Actor     uint64  `json:"actor,omitempty"`
	Process   uint64  `json:"process,omitempty"`
	Type      string  `json:"type"`
	Name      string  `json:"name,omitempty"`
	Behaviour string  `json:"behaviour"`
	Busy      float64 `json:"busy"`    // share of the time of all busy workers
	Error     float64 `json:"error"`   // standard error of Busy
	Workers   float64 `json:"workers"` // workers that it keeps busy, on average
	Queued    int     `json:"queued"`
	More      bool    `json:"queued_more,omitempty"`
}

type apiType struct {
	Name       string   `json:"name"`
	Busy       float64  `json:"busy"`
	Workers    float64  `json:"workers"`     // workers that it keeps busy, on average
	Seen       int      `json:"living_seen"` // in the sample; 0: Living is not known
	Living     uint64   `json:"living"`      // an estimate; the true number is between Low and High with 99 %
	Low        uint64   `json:"living_low"`
	High       uint64   `json:"living_high"`
	Bytes      int      `json:"state_bytes"`
	Probes     int      `json:"probes"`
	DelayP50   *float64 `json:"delay_p50_seconds,omitempty"`
	DelayP99   *float64 `json:"delay_p99_seconds,omitempty"`
	Waits      float64  `json:"delay_at_least_seconds,omitempty"` // how long the oldest unanswered probe has waited
	Pinned     bool     `json:"pinned,omitempty"`
	Behaviours []string `json:"behaviours"`
}

type apiEdge struct {
	From      apiActor `json:"from"`
	To        apiActor `json:"to"`
	Behaviour string   `json:"behaviour,omitempty"`
	Seconds   float64  `json:"at_least_seconds,omitempty"`
}

type apiWaits struct {
	Edges   []apiEdge    `json:"edges"`
	LeftOut int          `json:"left_out"`
	Pressed []apiActor   `json:"pressed"`
	Circles [][]apiActor `json:"circles"`
}

type apiHolder struct {
	What  string    `json:"what"`
	Count int       `json:"count"`
	Actor *apiActor `json:"actor,omitempty"`
	For   *apiActor `json:"for,omitempty"`
	Text  string    `json:"text"`
	// Process is the number of the process if the holder is none of an actor. Actor has its name then.
	Process uint64 `json:"process,omitempty"`
}

type apiHold struct {
	At      string  `json:"at"`
	Seconds float64 `json:"seconds"`
}

type apiWhy struct {
	Holders []apiHolder `json:"holders"`
	Holds   []apiHold   `json:"holds"`
}

type apiNamed struct {
	Name  string   `json:"name"`
	Actor apiActor `json:"actor"`
}

// present turns a view into answers of the API.
type present struct {
	v      *view
	redact func(what, text string) string
}

func (p present) name(n string) string {
	if n == "" {
		return ""
	}
	return p.redact("name", n)
}

func (p present) path(n string) string {
	if n == "" {
		return ""
	}
	return p.redact("path", n)
}

func (p present) actor(a inspect.Actor) apiActor {
	b := apiActor{
		ID: a.ID, Type: a.Type, Name: p.name(a.Name), Path: p.path(a.Path), Status: a.Status.String(),
		Queued: a.Queued, More: a.Queued >= inspect.MaxQueued,
		Overloaded: a.Overloaded, Muted: a.Muted, Suspended: a.Suspended, Pinned: a.Pinned,
	}
	if !a.Spawned.IsZero() {
		b.Spawned = &a.Spawned
	}
	return b
}

func (p present) actors(list []inspect.Actor) []apiActor {
	all := make([]apiActor, len(list))
	for i, a := range list {
		all[i] = p.actor(a)
	}
	return all
}

// named returns an actor of which only the name is known. It returns nil for the zero name.
func (p present) named(n actor.ActorName) *apiActor {
	if n.ID == 0 && n.Type == "" {
		return nil
	}
	return &apiActor{ID: n.ID, Type: n.Type, Name: p.name(n.Name), Path: p.path(n.Path)}
}

func (p present) workers() []apiWorker {
	all := make([]apiWorker, len(p.v.workers))
	for i, w := range p.v.workers {
		all[i] = apiWorker{
			ID: w.ID, State: w.State.String(), Busy: w.Busy, Type: w.Type, Behaviour: w.Behaviour,
			Actor: w.Actor, Process: w.Process, Pinned: w.Pinned, For: p.v.turnOf(w).Seconds(),
		}
		if w.ID >= p.v.slots {
			continue
		}
		of := func(figure func(actor.WorkerStats) uint64) float64 {
			return p.v.rate(func(s *sample) uint64 {
				if w.ID < len(s.stats.Workers) {
					return figure(s.stats.Workers[w.ID])
				}
				return 0
			})
		}
		all[i].Messages = of(func(s actor.WorkerStats) uint64 { return s.Messages })
		all[i].Steals = of(func(s actor.WorkerStats) uint64 { return s.Steals })
		all[i].Parks = of(func(s actor.WorkerStats) uint64 { return s.Parks })
	}
	return all
}

func (p present) busy(n int) []apiBusy {
	all := []apiBusy{}
	for _, b := range p.v.busy[:min(n, len(p.v.busy))] {
		a := p.v.find(b.Actor, b.Type)
		all = append(all, apiBusy{
			Actor: b.Actor, Process: b.Process, Type: b.Type, Name: p.name(a.Name), Behaviour: b.Behaviour,
			Busy: b.Share, Error: standardError(p.v.ran), Workers: p.v.workersFor(b), Queued: a.Queued, More: a.Queued >= inspect.MaxQueued,
		})
	}
	return all
}

// waits returns the edges of one sort. asks selects the circles that contain an ask, or else the
// others.
func (p present) waits(edges []inspect.Edge, asks bool) apiWaits {
	w := apiWaits{Edges: []apiEdge{}, Pressed: p.actors(p.v.graph.Pressed), Circles: [][]apiActor{}}
	w.LeftOut = max(0, len(edges)-mostEdges)
	for _, e := range edges[:min(len(edges), mostEdges)] {
		w.Edges = append(w.Edges,
			apiEdge{p.actor(e.From), p.actor(e.To), e.Behaviour, e.AtLeast.Seconds()})
	}
	for _, c := range p.v.graph.Circles {
		if p.v.asksIn(c) == asks {
			w.Circles = append(w.Circles, p.actors(c))
		}
	}
	return w
}

// mostEdges is the number of edges shown: a reader cannot follow more.
const mostEdges = 300

func (p present) mutes() apiWaits { return p.waits(p.v.graph.Mutes, false) }
func (p present) asks() apiWaits  { return p.waits(p.v.graph.Asks, true) }

func (p present) why() apiWhy {
	w := apiWhy{Holders: []apiHolder{}, Holds: []apiHold{}}
	for _, h := range p.v.why {
		h.Actor.Name, h.Actor.Path = p.name(h.Actor.Name), p.path(h.Actor.Path)
		h.For.Name, h.For.Path = p.name(h.For.Name), p.path(h.For.Path)
		// The names are redacted already, so plain does not redact them again.
		plain := present{p.v, func(_, text string) string { return text }}
		w.Holders = append(w.Holders,
			apiHolder{h.What, h.Count, plain.named(h.Actor), plain.named(h.For), h.String(), p.processOf(h.Actor)})
	}
	for _, h := range p.v.holds {
		w.Holds = append(w.Holds, apiHold{h.At, h.For.Seconds()})
	}
	return w
}

// processOf returns the number of a process by the name of a holder; 0 if that is an actor's. No actor
// has the type of a process.
func (p present) processOf(n actor.ActorName) uint64 {
	if slices.ContainsFunc(p.v.types, func(t inspect.Type) bool { return t.Name == n.Type }) {
		return 0
	}
	return n.ID
}

func (p present) names() []apiNamed {
	all := []apiNamed{}
	for _, n := range p.v.names[:min(len(p.v.names), mostNames)] {
		all = append(all, apiNamed{p.name(n.Name), p.actor(n.Actor)})
	}
	return all
}

const mostNames = 2000

// short formats a duration for a sentence.
func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return fmt.Sprint(d.Round(100 * time.Millisecond))
}
