package observe

import (
	"time"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/supervise"
)

type apiLetters struct {
	Type       string    `json:"type"`
	Behaviour  string    `json:"behaviour"`
	Reason     string    `json:"reason"`
	FromType   string    `json:"from_type,omitempty"`
	Count      uint64    `json:"count"`
	Rate       float64   `json:"per_second"`
	First      time.Time `json:"first"`
	Last       time.Time `json:"last"`
	BestEffort bool      `json:"best_effort,omitempty"`
}

type apiLetter struct {
	At        time.Time `json:"at"`
	Actor     *apiActor `json:"actor"`
	Behaviour string    `json:"behaviour"`
	Reason    string    `json:"reason"`
	From      uint64    `json:"from,omitempty"`
	FromType  string    `json:"from_type,omitempty"`
}

type apiDeadLetters struct {
	Groups  []apiLetters `json:"groups"`
	Recent  []apiLetter  `json:"recent"` // newest first
	LeftOut uint64       `json:"left_out"`
}

type apiPanic struct {
	At        time.Time `json:"at"`
	Actor     apiActor  `json:"actor"`
	Behaviour string    `json:"behaviour"`
	From      uint64    `json:"from,omitempty"`
	Value     string    `json:"value"`
	Frame     string    `json:"frame"`
	Stack     string    `json:"stack"`
}

type apiLongTurn struct {
	At        time.Time `json:"at"`
	Actor     apiActor  `json:"actor"`
	Behaviour string    `json:"behaviour"`
	Worker    int       `json:"worker"`
	Seconds   float64   `json:"at_least_seconds"`
	Blocking  bool      `json:"blocking,omitempty"`
	Stack     string    `json:"stack,omitempty"`
	Now       bool      `json:"now,omitempty"`  // it still goes on
	Line      string    `json:"line,omitempty"` // the line of code that it is in
	Process   uint64    `json:"process,omitempty"`
}

type apiNode struct {
	Name       string    `json:"name"`
	Type       string    `json:"type"`
	ID         uint64    `json:"id,omitempty"`
	State      string    `json:"state"`
	Restarts   int       `json:"restarts"`
	Last       string    `json:"last,omitempty"` // why the child ended last
	LastAt     string    `json:"last_at,omitempty"`
	Supervises bool      `json:"supervises,omitempty"`
	Strategy   string    `json:"strategy,omitempty"`
	LeftOut    int       `json:"children_left_out,omitempty"`
	Children   []apiNode `json:"children,omitempty"`
}

const (
	mostGroups   = 200
	mostRecent   = 50
	mostChildren = 200
)

func (p present) deadLetters() apiDeadLetters {
	d := apiDeadLetters{Groups: []apiLetters{}, Recent: []apiLetter{}, LeftOut: p.v.leftOut}
	for _, l := range p.v.letters[:min(len(p.v.letters), mostGroups)] {
		d.Groups = append(d.Groups, apiLetters{l.Type, l.Behaviour, l.Reason, l.FromType, l.Count,
			l.Rate, l.First, l.Last, l.BestEffort})
	}
	for i := len(p.v.recent) - 1; i >= 0 && len(d.Recent) < mostRecent; i-- {
		l := p.v.recent[i]
		d.Recent = append(d.Recent,
			apiLetter{l.At, p.named(l.Actor), l.Behaviour, l.Reason, l.From, l.FromType})
	}
	return d
}

func (p present) panics() []apiPanic {
	all := []apiPanic{}
	for i := len(p.v.sample.panics) - 1; i >= 0; i-- {
		r := p.v.sample.panics[i]
		value := guard.Text(r.Value)
		if r.Goexit {
			value = "runtime.Goexit"
		}
		all = append(all, apiPanic{
			At:        r.At,
			Actor:     apiActor{ID: r.ActorID, Type: r.Type, Name: p.name(r.Name), Path: p.path(r.Path)},
			Behaviour: r.Behaviour, From: r.From, Value: p.redact("panic", value), Frame: r.Frame,
			Stack: p.redact("stack", string(r.Stack)),
		})
	}
	return all
}

func (p present) longTurns() []apiLongTurn {
	all := []apiLongTurn{}
	for _, t := range p.v.now {
		one := apiLongTurn{At: p.v.at.Add(-t.Lasted), Actor: p.actor(t.Actor), Behaviour: t.Behaviour,
			Worker: t.Worker, Seconds: t.Lasted.Seconds(), Blocking: t.Blocking, Now: true, Line: t.at,
			Process: t.Process, Stack: p.redact("stack", t.stack)}
		if t.Process != 0 {
			one.Actor = apiActor{Type: t.Type, Name: p.name(t.Name)}
		}
		all = append(all, one)
	}
	for i := len(p.v.long) - 1; i >= 0; i-- {
		r := p.v.long[i]
		all = append(all, apiLongTurn{
			At:        r.At,
			Actor:     apiActor{ID: r.ActorID, Type: r.Type, Name: p.name(r.Name), Path: p.path(r.Path)},
			Behaviour: r.Behaviour, Worker: r.Worker, Seconds: r.AtLeast.Seconds(), Blocking: r.Blocking,
			Stack: p.redact("stack", string(r.Stack)),
		})
	}
	return all
}

func (p present) tree() []apiNode { return p.nodes(p.v.trees) }

func (p present) nodes(list []supervise.Node) []apiNode {
	all := []apiNode{}
	for _, n := range list[:min(len(list), mostChildren)] {
		a := apiNode{
			Name: p.name(n.Name), Type: n.Type, State: n.State.String(), Restarts: n.Restarts,
			Supervises: n.Supervises, Children: p.nodes(n.Children),
			LeftOut: max(0, len(n.Children)-mostChildren),
		}
		if !n.Ref.IsZero() {
			a.ID = n.Ref.ID()
		}
		if n.Last != nil {
			a.Last = p.redact("panic", guard.Text(n.Last))
		}
		if !n.LastAt.IsZero() {
			a.LastAt = n.LastAt.Format(time.RFC3339)
		}
		if n.Supervises {
			a.Strategy = n.Strategy.String()
		}
		all = append(all, a)
	}
	return all
}
